/// What the numbers say in one sentence, and how sure they are.
enum Verdict: String, Sendable {
  /// Later likes are scored above later passes, better than chance and not worse than any other method.
  case useful
  /// Better than chance, but another method orders better.
  case beaten
  /// The pipeline's scores do not separate later likes from later passes.
  case nothingLearned = "nothing_learned"
  /// Too few users have both to say anything.
  case tooFewUsers = "too_few_users"

  /// Fewer users than this decide nothing.
  static let leastUsers = 10

  init(_ evaluation: RankingEvaluation, _ headline: Headline) {
    let area = evaluation.ordering.estimate(method: 0, metric: 0)
    guard area.users >= Self.leastUsers, let interval = area.interval else {
      self = .tooFewUsers
      return
    }
    // Against a coin, by the wider of both intervals: users of a cluster are not independent.
    let low = min(interval.low, area.clusterInterval?.low ?? interval.low)
    guard low > 0.5 else {
      self = .nothingLearned
      return
    }
    let isBeaten = headline.rows.contains { row in
      row.metric == "auc" && row.sign < 0
    }
    self = isBeaten ? .beaten : .useful
  }
}
