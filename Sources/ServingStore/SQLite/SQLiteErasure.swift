import Foundation
import GRDB

/// Removes people from a SQLite file.
struct SQLiteErasure: SQLErasure {
  let database: Database
  let address: StoreAddress
  let pipeline: String
  let people: ErasedPeople
  let contents: [String: String]

  func records() throws -> [GenerationRecord] {
    try GenerationRecord.all(database, pipeline: pipeline, address)
  }

  func write(_ note: GenerationNote, of record: GenerationRecord) throws {
    // A dry run may open a store of an earlier version, in which generations have no notes.
    guard try GenerationRecord.hasNotes(database) else { return }
    try database.execute(
      sql: "UPDATE generations SET note = ? WHERE pipeline = ? AND number = ?",
      arguments: [note.json, pipeline, record.number])
  }

  func rows(of content: GenerationRecord.Content) -> SQLiteRows {
    SQLiteRows(database: database, address: address, content: content.id)
  }

  func reduceRows(of content: Int64, by removed: Int) throws {
    try database.execute(
      sql: "UPDATE contents SET row_count = row_count - ? WHERE content_id = ?",
      arguments: [removed, content])
  }

  func delete(_ columns: [String], _ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int {
    var removed = 0
    for id in ids {
      for column in columns {
        try database.execute(
          sql: "DELETE FROM \(content.table) WHERE content_id = ? AND \(column) = CAST(? AS TEXT)",
          arguments: [content.id, Data(id.utf8)])
        removed += database.changesCount
      }
    }
    return removed
  }

  func removePosition(of id: StoredID, _ content: GenerationRecord.Content) throws -> StoredID? {
    let key: StatementArguments = [content.id, Data(id.utf8)]
    let cell = try String.fetchOne(
      database, sql: "SELECT geohash FROM positions WHERE content_id = ? AND id = CAST(? AS TEXT)",
      arguments: key)
    try database.execute(
      sql: "DELETE FROM positions WHERE content_id = ? AND id = CAST(? AS TEXT)", arguments: key)
    return cell.map { StoredID($0) }
  }

  func replaceBucket(of cell: StoredID, _ content: Int64, by text: [UInt8]?) throws {
    let key: StatementArguments = [content, Data(cell.utf8)]
    if let text {
      try database.execute(
        sql: "UPDATE buckets SET bucket = CAST(? AS TEXT) WHERE content_id = ? AND cell = CAST(? AS TEXT)",
        arguments: [Data(text)] + key)
    } else {
      try database.execute(
        sql: "DELETE FROM buckets WHERE content_id = ? AND cell = CAST(? AS TEXT)", arguments: key)
    }
  }

  func removeEntries(_ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int {
    var found: [(key: Data, rank: Int)] = []
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT CAST(key AS BLOB), rank, CAST(entry AS BLOB) FROM \(content.table) WHERE content_id = ? "
        + "ORDER BY rank DESC", arguments: [content.id])
    while let row = try rows.next() {
      let (key, rank, entry): (Data, Int, Data) = (row[0], row[1], row[2])
      if try ListDocument.ids(ofEntry: Array(entry), address).contains(where: ids.contains) {
        found.append((key, rank))
      }
    }
    // Higher ranks are removed first, so that the lower ranks in `found` stay valid. Renumbered ranks are
    // negative for a moment, because a rank must not occur twice within a key.
    for entry in found {
      for sql in [
        "DELETE FROM \(content.table) WHERE content_id = ? AND key = CAST(? AS TEXT) AND rank = ?",
        "UPDATE \(content.table) SET rank = 1 - rank WHERE content_id = ? AND key = CAST(? AS TEXT) AND rank > ?",
      ] { try database.execute(sql: sql, arguments: [content.id, entry.key, entry.rank]) }
      try database.execute(
        sql:
          "UPDATE \(content.table) SET rank = -rank WHERE content_id = ? AND key = CAST(? AS TEXT) AND rank < 0",
        arguments: [content.id, entry.key])
    }
    return found.count
  }

  func removeCandidates(_ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int {
    let texts = searchedTexts(for: ids).map { String(decoding: $0, as: UTF8.self) }
    let conditions = texts.map { _ in "instr(document, ?) > 0" }.joined(separator: " OR ")
    let rows = try Int64.fetchAll(
      database,
      sql: "SELECT rowid FROM lists WHERE content_id = ?" + (texts.isEmpty ? "" : " AND (\(conditions))"),
      arguments: [content.id] + StatementArguments(texts))
    var places = 0
    for row in rows {
      guard
        let document = try Data.fetchOne(
          database.cachedStatement(sql: "SELECT CAST(document AS BLOB) FROM lists WHERE rowid = ?"),
          arguments: [row]),
        let edited = try ListDocument.erased(Array(document), ids, address)
      else { continue }
      places += edited.removed
      let update = try database.cachedStatement(
        sql: "UPDATE lists SET document = CAST(? AS TEXT) WHERE rowid = ?")
      try update.execute(arguments: [Data(edited.text), row])
    }
    return places
  }
}

extension SQLiteServingStore {
  func erase(_ people: ErasedPeople, of pipeline: String, _ options: ErasureOptions) throws -> StoreErasure {
    try ServingStoreError.checkWritable(access, address, isDryRun: options.isDryRun)
    return try ServingStoreError.translating(address) {
      try pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let removal = SQLiteErasure(
          database: database, address: address, pipeline: pipeline, people: people,
          contents: options.contents)
        var erasure = StoreErasure()
        try database.inTransaction(.immediate) {
          erasure = try removal.run()
          return options.isDryRun ? .rollback : .commit
        }
        if options.isDryRun { return erasure }
        try leaveNoTraces(database)
        try database.inTransaction(.immediate) {
          try removal.note(tombstones: options.tombstones)
          return .commit
        }
        try? SQLiteLog(database: database).empty()
        return erasure
      }
    }
  }

  /// Rewrites the file and empties its write-ahead log. `secure_delete` overwrites deleted rows, but not the
  /// copies that remain in the gaps of a page after SQLite has moved rows within the page.
  ///
  /// - Throws: `busy` if a reader keeps an older state open for longer than the timeout. In that case, the
  ///   erased rows are no longer served, but the write-ahead log still contains them.
  private func leaveNoTraces(_ database: Database) throws {
    try database.execute(sql: "VACUUM")
    let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    guard row?[0] == 0 else {
      throw ServingStoreError(
        .busy, address: address.description,
        found:
          "erased people are no longer served, but an open read transaction keeps their rows in the "
          + "write-ahead log",
        nextStep: "run 'nightjar erase' again when the transaction has ended")
    }
  }

  func visitIDs(
    in generation: Int, of pipeline: String, _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    try ServingStoreError.translating(address) {
      try pool.read { database in
        let records = try GenerationRecord.all(database, pipeline: pipeline, address)
        for content in records.first(where: { $0.number == generation })?.contents ?? [] {
          try visitIDs(of: content, database, visit)
        }
      }
    }
  }

  private func visitIDs(
    of content: GenerationRecord.Content, _ database: Database, _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    guard let columns = content.columnsOfIDs else { return }
    let rows = try Row.fetchCursor(
      database,
      sql:
        "SELECT CAST(\(columns.first) AS BLOB), CAST(\(columns.second) AS BLOB) FROM \(content.table) "
        + "WHERE content_id = ?", arguments: [content.id])
    while let row = try rows.next() {
      let (first, second): (Data, Data) = (row[0], row[1])
      try content.visitIDs(Array(first), Array(second), id: { StoredID(utf8: $0) }, address, visit)
    }
  }
}
