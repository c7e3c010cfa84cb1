internal import Readers

/// Looks up ids one at a time. `InteractionBlock` batches many lookups, so that their memory accesses
/// overlap.
struct IdentityLookup: Sendable {
  private let ids: RankedIdentities
  private let search: RankedIdentities.Search

  init(_ ids: RankedIdentities) {
    self.ids = ids
    search = ids.search
  }

  /// Returns the rank of `id`, or `nil` if the id is unknown.
  func rank(of id: Span<UInt8>) -> UInt32? {
    let key = IdentityKey(id)
    let place = search(key)
    let rank = ids.withTable { ids.rank(of: key, from: place, in: $0, 0, of: id) }
    return rank == IdentitySlots.empty ? nil : rank
  }
}

extension FieldValue {
  /// Returns the rank in `ids` of the id in this field.
  ///
  /// - Throws: The fault of the field; `rule` if the id is unknown. An id that is too long or contains U+0000
  ///   counts as unknown, not as invalid. Interactions with this id therefore do not count toward
  ///   `reject_limit`.
  func rank(_ field: String, in ids: IdentityLookup, orElse rule: IngestRule) throws(RowRejected) -> UInt32 {
    if let rank = try withID(field, { ids.rank(of: $0) }) { return rank }
    throw rejected(rule, field)
  }

  /// Returns the rank in `ids` of the id in this field; `nil` if the field is empty or the id is unknown.
  ///
  /// - Throws: The fault of a value that cannot be an id.
  func knownRank(_ field: String, in ids: IdentityLookup) throws(RowRejected) -> UInt32? {
    isMissing ? nil : try withID(field) { ids.rank(of: $0) }
  }
}
