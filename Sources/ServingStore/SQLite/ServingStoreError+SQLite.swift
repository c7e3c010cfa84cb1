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
        (.busy, "another process is writing to it: try again when that is done")
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
        (.cannotOpen, "check that the file and its directory exist and that this account may use them")
      case .SQLITE_NOTADB:
        (.notOurs, "name another path; the file was left as it is")
      case .SQLITE_READONLY:
        (.readOnly, "check that this account may write the file and its directory")
      case .SQLITE_FULL:
        (.full, "free some space and publish again; what was served still is")
      case .SQLITE_CORRUPT:
        (.corrupt, "move the file away and publish again, which makes a new one")
      case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG:
        (.refused, "nothing was published; what was served still is")
      default:
        (.failed, "nothing was published; what was served still is")
      }
    let message = error.message ?? "no message"
    self.init(
      code, address: address.description,
      found: "SQLite says: \(message) (code \(error.extendedResultCode.rawValue))", nextStep: nextStep)
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
