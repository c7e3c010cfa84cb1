/// Removes people from all generations of a pipeline in a SQL store, within one transaction of the store.
///
/// This file defines the order of removals and their counts for all SQL stores. Each store defines how to
/// find and change rows.
protocol SQLErasure {
  associatedtype Rows: SQLRows

  var address: StoreAddress { get }
  var people: ErasedPeople { get }
  /// The new content digests of runs; see `ErasureOptions`.
  var contents: [String: String] { get }

  /// Returns the pipeline's generations, newest first.
  func records() throws -> [GenerationRecord]

  func write(_ note: GenerationNote, of record: GenerationRecord) throws

  func rows(of content: GenerationRecord.Content) -> Rows

  func reduceRows(of content: Int64, by removed: Int) throws

  /// Deletes the rows with one of `ids` in one of `columns`, and returns the number of deleted rows.
  func delete(_ columns: [String], _ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int

  /// Deletes the position of an id, and returns its cell; `nil` if the id has no position.
  func removePosition(of id: StoredID, _ content: GenerationRecord.Content) throws -> StoredID?

  /// Replaces the bucket of a cell with `text`, or deletes the bucket if `text` is `nil`.
  func replaceBucket(of cell: StoredID, _ content: Int64, by text: [UInt8]?) throws

  /// Removes entries with one of `ids` from a catalog, and returns the number of removed entries. The ranks
  /// of the remaining rows are renumbered, but their JSON is unchanged.
  func removeEntries(_ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int

  /// Removes the candidates `ids` from all documents of a list, and returns the number of removed entries.
  func removeCandidates(_ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int
}

extension SQLErasure {
  /// The maximum number of ids for which a text search in all documents is about as fast as parsing all
  /// documents. The search compares every document with every id, but the parser reads a document only once.
  static var mostSearchedIDs: Int { 32 }

  /// Returns texts such that every document with one of `ids` contains at least one of them; empty if there
  /// are too many ids for a text search, and every document must be parsed.
  ///
  /// Nightjar always writes an id in the same JSON form, so a text search finds its documents. Another
  /// program may have written an id with other escapes, so documents with a backslash are parsed, too.
  func searchedTexts(for ids: Set<StoredID>) -> [[UInt8]] {
    ids.count > Self.mostSearchedIDs ? [] : ids.map(\.quoted) + [[UInt8(ascii: "\\")]]
  }

  /// Performs all steps. If this method throws, the caller must roll back the transaction.
  func run() throws -> StoreErasure {
    var erasure = StoreErasure()
    for record in try records() {
      let before = erasure.total
      // Positions are removed first, because the update of a cell's bucket needs the person's attributes,
      // which are removed later.
      for content in record.contents where content.kind == .positions {
        erasure.positions += try removePositions(from: content, of: record)
      }
      for content in record.contents {
        let removed = try remove(from: content, &erasure)
        if removed > 0 { try reduceRows(of: content.id, by: removed) }
      }
      let hasChanged = erasure.total > before
      erasure.generations += hasChanged ? 1 : 0
      let note = record.note.erased(contents, hasChanged: hasChanged)
      if note != record.note { try write(note, of: record) }
    }
    return erasure
  }

  /// Writes the digest of a tombstone set into the notes of all generations. The digest records that the
  /// generations contain none of the people in the set.
  func note(tombstones: String?) throws {
    for record in try records() where record.note.tombstones != tombstones {
      var note = record.note
      note.tombstones = tombstones
      try write(note, of: record)
    }
  }

  /// Removes people from one table, and returns the number of deleted rows.
  private func remove(from content: GenerationRecord.Content, _ erasure: inout StoreErasure) throws -> Int {
    let name = content.count.name
    switch content.kind {
    case .list:
      let removed = try delete(["user_id"], people.ids(in: .user(list: name)), content)
      erasure.lists += removed
      let candidates = people.ids(in: .candidate(list: name))
      if !candidates.isEmpty { erasure.places += try removeCandidates(candidates, content) }
      return removed
    case .matches:
      let removed = try delete(["user_id", "other_user_id"], people.ids(in: .match(name: name)), content)
      erasure.matches += removed
      return removed
    case .people:
      let removed = try delete(["id"], people.ids(in: .person(entity: name)), content)
      erasure.people += removed
      return removed
    case .catalog:
      let removed = try removeEntries(people.ids(in: .entry(catalog: name)), content)
      erasure.entries += removed
      return removed
    case .positions, .buckets: return 0
    }
  }

  /// Removes the positions of people, and updates the buckets of their cells.
  private func removePositions(
    from content: GenerationRecord.Content, of record: GenerationRecord
  ) throws -> Int {
    let name = content.count.name
    var removed = 0
    for id in people.ids(in: .person(entity: name)) {
      guard let cell = try removePosition(of: id, content) else { continue }
      try leave(cell, id, of: record, entity: name)
      removed += 1
    }
    try reduceRows(of: content.id, by: removed)
    return removed
  }

  private func leave(_ cell: StoredID, _ id: StoredID, of record: GenerationRecord, entity: String) throws {
    guard let content = record.content(.buckets, entity),
      let bucket = try rows(of: content).document(.buckets, cell)
    else { return }
    let attributes = try record.content(.people, entity).flatMap {
      try rows(of: $0).document(.people, id)
    }
    let text = try ListDocument.leaving(bucket, attributes: attributes, address)
    try replaceBucket(of: cell, content.id, by: text)
    if text == nil { try reduceRows(of: content.id, by: 1) }
  }
}
