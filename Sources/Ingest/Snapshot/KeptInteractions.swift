internal import Text

/// Determines which interactions are in the snapshot. These interactions are not later than the as-of time,
/// and their user and candidate are in the snapshot.
struct KeptInteractions: Sendable {
  let users: KeptEntities
  let candidates: KeptEntities
  let asOf: Instant

  func keep(_ row: InteractionRow) -> Bool {
    row.at <= asOf.milliseconds && users.rowOfRank[Int(row.user)] != KeptEntities.noRow
      && candidates.rowOfRank[Int(row.candidate)] != KeptEntities.noRow
  }

  /// Returns whether a row is kept. The caller checks whether the user of the row is kept.
  @inline(__always)
  func keep(_ row: BucketedInteraction, at: Int64) -> Bool {
    at <= asOf.milliseconds && candidates.rowOfRank[Int(row.candidate)] != KeptEntities.noRow
  }

  /// Returns whether all rows of `part` are certain to be kept, so that the caller need not check each row.
  func keepAll(_ part: InteractionPart) -> Bool {
    part.newest <= asOf.milliseconds && users.keepsAll && candidates.keepsAll
  }

  /// Returns a number for the account of a row that is not kept.
  ///
  /// If a candidate is not kept, for example because its time is wrong, all rows that refer to it are later.
  /// These rows count for the candidate. All other rows count for their user.
  func account(user: UInt32, candidate: UInt32, isOneKind: Bool) -> Int {
    guard candidates.rowOfRank[Int(candidate)] == KeptEntities.noRow else { return Int(user) }
    return Int(candidate) + (isOneKind ? 0 : users.rowOfRank.count)
  }

  /// Returns the number of kept rows, and calls `body` with the ranks of the user and the candidate of each
  /// other row.
  func count(_ rows: InteractionColumns, others body: (_ user: UInt32, _ candidate: UInt32) -> Void) -> Int {
    let parts = rows.parts.span
    var count = 0
    for part in parts.indices {
      if keepAll(parts[part]) {
        count += parts[part].rows.count
        continue
      }
      for bucket in 0..<rows.buckets.count {
        InteractionBucketRows.of(bucket, part, in: parts).forEach { row, at, _ in
          let user = rows.buckets.key(row.place, in: bucket)
          if users.rowOfRank[Int(user)] != KeptEntities.noRow, keep(row, at: at) {
            count += 1
          } else {
            body(user, row.candidate)
          }
        }
      }
    }
    return count
  }
}
