import GRDB

/// A serving store in one SQLite file.
///
/// Write-ahead logging lets readers continue while a generation is loaded; `SQLiteLog` describes the
/// exception for the first generation. A publication is one transaction, whose commit is synced to disk. If a
/// process is killed, its unfinished transaction has no effect: the next process ignores it in the
/// write-ahead log, or the next writer rolls it back from the journal.
final class SQLiteServingStore: ServingStore {
  let address: StoreAddress
  let access: StoreAccess
  let pool: DatabasePool

  /// Opens the store at `path`. See `StoreAddress.open`.
  init(path: String, access: StoreAccess, busyTimeout: Duration) throws(ServingStoreError) {
    precondition(busyTimeout >= .zero, "busyTimeout is \(busyTimeout)")
    let address = StoreAddress(sqlitePath: path)
    self.address = address
    self.access = access
    do {
      pool = try ServingStoreError.translating(address) {
        try Self.makePool(SQLiteFile(address: address, path: path, busyTimeout: busyTimeout), access)
      }
    } catch let error as ServingStoreError {
      throw error
    } catch {
      throw ServingStoreError(
        .cannotOpen, address: address.description, found: "the file cannot be opened",
        nextStep: "check the path and the permissions of this account")
    }
  }

  private static func makePool(
    _ file: SQLiteFile, _ access: StoreAccess
  ) throws -> DatabasePool {
    // The file is inspected before it is changed, because GRDB's pool turns on write-ahead logging even in a
    // file of another program.
    let contents = try file.inspect(for: access)
    if access != .publishing, contents == .nothing {
      throw ServingStoreError(
        .absent, address: file.address.description, found: "the store does not exist yet",
        nextStep: "publish a generation, or check the path")
    }
    var configuration = Configuration()
    configuration.label = "serving store"
    configuration.busyMode = .timeout(file.busyTimeout / .seconds(1))
    configuration.readonly = access == .reading
    if access == .publishing { try file.createIfAbsent() }
    if access != .reading {
      configuration.prepareDatabase { database in
        // This setting takes effect only in a file without pages.
        try database.execute(sql: "PRAGMA page_size = \(SQLiteSchema.pageSize)")
        // This setting overwrites the rows of deleted people. Debian's build of SQLite has it by default, but
        // other builds may not.
        try database.execute(sql: "PRAGMA secure_delete = ON")
        // If a page leaves the cache and changes again, SQLite rewrites the page in the middle of the
        // write-ahead log and recomputes all later checksums. Interior pages of B-trees change often, and a
        // cache of 64 MiB holds these pages.
        try database.execute(sql: "PRAGMA cache_size = -65536")
        try SQLiteLog(database: database).keepFiles(true)
      }
    }
    let pool = try DatabasePool(path: file.path, configuration: configuration)
    if access == .publishing {
      let isNew = try pool.write { database in
        guard try file.contents(database) == .nothing else { return false }
        try database.execute(sql: SQLiteSchema.creation)
        return true
      }
      // A store that was just created lacks nothing.
      if !isNew {
        try pool.writeWithoutTransaction { database in
          try SQLiteSchema.upgrade(database)
          try SQLiteSchema.restore(database)
        }
      }
    }
    return pool
  }

  func publish(
    pipeline: String, run: Int, asOf: Int64, note: GenerationNote, keep: Int,
    _ load: (GenerationLoader) throws -> Void
  ) throws -> PublishedGeneration {
    try ServingStoreError.checkPublish(pipeline: pipeline, keep: keep, access, address)
    return try ServingStoreError.translating(address) {
      // A read before the publication leaves a connection open. This connection would prevent the first
      // publication from switching off the write-ahead log.
      pool.invalidateReadOnlyConnections()
      return try pool.writeWithoutTransaction { database in
        // GRDB's pool lowers this setting to NORMAL. A power cut could then lose the last commits.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let log = SQLiteLog(database: database)
        var published: PublishedGeneration?
        try log.choosing { kind in
          // The transaction takes the write lock at once, so that another active writer is detected before
          // loading.
          try database.inTransaction(kind) {
            let publication = SQLitePublication(
              database, address, pipeline: pipeline, run: run, asOf: asOf, note: note)
            published = try publication.run(keep: keep, load)
            return .commit
          }
        }
        guard let published else { preconditionFailure("a transaction was committed without its body") }
        // A failure is ignored, because the generation is already served.
        try? log.empty()
        return published
      }
    }
  }

  func read<Result>(
    pipeline: String, _ body: (any ServedGeneration) throws -> Result
  ) throws -> Result? {
    try ServingStoreError.translating(address) {
      // A read access of the pool is one transaction, so all its queries see one state of the file.
      try pool.read { database in
        guard let record = try GenerationRecord.served(database, pipeline: pipeline, address)
        else { return nil }
        return try body(
          SQLServedGeneration(record: record) {
            SQLiteRows(
              database: database, address: self.address, content: $0.id, catalogTable: $0.table)
          })
      }
    }
  }

  func heldTables(of pipeline: String) throws -> GenerationTables? {
    try ServingStoreError.translating(address) {
      try pool.read { database in
        try GenerationRecord.served(database, pipeline: pipeline, address)?.tables { content in
          try Int.fetchOne(
            database, sql: "SELECT count(*) FROM \(content.table) WHERE content_id = ?",
            arguments: [content.id]) ?? 0
        }
      }
    }
  }

  func serve(generation: Int, of pipeline: String) throws {
    try ServingStoreError.checkWritable(access, address)
    try ServingStoreError.translating(address) {
      try pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.inTransaction(.immediate) {
          try database.execute(
            sql: """
              UPDATE served SET generation = :generation WHERE pipeline = :pipeline
                AND EXISTS (SELECT * FROM generations WHERE pipeline = :pipeline AND number = :generation)
              """, arguments: ["pipeline": pipeline, "generation": generation])
          guard database.changesCount == 1 else {
            throw ServingStoreError.unknown(generation, pipeline, address)
          }
          return .commit
        }
      }
    }
  }

  func generations(pipeline: String) throws -> [GenerationSummary] {
    try ServingStoreError.translating(address) {
      try pool.read { try GenerationRecord.all($0, pipeline: pipeline, address) }.map(\.summary)
    }
  }
}
