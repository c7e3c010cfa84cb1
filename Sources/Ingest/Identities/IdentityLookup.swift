internal import Readers

/// Finds ids one at a time. Where there are many, `InteractionBlock` has many searches wait for memory together.
struct IdentityLookup: Sendable {
  private let ids: RankedIdentities
  private let search: RankedIdentities.Search

  init(_ ids: RankedIdentities) {
    self.ids = ids
    search = ids.search
  }

  /// The rank of `id`, or `nil` where there is no such id.
  func rank(of id: Span<UInt8>) -> UInt32? {
    let key = IdentityKey(id)
    let place = search(key)
    let rank = ids.withTable { ids.rank(of: key, from: place, in: $0, 0, of: id) }
    return rank == IdentitySlots.empty ? nil : rank
  }
}

extension FieldValue {
  /// The rank among `ids` of the id that stands here.
  ///
  /// - Throws: What is wrong with it; `rule` where nobody has it.
  func rank(_ field: String, in ids: IdentityLookup, orElse rule: IngestRule) throws(RowRejected) -> UInt32 {
    guard let rank = try withID(field, { ids.rank(of: $0) }) else { throw rejected(rule, field) }
    return rank
  }

  /// The same; `nil` where nothing stands here, or an id that nobody has.
  ///
  /// - Throws: What is no id.
  func knownRank(_ field: String, in ids: IdentityLookup) throws(RowRejected) -> UInt32? {
    isMissing ? nil : try withID(field) { ids.rank(of: $0) }
  }
}
