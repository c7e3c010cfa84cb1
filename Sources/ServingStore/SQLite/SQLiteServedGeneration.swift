import Foundation
import GRDB

/// The generation that one read transaction sees.
///
/// Ids go in and out as blobs, cast by SQLite, because GRDB ends a text at its first U+0000.
struct SQLiteServedGeneration: ServedGeneration {
  let database: Database
  let address: StoreAddress
  let record: GenerationRecord

  var summary: GenerationSummary {
    record.summary
  }

  func document(list: String, user: StoredID) throws -> [UInt8]? {
    try bytes(.list, list, user)
  }

  func person(entity: String, id: StoredID) throws -> [UInt8]? {
    try bytes(.people, entity, id)
  }

  func matches(name: String, user: StoredID) throws -> [ServedMatch] {
    guard let content = record.contentID(.matches, name) else { return [] }
    return try ServingStoreError.translating(address) {
      let rows = try Row.fetchCursor(
        database.cachedStatement(
          sql: """
            SELECT CAST(other_user_id AS BLOB), matched_at FROM matches
            WHERE content_id = :content AND user_id = CAST(:user AS TEXT)
            UNION
            SELECT CAST(user_id AS BLOB), matched_at FROM matches
            WHERE content_id = :content AND other_user_id = CAST(:user AS TEXT)
            ORDER BY 1, 2
            """), arguments: ["content": content, "user": Data(user.utf8)])
      var matches: [ServedMatch] = []
      while let row = try rows.next() {
        let other: Data = row[0]
        matches.append(ServedMatch(other: StoredID(utf8: Array(other)), matchedAt: row[1]))
      }
      return matches
    }
  }

  private func bytes(_ kind: TableKind, _ name: String, _ id: StoredID) throws -> [UInt8]? {
    guard let content = record.contentID(kind, name) else { return nil }
    return try Self.bytes(database, address, kind, content, id)
  }

  /// The JSON under an id in a list or a table of people.
  static func bytes(
    _ database: Database, _ address: StoreAddress, _ kind: TableKind, _ content: Int64, _ id: StoredID
  ) throws -> [UInt8]? {
    let sql =
      kind == .list
      ? "SELECT CAST(document AS BLOB) FROM lists WHERE content_id = ? AND user_id = CAST(? AS TEXT)"
      : "SELECT CAST(attributes AS BLOB) FROM people WHERE content_id = ? AND id = CAST(? AS TEXT)"
    return try ServingStoreError.translating(address) {
      let data = try Data.fetchOne(
        database.cachedStatement(sql: sql), arguments: [content, Data(id.utf8)])
      return data.map { Array($0) }
    }
  }
}
