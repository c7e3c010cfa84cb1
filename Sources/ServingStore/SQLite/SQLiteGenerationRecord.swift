import GRDB

/// What the store knows about a generation without looking at its rows.
struct SQLiteGenerationRecord {
  /// A list, a matches table or a table of people.
  struct Content {
    var id: Int64
    var kind: SQLitePublication.Kind
    var count: NamedCount
  }

  var number: Int
  var run: Int
  var asOf: Int64
  var isServed: Bool
  /// In byte order of the names within each kind.
  var contents: [Content] = []

  /// The pipeline's generations, newest first.
  static func all(_ database: Database, pipeline: String) throws -> [SQLiteGenerationRecord] {
    try fetch(database, pipeline: pipeline, condition: "")
  }

  /// The generation that the pipeline serves, or nil.
  static func served(_ database: Database, pipeline: String) throws -> SQLiteGenerationRecord? {
    try fetch(database, pipeline: pipeline, condition: "AND number = served.generation").first
  }

  /// One query, so that it sees one state of the file also outside a transaction.
  private static func fetch(
    _ database: Database, pipeline: String, condition: String
  ) throws -> [SQLiteGenerationRecord] {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT number, run, as_of_ms, number IS served.generation, content_id, kind, name, row_count
          FROM generations
          LEFT JOIN served ON served.pipeline = generations.pipeline
          JOIN contents ON contents.pipeline = generations.pipeline AND contents.generation = number
          WHERE generations.pipeline = ? \(condition)
          ORDER BY number DESC, kind, name
          """), arguments: [pipeline])
    var records: [SQLiteGenerationRecord] = []
    while let row = try rows.next() {
      let number: Int = row[0]
      if records.last?.number != number {
        records.append(
          SQLiteGenerationRecord(number: number, run: row[1], asOf: row[2], isServed: row[3]))
      }
      let kind: String = row[5]
      guard let kind = SQLitePublication.Kind(rawValue: kind) else { continue }
      records[records.count - 1].contents.append(
        Content(id: row[4], kind: kind, count: NamedCount(name: row[6], rows: row[7])))
    }
    return records
  }

  /// The names and rows of one kind of contents, in byte order of the names.
  func counts(_ kind: SQLitePublication.Kind) -> [NamedCount] {
    contents.filter { $0.kind == kind }.map(\.count)
  }

  /// The key of the rows under a name, or nil. Names are compared as bytes, as SQLite does.
  func contentID(_ kind: SQLitePublication.Kind, _ name: String) -> Int64? {
    contents.first { $0.kind == kind && $0.count.name.utf8.elementsEqual(name.utf8) }?.id
  }

  var summary: GenerationSummary {
    GenerationSummary(
      number: number, run: run, asOf: asOf, isServed: isServed, lists: counts(.list),
      matches: counts(.matches), people: counts(.people))
  }
}
