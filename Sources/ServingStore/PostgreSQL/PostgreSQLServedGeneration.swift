/// The generation that one transaction of PostgreSQL sees.
struct PostgreSQLServedGeneration: ServedGeneration {
  let connection: PostgreSQLConnection
  let record: GenerationRecord

  var summary: GenerationSummary { record.summary }

  func document(list: String, user: StoredID) throws -> [UInt8]? {
    guard let content = record.contentID(.list, list) else { return nil }
    return try Self.bytes(connection, .list, content, user)
  }

  func person(entity: String, id: StoredID) throws -> [UInt8]? {
    guard let content = record.contentID(.people, entity) else { return nil }
    return try Self.bytes(connection, .people, content, id)
  }

  func matches(name: String, user: StoredID) throws -> [ServedMatch] {
    guard let content = record.contentID(.matches, name) else { return [] }
    let rows = try connection.rows(
      """
      SELECT other_user_id, matched_at FROM nightjar.matches WHERE content_id = $1 AND user_id = $2
      UNION
      SELECT user_id, matched_at FROM nightjar.matches WHERE content_id = $1 AND other_user_id = $2
      ORDER BY 1, 2
      """, [.integer(content), .bytes(PostgreSQLText.encoded(user))])
    return rows.map { row in
      ServedMatch(
        other: PostgreSQLText.decoded(row[0] ?? []),
        matchedAt: row[1].map { String(decoding: $0, as: UTF8.self) }
      )
    }.sorted { $0.other < $1.other }
  }

  /// The JSON under an id in a list or a table of people.
  static func bytes(
    _ connection: PostgreSQLConnection, _ kind: TableKind, _ content: Int64, _ id: StoredID
  ) throws -> [UInt8]? {
    // Bytes that are no text name nobody, and the server would not take them.
    guard (try? UTF8Span(validating: id.utf8.span)) != nil else { return nil }
    let sql =
      kind == .list
      ? "SELECT document FROM nightjar.lists WHERE content_id = $1 AND user_id = $2"
      : "SELECT attributes FROM nightjar.people WHERE content_id = $1 AND id = $2"
    return try connection.rows(sql, [.integer(content), .bytes(PostgreSQLText.encoded(id))]).first?[0]
  }
}

extension GenerationRecord {
  /// The pipeline's generations in PostgreSQL, newest first, or the served one alone.
  static func fetch(
    _ connection: PostgreSQLConnection, pipeline: String, onlyServed: Bool = false
  ) throws -> [GenerationRecord] {
    let rows = try connection.rows(
      """
      SELECT number, run, as_of_ms, number = served.generation, content_id, kind, name, row_count, note
      FROM nightjar.generations
      LEFT JOIN nightjar.served ON served.pipeline = generations.pipeline
      JOIN nightjar.contents ON contents.pipeline = generations.pipeline AND contents.generation = number
      WHERE generations.pipeline = $1 \(onlyServed ? "AND number = served.generation" : "")
      ORDER BY number DESC, kind, name
      """, [.text(pipeline)])
    var records: [GenerationRecord] = []
    for row in rows {
      func text(_ column: Int) -> String { String(decoding: row[column] ?? [], as: UTF8.self) }
      guard let number = Int(text(0)), let run = Int(text(1)), let asOf = Int64(text(2)),
        let id = Int64(text(4)),
        let kind = TableKind(rawValue: text(5)), let count = Int(text(7))
      else { preconditionFailure("a column of nightjar.generations or nightjar.contents is no number") }
      if records.last?.number != number {
        records.append(
          GenerationRecord(
            number: number, run: run, asOf: asOf, isServed: text(3) == "t",
            note: GenerationNote(json: text(8))))
      }
      records[records.count - 1].contents.append(
        Content(id: id, kind: kind, count: NamedCount(name: text(6), rows: count)))
    }
    return records
  }
}
