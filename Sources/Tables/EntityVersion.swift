/// Which version of an entity's row was in force at a time.
package enum EntityVersion: Hashable, Sendable {
  /// The row of the entity's table.
  case current
  /// Nobody knows: every version that the export holds was made later.
  case unknown
  /// None: the entity was created later.
  case notYet
}

extension EntityTable {
  /// The version of `row` that was in force at `time`, in milliseconds since 1970 UTC: changed then or before.
  ///
  /// A row whose `created` or `updated` is missing always was as it is.
  package func version(of row: Int, at time: Int64) -> EntityVersion {
    if let created, created[row] > time { return .notYet }
    guard let updated, updated[row] > time else { return .current }
    return .unknown
  }
}
