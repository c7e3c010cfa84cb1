/// Removes people from PostgreSQL.
struct PostgreSQLErasure: SQLErasure {
  let connection: PostgreSQLConnection
  let address: StoreAddress
  let pipeline: String
  let people: ErasedPeople
  let contents: [String: String]

  func records() throws -> [GenerationRecord] {
    try GenerationRecord.fetch(connection, pipeline: pipeline)
  }

  func write(_ note: GenerationNote, of record: GenerationRecord) throws {
    try connection.rows(
      "UPDATE nightjar.generations SET note = $3::json WHERE pipeline = $1 AND number = $2",
      [.text(pipeline), .integer(Int64(record.number)), .text(note.json)])
  }

  func rows(of content: GenerationRecord.Content) -> PostgreSQLRows {
    PostgreSQLRows(connection: connection, content: content.id)
  }

  func reduceRows(of content: Int64, by removed: Int) throws {
    try connection.rows(
      "UPDATE nightjar.contents SET row_count = row_count - $2 WHERE content_id = $1",
      [.integer(content), .integer(Int64(removed))])
  }

  func delete(_ columns: [String], _ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int {
    let condition = columns.map { "\($0) = $2" }.joined(separator: " OR ")
    return try ids.reduce(0) { count, id in
      try count
        + connection.rows(
          "DELETE FROM nightjar.\(content.table) WHERE content_id = $1 AND (\(condition)) RETURNING 1",
          key(id, content.id)
        ).count
    }
  }

  func removePosition(of id: StoredID, _ content: GenerationRecord.Content) throws -> StoredID? {
    let gone = try connection.rows(
      "DELETE FROM nightjar.positions WHERE content_id = $1 AND id = $2 RETURNING geohash",
      key(id, content.id))
    return gone.first?[0].map { StoredID(utf8: $0) }
  }

  func replaceBucket(of cell: StoredID, _ content: Int64, by text: [UInt8]?) throws {
    let key = key(cell, content)
    if let text {
      try connection.rows(
        "UPDATE nightjar.buckets SET bucket = $3::json WHERE content_id = $1 AND cell = $2",
        key + [.bytes(text)])
    } else {
      try connection.rows("DELETE FROM nightjar.buckets WHERE content_id = $1 AND cell = $2", key)
    }
  }

  func removeEntries(_ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int {
    let rows = try connection.rows(
      "SELECT key, rank, entry FROM nightjar.\(content.table) WHERE content_id = $1 ORDER BY rank DESC",
      [.integer(content.id)])
    var removed = 0
    // Higher ranks are removed first, so that the lower ranks in `rows` stay valid. Renumbered ranks are
    // negative for a moment, because a rank must not occur twice within a key.
    for row in rows
    where try ListDocument.ids(ofEntry: row[2] ?? [], address).contains(where: ids.contains) {
      let place =
        [.integer(content.id), .bytes(row[0] ?? []), .bytes(row[1] ?? [])]
        as [PostgreSQLConnection.Value]
      let entry = "content_id = $1 AND key = $2 AND rank"
      try connection.rows("DELETE FROM nightjar.\(content.table) WHERE \(entry) = $3", place)
      try connection.rows("UPDATE nightjar.\(content.table) SET rank = 1 - rank WHERE \(entry) > $3", place)
      try connection.rows(
        "UPDATE nightjar.\(content.table) SET rank = -rank WHERE \(entry) < 0", Array(place.prefix(2)))
      removed += 1
    }
    return removed
  }

  func removeCandidates(_ ids: Set<StoredID>, _ content: GenerationRecord.Content) throws -> Int {
    let texts = searchedTexts(for: ids)
    let conditions = texts.indices.map { "strpos(document::text, $\($0 + 2)) > 0" }.joined(separator: " OR ")
    let users = try connection.rows(
      "SELECT user_id FROM nightjar.lists WHERE content_id = $1"
        + (texts.isEmpty ? "" : " AND (\(conditions))"),
      [.integer(content.id)] + texts.map { .bytes($0) })
    var places = 0
    for user in users.compactMap({ $0[0] }) {
      let key: [PostgreSQLConnection.Value] = [.integer(content.id), .bytes(user)]
      let found = try connection.rows(
        "SELECT document FROM nightjar.lists WHERE content_id = $1 AND user_id = $2", key)
      guard let document = found.first?[0],
        let edited = try ListDocument.erased(document, ids, address)
      else { continue }
      places += edited.removed
      try connection.rows(
        "UPDATE nightjar.lists SET document = $3::json WHERE content_id = $1 AND user_id = $2",
        key + [.bytes(edited.text)])
    }
    return places
  }
  private func key(_ id: StoredID, _ content: Int64) -> [PostgreSQLConnection.Value] {
    [.integer(content), .bytes(PostgreSQLText.encoded(id))]
  }
}

extension PostgreSQLServingStore {
  func erase(_ people: ErasedPeople, of pipeline: String, _ options: ErasureOptions) throws -> StoreErasure {
    try ServingStoreError.checkWritable(access, address, isDryRun: options.isDryRun)
    return try withConnection { connection in
      let removal = PostgreSQLErasure(
        connection: connection, address: address, pipeline: pipeline, people: people,
        contents: options.contents)
      var erasure = StoreErasure()
      var transactionNumber: [UInt8] = []
      do {
        try transaction(connection, "BEGIN ISOLATION LEVEL READ COMMITTED") {
          try lock(connection, pipeline: pipeline)
          transactionNumber = try connection.rows("SELECT pg_current_xact_id()::xid").first?[0] ?? []
          erasure = try removal.run()
          if options.isDryRun { throw DryRun() }
        }
      } catch is DryRun {
        return erasure
      }
      erasure.remarks = try PostgreSQLTraces(
        connection: connection, address: address, busyTimeout: busyTimeout
      ).remove(since: transactionNumber)
      try transaction(connection, "BEGIN ISOLATION LEVEL READ COMMITTED") {
        try lock(connection, pipeline: pipeline)
        try removal.note(tombstones: options.tombstones)
      }
      return erasure
    }
  }

  /// The error that rolls back the transaction of a dry run.
  private struct DryRun: Error {}

  func visitIDs(
    in generation: Int, of pipeline: String, _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    try withConnection { connection in
      try transaction(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
        let records = try GenerationRecord.fetch(connection, pipeline: pipeline)
        for content in records.first(where: { $0.number == generation })?.contents ?? [] {
          try visitIDs(of: content, connection, visit)
        }
      }
    }
  }

  /// The maximum number of rows in memory at once.
  private static let batch = 10_000

  private func visitIDs(
    of content: GenerationRecord.Content, _ connection: PostgreSQLConnection,
    _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    guard let columns = content.columnsOfIDs else { return }
    try forEachRow(of: content, [columns.first, columns.second], connection) { row in
      try content.visitIDs(row[0] ?? [], row[1] ?? [], id: PostgreSQLText.decoded, address, visit)
    }
  }

  /// Calls `body` with the columns of each row of a table. Call this method in a transaction.
  func forEachRow(
    of content: GenerationRecord.Content, _ columns: [String], _ connection: PostgreSQLConnection,
    _ body: (PostgreSQLConnection.ResultRow) throws -> Void
  ) throws {
    try connection.execute(
      "DECLARE visited NO SCROLL CURSOR FOR SELECT \(columns.joined(separator: ", ")) "
        + "FROM nightjar.\(content.table) WHERE content_id = \(content.id)")
    while true {
      let rows = try connection.rows("FETCH \(Self.batch) FROM visited")
      if rows.isEmpty { break }
      for row in rows { try body(row) }
    }
    try connection.execute("CLOSE visited")
  }
}
