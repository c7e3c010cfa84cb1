internal import Tombstones

/// Caches which ids of one entity are erased. Each id is looked up in the tombstones once, because computing
/// its authentication code takes as long as reading a row.
struct ErasedIdentities {
  private let tombstones: TombstoneSet
  private let entity: String
  private var met = IdentityTable()
  private var isErased: [Bool] = []

  /// Returns `nil` if no person was erased, so that callers skip the check.
  init?(_ tombstones: TombstoneSet, of entity: String) {
    if tombstones.isEmpty { return nil }
    self.tombstones = tombstones
    self.entity = entity
  }

  mutating func contain(_ id: Span<UInt8>) -> Bool {
    let number = met.insert(id)
    if number == isErased.count { isErased.append(tombstones.contain(id, of: entity)) }
    return isErased[number]
  }
}
