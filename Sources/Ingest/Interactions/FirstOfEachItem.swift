internal import Readers

extension InteractionColumns {
  /// Keeps only the earliest interaction of each user with each item. An item is the row whose id is in the
  /// candidate's field. If several interactions have the same time, the first one in the files is kept.
  ///
  /// The earliest interaction is kept, so that an evaluation with any later cut includes an interaction with
  /// the item.
  ///
  /// - Returns: Whether each row is kept, by its index in input order.
  /// - Complexity: O(n) in the rows.
  mutating func keepFirstOfEachItem() -> [Bool] {
    var first: [Pair: (at: Moment, part: Int, index: Int)] = [:]
    for (number, part) in parts.enumerated() {
      for bucket in 0..<buckets.count {
        // In each part, all rows of a user are in one bucket, in input order.
        for index in part.range(bucket) {
          let row = part.row(index)
          let pair = Pair(user: buckets.key(row.place, in: bucket), item: part.items[index])
          let at = part.moment(index)
          if let known = first[pair], known.at <= at { continue }
          first[pair] = (at, number, index)
        }
      }
    }
    var isKept = parts.map { [Bool](repeating: false, count: $0.rows.count) }
    for row in first.values { isKept[row.part][row.index] = true }
    let all = zip(parts, isKept).flatMap { part, isKept in part.order.map { isKept[Int($0)] } }
    replaceParts(zip(parts, isKept).map { $0.keeping($1) })
    return all
  }

  private struct Pair: Hashable {
    var user: UInt32
    var item: UInt32
  }
}

extension InteractionPart {
  /// Returns a part with the rows for which `isKept` is true. The result does not store the item of each row.
  fileprivate func keeping(_ isKept: [Bool]) -> InteractionPart {
    var part = InteractionPart()
    part.packing = packing
    var indices: [UInt32] = []
    for index in isKept.indices {
      indices.append(UInt32(part.rows.count))
      guard isKept[index] else { continue }
      part.rows.append(rows[index])
      if !values.isEmpty { part.values.append(values[index]) }
      if !times.isEmpty { part.times.append(times[index]) }
      if !finer.isEmpty { part.finer.append(finer[index]) }
      part.newest = max(part.newest, at(index))
    }
    // `starts` may also contain the end of the rows.
    indices.append(UInt32(part.rows.count))
    part.starts = starts.map { indices[Int($0)] }
    part.order = order.filter { isKept[Int($0)] }.map { indices[Int($0)] }
    return part
  }
}
