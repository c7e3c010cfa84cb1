internal import LeastSquares

extension PriorEstimation {
  /// Returns `result.prior` with the squared standard errors of the population's mean in place of the
  /// variances between users.
  ///
  /// The mean is A⁻¹ Σ Z' V⁻¹ y, where A is the information I plus a small ridge. The variance of the mean is
  /// therefore A⁻¹ I A⁻¹, given the estimated variances and noise. The uncertainty of the variances and the
  /// noise is not included (Laird and Ware 1982, doi:10.2307/2529876).
  ///
  /// If columns are linearly dependent, such as all dummies of a category, the ridge determines how they
  /// share an effect. The errors do not include the uncertainty of this division. Without the ridge, the
  /// information matrix would not be invertible. If there are no users to learn from, all errors are 0.
  ///
  /// - Throws: `LeastSquaresError`, which indicates a bug.
  func errors(of result: Result) throws(LeastSquaresError) -> GaussianPrior {
    let order = result.prior.order
    var errors = result.prior
    errors.variances = [Double](repeating: 0, count: order)
    let information = result.information
    let largest = (0..<order).reduce(0) { max($0, information[$1 * order + $1]) }
    guard largest > 0 else { return errors }
    var inverse = information
    // The ridge is the same as for the mean.
    for j in 0..<order { inverse[j * order + j] += precisions[j] + 1e-12 * largest }
    try PositiveDefinite.invert(&inverse, order: order)
    var product = [Double](repeating: 0, count: order)
    for k in 0..<order {
      // Only the upper triangle of the inverse is valid, so elements below the diagonal are read from above
      // it.
      let column = (0..<order).map { inverse[max($0, k) * order + min($0, k)] }
      PositiveDefinite.multiply(information, order: order, column, into: &product)
      errors.variances[k] = max(0, zip(column, product).reduce(0) { $0 + $1.0 * $1.1 })
    }
    return errors
  }
}
