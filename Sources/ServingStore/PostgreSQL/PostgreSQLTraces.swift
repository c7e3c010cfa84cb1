import Foundation

/// The traces of deleted or changed rows that remain in PostgreSQL. They remain in the files of the tables
/// until the files are rewritten, in column statistics, and in the write-ahead log.
struct PostgreSQLTraces {
  let connection: PostgreSQLConnection
  let address: StoreAddress
  let busyTimeout: Duration

  private static let tables = TableKind.allCases.map { "nightjar.\($0.table)" }

  /// Removes the traces that the account is allowed to remove.
  ///
  /// - Parameter transaction: The id of the committed transaction that removed the rows.
  /// - Returns: The steps that an administrator must take, because this account is not allowed to take them.
  /// - Throws: `busy` if other connections lock the tables, or read an older state, for longer than the
  ///   timeout; other errors of the server.
  func remove(since transaction: [UInt8]) throws -> [String] {
    var remarks: [String] = []
    try waitForReaders(since: transaction)
    if try isTrue(
      "SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class WHERE oid IN ("
        + Self.tables.map { "'\($0)'::regclass" }.joined(separator: ", ") + ")")
    {
      // The wait for a table's lock is limited, because new readers must also wait until the lock is granted
      // or the wait ends.
      try connection.execute("SET lock_timeout = \(Int(busyTimeout / .milliseconds(1)))")
      defer { try? connection.execute("RESET lock_timeout") }
      for table in Self.tables { try connection.execute("VACUUM (FULL, ANALYZE) \(table)") }
    } else {
      remarks.append(
        "another account owns the tables, so erased rows remain in the files of the tables until that "
          + "account runs VACUUM (FULL, ANALYZE) on "
          + Self.tables.joined(separator: ", "))
    }
    if try isTrue(
      "SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()")
    {
      // ANALYZE may have copied ids into the column statistics.
      try connection.execute("VACUUM (FULL) pg_catalog.pg_statistic")
    } else {
      remarks.append(
        "column statistics may contain erased ids until the owner of the database runs "
          + "VACUUM (FULL) pg_catalog.pg_statistic")
    }
    if try !(isAllowed("SELECT pg_switch_wal()") && isAllowed("CHECKPOINT")) {
      remarks.append(
        "the server's write-ahead log contains erased rows until its next checkpoints (for an immediate checkpoint, "
          + "grant this account pg_checkpoint, and EXECUTE ON FUNCTION pg_switch_wal())")
    }
    return remarks
  }

  /// Waits for open transactions that may still see the rows. VACUUM would otherwise copy these rows into the
  /// new files of the tables.
  private func waitForReaders(since transaction: [UInt8]) throws {
    let clock = ContinuousClock()
    let deadline = clock.now + busyTimeout
    var pause = Duration.milliseconds(10)
    while try isTrue(
      """
      SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()
        AND age(backend_xmin) >= age($1::xid))
      """, [.bytes(transaction)])
    {
      guard clock.now < deadline else {
        throw ServingStoreError(
          .busy, address: address.description,
          found:
            "erased people are no longer served, but an open read transaction keeps their rows in the tables",
          nextStep: "run 'nightjar erase' again when the transaction has ended")
      }
      Thread.sleep(forTimeInterval: pause / .seconds(1))
      pause = min(pause * 2, .milliseconds(500))
    }
  }

  private func isTrue(_ sql: String, _ values: [PostgreSQLConnection.Value] = []) throws -> Bool {
    try connection.rows(sql, values).first?[0] == Array("t".utf8)
  }

  /// Runs a statement for which the account may lack the right. Returns whether the server allowed the
  /// statement.
  private func isAllowed(_ sql: String) throws -> Bool {
    do throws(ServingStoreError) {
      try connection.execute(sql)
      return true
    } catch {
      if error.code == .readOnly { return false }
      throw error
    }
  }
}
