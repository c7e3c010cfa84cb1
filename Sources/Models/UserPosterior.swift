package import LeastSquares

/// The posterior of one user's parameters. It is computed from compact sums if these are accurate enough,
/// otherwise from full sums.
///
/// Each worker has its own instance and reuses the buffers.
package struct UserPosterior {
  private var compact: CompactPosterior?
  private var dense: Posterior
  private var full: SumsOfProducts
  private var isCompact = false
  private var z: [Double]
  /// The posterior mean t.
  package private(set) var mean: [Double]
  /// The variance of each parameter; valid only after `solve` with `hasVariances`.
  private(set) var variances: [Double]
  /// Σ (y - z·t)².
  private(set) var residualSumOfSquares = 0.0
  /// The sum over the rows of the variance of z·t; valid only after `solve` with `hasVariances`.
  private(set) var predictionVariances = 0.0

  package init(_ prior: GaussianPrior, _ layout: CompactLayout) {
    compact = CompactPosterior(prior, layout)
    dense = Posterior(prior)
    full = SumsOfProducts(order: prior.order)
    z = prior.mean
    mean = prior.mean
    variances = prior.variances
  }

  /// Computes the mean, and the variances if `hasVariances` is true, for rows with the sums `sums`.
  ///
  /// - Throws: `LeastSquaresError` if the rows do not determine a free parameter.
  package mutating func solve(_ sums: borrowing CompactSums, hasVariances: Bool) throws(LeastSquaresError) {
    isCompact = compact?.solve(sums, hasVariances: hasVariances) ?? false
    if isCompact {
      compact?.write(
        &mean, &variances, squares: &residualSumOfSquares, predictionVariances: &predictionVariances)
      return
    }
    sums.write(to: &full)
    try dense.factor(full)
    dense.solve(full)
    for j in mean.indices {
      mean[j] = dense.prior.mean[j] + dense.deviation[j]
      variances[j] = dense.variance(j)
    }
    residualSumOfSquares = dense.residualSumOfSquares
    predictionVariances = dense.predictionVariances
  }

  /// Returns the sum of squared leave-one-out residuals over the rows that `solve` used, in a ridge
  /// regression with noise 1.
  ///
  /// A row's leave-one-out residual is its residual divided by 1 - z'Cz, where C is the posterior covariance
  /// (Allen 1974, doi:10.1080/00401706.1974.10489157).
  mutating func leaveOneOutError(_ rows: borrowing CompactRows) -> Double {
    var error = 0.0
    for row in 0..<rows.count {
      var own = (value: 0.0, variance: 0.0)
      if isCompact {
        own = compact?.prediction(row, of: rows) ?? own
      } else {
        rows.write(row, into: &z)
        own = (zip(z, mean).reduce(0) { $0 + $1.0 * $1.1 }, dense.predictionVariance(z))
      }
      let residual = (rows.element(row, vector: 1) - own.value) / max(1 - own.variance, 1e-12)
      error += residual * residual
    }
    return error
  }
}
