package import Text

/// A mean over users, with its intervals.
package struct Estimate: Sendable {
  package struct Interval: Hashable, Sendable {
    package var low: Double
    package var high: Double

    package init(low: Double, high: Double) { (self.low, self.high) = (low, high) }

    package func contains(_ value: Double) -> Bool { low <= value && value <= high }
  }

  package var users: Int
  package var mean: Double?
  package var interval: Interval?
  package var intervalByCluster: Interval?

  package init(_ value: JSONValue?) {
    users = value?["users"]?.integerValue ?? 0
    mean = value?["mean"]?.numberValue
    interval = Interval(value?["interval"])
    intervalByCluster = Interval(value?["interval_by_cluster"])
  }
}

extension Estimate.Interval {
  package init?(_ value: JSONValue?) {
    guard let ends = value?.elements.compactMap(\.numberValue), ends.count == 2 else { return nil }
    self.init(low: ends[0], high: ends[1])
  }
}

/// The evaluation results of one ranking.
package struct JudgedRanking: Sendable {
  package let name: String
  package let figures: JSONValue

  /// - Parameters:
  ///   - name: The name of the ranking.
  ///   - figures: The part of `metrics.json` about the ranking.
  package init(name: String, figures: JSONValue) { (self.name, self.figures) = (name, figures) }

  /// The compared methods, with the pipeline's own method first.
  package var methods: [String] { (figures["method_order"]?.elements ?? []).compactMap(\.stringValue) }

  package func title(_ method: String) -> String {
    figures["methods"]?[method]?["title"]?.stringValue ?? method
  }

  /// The greatest list length among the metrics.
  package var longest: Int {
    metrics.compactMap { $0.split(separator: "@").last.flatMap { Int($0) } }.max() ?? 0
  }

  /// The names of the list metrics, such as `ndcg@10`.
  package var metrics: [String] {
    // An evaluation of published lists has only the method `published`.
    (figures["methods"]?[methods.first ?? "pipeline"]?["finding"]?.members ?? [:]).keys.sorted()
  }

  /// Returns the estimate of a list metric, of `auc`, or of a metric of later matches. If the evaluation does
  /// not contain the metric, the estimate has no mean and 0 users.
  package func estimate(_ method: String, _ metric: String) -> Estimate {
    let figures = figures["methods"]?[method]
    return Estimate(
      metric == "auc"
        ? figures?["ordering"]?["auc"] : figures?["finding"]?[metric] ?? figures?["matching"]?[metric])
  }

  /// Whether the evaluation has users with later matches and other answered decisions.
  package var hasMatching: Bool { figures["methods"]?[methods.first ?? "pipeline"]?["matching"] != nil }

  /// Returns the mean of the pipeline minus the mean of `method`, in the metric `metric`. If the evaluation
  /// does not contain the difference, the estimate has no mean and 0 users.
  package func difference(_ method: String, _ metric: String) -> Estimate {
    Estimate(figures["differences"]?[method]?[metric])
  }

  /// Returns whether the method is the pipeline's own ranking under another name. The evaluation does not
  /// test the pipeline against such a method.
  package func isPipelinesOwn(_ method: String) -> Bool {
    method != "pipeline" && !tests.contains { $0.method == method }
  }

  /// The number of user clusters (users who share candidates) behind the cluster-based confidence interval;
  /// `nil` if there are fewer than five clusters.
  package var clusters: Int? {
    figures["clusters"]?.integerValue.flatMap { $0 >= Self.leastClusters ? $0 : nil }
  }

  /// The minimum number of clusters. With fewer clusters, the variation between clusters is unknown, and the
  /// cluster interval is not reported.
  private static let leastClusters = 5

  /// Returns the interval to report. This is the cluster interval if the ranking has enough clusters, because
  /// users who share candidates are not independent.
  package func interval(_ estimate: Estimate) -> Estimate.Interval? {
    clusters == nil ? estimate.interval : estimate.intervalByCluster ?? estimate.interval
  }

  /// Whether every later interaction is a like, as for follows and visits. Without passes, AUC is undefined,
  /// so nDCG decides the verdict.
  package var hasLikesAlone: Bool {
    let decisions = figures["decisions"]
    return decisions?["passes"]?.integerValue == 0 && decisions?["likes"]?.integerValue ?? 0 > 0
  }

  /// Whether later matches decide the verdict. They do so for a ranking in the mutual order. Only such a
  /// ranking is compared with the method `oneSided`.
  package var isJudgedByMatches: Bool { methods.contains(Self.oneSided) }

  /// The name of the method that orders by the user's own scores. Only a ranking in the mutual order is
  /// compared with this method.
  package static let oneSided = "one_sided"

  /// The name of the method that orders without the ranking's limits on exposure. This method never counts as
  /// better, because the difference only shows the cost of the limits.
  package static let withoutExposure = "without_exposure"

  /// The task that decides the verdict.
  package enum DecidingTask: Sendable {
    /// Ranking later matches above other answered decisions, in the mutual order.
    case matching
    /// Finding later likes with the lists, if every later interaction is a like.
    case finding
    /// Ranking later likes above later passes.
    case ordering
  }

  package var decidingTask: DecidingTask {
    isJudgedByMatches ? .matching : hasLikesAlone ? .finding : .ordering
  }

  /// The metric that decides the verdict: `match_auc`, nDCG at the greatest list length, or `auc`.
  package var decidingMetric: String { decidingTask == .matching ? "match_auc" : slicedMetric }

  /// The main metric for slices of users. Slices have no metric of matches.
  package var slicedMetric: String { hasLikesAlone ? "ndcg@\(longest)" : "auc" }

  package var verdict: JudgedVerdict {
    figures["verdict"]?.stringValue.flatMap(JudgedVerdict.init(rawValue:)) ?? .tooFewUsers
  }

  /// The tests that compare the pipeline with other methods. They were declared in advance.
  package var tests: [DeclaredTest] { (figures["tests"]?.elements ?? []).map(DeclaredTest.init) }
}

/// An evaluation's verdict on one ranking. The verdict is based on AUC, or on nDCG if every later interaction
/// is a like. In the mutual order, the verdict is based on the AUC of later matches.
package enum JudgedVerdict: String, Sendable {
  /// The pipeline is better than chance, and no other method is significantly better.
  case useful
  /// The pipeline is better than chance, but another method is significantly better.
  case beaten
  /// The pipeline is not better than chance.
  case nothingLearned = "nothing_learned"
  /// Too few users have the later interactions that a conclusion needs: both likes and passes, or only likes
  /// if every later interaction is a like. In the mutual order, a conclusion needs both matches and other
  /// answered decisions.
  case tooFewUsers = "too_few_users"
}

/// A test of the pipeline against another method in one metric.
package struct DeclaredTest: Sendable {
  package let method: String
  package let metric: String
  package let difference: Double?
  package let users: Int
  package let adjustedP: Double?
  package let intervalByCluster: Estimate.Interval?
  package let effectSize: Double?

  package init(_ value: JSONValue) {
    method = value["method"]?.stringValue ?? ""
    metric = value["metric"]?.stringValue ?? ""
    difference = value["difference"]?.numberValue
    users = value["users"]?.integerValue ?? 0
    adjustedP = value["p_holm"]?.numberValue
    intervalByCluster = Estimate.Interval(value["interval_by_cluster"])
    effectSize = value["effect_size"]?.numberValue
  }

  /// The sign of a significant difference, -1 or 1; otherwise 0.
  ///
  /// A difference is significant if its adjusted p-value is below 0.05 and its cluster interval, if any, does
  /// not contain 0. The evaluation's own verdict uses the same rule.
  package var sign: Int {
    guard let difference, let adjustedP, adjustedP < 0.05 else { return 0 }
    if let intervalByCluster, intervalByCluster.contains(0) { return 0 }
    return difference > 0 ? 1 : difference < 0 ? -1 : 0
  }
}
