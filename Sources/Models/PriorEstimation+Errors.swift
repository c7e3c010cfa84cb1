internal import LeastSquares

extension PriorEstimation {
  /// How sure the population's mean is: its standard errors, squared, in place of the variances of people.
  ///
  /// The mean is A⁻¹ Σ Z' V⁻¹ y, A the information I on it and a little more, so its variance is A⁻¹ I A⁻¹, given variances and
  /// noise as they were estimated: how unsure these are is not in it (Laird and Ware 1982, doi:10.2307/2529876). Where columns
  /// depend on each other, as all the dummies of a category do, A decides how they share an effect, and that share is sure;
  /// the inverse of I alone would say that nothing is known of any of them. Zeros where there is nobody to learn from.
  ///
  /// - Throws: `LeastSquaresError` only for a bug.
  func errors(of result: Result) throws(LeastSquaresError) -> GaussianPrior {
    let order = result.prior.order
    var errors = result.prior
    errors.variances = [Double](repeating: 0, count: order)
    let information = result.information
    let largest = (0..<order).reduce(0) { max($0, information[$1 * order + $1]) }
    guard largest > 0 else { return errors }
    var inverse = information
    // As for the mean itself.
    for j in 0..<order { inverse[j * order + j] += precisions[j] + 1e-12 * largest }
    try PositiveDefinite.invert(&inverse, order: order)
    var product = [Double](repeating: 0, count: order)
    for k in 0..<order {
      // Of the inverse, too, the upper triangle counts.
      let column = (0..<order).map { inverse[max($0, k) * order + min($0, k)] }
      PositiveDefinite.multiply(information, order: order, column, into: &product)
      errors.variances[k] = max(0, zip(column, product).reduce(0) { $0 + $1.0 * $1.1 })
    }
    return errors
  }
}
