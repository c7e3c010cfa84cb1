import GRDB

extension GenerationRecord {
  /// Returns the pipeline's generations, newest first.
  static func all(_ database: Database, pipeline: String) throws -> [GenerationRecord] {
    try fetch(database, pipeline: pipeline, condition: "")
  }

  /// Returns the generation that the pipeline serves; `nil` if there is none.
  static func served(_ database: Database, pipeline: String) throws -> GenerationRecord? {
    try fetch(database, pipeline: pipeline, condition: "AND number = served.generation").first
  }

  /// Returns whether the store has a column for the notes of generations, which stores of earlier versions
  /// lack.
  static func hasNotes(_ database: Database) throws -> Bool {
    try database.columns(in: "generations").contains { $0.name == "note" }
  }

  /// Reads the records with a single query, which sees one state of the file even outside a transaction.
  private static func fetch(
    _ database: Database, pipeline: String, condition: String
  ) throws -> [GenerationRecord] {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT number, run, as_of_ms, number IS served.generation, content_id, kind, name, row_count,
            \(try hasNotes(database) ? "note" : "NULL")
          FROM generations
          LEFT JOIN served ON served.pipeline = generations.pipeline
          JOIN contents ON contents.pipeline = generations.pipeline AND contents.generation = number
          WHERE generations.pipeline = ? \(condition)
          ORDER BY number DESC, kind, name
          """), arguments: [pipeline])
    var records: [GenerationRecord] = []
    while let row = try rows.next() {
      let number: Int = row[0]
      if records.last?.number != number {
        records.append(
          GenerationRecord(
            number: number, run: row[1], asOf: row[2], isServed: row[3], note: GenerationNote(json: row[8])))
      }
      guard let content = Content(id: row[4], word: row[5], count: NamedCount(name: row[6], rows: row[7]))
      else { continue }
      records[records.count - 1].contents.append(content)
    }
    return records
  }
}
