internal import Columns
internal import Concurrency
package import RunSchemas

/// The smoothed share of likes among the decisions that a candidate received.
///
/// A pair's latest interaction is its decision: a like (1) if the value is at least the table's `likedFrom`,
/// otherwise a pass (0). Let m be the share of likes among all decisions, n the number of decisions that the
/// candidate received, and k the smoothing:
///
///     plain:      rate = (likes + k m) / (n + k)
///     adjusted:   rate = m + Σ (like - s) / (n + k),    s = (user's likes + 2 m) / (user's decisions + 2)
///
/// With the adjustment, a like by a user who likes most candidates weighs little, and a like by a selective
/// user weighs much. With few decisions, the rate stays close to m.
///
/// The value of a learning row excludes the row's own pair, also from m. If the candidate received no other
/// decision, the value is missing. In this case, the formula would return m without the pair. This m is lower
/// after a like than after a pass, so the value would leak the decision.
package struct ReceivedRates: Sendable {
  /// One rate per candidate, from all decisions; NaN if the table contains no decision.
  package let values: [Double]

  private let smoothing: Double
  private let isAdjusted: Bool
  private let decisions: PairDecisions
  /// Three sums per candidate: the number of decisions, the part that does not depend on m, and the factor of
  /// m.
  private let received: [DecisionSums]

  private struct DecisionSums: Sendable {
    var decisions = 0.0
    var fixed = 0.0
    var perMean = 0.0
  }

  /// Counts the decisions of `table`.
  ///
  /// - Parameters:
  ///   - table: Interactions of users with candidates.
  ///   - smoothing: k, the weight of m as a number of decisions; above 0.
  ///   - isAdjusted: Whether a decision is compared with the share of likes among the user's decisions.
  ///   - threads: The number of workers; the result does not depend on it.
  package init(_ table: InteractionTable, smoothing: Double, isAdjusted: Bool, threads: Int = 1) {
    precondition(smoothing > 0, "the smoothing must be above 0, not \(smoothing)")
    self.smoothing = smoothing
    self.isAdjusted = isAdjusted
    let decisions = PairDecisions(table, threads: threads)
    self.decisions = decisions
    let count = table.candidateOffsets.count - 1
    // Each worker reads all rows but adds up only its own candidates. The order of additions therefore does
    // not depend on the number of workers.
    let parts = parallelMap(
      count: count, chunkSize: max(1, (count + threads - 1) / threads), threads: threads
    ) {
      own in
      var received = [DecisionSums](repeating: DecisionSums(), count: own.count)
      let candidates = table.candidate.span
      for user in decisions.given.indices {
        let given = decisions.given[user]
        let (like, pass) = (
          Self.part(1, of: given, isAdjusted), Self.part(0, of: given, isAdjusted)
        )
        for index in table.range(ofUser: user) where decisions.isLatest(index) {
          let candidate = Int(candidates[index])
          guard own.contains(candidate) else { continue }
          let part = decisions.isLike(index) ? like : pass
          received[candidate - own.lowerBound].decisions += 1
          received[candidate - own.lowerBound].fixed += part.fixed
          received[candidate - own.lowerBound].perMean += part.perMean
        }
      }
      return received
    }
    let received = parts.flatMap { $0 }
    self.received = received
    let mean = decisions.total.likes / decisions.total.decisions
    values = received.map { Self.rate($0, mean: mean, smoothing, isAdjusted) }
  }

  /// Returns the rate of a learning row's candidate without the contribution of the row's own pair.
  ///
  /// - Parameters:
  ///   - interaction: The index of the learning row in the table.
  ///   - user: The row of the user.
  ///   - candidate: The row of the candidate.
  /// - Returns: The rate; NaN if the candidate received no other decision.
  package func leavingOut(_ interaction: Int, user: Int, candidate: Int) -> Double {
    rest(isLike: decisions.isLike(interaction), of: user).rate(received[candidate], self)
  }

  /// The value of m without one pair, and the pair's parts to subtract from the sums of its candidate.
  private struct RestOfDecisions {
    var mean: Double
    var fixed: Double
    var perMean: Double

    func rate(_ all: DecisionSums, _ rates: borrowing ReceivedRates) -> Double {
      var rest = all
      rest.decisions -= 1
      guard rest.decisions > 0 else { return .nan }
      rest.fixed -= fixed
      rest.perMean -= perMean
      return ReceivedRates.rate(rest, mean: mean, rates.smoothing, rates.isAdjusted)
    }
  }

  private func rest(isLike: Bool, of user: Int) -> RestOfDecisions {
    let like = isLike ? 1.0 : 0
    let own = Self.part(like, of: decisions.given[user], isAdjusted)
    return RestOfDecisions(
      mean: (decisions.total.likes - like) / (decisions.total.decisions - 1), fixed: own.fixed,
      perMean: own.perMean)
  }

  private static func part(_ like: Double, of user: PairDecisions.LikeTally, _ isAdjusted: Bool) -> (
    fixed: Double, perMean: Double
  ) {
    guard isAdjusted else { return (like, 0) }
    return (like - user.likes / (user.decisions + 2), 2 / (user.decisions + 2))
  }

  private static func rate(_ sums: DecisionSums, mean: Double, _ smoothing: Double, _ isAdjusted: Bool)
    -> Double
  {
    guard isAdjusted else { return (sums.fixed + smoothing * mean) / (sums.decisions + smoothing) }
    return mean + (sums.fixed - mean * sums.perMean) / (sums.decisions + smoothing)
  }
}

extension ReceivedRates: CandidateNumbers {
  package var learningColumns: LearningColumns {
    LearningColumns(
      numbers: [received.map(\.decisions), received.map(\.fixed), received.map(\.perMean)])
  }

  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double {
    leavingOut(interaction, user: pair.user, candidate: pair.candidate)
  }

  package func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int) {
    let (like, pass) = (rest(isLike: true, of: rows.user), rest(isLike: false, of: rows.user))
    for place in 0..<rows.count {
      let all = DecisionSums(
        decisions: rows.numbers[place], fixed: rows.numbers[rows.stride + place],
        perMean: rows.numbers[2 * rows.stride + place])
      let isLike = decisions.isLike(rows.interactions.lowerBound + place)
      values[base + place] = (isLike ? like : pass).rate(all, self)
    }
  }
}
