internal import Erasure

/// Which ids of one kind of entity were erased, as far as somebody has asked: each is looked up among the tombstones
/// once, as a code costs as much as reading a row.
struct ErasedIdentities {
  private let tombstones: Tombstones
  private let entity: String
  private var met = IdentityTable()
  private var isErased: [Bool] = []

  /// `nil` where nobody was erased: then nothing costs anything.
  init?(_ tombstones: Tombstones, of entity: String) {
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

extension RowRejected {
  /// What may be told of the row where somebody was erased: a value whose row nobody can tell to be another's may be
  /// theirs, and an excerpt of a row that is no record may hold anything.
  func withoutValue(where hides: Bool) -> RowRejected {
    hides ? RowRejected(rule: rule, field: field, value: "") : self
  }

  /// The same where what is wrong is an id that nobody can read.
  func withoutID(where hides: Bool) -> RowRejected { withoutValue(where: hides && rule == .badID) }
}
