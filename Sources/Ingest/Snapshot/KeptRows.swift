internal import Text

/// Which entities of a kind are in the snapshot, and where.
package struct KeptEntities: Sendable {
  /// By number of the id, in the order in which ids were met.
  let isKept: [Bool]
  /// By rank of the id: the row in the snapshot's table, or `leftOut`.
  let rowOfRank: [UInt32]
  /// How many are kept.
  let count: Int
  static let leftOut = UInt32.max

  init(_ isKept: [Bool], _ ids: RankedIdentities) {
    self.isKept = isKept
    if isKept.allSatisfy(\.self) {
      count = isKept.count
      rowOfRank = Array(0..<UInt32(count))
      return
    }
    var next: UInt32 = 0
    rowOfRank = ids.numbers.map { number in
      guard isKept[Int(number)] else { return Self.leftOut }
      next += 1
      return next - 1
    }
    count = Int(next)
  }

  var keepsAll: Bool { count == isKept.count }
}

/// Which interactions are in the snapshot: those that are not later than the as-of time, and refer to nobody who is.
struct KeptInteractions: Sendable {
  let users: KeptEntities
  let candidates: KeptEntities
  let asOf: Instant

  func keep(_ row: InteractionRows.Row) -> Bool {
    row.at <= asOf.milliseconds && users.rowOfRank[Int(row.user)] != KeptEntities.leftOut
      && candidates.rowOfRank[Int(row.candidate)] != KeptEntities.leftOut
  }

  /// Whether a row is kept whose user is.
  @inline(__always)
  func keep(_ row: InteractionColumns.Row, at: Int64) -> Bool {
    at <= asOf.milliseconds && candidates.rowOfRank[Int(row.candidate)] != KeptEntities.leftOut
  }

  /// Whether all of `part` are kept, as far as that is told without a look at each.
  func keepAll(_ part: InteractionColumns.Part) -> Bool {
    part.newest <= asOf.milliseconds && users.keepsAll && candidates.keepsAll
  }

  /// How many of `rows` are kept.
  func count(_ rows: InteractionColumns) -> Int {
    let parts = rows.parts.span
    var count = 0
    for part in parts.indices {
      if keepAll(parts[part]) {
        count += parts[part].rows.count
        continue
      }
      for bucket in 0..<rows.buckets.count {
        InteractionColumns.BucketRows.of(bucket, part, in: parts).forEach { row, at, _ in
          let user = users.rowOfRank[Int(rows.buckets.key(row.place, in: bucket))]
          if user != KeptEntities.leftOut, keep(row, at: at) { count += 1 }
        }
      }
    }
    return count
  }
}
