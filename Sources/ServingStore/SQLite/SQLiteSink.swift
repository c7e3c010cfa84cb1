import Geohash
import GRDB

/// Inserts the rows of a generation within the publishing transaction.
final class SQLiteSink: GenerationSink {
  private let database: Database
  private let address: StoreAddress
  private let pipeline: String
  private let generation: Int
  private var inserter: RowInserter?
  /// The `content_id` of each table opened so far.
  private var contentIDs: [Int64] = []

  /// Creates a sink for a generation of `pipeline`.
  ///
  /// The schema's check that documents are JSON is for other writers. The check costs as much as the rest of
  /// an insertion, so it is off until `close`. The loader has already checked the documents.
  init(_ database: Database, _ address: StoreAddress, pipeline: String, generation: Int) throws {
    try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
    self.database = database
    self.address = address
    self.pipeline = pipeline
    self.generation = generation
  }

  func close() {
    inserter = nil
    // If this statement fails, the setting stays on. This is harmless, because only this program writes
    // through this connection, and its documents are valid JSON.
    try? database.execute(sql: "PRAGMA ignore_check_constraints = OFF")
  }

  func begin(_ kind: TableKind, _ name: String) throws {
    let (table, columns) = (kind.table, ["content_id"] + kind.layout.columns)
    let sql =
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) "
      + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    try ServingStoreError.translating(address) {
      try database.execute(
        sql: """
          INSERT INTO contents (pipeline, generation, kind, name, row_count) VALUES (?, ?, ?, ?, 0)
          """, arguments: [pipeline, generation, kind.rawValue, name])
      let content = database.lastInsertedRowID
      inserter = try RowInserter(database, contentID: content, sql: sql)
      contentIDs.append(content)
    }
  }

  func add(_ row: TableRow, rank: Int) throws {
    guard let inserter else { preconditionFailure("a row was added while no table was open") }
    do {
      switch row {
      case .document(let id, let json, _): try inserter.insert(id, json)
      case .match(let user, let other, let instant): try inserter.insert(user, other, orNull: instant)
      case .position(let id, let position, let cell):
        let cell = Array(cell.description.utf8)
        try inserter.insert(id, cell.span, position.latitude, position.longitude)
      case .entry(let key, let json): try inserter.insert(key, json, rank)
      }
    } catch let error as DatabaseError {
      throw ServingStoreError(error, address: address)
    }
  }

  func end() throws {}

  func count(table: Int, _ kind: TableKind) throws -> Int {
    try ServingStoreError.translating(address) {
      let content = contentIDs[table]
      let count = try Int.fetchOne(
        database, sql: "SELECT count(*) FROM \(kind.table) WHERE content_id = ?", arguments: [content])
      try database.execute(
        sql: "UPDATE contents SET row_count = ? WHERE content_id = ?", arguments: [count, content])
      return count ?? 0
    }
  }

  /// Does nothing, because the lock of the file lasts as long as the transaction.
  func keepAlive() {}

  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) throws -> Bool {
    let rows = SQLiteRows(database: database, address: address, content: contentIDs[table])
    return switch row {
    case .document(let id, let json): try rows.document(kind, id) == json
    case .match(let user, let other, let instant): try rows.instant(of: user, other) == instant
    case .position(let id, let position): try rows.position(of: id) == position
    case .entry(let key, let rank, let json):
      try rows.entries(StoredID(utf8: key), rank - 1..<rank) == [json]
    }
  }
}
