internal import Reproducible

/// The interactions that a snapshot keeps in (user, time, input order) order, in columns.
struct SortedInteractions: Sendable {
  let candidate: SharedColumn<UInt32>
  let at: SharedColumn<Int64>
  /// Places in `distinctValues`, or the values.
  private let code: SharedColumn<UInt8>
  private let numbers: SharedColumn<Double>
  private let distinctValues: [Double]?
  /// The interactions of user `u` are `userOffsets[u]..<userOffsets[u + 1]`.
  let userOffsets: SharedColumn<UInt64>

  var count: Int { at.count }

  /// The value of the interaction at an index.
  @inline(__always)
  func value(_ index: Int) -> Double {
    if let distinctValues { return distinctValues[Int(code[index])] }
    return numbers[index]
  }

  /// Sorts what `kept` keeps of `rows`: into buckets of users first, then each bucket by user. Nothing is compared but
  /// the times of one user.
  ///
  /// - Complexity: O(n) for exports that are in the order of time, as most are; else O(n log n) in the rows of a user.
  init(_ rows: InteractionColumns, _ kept: KeptInteractions, threads: Int) {
    let buckets = Buckets(keys: kept.users.count)
    let parts = rows.parts
    let histograms = parallelMap(count: parts.count, chunkSize: 1, threads: threads) { part in
      Self.histogram(parts[part.lowerBound], kept, buckets)
    }
    let (starts, ofBuckets) = buckets.starts(histograms)
    let total = ofBuckets[buckets.count]
    distinctValues = rows.distinctValues
    let isCoded = distinctValues != nil
    let place = SharedColumn<UInt16>(count: total)
    candidate = SharedColumn(count: total)
    at = SharedColumn(count: total)
    code = SharedColumn(count: isCoded ? total : 0)
    numbers = SharedColumn(count: isCoded ? 0 : total)
    userOffsets = SharedColumn(count: kept.users.count + 1)
    userOffsets[kept.users.count] = UInt64(total)
    let sorted = self
    _ = parallelMap(count: parts.count, chunkSize: 1, threads: threads) { part in
      sorted.scatter(parts[part.lowerBound], kept, buckets, place, starts[part.lowerBound])
    }
    _ = parallelMap(count: buckets.count, chunkSize: 1, threads: threads) { bucket in
      sorted.sort(
        ofBuckets[bucket.lowerBound]..<ofBuckets[bucket.upperBound], place,
        users: buckets.keys(of: bucket.lowerBound, under: kept.users.count))
    }
  }

  /// How many rows of a part each bucket gets.
  private static func histogram(
    _ rows: InteractionColumns.Part, _ kept: KeptInteractions, _ buckets: Buckets
  ) -> [Int] {
    var histogram = [Int](repeating: 0, count: buckets.count)
    let keepsAll = kept.keepAll(rows)
    for index in 0..<rows.count where keepsAll || kept.keep(rows, index) {
      histogram[buckets.bucket(of: kept.users.rowOfRank[Int(rows.user[index])])] += 1
    }
    return histogram
  }

  /// Copies the rows of a part into their buckets, from `starts` on.
  private func scatter(
    _ rows: InteractionColumns.Part, _ kept: KeptInteractions, _ buckets: Buckets, _ place: SharedColumn<UInt16>,
    _ starts: [Int]
  ) {
    var next = starts
    let keepsAll = kept.keepAll(rows)
    let isCoded = distinctValues != nil
    for index in 0..<rows.count where keepsAll || kept.keep(rows, index) {
      let user = kept.users.rowOfRank[Int(rows.user[index])]
      let bucket = buckets.bucket(of: user)
      let target = next[bucket]
      next[bucket] = target + 1
      place[target] = buckets.place(of: user)
      candidate[target] = kept.candidates.rowOfRank[Int(rows.candidate[index])]
      at[target] = rows.at[index]
      if isCoded { code[target] = rows.code[index] } else { numbers[target] = rows.value[index] }
    }
  }

  /// Sorts one bucket, which is in input order, by user and time, in its place.
  private func sort(_ range: Range<Int>, _ place: SharedColumn<UInt16>, users: Range<Int>) {
    // A counting sort; `order` gets indices of the bucket.
    var next = [UInt32](repeating: 0, count: users.count + 1)
    for index in range { next[Int(place[index]) + 1] += 1 }
    for user in 0..<users.count {
      next[user + 1] += next[user]
      userOffsets[users.lowerBound + user] = UInt64(range.lowerBound) + UInt64(next[user])
    }
    var order = [UInt32](repeating: 0, count: range.count)
    for index in range {
      let user = Int(place[index])
      order[Int(next[user])] = UInt32(index - range.lowerBound)
      next[user] += 1
    }
    // Each is now where the next one began.
    var start = 0
    for user in 0..<users.count {
      let end = Int(next[user])
      sortByTime(&order, start..<end, from: range.lowerBound)
      start = end
    }
    reorder(candidate, range, order)
    reorder(at, range, order)
    if distinctValues != nil { reorder(code, range, order) } else { reorder(numbers, range, order) }
  }

  private func sortByTime(_ order: inout [UInt32], _ range: Range<Int>, from base: Int) {
    func time(_ index: Int) -> Int64 { at[base + Int(order[index])] }
    let isSorted = range.dropFirst().allSatisfy { time($0 - 1) <= time($0) }
    if isSorted { return }
    order[range].sort { (at[base + Int($0)], $0) < (at[base + Int($1)], $1) }
  }

  private func reorder<Element>(_ column: SharedColumn<Element>, _ range: Range<Int>, _ order: [UInt32]) {
    let before = range.map { column[$0] }
    for (index, source) in order.enumerated() { column[range.lowerBound + index] = before[Int(source)] }
  }
}
