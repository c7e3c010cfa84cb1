internal import RunSchemas

extension JudgedVerdict {
  /// The least number of users for a conclusion.
  static let leastUsers = 10

  init(_ evaluation: RankingEvaluation, _ declared: DeclaredTests) {
    let area = evaluation.ordering.estimate(method: 0, metric: 0)
    guard area.users >= Self.leastUsers, let interval = area.interval else {
      self = .tooFewUsers
      return
    }
    // The comparison with chance uses the lower of both lower bounds, because users of a cluster are not
    // independent.
    let low = min(interval.low, area.clusterInterval?.low ?? interval.low)
    guard low > 0.5 else {
      self = .nothingLearned
      return
    }
    let isBeaten = declared.rows.contains { row in
      row.metric == "auc" && row.sign < 0
    }
    self = isBeaten ? .beaten : .useful
  }
}
