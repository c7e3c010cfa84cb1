internal import Columns
internal import Concurrency
package import RunSchemas

/// The decisions of users on candidates. A pair's latest interaction is its decision: a like if the value is
/// at least the table's `likedFrom`, otherwise a pass.
package struct PairDecisions: Sendable {
  struct LikeTally: Sendable {
    var likes = 0.0
    var decisions = 0.0
  }

  /// The counts of likes and decisions of each user; `total` contains the counts of all users together.
  private(set) var given: [LikeTally] = []
  private(set) var total = LikeTally()
  /// The marks of each interaction: `like` if its pair's decision is a like, and `latest` if the interaction
  /// is that decision.
  private var marks: [UInt8] = []

  private static let like: UInt8 = 1
  private static let latest: UInt8 = 2

  /// Returns whether the decision of the interaction's pair is a like.
  package func isLike(_ interaction: Int) -> Bool { marks[interaction] & Self.like != 0 }

  /// Returns whether the interaction is the latest of its pair.
  package func isLatest(_ interaction: Int) -> Bool { marks[interaction] & Self.latest != 0 }

  /// Finds the decisions of all users.
  ///
  /// - Parameters:
  ///   - table: Interactions of users with candidates.
  ///   - cut: Returns the time, in milliseconds since 1970 UTC, up to which the interactions of a user count;
  ///     `nil` if all interactions count. Later interactions are neither decisions nor likes.
  ///   - threads: The number of workers; the result does not depend on it.
  package init(
    _ table: InteractionTable, upTo cut: (@Sendable (Int) -> Int64)? = nil, threads: Int
  ) {
    let users = table.userOffsets.count - 1
    let chunks = parallelMap(count: users, chunkSize: 4096, threads: threads) { chunk in
      var part = PairDecisions()
      var pairs = PairTable()
      let (candidates, values, liked) = (table.candidate.span, table.value.span, table.likedFrom)
      for user in chunk {
        let rows = table.range(ofUser: user)
        let start = part.marks.count
        part.marks += repeatElement(0, count: rows.count)
        pairs.empty(for: rows.count)
        var tally = LikeTally()
        // The loop starts at the newest interaction, so the first interaction of a pair in the loop is the
        // pair's decision.
        let counted =
          cut.map { cut in
            let last = cut(user)
            // The interactions of a user are in chronological order.
            return rows.lowerBound..<rows.partitioningIndex { table.at[$0] > last }
          } ?? rows
        for index in counted.reversed() {
          let isLike = values[index] >= liked
          let decided = pairs.insert(candidates[index], isLike ? Self.like : 0)
          part.marks[start + index - rows.lowerBound] = decided.mark | (decided.isNew ? Self.latest : 0)
          guard decided.isNew else { continue }
          tally.decisions += 1
          if isLike { tally.likes += 1 }
        }
        part.given.append(tally)
      }
      return part
    }
    marks.reserveCapacity(table.count)
    given.reserveCapacity(users)
    for chunk in chunks {
      marks += chunk.marks
      given += chunk.given
    }
    for user in given {
      total.likes += user.likes
      total.decisions += user.decisions
    }
  }

  private init() {}
}

/// The marks of one user's candidates, in a hash table with open addressing. The table is at most half full,
/// and small enough for the cache.
private struct PairTable {
  private var slots: [(candidate: UInt32, mark: UInt8)] = []
  private var mask = 0

  private static let free = UInt32.max

  mutating func empty(for count: Int) {
    var size = 16
    while size < 2 * count { size *= 2 }
    if slots.count < size { slots = Array(repeating: (Self.free, 0), count: size) }
    for slot in 0..<size { slots[slot].candidate = Self.free }
    mask = size - 1
  }

  /// Returns the mark of `candidate`, and whether the call added the candidate. A candidate that was not yet
  /// in the table gets `mark`.
  mutating func insert(_ candidate: UInt32, _ mark: UInt8) -> (mark: UInt8, isNew: Bool) {
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): neighboring row numbers rarely
    // collide.
    var slot = Int(truncatingIfNeeded: (candidate &* 0x9E37_79B9) >> 8) & mask
    while slots[slot].candidate != Self.free {
      if slots[slot].candidate == candidate { return (slots[slot].mark, false) }
      slot = (slot + 1) & mask
    }
    slots[slot] = (candidate, mark)
    return (mark, true)
  }
}
