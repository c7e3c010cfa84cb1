package import Tables

/// How often candidates are liked by those who decided on them, smoothed: what others did to somebody.
///
/// A pair's latest interaction is its decision: a like (1) where the value is above 0, else a pass (0). With m the share
/// of likes among all decisions, n the decisions that the candidate received and k the smoothing,
///
///     plain:      rate = (likes + k m) / (n + k)
///     adjusted:   rate = m + Σ (like - s) / (n + k),    s = (user's likes + 2 m) / (user's decisions + 2)
///
/// Adjusted, a like of somebody who likes everybody says little, and one of somebody picky much. Nobody is far from m on
/// little evidence. A learning row leaves out its own pair, from m too, exactly.
package struct ReceivedRates: Sendable {
  /// By candidate, with all decisions; NaN where there is no decision at all.
  package let values: [Double]

  private let smoothing: Double
  private let isAdjusted: Bool
  /// By interaction: whether its pair's latest one is a like.
  private let pairLikes: [Bool]
  /// By user: likes and decisions.
  private let given: [Tally]
  /// By candidate: decisions, and the sum over them that does not depend on m and the one that m multiplies.
  private let received: [Sums]
  private let total: Tally

  private struct Tally: Sendable {
    var likes = 0.0
    var decisions = 0.0
  }

  private struct Sums: Sendable {
    var decisions = 0.0
    var fixed = 0.0
    var perMean = 0.0
  }

  /// Counts the decisions of `table`.
  ///
  /// - Parameters:
  ///   - table: Interactions of users with candidates.
  ///   - smoothing: k: how many decisions the population's rate counts for; above 0.
  ///   - isAdjusted: Whether decisions are seen against who made them.
  package init(_ table: InteractionTable, smoothing: Double, isAdjusted: Bool) {
    precondition(smoothing > 0, "smoothing is \(smoothing)")
    self.smoothing = smoothing
    self.isAdjusted = isAdjusted
    let candidates = table.candidateOffsets.count - 1
    var given = [Tally](repeating: Tally(), count: table.userOffsets.count - 1)
    var total = Tally()
    var pairLikes = [Bool](repeating: false, count: table.count)
    var decisions: [(user: Int, candidate: Int, like: Double)] = []
    decisions.reserveCapacity(table.count)
    for candidate in 0..<candidates {
      let range = table.range(ofCandidate: candidate)
      var start = range.lowerBound
      while start < range.upperBound {
        // One giver's interactions stand together, in the order of time.
        let user = table.user[Int(table.byCandidate[start])]
        var end = start + 1
        while end < range.upperBound, table.user[Int(table.byCandidate[end])] == user { end += 1 }
        let isLike = table.value[Int(table.byCandidate[end - 1])] > 0
        for place in start..<end { pairLikes[Int(table.byCandidate[place])] = isLike }
        let like = isLike ? 1.0 : 0
        given[Int(user)].likes += like
        given[Int(user)].decisions += 1
        total.likes += like
        total.decisions += 1
        decisions.append((Int(user), candidate, like))
        start = end
      }
    }
    var received = [Sums](repeating: Sums(), count: candidates)
    for (user, candidate, like) in decisions {
      let part = Self.part(like, of: given[user], isAdjusted)
      received[candidate].decisions += 1
      received[candidate].fixed += part.fixed
      received[candidate].perMean += part.perMean
    }
    self.given = given
    self.received = received
    self.total = total
    self.pairLikes = pairLikes
    values = received.map { Self.rate($0, mean: total.likes / total.decisions, smoothing, isAdjusted) }
  }

  /// The rate of the candidate of a learning row without what the row's own pair contributed.
  ///
  /// - Parameters:
  ///   - interaction: Its index in the table.
  ///   - user: Its user.
  ///   - candidate: Its candidate.
  /// - Returns: NaN where there is no other decision at all.
  package func leavingOut(_ interaction: Int, user: Int, candidate: Int) -> Double {
    let like = pairLikes[interaction] ? 1.0 : 0
    let own = Self.part(like, of: given[user], isAdjusted)
    var rest = received[candidate]
    rest.decisions -= 1
    // Nothing but rounding would be left of it.
    rest.fixed = rest.decisions == 0 ? 0 : rest.fixed - own.fixed
    rest.perMean = rest.decisions == 0 ? 0 : rest.perMean - own.perMean
    let mean = (total.likes - like) / (total.decisions - 1)
    return Self.rate(rest, mean: mean, smoothing, isAdjusted)
  }

  private static func part(_ like: Double, of user: Tally, _ isAdjusted: Bool) -> (
    fixed: Double, perMean: Double
  ) {
    guard isAdjusted else { return (like, 0) }
    return (like - user.likes / (user.decisions + 2), 2 / (user.decisions + 2))
  }

  private static func rate(_ sums: Sums, mean: Double, _ smoothing: Double, _ isAdjusted: Bool) -> Double {
    guard isAdjusted else { return (sums.fixed + smoothing * mean) / (sums.decisions + smoothing) }
    return mean + (sums.fixed - mean * sums.perMean) / (sums.decisions + smoothing)
  }
}
