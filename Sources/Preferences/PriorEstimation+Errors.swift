internal import LeastSquares

extension PriorEstimation {
  /// How sure the population's mean is: its standard errors, squared, in place of the variances of people.
  ///
  /// The inverse of the information on the mean, given variances and noise as they were estimated: how unsure these are is
  /// not in it (Laird and Ware 1982, doi:10.2307/2529876). Zeros where there is nobody to learn from, as is the mean.
  ///
  /// - Throws: `LeastSquaresError` only for a bug.
  func errors(of result: Result) throws(LeastSquaresError) -> GaussianPrior {
    let order = result.prior.order
    var errors = result.prior
    var covariance = result.information
    let largest = (0..<order).reduce(0) { max($0, covariance[$1 * order + $1]) }
    guard largest > 0 else {
      errors.variances = [Double](repeating: 0, count: order)
      return errors
    }
    // As for the mean itself.
    for j in 0..<order { covariance[j * order + j] += precisions[j] + 1e-12 * largest }
    try PositiveDefinite.invert(&covariance, order: order)
    errors.variances = (0..<order).map { max(0, covariance[$0 * order + $0]) }
    return errors
  }
}
