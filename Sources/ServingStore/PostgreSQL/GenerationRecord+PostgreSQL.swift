extension GenerationRecord {
  /// Returns the pipeline's generations, newest first; only the served generation if `onlyServed` is true.
  /// Tables of kinds that this version does not support are skipped.
  ///
  /// - Throws: `corrupt` if a record is damaged; errors of the server.
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
        let id = Int64(text(4)), let count = Int(text(7))
      else { throw PostgreSQLSchema.damage(damagedRecord, connection.address) }
      if records.last?.number != number {
        records.append(
          GenerationRecord(
            number: number, run: run, asOf: asOf, isServed: text(3) == "t",
            note: GenerationNote(json: text(8))))
      }
      guard let content = Content(id: id, word: text(5), count: NamedCount(name: text(6), rows: count))
      else { continue }
      records[records.count - 1].contents.append(content)
    }
    return records
  }
}
