import GRDB
import GRDBSQLite

/// Chooses the journal mode that makes a publication atomic: a write-ahead log, or a rollback journal for the
/// first publication.
///
/// With a write-ahead log, readers continue, but every page is written twice: to the log, then to the file. A
/// rollback journal contains only the old versions of pages, so new pages are written once, but readers must
/// wait. A rollback journal is therefore used while the store has no generation to read. In both modes,
/// SQLite rolls back a transaction that a killed process or a power cut left unfinished.
struct SQLiteLog {
  let database: Database

  /// Runs `body`, with a rollback journal if the store has no generation and no other connection.
  ///
  /// - Parameter body: Receives the kind of transaction to begin. With a rollback journal, the transaction
  ///   must lock readers out from the start; otherwise SQLite keeps new pages in memory while a reader is
  ///   active.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`, unchanged; errors of SQLite.
  func choosing<Result>(_ body: (Database.TransactionKind) throws -> Result) throws -> Result {
    guard try isEmpty(), try useRollbackJournal() else { return try body(.immediate) }
    // If this step fails, the next process that opens the store for publishing repeats the step.
    defer { try? useWriteAheadLog() }
    return try body(.exclusive)
  }

  private func isEmpty() throws -> Bool {
    try Bool.fetchOne(database, sql: "SELECT NOT EXISTS (SELECT * FROM generations)") ?? false
  }

  /// Switches to a rollback journal. Returns `false` if another connection has the store open.
  private func useRollbackJournal() throws -> Bool {
    // If the two files of the write-ahead log remained, SQLite would assume that another connection uses the
    // log.
    try keepFiles(false)
    // With TRUNCATE, the commit empties and syncs the journal. With DELETE, the deleted journal could
    // reappear after a power cut. SQLite would then roll back the publication.
    let mode = try? String.fetchOne(database, sql: "PRAGMA journal_mode = TRUNCATE")
    if mode == "truncate" { return true }
    try keepFiles(true)
    return false
  }

  private func useWriteAheadLog() throws {
    // This step removes the empty journal.
    try database.execute(sql: "PRAGMA journal_mode = DELETE")
    try database.execute(sql: "PRAGMA journal_mode = WAL")
    try keepFiles(true)
  }

  /// Sets whether the two files of the write-ahead log stay in place when the last connection closes.
  ///
  /// Without these files, SQLite cannot open the store for readers that have no write permission for the
  /// directory.
  func keepFiles(_ isKept: Bool) throws {
    var keep: Int32 = isKept ? 1 : 0
    let code = unsafe sqlite3_file_control(
      database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &keep)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// Moves the pages of the write-ahead log into the file and empties the log. If a reader still uses an
  /// older state, the log stays, and the next publication empties it.
  func empty() throws {
    let timeout = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
    defer { try? database.execute(sql: "PRAGMA busy_timeout = \(timeout)") }
    try database.execute(sql: "PRAGMA busy_timeout = 0")
    try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
