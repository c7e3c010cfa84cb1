internal import Reproducible
internal import Tables

/// The interactions that a snapshot keeps in (user, time, input order) order, a bucket of users at a time: there are far more
/// of them than of anything else, and so the whole table is never in memory.
struct SortedInteractions: Sendable {
  /// The rows of the users of one bucket.
  struct Bucket: Sendable {
    /// Rows in the users' table.
    var user: [UInt32] = []
    var candidate: [UInt32] = []
    /// Milliseconds since 1970 UTC.
    var at: [Int64] = []
    /// The values by their places in `smallValues`, where there are such; else `wide`.
    var small: [Int8] = []
    var wide: [Double] = []
    /// Its rows by candidate.
    var groups = CandidateGroups.Part()
  }

  private let order: BucketOrder
  /// Where each bucket begins, and the end.
  private let starts: [Int]
  /// All values that there can be, if each fits a byte.
  let smallValues: [Int8]?
  /// The interactions of user `u` are `userOffsets[u]..<userOffsets[u + 1]`, once all buckets were sorted.
  let userOffsets: SharedColumn<UInt64>
  let buckets: Int

  var count: Int { starts[buckets] }

  /// - Parameters:
  ///   - rows: In input order.
  ///   - kept: Which of them.
  ///   - threads: At most so many; the result does not depend on it.
  init(_ rows: InteractionColumns, _ kept: KeptInteractions, threads: Int) {
    let order = BucketOrder(rows, kept)
    self.order = order
    buckets = rows.buckets.count
    var starts = [0]
    for count in parallelMap(
      count: buckets, chunkSize: 1, threads: threads, { order.count($0.lowerBound) })
    {
      starts.append(starts[starts.count - 1] + count)
    }
    self.starts = starts
    smallValues = rows.distinctValues.flatMap { ValueColumn.small($0) }
    userOffsets = SharedColumn(count: kept.users.count + 1)
    userOffsets[kept.users.count] = UInt64(starts[buckets])
  }

  /// Sorts the rows of a bucket by a counting sort: nothing is compared but the times of one user.
  ///
  /// - Complexity: O(n) for exports that are in the order of time, as most are; else O(n log n) in the rows of a user.
  func sorted(_ number: Int, into groups: Buckets) -> Bucket {
    let (rows, wide) = order.sorted(
      number, starts[number + 1] - starts[number], from: starts[number], userOffsets)
    var bucket = Bucket()
    let firstUser = UInt32(order.rowsOfUsers(number).lowerBound)
    bucket.user = rows.map { firstUser + UInt32($0.user) }
    bucket.candidate = rows.map(\.candidate)
    bucket.at = rows.map(\.at)
    if let smallValues {
      bucket.small = rows.map { smallValues[Int($0.code)] }
    } else if let distinct = order.rows.distinctValues {
      bucket.wide = rows.map { distinct[Int($0.code)] }
    } else {
      bucket.wide = wide
    }
    bucket.groups = CandidateGroups.Part(bucket.candidate, from: starts[number], groups)
    return bucket
  }
}

/// Sorts buckets of interactions by user, time and input order.
private struct BucketOrder: Sendable {
  struct Row: BitwiseCopyable {
    var at: Int64
    var candidate: UInt32
    /// The place of the user among those of the bucket: less than 2¹⁶.
    var user: UInt16
    var code: UInt8
  }

  let rows: InteractionColumns
  private let kept: KeptInteractions

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

  /// Calls `body` with the rows of a bucket that are kept, their indices, and the row of each user in the table.
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

  /// The rows of a bucket in their order, and their values where those are not coded; sets the offsets of its users.
  func sorted(
    _ bucket: Int, _ total: Int, from start: Int, _ offsets: SharedColumn<UInt64>
  ) -> (rows: [Row], values: [Double]) {
    let users = rowsOfUsers(bucket)
    let isCoded = rows.distinctValues != nil

    // First together: what follows goes through them twice, and finds them in a processor's cache.
    var gathered: [Row] = []
    gathered.reserveCapacity(total)
    var gatheredValues: [Double] = []
    var next = [Int](repeating: 0, count: users.count + 1)
    for part in rows.parts {
      let keepsAll = kept.keepAll(part)
      forEach(part, bucket) { index, user in
        let row = part.rows[index]
        let candidate = keepsAll ? row.candidate : kept.candidates.rowOfRank[Int(row.candidate)]
        let place = user - users.lowerBound
        next[place + 1] += 1
        gathered.append(Row(at: row.at, candidate: candidate, user: UInt16(place), code: row.code))
        if !isCoded { gatheredValues.append(part.values[index]) }
      }
    }
    for user in 0..<users.count {
      next[user + 1] += next[user]
      offsets[users.lowerBound + user] = UInt64(start + next[user])
    }
    var sorted = [Row](repeating: Row(at: 0, candidate: 0, user: 0, code: 0), count: total)
    var values = [Double](repeating: 0, count: gatheredValues.count)
    for (index, row) in gathered.enumerated() {
      let target = next[Int(row.user)]
      next[Int(row.user)] = target + 1
      sorted[target] = row
      if !isCoded { values[target] = gatheredValues[index] }
    }
    // Each is now where the next one began.
    var first = 0
    for user in 0..<users.count {
      sortByTime(&sorted, &values, first..<next[user])
      first = next[user]
    }
    return (sorted, values)
  }

  /// The rows in the table of the users of a bucket who are kept.
  func rowsOfUsers(_ bucket: Int) -> Range<Int> {
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
