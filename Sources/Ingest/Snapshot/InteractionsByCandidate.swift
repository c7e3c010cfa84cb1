/// A row of the interaction table in the bucket of its candidate. It takes four bytes.
fileprivate struct GroupedRow: BitwiseCopyable {
  /// The row's index in the part.
  var number: UInt16
  /// The candidate's index in the bucket.
  var place: UInt16
}

/// Consecutive rows of the interaction table, at most 2¹⁶.
struct InteractionsByCandidatePart: Sendable {
  /// The index of the first row in the table.
  fileprivate let first: UInt32
  /// The rows, grouped by bucket. The rows of a bucket are in the order of the table.
  fileprivate var rows: [GroupedRow]
  /// Bucket `b` is `rows[starts[b]..<starts[b + 1]]`.
  fileprivate var starts: [UInt32]

  fileprivate static let most = 1 << 16

  fileprivate init(_ candidates: ArraySlice<UInt32>, from first: Int, _ buckets: KeyBuckets) {
    self.first = UInt32(first)
    // Spans avoid a uniqueness check of an array for each row. These checks would take most of the time.
    let candidates = candidates.span
    var next = [UInt32](repeating: 0, count: buckets.count + 1)
    var counts = next.mutableSpan
    for index in candidates.indices { counts[buckets.bucket(of: candidates[index]) + 1] += 1 }
    for bucket in 0..<buckets.count { counts[bucket + 1] += counts[bucket] }
    starts = next
    rows = Array(setting: candidates.count) { rows in
      var next = next.mutableSpan
      for index in candidates.indices {
        let candidate = candidates[index]
        let bucket = buckets.bucket(of: candidate)
        rows[Int(next[bucket])] = GroupedRow(number: UInt16(index), place: buckets.place(of: candidate))
        next[bucket] += 1
      }
    }
  }

  fileprivate func range(_ bucket: Int) -> Range<Int> { Int(starts[bucket])..<Int(starts[bucket + 1]) }

  /// Returns a borrowed view of the rows of a bucket of the part at `index`.
  ///
  /// Copying the part for each bucket would update the reference counts of its arrays, and threads would
  /// contend for these counts.
  @_lifetime(copy parts)
  @inline(__always)
  fileprivate static func rows(of bucket: Int, _ index: Int, in parts: Span<InteractionsByCandidatePart>)
    -> Span<
      GroupedRow
    >
  {
    let range = Int(parts[index].starts[bucket])..<Int(parts[index].starts[bucket + 1])
    return unsafe _overrideLifetime(parts[index].rows.span.extracting(range), copying: parts)
  }
}

/// Indices of interactions grouped by candidate, each group in ascending order.
///
/// First, the rows of each part of the table are grouped by the candidate's bucket. Then each bucket is
/// sorted.
struct InteractionsByCandidate: Sendable {
  /// Groups consecutive rows of the table by the candidate's bucket.
  ///
  /// - Parameters:
  ///   - candidates: The candidates of the rows.
  ///   - first: The index of the first row in the table.
  ///   - buckets: The buckets of candidates.
  /// - Returns: The parts, in the order of the rows.
  static func parts(_ candidates: [UInt32], from first: Int, _ buckets: KeyBuckets)
    -> [InteractionsByCandidatePart]
  {
    stride(from: 0, to: candidates.count, by: InteractionsByCandidatePart.most).map { start in
      let end = min(start + InteractionsByCandidatePart.most, candidates.count)
      return InteractionsByCandidatePart(candidates[start..<end], from: first + start, buckets)
    }
  }

  let buckets: KeyBuckets
  private let count: Int
  private let parts: [InteractionsByCandidatePart]
  /// The number of rows before each bucket, then the number of all rows.
  private let starts: [Int]
  /// The group of candidate `c` is `offsets[c]..<offsets[c + 1]`. The offsets are valid after all buckets are
  /// sorted.
  let offsets: SharedColumn<UInt64>

  /// - Parameters:
  ///   - parts: All parts of the table, in its order.
  ///   - buckets: The buckets of candidates that the parts use.
  ///   - count: The number of candidates.
  init(_ parts: [InteractionsByCandidatePart], _ buckets: KeyBuckets, count: Int) {
    self.parts = parts
    self.buckets = buckets
    self.count = count
    var starts = [Int](repeating: 0, count: buckets.count + 1)
    for part in parts {
      for bucket in 0..<buckets.count { starts[bucket + 1] += part.range(bucket).count }
    }
    for bucket in 0..<buckets.count { starts[bucket + 1] += starts[bucket] }
    self.starts = starts
    offsets = SharedColumn(count: count + 1)
    offsets[count] = UInt64(starts[buckets.count])
  }

  /// Returns the members of all groups of a bucket, concatenated, and sets the offsets of these groups.
  func members(_ bucket: Int) -> [UInt32] {
    let keys = buckets.keys(of: bucket, under: count)
    var next = [Int](repeating: 0, count: keys.count + 1)
    let parts = parts.span
    var counts = next.mutableSpan
    for part in parts.indices {
      // The rows of each part are in a different place in memory, so they are prefetched. They are still in
      // the CPU cache when the second loop reads them.
      if part + 8 < parts.count { parts[part + 8].starts.span.prefetch(bucket) }
      if part + 4 < parts.count {
        InteractionsByCandidatePart.rows(of: bucket, part + 4, in: parts).prefetch()
      }
      let rows = InteractionsByCandidatePart.rows(of: bucket, part, in: parts)
      for row in rows.indices { counts[Int(rows[row].place) + 1] += 1 }
    }
    for key in 0..<keys.count {
      offsets[keys.lowerBound + key] = UInt64(starts[bucket] + next[key])
      next[key + 1] += next[key]
    }
    return Array(setting: starts[bucket + 1] - starts[bucket]) { members in
      var next = next.mutableSpan
      for part in parts.indices {
        let first = parts[part].first
        let rows = InteractionsByCandidatePart.rows(of: bucket, part, in: parts)
        for index in rows.indices {
          let row = rows[index]
          members[next[Int(row.place)]] = first + UInt32(row.number)
          next[Int(row.place)] += 1
        }
      }
    }
  }
}
