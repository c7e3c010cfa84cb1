internal import Columns

/// Which version of an entity's row was in force at a time.
package enum EntityVersion: Hashable, Sendable {
  /// The row of the entity's table.
  case current
  /// The version at this index of `EntityTable.earlier`.
  case earlier(Int)
  /// Nobody knows: every version that the export holds was made later.
  case unknown
  /// None: the entity was created later.
  case notYet
}

extension EntityTable {
  /// The version of `row` that was in force at `time`, in milliseconds since 1970 UTC: the newest not made later.
  ///
  /// A version that does not say when it was made is older than any that does. Whether the entity existed is what the
  /// version in force says, or the row where none is known; where it says nothing, the entity always was there.
  ///
  /// - Complexity: O(log n) in the earlier versions.
  package func version(of row: Int, at time: Int64) -> EntityVersion {
    let version: EntityVersion
    let birth: Int64?
    if let updated, updated[row] > time {
      let index = earlier?.last(of: row, notAfter: time)
      version = index.map { .earlier($0) } ?? .unknown
      birth = index == nil ? created?[row] : index.flatMap { earlier?.created?[$0] }
    } else {
      version = .current
      birth = created?[row]
    }
    if let birth, birth > time { return .notYet }
    return version
  }
}
