internal import Discovery
internal import Features

/// The predictions of one user.
enum PairScorer: Sendable {
  case model(Scorer)
  case discovery(UserDiscovery)
  case mutual(UserMutualScores)

  /// Returns the user's own prediction for a candidate. Lists contain it, except in the mutual order.
  func score(candidate: Int, distance: Double) -> Double {
    switch self {
    case .model(let scorer): scorer.score(candidate: candidate, distance: distance)
    case .discovery(let scores): scores.score(candidate: candidate, distance: distance)
    case .mutual(let scores): scores.own.score(candidate: candidate, distance: distance)
    }
  }

  /// Returns the number that orders the candidates, greatest first. The number differs from `score`, the
  /// prediction, only in the mutual order.
  func sortKey(candidate: Int, distance: Double, score: Double) -> Double {
    guard case .mutual(let scores) = self else { return score }
    return scores.mutualChance(candidate: candidate, distance: distance, own: score)
  }
}
