import GRDB

extension ServingStoreError {
  /// Maps an error of SQLite to an error that an operator can act on.
  ///
  /// SQLite's messages name tables, columns and constraints, never values. GRDB's own descriptions, which may
  /// contain SQL, are not used.
  init(_ error: DatabaseError, address: StoreAddress) {
    let (code, nextStep): (Code, String) =
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        (.busy, "another process is using the store; try again when it has finished")
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
        (.cannotOpen, "check that the file and its directory exist and are accessible")
      case .SQLITE_NOTADB:
        (.notOurs, "use another path; the file is unchanged")
      case .SQLITE_READONLY:
        (.readOnly, "check the write permission for the file and its directory")
      case .SQLITE_FULL:
        (.full, "free space on the disk, and run the command again")
      case .SQLITE_CORRUPT:
        (.corrupt, SQLiteSchema.restoration)
      case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG:
        (.refused, "run the command again; \(Self.ifItRemains)")
      default:
        (.failed, "check the disk, check that no other program changes the file, and run the command again")
      }
    let message = error.message ?? "no message"
    self.init(
      code, address: address.description,
      found: "SQLite reports: \(message) (code \(error.extendedResultCode.rawValue))", nextStep: nextStep)
  }

  /// Runs `body` and converts SQLite's errors to this type. Other errors are unchanged.
  static func translating<Result>(_ address: StoreAddress, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw ServingStoreError(error, address: address)
    }
  }
}
