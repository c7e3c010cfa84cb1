internal import Columns
internal import Concurrency

/// The interactions of the users of one bucket, sorted.
struct SortedBucket: Sendable {
  /// The rows of the candidates in their table.
  var candidate: [UInt32] = []
  /// The times in milliseconds since 1970 UTC.
  var at: [Int64] = []
  /// The values, if all possible values fit in a byte; otherwise the values are in `wide`.
  var small: [Int8] = []
  var wide: [Double] = []
  /// The bucket's rows, grouped by bucket of the candidate.
  var groups: [InteractionsByCandidatePart] = []
}

/// The kept interactions, sorted by user, time and input order, one bucket of users at a time. Because
/// interactions are by far the most numerous rows, the whole sorted table is never in memory.
struct SortedInteractions: Sendable {
  private let order: BucketOrder
  /// The index of the first row of each bucket, and the total number of rows.
  private let starts: [Int]
  /// All possible values in the order of their codes, if each fits in a byte; otherwise `nil`.
  let smallValues: [Int8]?
  /// The interactions of user `u` are `userOffsets[u]..<userOffsets[u + 1]`. The offsets are valid after all
  /// buckets are sorted.
  let userOffsets: SharedColumn<UInt64>
  let buckets: Int

  var count: Int { starts[buckets] }

  /// - Parameters:
  ///   - rows: All interactions, in input order.
  ///   - kept: The rule that decides which rows are kept.
  ///   - threads: The maximum number of threads. The result does not depend on it.
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

  /// Sorts the rows of a bucket by user with a counting sort. Only the times of one user are compared.
  ///
  /// - Complexity: O(n) if the export is in time order, as most exports are; otherwise O(n log n) in the rows
  ///   of a user.
  func sorted(_ number: Int, into groups: KeyBuckets) -> SortedBucket {
    let rows = order.sorted(number, from: starts[number]..<starts[number + 1], userOffsets)
    var bucket = SortedBucket(candidate: rows.candidate, at: rows.at)
    if let smallValues {
      bucket.small = Array(setting: rows.code.count) { small in
        let (codes, values) = (rows.code.span, smallValues.span)
        for index in codes.indices { small[index] = values[Int(codes[index])] }
      }
    } else if let distinct = order.rows.distinctValues {
      bucket.wide = rows.code.map { distinct[Int($0)] }
    } else {
      bucket.wide = rows.value
    }
    bucket.groups = InteractionsByCandidate.parts(bucket.candidate, from: starts[number], groups)
    return bucket
  }
}

/// The columns of sorted rows; only one of `code` and `value` is filled.
private struct SortedColumns {
  var candidate: [UInt32] = []
  var at: [Int64] = []
  /// The nanoseconds within the milliseconds; empty if all are 0.
  var finer: [UInt32] = []
  var code: [UInt8] = []
  var value: [Double] = []
}

/// Sorts buckets of interactions by user, time and input order.
private struct BucketOrder: Sendable {
  let rows: InteractionColumns
  private let kept: KeptInteractions
  /// Whether a row has digits finer than a millisecond.
  private let hasFiner: Bool

  init(_ rows: InteractionColumns, _ kept: KeptInteractions) {
    self.rows = rows
    self.kept = kept
    hasFiner = rows.parts.contains { !$0.finer.isEmpty }
  }

  /// Returns the number of kept rows in a bucket.
  func count(_ bucket: Int) -> Int {
    var count = 0
    let first = rowsOfUsers(bucket).lowerBound
    let parts = rows.parts.span
    for part in parts.indices {
      if kept.keepAll(parts[part]) {
        count += parts[part].range(bucket).count
      } else {
        forEach(part, of: parts, bucket, from: first) { _, _, _, _ in count += 1 }
      }
    }
    return count
  }

  /// Calls `body` for each kept row of a bucket of one part. The arguments are the row, its time, its index
  /// in the part, and the user's index among the kept users of the bucket. The first of these users has the
  /// row `first` in the table of users.
  @inline(__always)
  private func forEach(
    _ part: Int, of parts: Span<InteractionPart>, _ bucket: Int, from first: Int,
    _ body: (_ row: BucketedInteraction, _ at: Int64, _ index: Int, _ user: Int) -> Void
  ) {
    let bucketRows = InteractionBucketRows.of(bucket, part, in: parts)
    if kept.keepAll(parts[part]) {
      // All ids are kept, so ranks equal rows, and neither the user nor the candidate needs a lookup. This
      // saves two memory accesses.
      bucketRows.forEach { row, at, index in body(row, at, index, Int(row.place)) }
    } else {
      bucketRows.forEach { row, at, index in
        let user = kept.users.rowOfRank[Int(rows.buckets.key(row.place, in: bucket))]
        if user != KeptEntities.noRow, kept.keep(row, at: at) {
          var row = row
          row.candidate = kept.candidates.rowOfRank[Int(row.candidate)]
          body(row, at, index, Int(user) - first)
        }
      }
    }
  }

  /// Returns the sorted rows of a bucket, and sets the offsets of the bucket's users. `range` is the range of
  /// these rows in the interaction table.
  func sorted(_ bucket: Int, from range: Range<Int>, _ offsets: SharedColumn<UInt64>) -> SortedColumns {
    let users = rowsOfUsers(bucket)
    var next = [Int](repeating: 0, count: users.count + 1)
    count(bucket, users.lowerBound, into: &next)
    for user in 0..<users.count {
      next[user + 1] += next[user]
      offsets[users.lowerBound + user] = UInt64(range.lowerBound + next[user])
    }
    // The unchecked writes below rely on this count.
    precondition(next[users.count] == range.count, "the counts of a bucket differ")
    let starts = next
    var sorted = move(bucket, users.lowerBound, &next, count: range.count)
    if hasFiner { sorted.finer = finer(bucket, users.lowerBound, starts, count: range.count) }
    // Each element of `next` is now the start of the next user's rows.
    var first = 0
    for user in 0..<users.count {
      sortByTime(&sorted, first..<next[user])
      first = next[user]
    }
    return sorted
  }

  /// Counts the rows of each user of a bucket. The count of the user with index `i` is stored at `i + 1`. The
  /// user in row `first` has index 0.
  private func count(_ bucket: Int, _ first: Int, into counts: inout [Int]) {
    let parts = rows.parts.span
    var counts = counts.mutableSpan
    for part in parts.indices {
      // The rows of each part are in a different place in memory, so they are prefetched. They are still in
      // the CPU cache when they are moved.
      if part + 8 < parts.count { parts[part + 8].starts.span.prefetch(bucket) }
      if part + 4 < parts.count {
        InteractionBucketRows.of(bucket, part + 4, in: parts).prefetch()
      }
      if kept.keepAll(parts[part]) {
        // This is the same as the general case below, for parts whose rows are all kept. It skips the checks
        // and reads only the user's index.
        InteractionBucketRows.of(bucket, part, in: parts).forEachPlace { place in
          counts[Int(place) + 1] += 1
        }
      } else {
        forEach(part, of: parts, bucket, from: first) { _, _, _, user in counts[user + 1] += 1 }
      }
    }
  }

  /// Copies the `count` rows of a bucket into columns.
  ///
  /// `next` contains the position of the next row of each user, by the user's index in the bucket. The user
  /// in row `first` of the table of users has index 0. `next` is advanced past the rows.
  private func move(_ bucket: Int, _ first: Int, _ next: inout [Int], count: Int) -> SortedColumns {
    let isCoded = rows.distinctValues != nil
    var sorted = SortedColumns()
    sorted.candidate = Array(setting: count) { candidate in
      sorted.at = Array(setting: count) { at in
        sorted.code = Array(setting: isCoded ? count : 0) { code in
          sorted.value = Array(setting: isCoded ? 0 : count) { value in
            move(bucket, first, &next, &candidate, &at, &code, &value)
          }
        }
      }
    }
    return sorted
  }

  /// Sets each element of the columns. Only one of `code` and `value` has elements.
  private func move(
    _ bucket: Int, _ first: Int, _ next: inout [Int], _ candidate: inout MutableSpan<UInt32>,
    _ at: inout MutableSpan<Int64>, _ code: inout MutableSpan<UInt8>, _ value: inout MutableSpan<Double>
  ) {
    // A span avoids a uniqueness check of an array for each row. These checks would take most of the time.
    var next = next.mutableSpan
    let count = candidate.count
    precondition(at.count == count && max(code.count, value.count) == count)
    let parts = rows.parts.span
    for part in parts.indices {
      forEach(part, of: parts, bucket, from: first) { row, moment, index, user in
        let target = next[user]
        next[user] = target &+ 1
        // One check covers the bounds of all columns.
        precondition(UInt(bitPattern: target) < UInt(bitPattern: count))
        unsafe candidate[unchecked: target] = row.candidate
        unsafe at[unchecked: target] = moment
        if value.isEmpty {
          unsafe code[unchecked: target] = row.code
        } else {
          unsafe value[unchecked: target] = parts[part].values[index]
        }
      }
    }
  }

  /// Returns the nanoseconds of the `count` rows of a bucket, in the order in which `move` copies the rows.
  /// `next` contains the position of the first row of each user.
  private func finer(_ bucket: Int, _ first: Int, _ next: [Int], count: Int) -> [UInt32] {
    var finer = [UInt32](repeating: 0, count: count)
    var next = next
    let parts = rows.parts.span
    for part in parts.indices {
      forEach(part, of: parts, bucket, from: first) { _, _, index, user in
        if !parts[part].finer.isEmpty { finer[next[user]] = parts[part].finer[index] }
        next[user] += 1
      }
    }
    return finer
  }

  /// Returns the rows that a bucket's kept users have in the snapshot's table of users.
  func rowsOfUsers(_ bucket: Int) -> Range<Int> {
    let ranks = rows.buckets.keys(of: bucket, under: kept.users.rowOfRank.count)
    if kept.users.keepsAll { return ranks }
    let rows = ranks.lazy.map { kept.users.rowOfRank[$0] }.filter { $0 != KeptEntities.noRow }
    guard let first = rows.first else { return 0..<0 }
    return Int(first)..<Int(first) + rows.count { _ in true }
  }

  private static func isAscending(_ times: Span<Int64>) -> Bool {
    guard var last = times.isEmpty ? nil : times[0] else { return true }
    for index in times.indices {
      if times[index] < last { return false }
      last = times[index]
    }
    return true
  }

  /// Sorts the rows of one user by time. Rows with the same time stay in input order.
  private func sortByTime(_ columns: inout SortedColumns, _ range: Range<Int>) {
    if columns.finer.isEmpty, Self.isAscending(columns.at.span.extracting(range)) { return }
    let order = range.sorted {
      columns.finer.isEmpty
        ? (columns.at[$0], $0) < (columns.at[$1], $1)
        : (columns.at[$0], columns.finer[$0], $0) < (columns.at[$1], columns.finer[$1], $1)
    }
    func sort<Element>(_ column: inout [Element]) {
      let sorted = order.map { column[$0] }
      column.replaceSubrange(range, with: sorted)
    }
    sort(&columns.candidate)
    if columns.value.isEmpty { sort(&columns.code) } else { sort(&columns.value) }
    sort(&columns.at)
  }
}
