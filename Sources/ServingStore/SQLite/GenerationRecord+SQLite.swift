import GRDB

extension GenerationRecord {
  /// Returns the pipeline's generations, newest first.
  ///
  /// - Throws: `corrupt` if a record is damaged; errors of SQLite.
  static func all(_ database: Database, pipeline: String, _ address: StoreAddress) throws
    -> [GenerationRecord]
  {
    try fetch(database, pipeline: pipeline, condition: "", address)
  }

  /// Returns the generation that the pipeline serves; `nil` if there is none.
  ///
  /// - Throws: `corrupt` if its record is damaged; errors of SQLite.
  static func served(_ database: Database, pipeline: String, _ address: StoreAddress) throws
    -> GenerationRecord?
  {
    try fetch(database, pipeline: pipeline, condition: "AND number = served.generation", address).first
  }

  /// Returns whether the store has a column for the notes of generations, which stores of earlier versions
  /// lack.
  static func hasNotes(_ database: Database) throws -> Bool {
    try database.columns(in: "generations").contains { $0.name == "note" }
  }

  /// Reads the records with a single query, which sees one state of the file even outside a transaction.
  /// Tables of kinds that this version does not support are skipped.
  private static func fetch(
    _ database: Database, pipeline: String, condition: String, _ address: StoreAddress
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
      // SQLite enforces the types of these columns only in the tables that Nightjar created.
      guard let number = Int.fromDatabaseValue(row[0]), let run = Int.fromDatabaseValue(row[1]),
        let asOf = Int64.fromDatabaseValue(row[2]), let id = Int64.fromDatabaseValue(row[4]),
        let word = String.fromDatabaseValue(row[5]), let name = String.fromDatabaseValue(row[6]),
        let count = Int.fromDatabaseValue(row[7])
      else { throw SQLiteSchema.damage(damagedRecord, address) }
      if records.last?.number != number {
        records.append(
          GenerationRecord(
            number: number, run: run, asOf: asOf, isServed: row[3],
            note: GenerationNote(json: String.fromDatabaseValue(row[8]))))
      }
      guard let content = Content(id: id, word: word, count: NamedCount(name: name, rows: count))
      else { continue }
      records[records.count - 1].contents.append(content)
    }
    return records
  }
}
