import Erasure

/// The removal of people from all generations of a pipeline, inside its transaction.
struct PostgreSQLErasure {
  let connection: PostgreSQLConnection
  let address: StoreAddress
  let pipeline: String
  let people: ErasedPeople
  let contents: [String: String]

  /// Does all of it; whatever it throws, the transaction must be rolled back.
  func run() throws -> StoreErasure {
    var erasure = StoreErasure()
    for record in try GenerationRecord.fetch(connection, pipeline: pipeline) {
      let before = erasure.total
      // First, while it is known which words of their cells' are theirs.
      for content in record.contents where content.kind == .positions {
        erasure.positions += try removePositions(from: content, of: record)
      }
      for content in record.contents {
        let removed = try remove(from: content, &erasure)
        if removed > 0 {
          try reduceRows(of: content.id, by: removed)
        }
      }
      let hasChanged = erasure.total > before
      erasure.generations += hasChanged ? 1 : 0
      try write(record.note.erased(contents, hasChanged: hasChanged), of: record)
    }
    return erasure
  }

  /// Notes that all generations are free of whoever has one of these tombstones.
  func note(tombstones: String?) throws {
    for record in try GenerationRecord.fetch(connection, pipeline: pipeline) {
      var note = record.note
      note.tombstones = tombstones
      try write(note, of: record)
    }
  }

  private func write(_ note: GenerationNote, of record: GenerationRecord) throws {
    guard note != record.note else { return }
    try connection.rows(
      "UPDATE nightjar.generations SET note = $3::json WHERE pipeline = $1 AND number = $2",
      [.text(pipeline), .integer(Int64(record.number)), .text(note.json)])
  }

  /// Returns how many rows went.
  private func remove(from content: GenerationRecord.Content, _ erasure: inout StoreErasure) throws -> Int {
    let name = content.count.name
    switch content.kind {
    case .list:
      let removed = try delete("lists", ["user_id"], people.ids(in: .user(list: name)), content)
      erasure.lists += removed
      erasure.places += try edit(content, people.ids(in: .candidate(list: name)))
      return removed
    case .matches:
      let removed = try delete(
        "matches", ["user_id", "other_user_id"], people.ids(in: .match(name: name)), content)
      erasure.matches += removed
      return removed
    case .people:
      let removed = try delete("people", ["id"], people.ids(in: .person(entity: name)), content)
      erasure.people += removed
      return removed
    case .directory:
      let removed = try removeEntries(from: content, people.ids(in: .entry(directory: name)))
      erasure.entries += removed
      return removed
    case .positions, .buckets: return 0
    }
  }

  /// Takes people from where they are: out of the positions, and out of their cells.
  private func removePositions(
    from content: GenerationRecord.Content, of record: GenerationRecord
  ) throws -> Int {
    let name = content.count.name
    var removed = 0
    for id in people.ids(in: .person(entity: name)) {
      let gone = try connection.rows(
        "DELETE FROM nightjar.positions WHERE content_id = $1 AND id = $2 RETURNING geohash",
        [.integer(content.id), .bytes(PostgreSQLText.encoded(id))])
      guard let cell = gone.first?[0] else { continue }
      try leave(cell, id, of: record, entity: name)
      removed += 1
    }
    try reduceRows(of: content.id, by: removed)
    return removed
  }

  private func leave(_ cell: [UInt8], _ id: StoredID, of record: GenerationRecord, entity: String) throws {
    guard let content = record.contentID(.buckets, entity) else { return }
    let key: [PostgreSQLConnection.Value] = [.integer(content), .bytes(cell)]
    let found = try connection.rows(
      "SELECT bucket FROM nightjar.buckets WHERE content_id = $1 AND cell = $2", key)
    guard let bucket = found.first?[0] else { return }
    let attributes = try record.contentID(.people, entity).flatMap {
      try connection.rows(
        "SELECT attributes FROM nightjar.people WHERE content_id = $1 AND id = $2",
        [.integer($0), .bytes(PostgreSQLText.encoded(id))]
      ).first?[0]
    }
    if let text = try ListDocument.leaving(bucket, attributes: attributes, address) {
      try connection.rows(
        "UPDATE nightjar.buckets SET bucket = $3::json WHERE content_id = $1 AND cell = $2",
        key + [.bytes(text)])
    } else {
      try connection.rows("DELETE FROM nightjar.buckets WHERE content_id = $1 AND cell = $2", key)
      try reduceRows(of: content, by: 1)
    }
  }

  private func reduceRows(of content: Int64, by removed: Int) throws {
    try connection.rows(
      "UPDATE nightjar.contents SET row_count = row_count - $2 WHERE content_id = $1",
      [.integer(content), .integer(Int64(removed))])
  }

  /// Takes entries from a directory; ranks close up.
  private func removeEntries(from content: GenerationRecord.Content, _ ids: Set<StoredID>) throws -> Int {
    let rows = try connection.rows(
      "SELECT key, rank, entry FROM nightjar.directories WHERE content_id = $1 ORDER BY rank DESC",
      [.integer(content.id)])
    var removed = 0
    // Higher ranks first, so that lower ones are still what they were.
    for row in rows
    where try ListDocument.ids(ofEntry: row[2] ?? [], address).contains(where: ids.contains) {
      let place =
        [.integer(content.id), .bytes(row[0] ?? []), .bytes(row[1] ?? [])]
        as [PostgreSQLConnection.Value]
      let entry = "content_id = $1 AND key = $2 AND rank"
      try connection.rows("DELETE FROM nightjar.directories WHERE \(entry) = $3", place)
      try connection.rows("UPDATE nightjar.directories SET rank = 1 - rank WHERE \(entry) > $3", place)
      try connection.rows(
        "UPDATE nightjar.directories SET rank = -rank WHERE \(entry) < 0", Array(place.prefix(2)))
      removed += 1
    }
    return removed
  }

  private func delete(
    _ table: String, _ columns: [String], _ ids: Set<StoredID>, _ content: GenerationRecord.Content
  ) throws -> Int {
    let condition = columns.map { "\($0) = $2" }.joined(separator: " OR ")
    return try ids.reduce(0) { count, id in
      try count
        + connection.rows(
          "DELETE FROM nightjar.\(table) WHERE content_id = $1 AND (\(condition)) RETURNING 1",
          [.integer(content.id), .bytes(PostgreSQLText.encoded(id))]
        ).count
    }
  }

  /// Takes candidates from all documents of a list, and returns how many places they had.
  private func edit(_ content: GenerationRecord.Content, _ ids: Set<StoredID>) throws -> Int {
    guard !ids.isEmpty else { return 0 }
    // An id stands in a document as we write it, or there is a backslash somewhere.
    let texts = ids.map(\.quoted) + [[UInt8(ascii: "\\")]]
    let conditions = texts.indices.map { "strpos(document::text, $\($0 + 2)) > 0" }
    let users = try connection.rows(
      "SELECT user_id FROM nightjar.lists WHERE content_id = $1 AND (\(conditions.joined(separator: " OR ")))",
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
}

extension PostgreSQLServingStore {
  func erase(_ people: ErasedPeople, of pipeline: String, _ options: ErasureOptions) throws -> StoreErasure {
    try ServingStoreError.checkWritable(access, address)
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

  /// Undoes a transaction that was to count alone.
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

  /// How many rows are in memory at once.
  private static let batch = 10_000

  private func visitIDs(
    of content: GenerationRecord.Content, _ connection: PostgreSQLConnection,
    _ visit: (StoredRole, StoredID) throws -> Void
  ) throws {
    let name = content.count.name
    let columns =
      switch content.kind {
      case .list: "user_id, document"
      case .matches: "user_id, other_user_id"
      case .people, .positions: "id, id"
      case .directory: "key, entry"
      case .buckets: ""
      }
    if columns.isEmpty { return }
    try connection.execute(
      "DECLARE visited NO SCROLL CURSOR FOR SELECT \(columns) FROM nightjar.\(content.kind.table) "
        + "WHERE content_id = \(content.id)")
    while true {
      let rows = try connection.rows("FETCH \(Self.batch) FROM visited")
      if rows.isEmpty { break }
      for row in rows {
        let (first, second) = (row[0] ?? [], row[1] ?? [])
        let id = PostgreSQLText.decoded(first)
        switch content.kind {
        case .list:
          try visit(.user(list: name), id)
          for candidate in try ListDocument.parsed(second, address).candidates {
            try visit(.candidate(list: name), StoredID(utf8: candidate))
          }
        case .matches:
          try visit(.match(name: name), id)
          try visit(.match(name: name), PostgreSQLText.decoded(second))
        case .people, .positions: try visit(.person(entity: name), id)
        case .directory:
          for id in try ListDocument.ids(ofEntry: second, address) {
            try visit(.entry(directory: name), id)
          }
        case .buckets: break
        }
      }
    }
    try connection.execute("CLOSE visited")
  }
}
