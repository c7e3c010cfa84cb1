/// What is believed of a person's parameters t = (b, w) before any of their rows is seen, in the units of
/// `ColumnScales`: t ~ N(mean, diag(variances)), and values are z·t plus noise.
package struct GaussianPrior: Hashable, Sendable {
  var mean: [Double]
  /// 0 fixes a parameter at its mean; infinity leaves it free.
  var variances: [Double]
  /// The variance of the noise, above 0.
  var noise: Double

  var order: Int { mean.count }

  /// Whether, before any row is seen, the base may be anything and all coefficients are about 0.
  var hasNoTaste: Bool { variances[0] == .infinity && mean.dropFirst().allSatisfy { $0 == 0 } }

  /// A prior with the standard deviations of all coefficients except the base multiplied by `factor`.
  func spread(by factor: Double) -> GaussianPrior {
    var narrower = self
    for place in 1..<order { narrower.variances[place] *= factor * factor }
    return narrower
  }
}
