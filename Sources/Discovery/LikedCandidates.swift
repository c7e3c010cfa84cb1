internal import Columns
internal import Concurrency
internal import Features
package import RunSchemas

/// The candidates that each user likes, newest like first.
///
/// The module `Discovery` orders candidates for `order_by: discovery`. It computes item-to-item coefficients,
/// trending popularity and popularity by area from likes, and chooses the settings of this order. It does
/// not depend on the learned models, the search or the rules of a ranking.
package struct LikedCandidates: Sendable {
  /// The likes of user `u` are at `offsets[u]..<offsets[u + 1]`.
  package let offsets: [Int]
  /// The rows of the liked candidates. Each candidate occurs at most once per user.
  package let candidates: [UInt32]
  /// The time of the newest like of each pair, in milliseconds since 1970 UTC.
  package let times: [Int64]
  package let candidateCount: Int

  package var userCount: Int { offsets.count - 1 }

  package func range(ofUser user: Int) -> Range<Int> { offsets[user]..<offsets[user + 1] }

  /// The number of users with at least one like.
  package var usersWithLikes: Int { (0..<userCount).count { !range(ofUser: $0).isEmpty } }

  /// Collects the likes of `table`. The latest interaction of a user with a candidate decides whether the
  /// user likes the candidate.
  ///
  /// - Parameters:
  ///   - table: Interactions of users with candidates.
  ///   - cut: Returns the time up to which the interactions of a user count, in milliseconds since 1970 UTC;
  ///     `nil` if all interactions count.
  ///   - threads: The maximum number of threads; the result does not depend on it.
  package init(_ table: InteractionTable, upTo cut: (@Sendable (Int) -> Int64)? = nil, threads: Int = 1) {
    let decisions = PairDecisions(table, upTo: cut, threads: threads)
    let parts = parallelMap(count: table.userOffsets.count - 1, chunkSize: 4096, threads: threads) { chunk in
      var part: (ends: [Int], candidates: [UInt32], times: [Int64]) = ([], [], [])
      for user in chunk {
        for row in table.range(ofUser: user).reversed()
        where decisions.isLatest(row) && decisions.isLike(row) {
          part.candidates.append(table.candidate[row])
          part.times.append(table.at[row])
        }
        part.ends.append(part.candidates.count)
      }
      return part
    }
    var (offsets, candidates, times): ([Int], [UInt32], [Int64]) = ([0], [], [])
    for part in parts {
      let start = candidates.count
      offsets += part.ends.map { start + $0 }
      candidates += part.candidates
      times += part.times
    }
    (self.offsets, self.candidates, self.times) = (offsets, candidates, times)
    candidateCount = table.candidateOffsets.count - 1
  }

  package init(offsets: [Int], candidates: [UInt32], times: [Int64], candidateCount: Int) {
    (self.offsets, self.candidates, self.times) = (offsets, candidates, times)
    self.candidateCount = candidateCount
  }
}
