extension FigureTable {
  /// Creates a table with a row per method at the longest length of `metrics`. The first figure has its
  /// interval.
  init(finding: UserTask, _ metrics: [Metric], methods: [String]) {
    let longest = metrics.map(\.k).max() ?? 0
    let shown: [(kind: Metric.Formula, name: String)] = [
      (.ndcg, "nDCG"), (.precision, "precision"), (.recall, "recall"), (.cappedRecall, "capped"),
      (.map, "MAP"),
      (.mrr, "MRR"), (.hitRate, "hits"),
    ]
    let places = shown.compactMap { metrics.firstIndex(of: Metric(kind: $0.kind, k: longest)) }
    self.init(
      columns: shown.enumerated().map { $1.name + "@\(longest)" + ($0 == 0 ? " [95 %]" : "") })
    for (method, name) in methods.enumerated() {
      add(
        name,
        places.enumerated().map { place, metric in
          place == 0
            ? finding.estimate(method: method, metric: metric).text(4)
            : finding.mean(method: method, metric: metric).text(4)
        })
    }
  }
}
