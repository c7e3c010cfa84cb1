/// One publication within its transaction: load, count, switch, drop.
struct PostgreSQLPublication {
  let connection: PostgreSQLConnection
  let address: StoreAddress
  let pipeline: String
  let run: Int
  let asOf: Int64
  let note: GenerationNote

  /// Performs all steps. If this method throws, the caller must roll back the transaction.
  func run(keep: Int, _ load: (GenerationLoader) throws -> Void) throws -> PublishedGeneration {
    let number = try begin()
    let sink = PostgreSQLSink(connection, pipeline: pipeline, generation: number)
    let loader = GenerationLoader(sink, address)
    do {
      try load(loader)
      try loader.close()
    } catch {
      sink.abandon()
      throw error
    }
    try connection.rows(
      """
      INSERT INTO nightjar.served (pipeline, generation) VALUES ($1, $2)
      ON CONFLICT (pipeline) DO UPDATE SET generation = excluded.generation
      """, [.text(pipeline), .integer(Int64(number))])
    try drop(beyond: keep)
    let published = try GenerationRecord.published(
      GenerationRecord.fetch(connection, pipeline: pipeline), number: number, address)
    try loader.willServe()
    return published
  }

  /// Runs the statements of a publication without loading tables or dropping generations. The server checks
  /// the rights that these statements need. The caller must roll back the transaction.
  func rehearse() throws {
    _ = try begin()
    let contents = "pipeline, generation, kind, name, row_count"
    var inserts = [("contents", contents), ("served", "pipeline, generation")]
    inserts += TableKind.allCases.map {
      ($0.table, (["content_id"] + $0.layout.columns).joined(separator: ", "))
    }
    for (table, columns) in inserts {
      try connection.execute(
        "INSERT INTO nightjar.\(table) (\(columns)) SELECT \(columns) FROM nightjar.\(table) WHERE false")
    }
    try connection.execute("UPDATE nightjar.contents SET row_count = row_count WHERE false")
    try connection.execute("UPDATE nightjar.served SET generation = generation WHERE false")
    try drop(beyond: .max)
  }

  /// Inserts the new generation and returns its number. The newest generation is never dropped, so numbers
  /// always increase.
  private func begin() throws -> Int {
    let row = try connection.rows(
      """
      INSERT INTO nightjar.generations (pipeline, number, run, as_of_ms, note)
      SELECT $1::text, coalesce(max(number), 0) + 1, $2::bigint, $3::bigint, $4::json FROM nightjar.generations WHERE pipeline = $1
      RETURNING number
      """, [.text(pipeline), .integer(Int64(run)), .integer(asOf), .text(note.json)])
    guard let number = row.first?[0].flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) else {
      preconditionFailure("PostgreSQL returned no number")
    }
    return number
  }

  /// Drops all generations except the newest `keep`, which include the new one.
  ///
  /// This method deletes rows, but never drops or renames a table. Readers of an older snapshot therefore see
  /// the deleted rows until their transaction ends. Autovacuum then frees the space.
  private func drop(beyond keep: Int) throws {
    let old = """
      SELECT number FROM nightjar.generations WHERE pipeline = $1 ORDER BY number DESC OFFSET $2
      """
    let parameters: [PostgreSQLConnection.Value] = [.text(pipeline), .integer(Int64(keep))]
    for kind in TableKind.allCases {
      try connection.rows(
        """
        DELETE FROM nightjar.\(kind.table) WHERE content_id IN (
          SELECT content_id FROM nightjar.contents
          WHERE pipeline = $1 AND kind = '\(kind.rawValue)' AND generation IN (\(old)))
        """, parameters)
    }
    try connection.rows(
      "DELETE FROM nightjar.contents WHERE pipeline = $1 AND generation IN (\(old))", parameters)
    try connection.rows(
      "DELETE FROM nightjar.generations WHERE pipeline = $1 AND number IN (\(old))", parameters)
  }
}
