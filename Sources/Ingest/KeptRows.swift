internal import Tables

/// Which entities of a kind are in the snapshot, and where.
struct KeptEntities: Sendable {
  /// By number of the id, in the order in which ids were met.
  let isKept: [Bool]
  /// By rank of the id: the row in the snapshot's table, or `leftOut`.
  let rowOfRank: [UInt32]
  /// How many are kept.
  let count: Int
  static let leftOut = UInt32.max

  init(_ isKept: [Bool], _ ids: RankedIdentities) {
    self.isKept = isKept
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

  @inline(__always)
  func keep(_ rows: InteractionColumns.Part, _ index: Int) -> Bool {
    rows.at[index] <= asOf.milliseconds && users.rowOfRank[Int(rows.user[index])] != KeptEntities.leftOut
      && candidates.rowOfRank[Int(rows.candidate[index])] != KeptEntities.leftOut
  }

  /// Whether all of `rows` are kept, as far as that is told without a look at each.
  func keepAll(_ rows: InteractionColumns.Part) -> Bool {
    rows.newest <= asOf.milliseconds && users.keepsAll && candidates.keepsAll
  }

  /// How many of `rows` are kept.
  func count(_ rows: InteractionColumns.Part) -> Int {
    keepAll(rows) ? rows.count : (0..<rows.count).count { keep(rows, $0) }
  }
}
