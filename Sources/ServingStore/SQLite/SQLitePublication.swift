import GRDB

/// One publication within its transaction: drop, load, count, switch.
final class SQLitePublication {
  private let database: Database
  private let address: StoreAddress
  private let pipeline: String
  private let runNumber: Int
  private let asOf: Int64
  private let note: GenerationNote

  init(
    _ database: Database, _ address: StoreAddress, pipeline: String, run: Int, asOf: Int64,
    note: GenerationNote
  ) {
    self.database = database
    self.address = address
    self.pipeline = pipeline
    runNumber = run
    self.asOf = asOf
    self.note = note
  }

  /// Performs all steps. If this method throws, the caller must roll back the transaction.
  func run(keep: Int, _ load: (GenerationLoader) throws -> Void) throws -> PublishedGeneration {
    let number = try begin()
    try removeOrphans()
    try drop(beyond: keep)
    let sink = try SQLiteSink(database, address, pipeline: pipeline, generation: number)
    defer { sink.close() }
    let loader = GenerationLoader(sink, address)
    try load(loader)
    try loader.close()
    try execute(
      """
      INSERT INTO served (pipeline, generation) VALUES (:pipeline, :number)
      ON CONFLICT (pipeline) DO UPDATE SET generation = excluded.generation
      """, ["pipeline": pipeline, "number": number])
    let published = try GenerationRecord.published(
      GenerationRecord.all(database, pipeline: pipeline, address), number: number, address)
    try loader.willServe()
    return published
  }

  /// Inserts the new generation and returns its number. The newest generation is never dropped, so numbers
  /// always increase, even if the record of the newest generation was lost.
  private func begin() throws -> Int {
    let newest = try Int.fetchOne(
      database,
      sql: """
        SELECT max(number) FROM (
          SELECT number FROM generations WHERE pipeline = :pipeline
          UNION ALL SELECT generation FROM contents WHERE pipeline = :pipeline
          UNION ALL SELECT generation FROM served WHERE pipeline = :pipeline)
        """, arguments: ["pipeline": pipeline])
    let number = (newest ?? 0) + 1
    try execute(
      "INSERT INTO generations (pipeline, number, run, as_of_ms, note) VALUES (?, ?, ?, ?, ?)",
      [pipeline, number, runNumber, asOf, note.json])
    return number
  }

  /// Deletes the rows of tables and generations whose records were lost, for example by an edit without
  /// foreign keys. Such rows would never be erased, and new rows could get the same keys.
  private func removeOrphans() throws {
    try database.execute(
      sql: """
        DELETE FROM contents WHERE (pipeline, generation) NOT IN (SELECT pipeline, number FROM generations)
        """)
    for kind in TableKind.allCases {
      // The recursion finds the ids of tables with one search of an index for each id.
      try database.execute(
        sql: """
          DELETE FROM \(kind.table) WHERE content_id IN (
            WITH RECURSIVE held (content) AS (
              SELECT min(content_id) FROM \(kind.table)
              UNION ALL
              SELECT (SELECT min(content_id) FROM \(kind.table) WHERE content_id > content)
              FROM held WHERE content IS NOT NULL)
            SELECT content FROM held WHERE content NOT IN (SELECT content_id FROM contents))
          """)
    }
    // The table 'position_boxes_rowid' belongs to the R*Tree. A new position gets a larger id than all other
    // positions.
    try database.execute(
      sql: """
        DELETE FROM position_boxes WHERE position_id IN (
          SELECT rowid FROM position_boxes_rowid WHERE rowid > (SELECT coalesce(max(position_id), 0) FROM positions))
        """)
  }

  /// Drops all generations except the newest `keep`, which include the new one. Foreign keys delete the rows
  /// of the dropped generations.
  ///
  /// Generations are dropped before loading, so that the new rows reuse the freed pages. Readers see only the
  /// committed transaction, so this order is invisible to them. Generations are not dropped gradually during
  /// loading. On a page with old and new rows, SQLite would then move rows and leave copies of dropped rows
  /// in the gaps, even with `secure_delete`.
  ///
  /// The served generation may be dropped, so the foreign key of `served` is checked when the transaction
  /// commits.
  private func drop(beyond keep: Int) throws {
    try execute(
      """
      DELETE FROM generations WHERE pipeline = :pipeline AND number NOT IN (
        SELECT number FROM generations WHERE pipeline = :pipeline ORDER BY number DESC LIMIT :keep)
      """, ["pipeline": pipeline, "keep": keep])
  }

  private func execute(_ sql: String, _ arguments: StatementArguments) throws {
    try database.execute(sql: sql, arguments: arguments)
  }
}
