internal import LeastSquares

/// One person's parameters given their rows: from compact sums where these tell enough, else from sums in full.
///
/// One per worker, which keeps its buffers.
struct UserPosterior {
  private var compact: CompactPosterior?
  private var dense: Posterior
  private var full: SumsOfProducts
  /// t.
  private(set) var mean: [Double]
  /// The variance of each parameter; of use where they were wanted.
  private(set) var variances: [Double]
  /// Σ (y - z·t)².
  private(set) var residualSumOfSquares = 0.0
  /// The sum over the rows of the variance of z·t; of use where variances were wanted.
  private(set) var predictionVariances = 0.0

  init(_ prior: GaussianPrior, _ layout: CompactLayout) {
    compact = CompactPosterior(prior, layout)
    dense = Posterior(prior)
    full = SumsOfProducts(order: prior.order)
    mean = prior.mean
    variances = prior.variances
  }

  /// Works out the mean, and the variances if wanted, for rows with the sums `sums`.
  ///
  /// - Throws: `LeastSquaresError` where a free parameter is not determined by the rows.
  mutating func solve(_ sums: borrowing CompactSums, hasVariances: Bool) throws(LeastSquaresError) {
    if compact?.solve(sums, hasVariances: hasVariances) ?? false {
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
}
