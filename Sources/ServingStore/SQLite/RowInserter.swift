import GRDB
import GRDBSQLite

/// A prepared INSERT statement whose values are bound directly to the caller's bytes.
///
/// GRDB's own binding copies every value and ends a text at its first U+0000, which ids may contain. All
/// other code of the module binds values through GRDB. That code passes ids as blobs, which the SQL casts to
/// text.
///
/// This class is not `Sendable`, because an inserter exists only within one write access of GRDB.
final class RowInserter {
  private let database: Database
  private let statement: Statement

  /// Prepares `sql`, and binds its first parameter to `contentID`. `insert` binds the other parameters.
  init(_ database: Database, contentID: Int64, sql: String) throws {
    self.database = database
    statement = try database.makeStatement(sql: sql)
    let code = unsafe sqlite3_bind_int64(statement.sqliteStatement, 1, contentID)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Inserts a row with the content's id and two texts.
  func insert(_ first: Span<UInt8>, _ second: Span<UInt8>) throws {
    let code = unsafe first.withUnsafeBufferPointer { first in
      unsafe second.withUnsafeBufferPointer { second in
        // The bytes stay valid until `step` has used them. `bind` therefore passes a null destructor, so
        // SQLite does not copy the bytes.
        unsafe bind(first, at: 2) ?? bind(second, at: 3) ?? step()
      }
    }
    guard code == SQLITE_DONE else { throw error(code) }
  }

  /// Inserts a row with the content's id and three texts. An empty third text is stored as NULL.
  func insert(_ first: Span<UInt8>, _ second: Span<UInt8>, orNull third: Span<UInt8>) throws {
    let code = unsafe first.withUnsafeBufferPointer { first in
      unsafe second.withUnsafeBufferPointer { second in
        unsafe third.withUnsafeBufferPointer { third in
          unsafe bind(first, at: 2) ?? bind(second, at: 3) ?? bind(third, at: 4) ?? step()
        }
      }
    }
    guard code == SQLITE_DONE else { throw error(code) }
  }

  /// Inserts a row with the content's id, two texts and two numbers.
  func insert(_ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Double, _ fourth: Double) throws {
    let code = unsafe first.withUnsafeBufferPointer { first in
      unsafe second.withUnsafeBufferPointer { second in
        unsafe bind(first, at: 2) ?? bind(second, at: 3)
          ?? failure(sqlite3_bind_double(statement.sqliteStatement, 4, third))
          ?? failure(sqlite3_bind_double(statement.sqliteStatement, 5, fourth)) ?? step()
      }
    }
    guard code == SQLITE_DONE else { throw error(code) }
  }

  /// Inserts a row with the content's id, two texts and an integer.
  func insert(_ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Int) throws {
    let code = unsafe first.withUnsafeBufferPointer { first in
      unsafe second.withUnsafeBufferPointer { second in
        unsafe bind(first, at: 2) ?? bind(second, at: 3)
          ?? failure(sqlite3_bind_int64(statement.sqliteStatement, 4, Int64(third))) ?? step()
      }
    }
    guard code == SQLITE_DONE else { throw error(code) }
  }

  private func failure(_ code: Int32) -> Int32? { code == SQLITE_OK ? nil : code }

  /// Binds a text, or NULL if the text is empty. Returns the result code of a failure; `nil` after success.
  private func bind(_ text: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32? {
    guard text.count > 0, let start = text.baseAddress else {
      let code = unsafe sqlite3_bind_null(statement.sqliteStatement, index)
      return failure(code)
    }
    let code = unsafe start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
      unsafe sqlite3_bind_text64(
        statement.sqliteStatement, index, start, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
    }
    return failure(code)
  }

  /// Runs the statement and returns its result code. `sqlite3_reset` returns the same code, so its result is
  /// ignored.
  private func step() -> Int32 {
    let code = unsafe sqlite3_step(statement.sqliteStatement)
    _ = unsafe sqlite3_reset(statement.sqliteStatement)
    return code
  }

  private func error(_ code: Int32) -> DatabaseError {
    let message = unsafe database.sqliteConnection.map { unsafe String(cString: sqlite3_errmsg($0)) }
    return DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
  }
}
