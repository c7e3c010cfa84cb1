extension GenerationRecord.Content {
  /// The columns with ids; `nil` for a table without ids. If only one column contains ids, `first` and
  /// `second` are equal.
  var columnsOfIDs: (first: String, second: String)? {
    switch kind {
    case .list: ("user_id", "document")
    case .matches: ("user_id", "other_user_id")
    case .people, .positions: ("id", "id")
    case .catalog: ("key", "entry")
    case .buckets: nil
    }
  }

  /// Visits the ids in a row.
  ///
  /// - Parameters:
  ///   - first: The value of the first column in `columnsOfIDs`.
  ///   - second: The value of the second column, which may be a document.
  ///   - id: Decodes an id from a column.
  ///   - address: The store, for errors.
  ///   - visit: Called for each id, with its role.
  /// - Throws: A `ServingStoreError` for a document that cannot be parsed; errors of `visit`.
  func visitIDs(
    _ first: [UInt8], _ second: [UInt8], id: ([UInt8]) -> StoredID, _ address: StoreAddress,
    _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    let name = count.name
    switch kind {
    case .list:
      try visit(.user(list: name), id(first))
      for candidate in try ListDocument.parsed(second, address).candidates {
        try visit(.candidate(list: name), StoredID(utf8: candidate))
      }
    case .matches:
      for side in [first, second] { try visit(.match(name: name), id(side)) }
    case .people, .positions: try visit(.person(entity: name), id(first))
    case .catalog:
      for entry in try ListDocument.ids(ofEntry: second, address) {
        try visit(.entry(catalog: name), entry)
      }
    case .buckets: break
    }
  }
}
