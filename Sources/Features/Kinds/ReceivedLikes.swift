internal import Columns
internal import Concurrency
internal import Glibc
package import RunSchemas

/// The popularity of each candidate: ln(1 + w), where w is the sum of the weights of the likes that the
/// candidate received.
///
/// A pair's latest interaction is its decision, so each user gives a candidate at most one like. Without a
/// half-life, a like weighs 1. With a half-life h, a like weighs:
///
///     2^(−age / h),    age = as-of time − time of the like
///
/// The value of a learning row excludes the weight of the row's own pair, so it does not depend on the row's
/// outcome.
package struct ReceivedLikes: Sendable {
  /// One value per candidate, from all likes; 0 if the candidate has no like.
  package let values: [Double]

  /// The sum of the weights of the likes that each candidate received.
  private let received: [Double]
  private let decisions: PairDecisions
  /// For each interaction, the weight of its pair's decision; 0 for a pass. `nil` without a half-life.
  private let aged: [Double]?

  /// Counts the likes of `table`.
  ///
  /// - Parameters:
  ///   - table: The interactions of users with candidates up to `asOf`.
  ///   - halfLife: The half-life in milliseconds, above 0; `nil` if all likes weigh 1.
  ///   - asOf: The as-of time in milliseconds since 1970 UTC.
  ///   - threads: The number of workers; the result does not depend on it.
  package init(_ table: InteractionTable, halfLife: Int64?, asOf: Int64, threads: Int = 1) {
    precondition(halfLife.map { $0 > 0 } ?? true, "the half-life must be above 0 ms, not \(halfLife ?? 0)")
    let decisions = PairDecisions(table, threads: threads)
    self.decisions = decisions
    aged = halfLife.map { halfLife in
      parallelMap(count: table.userOffsets.count - 1, chunkSize: 4096, threads: threads) { chunk in
        chunk.flatMap { user in
          Self.weights(of: table.range(ofUser: user), in: table, decisions, halfLife, asOf)
        }
      }.flatMap { $0 }
    }
    // A single thread adds the weights in the order of the table, so the sums do not depend on the number of
    // workers.
    var received = [Double](repeating: 0, count: table.candidateOffsets.count - 1)
    let candidates = table.candidate.span
    for index in 0..<table.count where decisions.isLatest(index) {
      received[Int(candidates[index])] += Self.weight(index, decisions, aged)
    }
    self.received = received
    values = received.map { log1p($0) }
  }

  private static func weight(_ interaction: Int, _ decisions: PairDecisions, _ aged: [Double]?) -> Double {
    aged?[interaction] ?? (decisions.isLike(interaction) ? 1 : 0)
  }

  /// Returns, for each interaction of one user, the weight of its pair's decision. An earlier interaction of
  /// a pair has the weight of the pair's latest interaction.
  private static func weights(
    of rows: Range<Int>, in table: InteractionTable, _ decisions: PairDecisions, _ halfLife: Int64,
    _ asOf: Int64
  ) -> [Double] {
    var latest: [UInt32: Double] = [:]
    for row in rows where decisions.isLatest(row) && decisions.isLike(row) {
      latest[table.candidate[row]] = exp2(-Double(asOf - table.at[row]) / Double(halfLife))
    }
    return rows.map { latest[table.candidate[$0]] ?? 0 }
  }

  /// Returns the value of a learning row's candidate without the like of the row's own pair.
  ///
  /// - Parameters:
  ///   - interaction: The index of the learning row in the table.
  ///   - candidate: The row of its candidate.
  /// - Returns: ln(1 + weight), at least 0.
  package func leavingOut(_ interaction: Int, candidate: Int) -> Double {
    rest(received[candidate], interaction)
  }

  private func rest(_ all: Double, _ interaction: Int) -> Double {
    // Rounding can make the difference of equal sums slightly negative.
    log1p(max(all - Self.weight(interaction, decisions, aged), 0))
  }
}

extension ReceivedLikes: CandidateNumbers {
  package var learningColumns: LearningColumns { LearningColumns(numbers: [received]) }

  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double {
    leavingOut(interaction, candidate: pair.candidate)
  }

  package func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int) {
    for place in 0..<rows.count {
      values[base + place] = rest(rows.numbers[place], rows.interactions.lowerBound + place)
    }
  }
}
