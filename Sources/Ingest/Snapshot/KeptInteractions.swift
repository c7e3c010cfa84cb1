internal import Text

/// Which interactions are in the snapshot: those that are not later than the as-of time and whose entities are not either.
struct KeptInteractions: Sendable {
  let users: KeptEntities
  let candidates: KeptEntities
  let asOf: Instant

  func keep(_ row: InteractionRow) -> Bool {
    row.at <= asOf.milliseconds && users.rowOfRank[Int(row.user)] != KeptEntities.leftOut
      && candidates.rowOfRank[Int(row.candidate)] != KeptEntities.leftOut
  }

  /// Whether a row is kept whose user is kept.
  @inline(__always)
  func keep(_ row: BucketedInteraction, at: Int64) -> Bool {
    at <= asOf.milliseconds && candidates.rowOfRank[Int(row.candidate)] != KeptEntities.leftOut
  }

  /// Whether all rows of `part` are known to be kept without checking each.
  func keepAll(_ part: InteractionPart) -> Bool {
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
        InteractionBucketRows.of(bucket, part, in: parts).forEach { row, at, _ in
          let user = users.rowOfRank[Int(rows.buckets.key(row.place, in: bucket))]
          if user != KeptEntities.leftOut, keep(row, at: at) { count += 1 }
        }
      }
    }
    return count
  }
}
