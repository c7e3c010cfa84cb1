import Concurrency
import Foundation

/// A serving store in the schema `nightjar` of a PostgreSQL database.
///
/// A publication is one transaction, which also changes the pointer to the served generation. Readers see the
/// new generation only after the commit. If the process is killed, the server rolls the transaction back. A
/// reader uses one snapshot for all of its queries.
final class PostgreSQLServingStore: ServingStore {
  let address: StoreAddress
  private let uri: String
  let access: StoreAccess
  let busyTimeout: Duration
  /// Connections that are not in use.
  private let idle = Guarded<[PostgreSQLConnection]>([])

  /// Opens the store in the database at `uri`. See `StoreAddress.open`.
  init(uri: String, _ address: StoreAddress, access: StoreAccess, busyTimeout: Duration)
    throws(ServingStoreError)
  {
    precondition(busyTimeout >= .zero, "busyTimeout is \(busyTimeout)")
    self.address = address
    self.uri = uri
    self.access = access
    self.busyTimeout = busyTimeout
    do {
      try withConnection { connection in
        if try contents(connection) {
          if access == .publishing { try upgrade(connection) }
          return
        }
        // A trial publication creates the store in its own transaction, which it rolls back.
        if access == .rehearsal { return }
        guard access == .publishing else {
          throw ServingStoreError(
            .absent, address: address.description, found: "the store does not exist yet",
            nextStep: "publish a generation, or check the address")
        }
        try transaction(connection, "BEGIN") {
          // If two processes start at once, the second process waits for the lock, and then finds the store.
          try lock(connection, pipeline: nil)
          if try !contents(connection) { try create(connection) }
        }
        try upgrade(connection)
      }
    } catch let error as ServingStoreError {
      throw error
    } catch {
      preconditionFailure("opening a store threw \(error)")
    }
  }

  /// Creates the store. Call this method in a transaction.
  private func create(_ connection: PostgreSQLConnection) throws {
    try checkEncoding(connection)
    // If an empty schema exists, it is used, because the account may not be allowed to create schemas.
    if try connection.rows("SELECT to_regnamespace('nightjar') IS NULL").first?[0] == Array("t".utf8) {
      try connection.execute("CREATE SCHEMA nightjar")
    }
    try connection.execute(PostgreSQLSchema.creation)
  }

  /// Checks that the database can store every character. Otherwise, a publication would succeed until an
  /// export contains a character that the database lacks.
  ///
  /// - Throws: `refused` for an encoding other than UTF8, or SQL_ASCII, which stores bytes without a check.
  private func checkEncoding(_ connection: PostgreSQLConnection) throws {
    let found = try connection.rows("SHOW server_encoding").first?[0] ?? []
    let encoding = String(decoding: found, as: UTF8.self)
    guard encoding != "UTF8", encoding != "SQL_ASCII" else { return }
    throw ServingStoreError.refusal(
      address, "the database has the encoding \(encoding), which lacks many characters",
      nextStep: "use a database with the encoding UTF8")
  }

  /// Runs the statements of a publication in a transaction, without loading tables, and rolls the transaction
  /// back.
  ///
  /// - Throws: The error with which a publication would fail.
  func rehearse(pipeline: String) throws {
    struct Rehearsed: Error {}
    do {
      try withConnection { connection in
        try transaction(connection, "BEGIN ISOLATION LEVEL READ COMMITTED") {
          // An upgrade waits for readers of the tables, but a trial publication must not wait long.
          try connection.execute("SET LOCAL lock_timeout = '5s'")
          try lock(connection, pipeline: pipeline)
          try checkEncoding(connection)
          if try contents(connection) {
            try upgradeTables(connection)
          } else {
            try create(connection)
          }
          try PostgreSQLPublication(
            connection: connection, address: address, pipeline: pipeline, run: 0, asOf: 0,
            note: GenerationNote()
          ).rehearse()
          throw Rehearsed()
        }
      }
    } catch is Rehearsed {
      return
    }
  }

  /// Upgrades the store of an earlier version, and creates dropped indexes, views and functions again. Also
  /// adds the view of geographies if PostGIS has been installed since the last publication. Earlier versions
  /// of the program reject an upgraded store.
  private func upgrade(_ connection: PostgreSQLConnection) throws {
    let isComplete =
      try !lacks("catalogs", connection) && lost(connection).isEmpty && postGIS(connection) == nil
    if isComplete { return }
    try transaction(connection, "BEGIN") {
      // Another process may have upgraded the store meanwhile.
      try lock(connection, pipeline: nil)
      try upgradeTables(connection)
    }
  }

  /// Makes the changes of an upgrade that the store still lacks. Call this method in a transaction.
  private func upgradeTables(_ connection: PostgreSQLConnection) throws {
    if try lacks("positions", connection) {
      try connection.execute(PostgreSQLSchema.places)
    } else if try lacks("catalogs", connection) {
      try connection.execute(PostgreSQLSchema.catalogsOfDirectories)
    }
    for creation in try lost(connection) { try connection.execute(creation) }
    if let schema = try postGIS(connection) {
      try connection.execute(PostgreSQLSchema.geographies(postGIS: schema))
    }
  }

  private func lacks(_ table: String, _ connection: PostgreSQLConnection) throws -> Bool {
    try connection.rows("SELECT to_regclass('nightjar.\(table)') IS NULL").first?[0] == Array("t".utf8)
  }

  /// Returns the statements that create the indexes, views and functions that the store lacks.
  private func lost(_ connection: PostgreSQLConnection) throws -> [String] {
    let names = try connection.rows(PostgreSQLSchema.lostNames).compactMap { $0[0] }
      .map { String(decoding: $0, as: UTF8.self) }
    return PostgreSQLSchema.derived.filter { names.contains($0.name) }.map(\.creation)
  }

  /// Returns the schema of PostGIS if the store can have the view of geographies but lacks it; otherwise
  /// `nil`.
  private func postGIS(_ connection: PostgreSQLConnection) throws -> String? {
    try connection.rows(PostgreSQLSchema.unusedPostGIS).first?[0].map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns whether the database contains a store.
  ///
  /// - Throws: `notOurs`, `newerSchema` or `corrupt`; errors of the connection.
  private func contents(_ connection: PostgreSQLConnection) throws -> Bool {
    let found = try connection.rows(
      """
      SELECT to_regclass('nightjar.store') IS NOT NULL,
        EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('nightjar'))
      """)
    guard found.first?[0] == Array("t".utf8) else {
      guard found.first?[1] != Array("t".utf8) else {
        throw ServingStoreError(
          .notOurs, address: address.description,
          found: "the schema 'nightjar' belongs to another application",
          nextStep: "use another database; this one is unchanged")
      }
      return false
    }
    let text = try connection.rows("SELECT version FROM nightjar.store").first?[0]
    guard let version = text.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }), version >= 1 else {
      throw PostgreSQLSchema.damage("the table 'nightjar.store' contains no valid schema version", address)
    }
    guard version <= PostgreSQLSchema.version else {
      throw ServingStoreError(
        .newerSchema, address: address.description,
        found: "the store has schema version \(version), but this program supports versions up to "
          + "\(PostgreSQLSchema.version)",
        nextStep: "use a newer version of Nightjar, or another database")
    }
    return true
  }

  func publish(
    pipeline: String, run: Int, asOf: Int64, note: GenerationNote, keep: Int,
    _ load: (GenerationLoader) throws -> Void
  ) throws -> PublishedGeneration {
    try ServingStoreError.checkPublish(pipeline: pipeline, keep: keep, access, address)
    return try withConnection { connection in
      try transaction(connection, "BEGIN ISOLATION LEVEL READ COMMITTED") {
        try lock(connection, pipeline: pipeline)
        try checkEncoding(connection)
        let publication = PostgreSQLPublication(
          connection: connection, address: address, pipeline: pipeline, run: run, asOf: asOf, note: note)
        return try publication.run(keep: keep, load)
      }
    }
  }

  func read<Result>(
    pipeline: String, _ body: (any ServedGeneration) throws -> Result
  ) throws -> Result? {
    try withConnection { connection in
      try transaction(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
        guard let record = try GenerationRecord.fetch(connection, pipeline: pipeline, onlyServed: true).first
        else {
          return nil
        }
        return try body(
          SQLServedGeneration(record: record) {
            PostgreSQLRows(connection: connection, content: $0.id, catalogTable: $0.table)
          })
      }
    }
  }

  func heldTables(of pipeline: String) throws -> GenerationTables? {
    try withConnection { connection in
      try transaction(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
        try GenerationRecord.fetch(connection, pipeline: pipeline, onlyServed: true).first?.tables {
          content in
          let counted = try connection.rows(
            "SELECT count(*) FROM nightjar.\(content.table) WHERE content_id = $1", [.integer(content.id)])
          return counted.first?[0].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        }
      }
    }
  }

  func serve(generation: Int, of pipeline: String) throws {
    try ServingStoreError.checkWritable(access, address)
    try withConnection { connection in
      try transaction(connection, "BEGIN ISOLATION LEVEL READ COMMITTED") {
        try lock(connection, pipeline: pipeline)
        let changed = try connection.rows(
          """
          UPDATE nightjar.served SET generation = $2 WHERE pipeline = $1
            AND EXISTS (SELECT FROM nightjar.generations WHERE pipeline = $1 AND number = $2)
          RETURNING generation
          """, [.text(pipeline), .integer(Int64(generation))])
        guard changed.count == 1 else { throw ServingStoreError.unknown(generation, pipeline, address) }
      }
    }
  }

  func generations(pipeline: String) throws -> [GenerationSummary] {
    try withConnection { try GenerationRecord.fetch($0, pipeline: pipeline).map(\.summary) }
  }

  /// Acquires the lock of a pipeline's writers until the transaction ends. If `pipeline` is `nil`, this
  /// method acquires the lock for creating or upgrading the store instead.
  ///
  /// - Throws: `busy` if another connection holds the lock for longer than the timeout; other errors of the
  ///   server.
  func lock(_ connection: PostgreSQLConnection, pipeline: String?) throws {
    let clock = ContinuousClock()
    let deadline = clock.now + busyTimeout
    var pause = Duration.milliseconds(10)
    while true {
      let got = try connection.rows(
        "SELECT pg_try_advisory_xact_lock(\(PostgreSQLSchema.lock), \(pipeline == nil ? "0" : "hashtext($1)"))",
        pipeline.map { [.text($0)] } ?? [])
      if got.first?[0] == Array("t".utf8) { return }
      guard clock.now < deadline else {
        throw ServingStoreError(
          .busy, address: address.description, found: "another process is writing to the store",
          nextStep: "try again when it has finished")
      }
      Thread.sleep(forTimeInterval: pause / .seconds(1))
      pause = min(pause * 2, .milliseconds(500))
    }
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  func transaction<Result>(
    _ connection: PostgreSQLConnection, _ begin: String, _ body: () throws -> Result
  ) throws -> Result {
    // The server's time limits for statements may be too short for a whole generation. The limits are lifted
    // for this transaction only, because a connection pool may give the connection to an app afterwards.
    try connection.execute(
      begin + "; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
    let result: Result
    do {
      result = try body()
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
    try connection.execute("COMMIT")
    return result
  }

  func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    let connection = try idle.withLock { $0.popLast() } ?? PostgreSQLConnection(uri: uri, address: address)
    defer {
      if !connection.isLost, !connection.isInTransaction { idle.withLock { $0.append(connection) } }
    }
    return try body(connection)
  }
}
