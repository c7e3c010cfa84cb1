/// The popularity of each candidate, on the scale of the item-to-item sums.
///
/// A like of age a weighs 2^(−a / half-life). The popularity of a candidate is its smoothed share of the
/// weights of all likes, times the mean number of likes per user with likes. This product is the expected
/// number of likes that a user with likes gives to the candidate.
struct TrendingPopularity: Sendable {
  /// One value per candidate, above 0; all are 1 if there are no likes.
  let values: [Float]

  /// Computes the popularity of all candidates.
  ///
  /// - Parameters:
  ///   - liked: The likes of all users.
  ///   - halfLife: The half-life in milliseconds; `nil` if all likes have the same weight.
  ///   - asOf: The as-of time in milliseconds since 1970 UTC.
  init(_ liked: LikedCandidates, halfLife: Int64?, asOf: Int64) {
    var weights = [Double](repeating: 0, count: liked.candidateCount)
    for (candidate, time) in zip(liked.candidates, liked.times) {
      weights[Int(candidate)] +=
        halfLife.map {
          DiscoverySettings.half(Double(max(asOf - time, 0)) / Double($0))
        } ?? 1
    }
    let total = weights.reduce(0, +)
    guard total > 0, !liked.candidates.isEmpty else {
      values = [Float](repeating: 1, count: weights.count)
      return
    }
    // Each candidate gets half the average weight of a like, so that a candidate without likes has a
    // popularity above 0.
    let base = 0.5 * total / Double(liked.candidates.count)
    let perUser = Double(liked.candidates.count) / Double(liked.usersWithLikes)
    let scale = perUser / (total + base * Double(weights.count))
    values = weights.map { Float(($0 + base) * scale) }
  }
}
