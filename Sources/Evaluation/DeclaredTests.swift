/// The comparisons that were declared in advance, with p-values that are corrected for multiple comparisons.
struct DeclaredTests: Sendable {
  struct TestedDifference: Sendable {
    var method: Method
    var metric: String
    /// The value of the pipeline's ranking minus the value of the other method.
    var difference: UserTask.Estimate
    var comparison: PairedComparison
    /// The p-value adjusted by Holm's method; `nil` if the test has no p-value.
    var adjustedPValue: Double?

    /// The sign of the difference, 1 or -1; 0 if the difference is not significant. A difference is
    /// significant if the adjusted p-value is below 0.05 and the cluster interval, if any, excludes 0. The
    /// p-value treats users as independent. Users of one cluster are not independent, so the interval is
    /// needed, too.
    var sign: Int {
      guard let mean = difference.mean, (adjustedPValue ?? 1) < 0.05 else { return 0 }
      if let interval = difference.clusterInterval, interval.contains(0) { return 0 }
      return mean > 0 ? 1 : mean < 0 ? -1 : 0
    }
  }

  let rows: [TestedDifference]

  /// Creates the family of tests. The tests compare the pipeline's ranking with every method that differs
  /// from it, in nDCG and recall at the greatest list length, and in the area under the curve. A ranking in
  /// the mutual order is also compared in the area under the curve of later matches.
  init(_ evaluation: RankingEvaluation) {
    let longest = evaluation.metrics.map(\.k).max() ?? 0
    var rows: [TestedDifference] = []
    for other in evaluation.methods.indices.dropFirst() where !evaluation.isPipelinesOwn[other] {
      for kind in [Metric.Formula.ndcg, .recall] {
        guard let metric = evaluation.metrics.firstIndex(of: Metric(kind: kind, k: longest)) else { continue }
        rows.append(Self.row(evaluation, evaluation.finding, other, metric))
      }
      rows.append(Self.row(evaluation, evaluation.ordering, other, 0))
      if let matching = evaluation.decidingMatching { rows.append(Self.row(evaluation, matching, other, 0)) }
    }
    let tested = rows.indices.filter { rows[$0].comparison.pValue != nil }
    let adjusted = holmAdjusted(tested.map { rows[$0].comparison.pValue ?? 1 })
    for (place, index) in tested.enumerated() { rows[index].adjustedPValue = adjusted[place] }
    self.rows = rows
  }

  private static func row(_ evaluation: RankingEvaluation, _ task: UserTask, _ other: Int, _ metric: Int)
    -> TestedDifference
  {
    TestedDifference(
      method: evaluation.methods[other], metric: task.metrics[metric],
      difference: task.difference(0, other, metric: metric),
      comparison: task.comparison(0, other, metric: metric), adjustedPValue: nil)
  }
}
