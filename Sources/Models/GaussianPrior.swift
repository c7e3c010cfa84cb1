/// The prior distribution of a user's parameters t = (b, w), in the units of `ColumnScales`: t ~ N(mean,
/// diag(variances)). Values are z·t plus noise.
package struct GaussianPrior: Hashable, Sendable {
  var mean: [Double]
  /// The prior variances: 0 fixes a parameter at its mean, and infinity leaves it free.
  var variances: [Double]
  /// The variance of the noise, above 0.
  var noise: Double

  var order: Int { mean.count }

  /// Whether the base is free and the prior mean of all coefficients is 0.
  var hasNoTaste: Bool { variances[0] == .infinity && mean.dropFirst().allSatisfy { $0 == 0 } }

  /// Returns this prior with the standard deviation of every coefficient, but not of the base, multiplied by
  /// `factor`.
  func spread(by factor: Double) -> GaussianPrior {
    var narrower = self
    for place in 1..<order { narrower.variances[place] *= factor * factor }
    return narrower
  }
}
