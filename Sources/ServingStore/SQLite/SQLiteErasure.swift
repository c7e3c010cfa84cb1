import Erasure
import Foundation
import GRDB

/// The removal of people from all generations of a pipeline, inside its transaction.
struct SQLiteErasure {
  let database: Database
  let address: StoreAddress
  let pipeline: String
  let people: ErasedPeople
  let contents: [String: String]

  /// Does all of it; whatever it throws, the transaction must be rolled back.
  func run() throws -> StoreErasure {
    var erasure = StoreErasure()
    for record in try GenerationRecord.all(database, pipeline: pipeline) {
      let before = erasure.total
      // First, while it is known which words of their cells' are theirs.
      for content in record.contents where content.kind == .positions {
        erasure.positions += try removePositions(from: content, of: record)
      }
      for content in record.contents {
        let removed = try remove(from: content, &erasure)
        if removed > 0 {
          try reduceRows(of: content.id, by: removed)
        }
      }
      let hasChanged = erasure.total > before
      erasure.generations += hasChanged ? 1 : 0
      try write(record.note.erased(contents, hasChanged: hasChanged), of: record)
    }
    return erasure
  }

  /// Notes that all generations are free of whoever has one of these tombstones.
  func note(tombstones: String?) throws {
    for record in try GenerationRecord.all(database, pipeline: pipeline) {
      var note = record.note
      note.tombstones = tombstones
      try write(note, of: record)
    }
  }

  private func write(_ note: GenerationNote, of record: GenerationRecord) throws {
    guard note != record.note else { return }
    try database.execute(
      sql: "UPDATE generations SET note = ? WHERE pipeline = ? AND number = ?",
      arguments: [note.json, pipeline, record.number])
  }

  /// Returns how many rows went.
  private func remove(from content: GenerationRecord.Content, _ erasure: inout StoreErasure) throws -> Int {
    let name = content.count.name
    switch content.kind {
    case .list:
      let removed = try delete("lists", "user_id", people.ids(in: .user(list: name)), content)
      erasure.lists += removed
      erasure.places += try edit(content, people.ids(in: .candidate(list: name)))
      return removed
    case .matches:
      let ids = people.ids(in: .match(name: name))
      let removed =
        try delete("matches", "user_id", ids, content) + delete("matches", "other_user_id", ids, content)
      erasure.matches += removed
      return removed
    case .people:
      let removed = try delete("people", "id", people.ids(in: .person(entity: name)), content)
      erasure.people += removed
      return removed
    case .directory:
      let removed = try removeEntries(from: content, people.ids(in: .entry(directory: name)))
      erasure.entries += removed
      return removed
    case .positions, .buckets: return 0
    }
  }

  /// Takes people from where they are: out of the positions, and out of their cells.
  private func removePositions(
    from content: GenerationRecord.Content, of record: GenerationRecord
  ) throws -> Int {
    let name = content.count.name
    var removed = 0
    for id in people.ids(in: .person(entity: name)) {
      let key: StatementArguments = [content.id, Data(id.utf8)]
      guard
        let cell = try String.fetchOne(
          database, sql: "SELECT geohash FROM positions WHERE content_id = ? AND id = CAST(? AS TEXT)",
          arguments: key)
      else { continue }
      try leave(cell, id, of: record, entity: name)
      try database.execute(
        sql: "DELETE FROM positions WHERE content_id = ? AND id = CAST(? AS TEXT)", arguments: key)
      removed += 1
    }
    try reduceRows(of: content.id, by: removed)
    return removed
  }

  private func leave(_ cell: String, _ id: StoredID, of record: GenerationRecord, entity: String) throws {
    guard let content = record.contentID(.buckets, entity) else { return }
    let rows = SQLiteRows(database: database, address: address, content: content)
    guard let bucket = try rows.document(.buckets, StoredID(cell)) else { return }
    let attributes = try record.contentID(.people, entity).flatMap {
      try SQLiteRows(database: database, address: address, content: $0).document(.people, id)
    }
    if let text = try ListDocument.leaving(bucket, attributes: attributes, address) {
      try database.execute(
        sql: "UPDATE buckets SET bucket = CAST(? AS TEXT) WHERE content_id = ? AND cell = ?",
        arguments: [Data(text), content, cell])
    } else {
      try database.execute(
        sql: "DELETE FROM buckets WHERE content_id = ? AND cell = ?", arguments: [content, cell])
      try reduceRows(of: content, by: 1)
    }
  }

  private func reduceRows(of content: Int64, by removed: Int) throws {
    try database.execute(
      sql: "UPDATE contents SET row_count = row_count - ? WHERE content_id = ?",
      arguments: [removed, content])
  }

  /// Takes entries from a directory; ranks close up.
  private func removeEntries(from content: GenerationRecord.Content, _ ids: Set<StoredID>) throws -> Int {
    var found: [(key: Data, rank: Int)] = []
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT CAST(key AS BLOB), rank, CAST(entry AS BLOB) FROM directories WHERE content_id = ? "
        + "ORDER BY rank DESC", arguments: [content.id])
    while let row = try rows.next() {
      let (key, rank, entry): (Data, Int, Data) = (row[0], row[1], row[2])
      if try ListDocument.ids(ofEntry: Array(entry), address).contains(where: ids.contains) {
        found.append((key, rank))
      }
    }
    // Higher ranks first, so that lower ones are still what they were.
    for entry in found {
      for sql in [
        "DELETE FROM directories WHERE content_id = ? AND key = CAST(? AS TEXT) AND rank = ?",
        "UPDATE directories SET rank = 1 - rank WHERE content_id = ? AND key = CAST(? AS TEXT) AND rank > ?",
      ] { try database.execute(sql: sql, arguments: [content.id, entry.key, entry.rank]) }
      try database.execute(
        sql:
          "UPDATE directories SET rank = -rank WHERE content_id = ? AND key = CAST(? AS TEXT) AND rank < 0",
        arguments: [content.id, entry.key])
    }
    return found.count
  }

  private func delete(
    _ table: String, _ column: String, _ ids: Set<StoredID>, _ content: GenerationRecord.Content
  ) throws -> Int {
    try ids.reduce(0) { count, id in
      try database.execute(
        sql: "DELETE FROM \(table) WHERE content_id = ? AND \(column) = CAST(? AS TEXT)",
        arguments: [content.id, Data(id.utf8)])
      return count + database.changesCount
    }
  }

  /// Takes candidates from all documents of a list, and returns how many places they had.
  private func edit(_ content: GenerationRecord.Content, _ ids: Set<StoredID>) throws -> Int {
    guard !ids.isEmpty else { return 0 }
    // An id stands in a document as we write it, or there is a backslash somewhere.
    let texts = ids.map { String(decoding: $0.quoted, as: UTF8.self) } + ["\\"]
    let rows = try Int64.fetchAll(
      database,
      sql: "SELECT rowid FROM lists WHERE content_id = ? AND ("
        + texts.map { _ in "instr(document, ?) > 0" }.joined(separator: " OR ") + ")",
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
    try ServingStoreError.checkWritable(access, address)
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

  /// Rewrites the file and empties its log. `secure_delete` overwrites what is deleted, but where SQLite moved rows about
  /// on a page, copies of them stay in its gaps.
  ///
  /// - Throws: `busy` where somebody reads an older state for longer than the timeout: what was erased is not served any
  ///   more then, but still in the log.
  private func leaveNoTraces(_ database: Database) throws {
    try database.execute(sql: "VACUUM")
    let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    guard row?[0] == 0 else {
      throw ServingStoreError(
        .busy, address: address.description,
        found:
          "nobody is served who was erased, but somebody reads an older state, which keeps them in the log",
        nextStep: "run 'nightjar erase' again when that is done")
    }
  }

  func visitIDs(
    in generation: Int, of pipeline: String, _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    try ServingStoreError.translating(address) {
      try pool.read { database in
        let records = try GenerationRecord.all(database, pipeline: pipeline)
        for content in records.first(where: { $0.number == generation })?.contents ?? [] {
          try visitIDs(of: content, database, visit)
        }
      }
    }
  }

  private func visitIDs(
    of content: GenerationRecord.Content, _ database: Database, _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    let name = content.count.name
    let columns =
      switch content.kind {
      case .list: ["user_id", "document"]
      case .matches: ["user_id", "other_user_id"]
      case .people, .positions: ["id", "id"]
      case .directory: ["key", "entry"]
      case .buckets: []
      }
    if columns.isEmpty { return }
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT CAST(\(columns[0]) AS BLOB), CAST(\(columns[1]) AS BLOB) FROM \(content.kind.table) "
        + "WHERE content_id = ?", arguments: [content.id])
    while let row = try rows.next() {
      let (first, second): (Data, Data) = (row[0], row[1])
      let id = StoredID(utf8: Array(first))
      switch content.kind {
      case .list:
        try visit(.user(list: name), id)
        for candidate in try ListDocument.parsed(Array(second), address).candidates {
          try visit(.candidate(list: name), StoredID(utf8: candidate))
        }
      case .matches:
        try visit(.match(name: name), id)
        try visit(.match(name: name), StoredID(utf8: Array(second)))
      case .people, .positions: try visit(.person(entity: name), id)
      case .directory:
        for id in try ListDocument.ids(ofEntry: Array(second), address) {
          try visit(.entry(directory: name), id)
        }
      case .buckets: break
      }
    }
  }
}
