package import Features
internal import Geohash
internal import LeastSquares
internal import PipelineFile
package import RunSchemas
package import Text

/// Computes the standard errors of a model's predictions from the learning rows. The run does not store the
/// covariances of all users' coefficients, because they would take more space than all other files of the
/// run.
package struct PredictionError {
  private let prior: PriorTable
  private let models: ModelTable
  private let rows: LearningRows
  private let scales: ColumnScales
  /// The penalty of a single regression for all users; `nil` if each user has their own model.
  private let penalty: Double?

  /// Prepares the standard errors of `models` from the model's counts in the manifest and from the learning
  /// rows in `table`. Returns `nil` if the models have no standard errors. This is the case for ridge
  /// regressions per user, and for regressions as in Create ML.
  package init?(_ models: ModelTable, counts: JSONValue, table: InteractionTable, space: FeatureSpace) {
    guard let prior = models.prior, !prior.groups.isEmpty else { return nil }
    self.prior = prior
    self.models = models
    rows = LearningRows(table: table, space: space)
    // The response is not standardized, because the stored prior is in original units.
    scales = ColumnScales(
      columns: prior.columns.map { Int($0.column) }, means: prior.columns.map(\.mean),
      deviations: prior.columns.map(\.scale), responseMean: 0, responseDeviation: 1)
    penalty = counts["l2"]?.numberValue
  }

  /// Returns the standard error of the prediction for one pair, without noise, and the standard deviation of
  /// the noise. `distance` is in kilometers; NaN if unknown.
  ///
  /// - Returns: Both numbers, in units of the values that the model learns to predict; `nil` for a user
  ///   without a model.
  /// - Throws: `LeastSquaresError`, which indicates a bug.
  package func standardError(user: Int, candidate: Int, distance: Double) throws -> (
    prediction: Double, noise: Double
  )? {
    guard let group = models.group(user) else { return nil }
    let own = prior.groups[group]
    var values = [Double](repeating: .nan, count: rows.space.columns.count)
    rows.space.fill(&values, user: user, candidate: candidate, distance: distance, learningFrom: nil)
    var z = [Double](repeating: 0, count: scales.parameterCount)
    scales.standardize(values, into: &z)
    let noise = own.noiseDeviation * own.noiseDeviation
    var (sums, factor) = (SumsOfProducts(order: scales.parameterCount), 1.0)
    var reader = UserSums(rows, scales)
    let believed: GaussianPrior
    if let penalty {
      for other in 0..<rows.userCount {
        reader.loadInFull(other)
        sums += reader.full
      }
      believed = SharedFitting.prior(penalty: penalty, order: scales.parameterCount)
      factor = noise
    } else {
      reader.loadInFull(user)
      sums = reader.full
      let deviations =
        [own.baseDeviation] + zip(own.deviations, prior.columns).map { $0 * $1.scale }
      believed = GaussianPrior(
        mean: [Double](repeating: 0, count: scales.parameterCount), variances: deviations.map { $0 * $0 },
        noise: noise)
    }
    var posterior = Posterior(believed)
    try posterior.factor(sums)
    return ((factor * posterior.predictionVariance(z)).squareRoot(), own.noiseDeviation)
  }
}
