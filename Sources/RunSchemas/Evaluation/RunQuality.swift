package import Files
package import Text

/// The main figures of a run's evaluation, in at most two lines per ranking.
package struct RunQuality: Sendable {
  /// The figures of one ranking.
  package struct RankingQuality: Sendable {
    /// The name of the ranking in the pipeline file.
    package let name: String
    /// The AUC of matches, which measures how well the mutual order ranks later matches above other answered
    /// decisions. `nil` for another order.
    package let matching: Figure?
    /// The AUC to which the limit `auc_at_least` applies: the AUC of matches in the mutual order, otherwise
    /// the AUC of likes.
    package let limitedArea: Figure?
    /// The AUC, which measures how well scores order later likes above later passes.
    package let ordering: Figure?
    /// The nDCG at the greatest list length, which measures how well the lists find later likes.
    package let finding: Figure?
    /// The best other method, by the metric of `finding`, or of `matching` in the mutual order. `nil` if
    /// there is no other method.
    package let baseline: BestBaseline?
    /// The pipeline's mean minus the mean of each other method, by the name of the method. The metric is the
    /// same as for `baseline`.
    package let differences: [String: Figure]
    /// The figures that exist, most important first.
    package var figures: [Figure] { [matching, ordering, finding].compactMap(\.self) }
  }

  /// The mean of a metric over users, and its interval.
  package struct Figure: Sendable {
    /// The name of the metric, such as `AUC` or `nDCG@10`.
    package let metric: String
    package let mean: Double
    /// The ends of the 95 % interval; `nil` if the evaluation contains no interval.
    package let interval: (low: Double, high: Double)?

    /// The figure as text: `AUC 0.646 [0.626, 0.666]`.
    package var text: String {
      "\(metric) \(mean.fixed(3))" + (interval.map { " [\($0.low.fixed(3)), \($0.high.fixed(3))]" } ?? "")
    }
  }

  /// The method with the highest mean among the methods other than the pipeline.
  package struct BestBaseline: Sendable {
    /// The name of the method in `metrics.json`.
    package let method: String
    /// The display name of the method.
    package let title: String
    /// The name of the compared metric, such as `nDCG@10`.
    package let metric: String
    package let mean: Double
    /// The pipeline's mean minus the method's mean; `nil` if the evaluation does not contain the difference.
    package let difference: Figure?

    fileprivate var verdict: String {
      guard let interval = difference?.interval else { return "no interval for the difference" }
      return interval.low > 0
        ? "the pipeline is better" : interval.high < 0 ? "the pipeline is worse" : "no significant difference"
    }
  }

  /// The evaluated rankings, in the order of their names.
  package let rankings: [RankingQuality]

  /// Reads `evaluation/metrics.json` of a run. The result is `nil` if the run has no evaluation.
  ///
  /// - Parameter run: The run directory.
  /// - Throws: `FileError` if the file cannot be read, or is damaged.
  package init?(of run: String) throws(FileError) {
    let path = run + "/evaluation/metrics.json"
    guard Directories.exists(path) else { return nil }
    self.init(try JSONValue(contentsOf: path))
  }

  package init(_ metrics: JSONValue) {
    rankings = (metrics["rankings"]?.members ?? [:]).sorted { $0.key < $1.key }
      .map { RankingQuality(JudgedRanking(name: $0.key, figures: $0.value)) }
  }

  /// One or two lines per ranking: its figures, and the comparison with the best other method. A ranking
  /// without figures or without another method has one line.
  package var lines: [String] {
    rankings.flatMap { ranking -> [String] in
      let figures = ranking.figures.map(\.text)
      if figures.isEmpty { return ["\(ranking.name): no users with later likes"] }
      let baseline = ranking.baseline.map {
        "best other method by \($0.metric): \($0.title), \($0.mean.fixed(3)); \($0.verdict)"
          + ($0.difference.map { " (\($0.text))" } ?? "")
      }
      return ["\(ranking.name): " + figures.joined(separator: ", ")] + [baseline].compactMap(\.self)
    }
  }
}

extension RunQuality.RankingQuality {
  init(_ ranking: JudgedRanking) {
    let gain = "ndcg@\(ranking.longest)"
    let metric = ranking.isJudgedByMatches ? ranking.decidingMetric : gain
    name = ranking.name
    matching =
      ranking.isJudgedByMatches
      ? RunQuality.Figure("match AUC", ranking.estimate("pipeline", metric), ranking) : nil
    ordering = RunQuality.Figure("AUC", ranking.estimate("pipeline", "auc"), ranking)
    limitedArea = ranking.isJudgedByMatches ? matching : ordering
    finding = RunQuality.Figure("nDCG@\(ranking.longest)", ranking.estimate("pipeline", gain), ranking)
    let others = ranking.methods.filter { $0 != "pipeline" && !ranking.isPipelinesOwn($0) }
    let means = others.filter { $0 != JudgedRanking.withoutExposure }.compactMap { method in
      ranking.estimate(method, metric).mean.map { (method: method, mean: $0) }
    }
    differences = Dictionary(
      others.compactMap { method in
        RunQuality.Figure("difference", ranking.difference(method, metric), ranking).map { (method, $0) }
      }, uniquingKeysWith: { first, _ in first })
    let differences = differences
    baseline = means.max { $0.mean < $1.mean }.map { best in
      RunQuality.BestBaseline(
        method: best.method, title: ranking.title(best.method),
        metric: ranking.isJudgedByMatches ? "match AUC" : "nDCG@\(ranking.longest)", mean: best.mean,
        difference: differences[best.method])
    }
  }
}

extension RunQuality.Figure {
  fileprivate init?(_ name: String, _ estimate: Estimate, _ ranking: JudgedRanking) {
    guard let mean = estimate.mean else { return nil }
    self.init(
      metric: name, mean: mean, interval: ranking.interval(estimate).map { ($0.low, $0.high) })
  }
}
