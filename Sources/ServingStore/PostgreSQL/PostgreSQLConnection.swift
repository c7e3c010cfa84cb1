import CPostgreSQL
import Glibc

/// One connection to PostgreSQL, for statements and `COPY`.
///
/// One caller uses a connection at a time, as libpq requires. Callers on different threads may use the same
/// connection one after another.
@safe
final class PostgreSQLConnection: @unchecked Sendable {
  let address: StoreAddress
  private let library: libpq_functions
  private let connection: OpaquePointer

  /// Connects to the server. Each address of the server has 10 seconds to answer, unless the URI sets another
  /// timeout.
  ///
  /// - Throws: `busy` if the server is starting or stopping; `unreachable` if no server answers; otherwise
  ///   `cannotOpen`, for example if libpq is not installed or the server rejects the account; other errors if
  ///   the server rejects a setting of the new connection.
  init(uri: String, address: StoreAddress) throws(ServingStoreError) {
    self.address = address
    let library = try LibPQ.functions(for: address.description)
    self.library = library
    // The URI comes last, so its settings override the others.
    let settings = [
      ("connect_timeout", "10"), ("fallback_application_name", "nightjar"), ("client_encoding", "UTF8"),
      ("dbname", uri),
    ]
    let opened = unsafe Self.withOptional(settings.map(\.0)) { keywords in
      unsafe Self.withOptional(settings.map(\.1)) { values in
        unsafe library.PQconnectdbParams(keywords, values, 1)
      }
    }
    guard let connection = unsafe opened else { preconditionFailure("cannot allocate a connection") }
    unsafe self.connection = connection
    guard unsafe library.PQstatus(connection) == CONNECTION_OK else {
      let message = unsafe Self.firstLine(library.PQerrorMessage(connection))
      // libpq reports the reason only as text in the user's language, so a ping determines whether the server
      // accepts connections.
      let (code, nextStep): (ServingStoreError.Code, String) =
        switch unsafe library.PQping(uri) {
        case PQPING_REJECT:
          (.busy, "the server is starting or stopping; try again later")
        case PQPING_NO_RESPONSE:
          (.unreachable, "check that the server is running and that the address is correct")
        default: (.cannotOpen, ServingStoreError.wrongLogin)
        }
      throw ServingStoreError(
        code, address: address.description, found: "PostgreSQL reports: \(message)", nextStep: nextStep)
    }
    // A database or an account may still have the default setting of PostgreSQL before 9.1. With this
    // setting, a backslash in a text begins an escape.
    if let setting = unsafe library.PQparameterStatus(connection, "standard_conforming_strings"),
      unsafe String(cString: setting) != "on"
    {
      try execute("SET standard_conforming_strings = on")
    }
  }

  deinit {
    unsafe library.PQfinish(connection)
  }

  /// Whether the connection was lost.
  var isLost: Bool { unsafe library.PQstatus(connection) != CONNECTION_OK }

  /// Whether a transaction is open, including a failed transaction.
  var isInTransaction: Bool { unsafe library.PQtransactionStatus(connection) != PQTRANS_IDLE }

  /// A parameter of a statement: text, an integer, or text as bytes.
  enum Value: Sendable {
    case text(String)
    case integer(Int64)
    case bytes([UInt8])

    /// The value in the text format.
    fileprivate var bytes: [UInt8] {
      switch self {
      case .text(let text): Array(text.utf8)
      case .integer(let number): Array(String(number).utf8)
      case .bytes(let bytes): bytes
      }
    }
  }

  /// A row of a result with all columns in the text format; `nil` is NULL.
  typealias ResultRow = [[UInt8]?]

  /// Runs statements without parameters.
  func execute(_ sql: String) throws(ServingStoreError) {
    let result = unsafe library.PQexec(connection, sql)
    defer { unsafe library.PQclear(result) }
    try unsafe check(result, PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY)
  }

  /// Runs one statement with parameters `$1`, `$2`, ...
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - values: The parameters of the statement, which contain no U+0000.
  /// - Returns: The rows.
  /// - Throws: The error of the server or of the connection.
  @discardableResult
  func rows(_ sql: String, _ values: [Value] = []) throws(ServingStoreError) -> [ResultRow] {
    // One array contains all values, each followed by a zero byte.
    var texts: [UInt8] = []
    var starts: [Int] = []
    for value in values {
      starts.append(texts.count)
      texts += value.bytes
      texts.append(0)
    }
    let result = unsafe texts.withUnsafeBufferPointer { texts in
      let pointers: [UnsafePointer<CChar>?] = unsafe starts.map { start in
        unsafe texts.baseAddress.map {
          unsafe UnsafeRawPointer($0 + start).assumingMemoryBound(to: CChar.self)
        }
      }
      return unsafe pointers.withUnsafeBufferPointer { pointers in
        unsafe library.PQexecParams(
          connection, sql, Int32(values.count), nil, pointers.baseAddress, nil, nil, 0)
      }
    }
    defer { unsafe library.PQclear(result) }
    try unsafe check(result, PGRES_TUPLES_OK, PGRES_COMMAND_OK)
    let (count, width) = unsafe (library.PQntuples(result), library.PQnfields(result))
    return (0..<count).map { row in
      (0..<width).map { column in
        if unsafe library.PQgetisnull(result, row, column) == 1 { return nil }
        let length = unsafe Int(library.PQgetlength(result, row, column))
        guard let value = unsafe library.PQgetvalue(result, row, column) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: length))
      }
    }
  }

  /// Starts `COPY ... FROM STDIN (FORMAT binary)`.
  func beginCopy(_ sql: String) throws(ServingStoreError) {
    let result = unsafe library.PQexec(connection, sql)
    defer { unsafe library.PQclear(result) }
    try unsafe check(result, PGRES_COPY_IN)
  }

  /// Sends bytes of a `COPY`.
  func copy(_ bytes: Span<UInt8>) throws(ServingStoreError) {
    let sent = unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return Int32(1) }
      return unsafe library.PQputCopyData(
        connection, base.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard sent == 1 else { throw unsafe failure(nil) }
  }

  /// Ends a `COPY`.
  ///
  /// - Returns: The number of rows that the server accepted; -1 if the server reports no number.
  func endCopy() throws(ServingStoreError) -> Int {
    guard unsafe library.PQputCopyEnd(connection, nil) == 1 else { throw unsafe failure(nil) }
    let result = unsafe library.PQgetResult(connection)
    defer { unsafe library.PQclear(result) }
    // The last result of a COPY is null and must be read too.
    defer {
      while let next = unsafe library.PQgetResult(connection) { unsafe library.PQclear(next) }
    }
    try unsafe check(result, PGRES_COMMAND_OK)
    return unsafe library.PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? -1
  }

  /// Ends a running `COPY` after a failure. The transaction then fails, too.
  func abandonCopy() {
    _ = unsafe library.PQputCopyEnd(connection, "loading failed")
    while let next = unsafe library.PQgetResult(connection) { unsafe library.PQclear(next) }
  }

  private func check(_ result: OpaquePointer?, _ expected: ExecStatusType...) throws(ServingStoreError) {
    if expected.contains(unsafe library.PQresultStatus(result)) { return }
    throw unsafe failure(result)
  }

  /// Converts the last failure to an error.
  ///
  /// The error repeats only the primary message and its code, because the details may contain values, which
  /// are personal data.
  private func failure(_ result: OpaquePointer?) -> ServingStoreError {
    var state = ""
    if unsafe result != nil, let code = unsafe library.PQresultErrorField(result, Int32(UInt8(ascii: "C"))) {
      state = unsafe String(cString: code)
    }
    var message = ""
    if unsafe result != nil, let primary = unsafe library.PQresultErrorField(result, Int32(UInt8(ascii: "M")))
    {
      message = unsafe String(cString: primary)
    } else {
      message = unsafe Self.firstLine(library.PQerrorMessage(connection))
    }
    return ServingStoreError(sqlState: state, message, isLost: isLost, address: address)
  }

  private static func firstLine(_ text: UnsafePointer<CChar>?) -> String {
    guard let text = unsafe text else { return "no message" }
    return unsafe String(cString: text).split(separator: "\n").first.map(String.init) ?? "no message"
  }

  /// Calls `body` with an array of C strings that ends with a null pointer.
  private static func withOptional<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    let pointers = unsafe copies.map { unsafe UnsafePointer<CChar>($0) } + [nil]
    return unsafe pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("a nonempty array has no address") }
      return unsafe body(base)
    }
  }
}
