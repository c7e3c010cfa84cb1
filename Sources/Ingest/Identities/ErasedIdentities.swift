internal import Tombstones

/// Which ids of one kind of entity were erased, as far as somebody has asked: each is looked up among the tombstones
/// once, as a code costs as much as reading a row.
struct ErasedIdentities {
  private let tombstones: TombstoneSet
  private let entity: String
  private var met = IdentityTable()
  private var isErased: [Bool] = []

  /// `nil` where nobody was erased: then nothing costs anything.
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
