internal import RunSchemas

extension JudgedVerdict {
  /// The smallest number of users for a verdict other than `tooFewUsers`.
  static let leastUsers = 10

  init(_ evaluation: RankingEvaluation, _ declared: DeclaredTests) {
    let counts = evaluation.decisions.counts
    let hasLikesAlone = counts.passes == 0 && counts.likes > 0
    let (task, deciding, low): (UserTask?, String, Double?) =
      evaluation.isMutual
      ? (evaluation.matching, "match_auc", evaluation.matching.flatMap(Self.areaOverChance))
      : hasLikesAlone
        ? (evaluation.finding, evaluation.longestGain, Self.gainOverChance(evaluation))
        : (evaluation.ordering, "auc", Self.areaOverChance(evaluation.ordering))
    guard let task, task.users.count >= Self.leastUsers, let low else {
      self = .tooFewUsers
      return
    }
    guard low > 0 else {
      self = .nothingLearned
      return
    }
    // The order without limits on exposure never counts as a better method, because the difference only shows
    // the cost of the limits.
    let rivals = declared.rows.filter { $0.method != .withoutExposure }
    self = rivals.contains { $0.metric == deciding && $0.sign < 0 } ? .beaten : .useful
  }

  /// Returns the lower bound of the area under the curve, minus the area of random scores, 0.5; `nil` if
  /// there are no users. The area is the first metric of `task`.
  private static func areaOverChance(_ task: UserTask) -> Double? {
    lowerBound(task.estimate(method: 0, metric: 0)).map { $0 - 0.5 }
  }

  /// Returns the lower bound of the difference in nDCG, at the greatest list length, between the pipeline's
  /// lists and random lists; `nil` if there are no users.
  private static func gainOverChance(_ evaluation: RankingEvaluation) -> Double? {
    guard let metric = evaluation.metrics.firstIndex(where: { $0.name == evaluation.longestGain }),
      let random = evaluation.index(of: .random)
    else { return nil }
    return lowerBound(evaluation.finding.difference(0, random, metric: metric))
  }

  /// Returns the smaller of the lower bounds of the interval over users and the interval over clusters. Both
  /// are needed because users of one cluster are not independent.
  private static func lowerBound(_ estimate: UserTask.Estimate) -> Double? {
    estimate.interval.map { min($0.low, estimate.clusterInterval?.low ?? $0.low) }
  }
}

extension RankingEvaluation {
  /// The task that decides the verdict of a ranking in the mutual order; `nil` for another order, or if there
  /// are no later matches.
  var decidingMatching: UserTask? { isMutual ? matching : nil }

  /// Whether the ranking is in the mutual order. Only such a ranking is compared with the method `oneSided`.
  var isMutual: Bool { methods.contains(.oneSided) }

  /// The name of nDCG at the greatest list length.
  var longestGain: String { Metric(kind: .ndcg, k: metrics.map(\.k).max() ?? 0).name }
}
