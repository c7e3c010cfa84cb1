/// The comparisons that were declared beforehand, with p values corrected for being several.
struct Headline: Sendable {
  struct Row: Sendable {
    var method: Method
    var metric: String
    /// The pipeline's ranking less the other method.
    var difference: UserTask.Estimate
    var comparison: PairedComparison
    /// Holm's; `nil` where there is none.
    var adjustedPValue: Double?
  }

  let rows: [Row]

  /// The pipeline's ranking against every other method, in nDCG and recall at the longest length and in the area under the
  /// curve: the family of tests.
  init(_ evaluation: RankingEvaluation) {
    let longest = evaluation.metrics.map(\.k).max() ?? 0
    var rows: [Row] = []
    for other in evaluation.methods.indices.dropFirst() where !evaluation.isPipelinesOwn[other] {
      for kind in [Metric.Kind.ndcg, .recall] {
        guard let metric = evaluation.metrics.firstIndex(of: Metric(kind: kind, k: longest)) else { continue }
        rows.append(Self.row(evaluation, evaluation.finding, other, metric))
      }
      rows.append(Self.row(evaluation, evaluation.ordering, other, 0))
    }
    let tested = rows.indices.filter { rows[$0].comparison.pValue != nil }
    let adjusted = holmAdjusted(tested.map { rows[$0].comparison.pValue ?? 1 })
    for (place, index) in tested.enumerated() { rows[index].adjustedPValue = adjusted[place] }
    self.rows = rows
  }

  private static func row(_ evaluation: RankingEvaluation, _ task: UserTask, _ other: Int, _ metric: Int)
    -> Row
  {
    Row(
      method: evaluation.methods[other], metric: task.metrics[metric],
      difference: task.difference(0, other, metric: metric),
      comparison: task.comparison(0, other, metric: metric), adjustedPValue: nil)
  }
}
