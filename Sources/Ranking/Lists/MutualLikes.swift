internal import Columns
internal import Concurrency
internal import RunSchemas
internal import Text

/// Finds the pairs in which each side likes the other, by a sort-merge join. A hash table of tens of millions
/// of pairs would cost a cache miss per look-up.
///
/// Each like is assigned to the smaller row of its pair. The likes that this row gave are adjacent already;
/// the likes that it received are distributed into buckets. Then two ascending lists are merged for each row.
struct MutualLikes: Sendable {
  /// A like that is in force.
  private struct Like: BitwiseCopyable {
    /// The smaller row of the pair. `second` is the greater row.
    var first: UInt32
    var second: UInt32
    /// The start of the like in milliseconds since 1970 UTC.
    var since: Int64
  }

  /// The likes that the users of one bucket gave.
  private struct LikesPart: Sendable {
    /// The likes for candidates with greater rows, sorted by both rows.
    var given: [Like] = []
    /// The likes for candidates with smaller rows, by bucket of the candidate; each bucket is in the order of
    /// the users.
    var received: [[Like]]
  }

  private let parts: [LikesPart]
  private let count: Int
  private let bucketSize: Int

  /// Collects and distributes the likes of all users.
  ///
  /// - Parameters:
  ///   - table: Interactions between people of one entity.
  ///   - threads: The maximum number of threads; the result does not depend on it.
  init(_ table: InteractionTable, threads: Int) {
    let count = table.userOffsets.count - 1
    // There are at most 256 buckets, so that the arrays for pairs of buckets are not tiny.
    let bucketSize = max(1024, (count + 255) / 256)
    let buckets = (count + bucketSize - 1) / bucketSize
    self.count = count
    self.bucketSize = bucketSize
    parts = parallelMap(count: count, chunkSize: bucketSize, threads: threads) { chunk in
      var part = LikesPart(received: Array(repeating: [], count: buckets))
      var order: [UInt64] = []
      let (candidates, values, times) = (table.candidate.span, table.value.span, table.at.span)
      let liked = table.likedFrom
      for user in chunk {
        let rows = table.range(ofUser: user)
        order.removeAll(keepingCapacity: true)
        for index in rows { order.append(UInt64(candidates[index]) << 32 | UInt64(index - rows.lowerBound)) }
        order.sort()
        var since: Int64?
        for (place, key) in order.enumerated() {
          let other = UInt32(truncatingIfNeeded: key >> 32)
          let index = rows.lowerBound + Int(UInt32(truncatingIfNeeded: key))
          since = values[index] >= liked ? since ?? times[index] : nil
          if place + 1 < order.count, order[place + 1] >> 32 == key >> 32 { continue }
          if let since {
            if other > user {
              part.given.append(Like(first: UInt32(user), second: other, since: since))
            } else if other < user {
              part.received[Int(other) / bucketSize].append(
                Like(first: other, second: UInt32(user), since: since))
            }
          }
          since = nil
        }
      }
      return part
    }
  }

  /// Returns all matches, sorted by both rows.
  func matches(threads: Int) -> [Match] {
    parallelMap(count: count, chunkSize: bucketSize, threads: threads) { chunk in
      let bucket = chunk.lowerBound / bucketSize
      let (received, starts) = received(bucket, chunk)
      var found: [Match] = []
      var place = 0
      for like in parts[bucket].given {
        let end = starts[Int(like.first) - chunk.lowerBound + 1]
        place = max(place, starts[Int(like.first) - chunk.lowerBound])
        while place < end, received[place].second < like.second { place += 1 }
        guard place < end, received[place].second == like.second else { continue }
        found.append(
          Match(
            first: like.first, second: like.second,
            since: Instant(milliseconds: max(like.since, received[place].since))))
      }
      return found
    }.flatMap(\.self)
  }

  /// Returns the likes that the rows of a bucket received from greater rows, sorted by both rows. `starts`
  /// contains the index of each receiver's first like, followed by the number of likes.
  private func received(_ bucket: Int, _ chunk: Range<Int>) -> (likes: [Like], starts: [Int]) {
    var next = [Int](repeating: 0, count: chunk.count + 1)
    for part in parts {
      for like in part.received[bucket] { next[Int(like.first) - chunk.lowerBound + 1] += 1 }
    }
    for user in 0..<chunk.count { next[user + 1] += next[user] }
    let starts = next
    var likes = [Like](repeating: Like(first: 0, second: 0, since: 0), count: starts[chunk.count])
    for part in parts {
      for like in part.received[bucket] {
        let user = Int(like.first) - chunk.lowerBound
        likes[next[user]] = like
        next[user] += 1
      }
    }
    return (likes, starts)
  }
}
