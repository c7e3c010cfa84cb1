internal import Reproducible

/// The interactions that a snapshot keeps in (user, time, input order) order, in columns.
struct SortedInteractions: Sendable {
  let candidate: SharedColumn<UInt32>
  /// Milliseconds since 1970 UTC.
  let at: SharedColumn<Int64>
  /// The interactions of user `u` are `userOffsets[u]..<userOffsets[u + 1]`.
  let userOffsets: SharedColumn<UInt64>
  /// Places in `distinctValues`, or the values themselves.
  private let code: SharedColumn<UInt8>
  private let values: SharedColumn<Double>
  private let distinctValues: [Double]?

  var count: Int { at.count }

  /// The value of the interaction at an index.
  @inline(__always)
  func value(_ index: Int) -> Double {
    if let distinctValues { return distinctValues[Int(code[index])] }
    return values[index]
  }

  /// Sorts what `kept` keeps of `rows`, a bucket of users at a time, each by a counting sort: nothing is compared but the
  /// times of one user.
  ///
  /// - Parameters:
  ///   - rows: In input order.
  ///   - kept: Which of them.
  ///   - threads: At most so many; the result does not depend on it.
  /// - Complexity: O(n) for exports that are in the order of time, as most are; else O(n log n) in the rows of a user.
  init(_ rows: InteractionColumns, _ kept: KeptInteractions, threads: Int) {
    let buckets = rows.buckets
    let kept = BucketOrder(rows, kept)
    // Where each bucket begins.
    var starts = [0]
    for count in parallelMap(
      count: buckets.count, chunkSize: 1, threads: threads, { kept.count($0.lowerBound) })
    {
      starts.append(starts[starts.count - 1] + count)
    }
    let (total, offsets) = (starts[buckets.count], starts)
    distinctValues = rows.distinctValues
    let isCoded = distinctValues != nil
    candidate = SharedColumn(count: total)
    at = SharedColumn(count: total)
    code = SharedColumn(count: isCoded ? total : 0)
    values = SharedColumn(count: isCoded ? 0 : total)
    userOffsets = SharedColumn(count: kept.kept.users.count + 1)
    userOffsets[kept.kept.users.count] = UInt64(total)
    let sorted = self
    _ = parallelMap(count: buckets.count, chunkSize: 1, threads: threads) { bucket in
      kept.sort(bucket.lowerBound, from: offsets[bucket.lowerBound], into: sorted)
    }
  }

  /// Sets the row at an index.
  @inline(__always)
  func set(_ index: Int, at time: Int64, candidate row: UInt32, code place: UInt8, value: Double) {
    at[index] = time
    candidate[index] = row
    if distinctValues != nil { code[index] = place } else { values[index] = value }
  }
}

/// Sorts buckets of interactions by user, time and input order.
private struct BucketOrder: Sendable {
  private struct Row: BitwiseCopyable {
    var at: Int64
    var candidate: UInt32
    var code: UInt8
  }

  private let rows: InteractionColumns
  let kept: KeptInteractions

  init(_ rows: InteractionColumns, _ kept: KeptInteractions) {
    self.rows = rows
    self.kept = kept
  }

  /// How many rows of a bucket are kept.
  func count(_ bucket: Int) -> Int {
    var count = 0
    for part in rows.parts {
      if kept.keepAll(part) {
        count += part.range(bucket).count
      } else {
        forEach(part, bucket) { _, _ in count += 1 }
      }
    }
    return count
  }

  /// Calls `body` with the indices of the rows of a bucket that are kept, and the row of each user in the table.
  @inline(__always)
  private func forEach(
    _ part: InteractionColumns.Part, _ bucket: Int, _ body: (_ index: Int, _ user: Int) -> Void
  ) {
    let keepsAll = kept.keepAll(part)
    for index in part.range(bucket) {
      let rank = rows.buckets.key(part.rows[index].place, in: bucket)
      // Where all are kept, ranks are rows: two looks at memory less.
      if keepsAll {
        body(index, Int(rank))
        continue
      }
      let user = kept.users.rowOfRank[Int(rank)]
      if user != KeptEntities.leftOut, kept.keep(part.rows[index]) { body(index, Int(user)) }
    }
  }

  /// Sorts the rows of a bucket into `columns`, from `start` on, and sets the offsets of its users.
  func sort(_ bucket: Int, from start: Int, into columns: SortedInteractions) {
    let users = rowsOfUsers(bucket)
    var next = [Int](repeating: 0, count: users.count + 1)
    for part in rows.parts { forEach(part, bucket) { _, user in next[user - users.lowerBound + 1] += 1 } }
    for user in 0..<users.count {
      next[user + 1] += next[user]
      columns.userOffsets[users.lowerBound + user] = UInt64(start + next[user])
    }
    let total = next[users.count]
    let isCoded = rows.distinctValues != nil
    // In a processor's cache, as a bucket is small.
    var sorted = [Row](repeating: Row(at: 0, candidate: 0, code: 0), count: total)
    var values = [Double](repeating: 0, count: isCoded ? 0 : total)
    for part in rows.parts {
      let keepsAll = kept.keepAll(part)
      forEach(part, bucket) { index, user in
        let row = part.rows[index]
        let target = next[user - users.lowerBound]
        next[user - users.lowerBound] = target + 1
        let candidate = keepsAll ? row.candidate : kept.candidates.rowOfRank[Int(row.candidate)]
        sorted[target] = Row(at: row.at, candidate: candidate, code: row.code)
        if !isCoded { values[target] = part.values[index] }
      }
    }
    // Each is now where the next one began.
    var first = 0
    for user in 0..<users.count {
      sortByTime(&sorted, &values, first..<next[user])
      first = next[user]
    }
    for (index, row) in sorted.enumerated() {
      columns.set(
        start + index, at: row.at, candidate: row.candidate, code: row.code,
        value: isCoded ? 0 : values[index])
    }
  }

  /// The rows in the table of the users of a bucket who are kept.
  private func rowsOfUsers(_ bucket: Int) -> Range<Int> {
    let ranks = rows.buckets.keys(of: bucket, under: kept.users.rowOfRank.count)
    if kept.users.keepsAll { return ranks }
    let rows = ranks.lazy.map { kept.users.rowOfRank[$0] }.filter { $0 != KeptEntities.leftOut }
    guard let first = rows.first else { return 0..<0 }
    return Int(first)..<Int(first) + rows.count { _ in true }
  }

  /// Sorts the rows of one user, which are in input order.
  private func sortByTime(_ rows: inout [Row], _ values: inout [Double], _ range: Range<Int>) {
    let isSorted = range.dropFirst().allSatisfy { rows[$0 - 1].at <= rows[$0].at }
    if isSorted { return }
    let order = range.sorted { (rows[$0].at, $0) < (rows[$1].at, $1) }
    let sorted = order.map { rows[$0] }
    rows.replaceSubrange(range, with: sorted)
    if !values.isEmpty {
      let sorted = order.map { values[$0] }
      values.replaceSubrange(range, with: sorted)
    }
  }
}
