internal import Foundation
internal import Glibc

/// An export that DuckDB reads, and converts to CSV with the requested fields.
///
/// ```swift
/// let export = try DuckDBExport(.parquet(file: "users.parquet"), fields: ["id", "location.latitude"])
/// let process = try export.start()
/// // … read `process.output` to its end …
/// try process.finish()
/// ```
package struct DuckDBExport: Sendable {
  /// The source of the rows.
  package enum Source: Hashable, Sendable {
    /// One Parquet file. The name is taken literally, not as a pattern.
    case parquet(file: String)
    /// A statement that DuckDB accepts in parentheses. A semicolon at its end is ignored.
    case query(String, database: String?)
  }

  /// The names of all columns of the source, in order. DuckDB appends a number to a name that differs from an
  /// earlier name only in case, as in `ID_1`.
  package let columns: [String]
  /// The requested fields that exist neither as columns nor as keys of structs.
  package let missing: [String]
  private let source: Source
  private let workingDirectory: String?
  private let statements: String

  /// Queries the columns of the source, without reading its rows.
  ///
  /// - Parameters:
  ///   - source: The source of the rows.
  ///   - fields: Names of columns, or dot-separated keys of structs: `location.latitude`. A dot within a key
  ///     is written as `\.`, and a backslash is written as `\\`. A column whose name equals the whole field
  ///     takes precedence.
  ///   - lists: For each field whose lists are written as texts, the separator between the elements.
  ///   - threads: The number of threads for DuckDB.
  ///   - workingDirectory: The directory for relative paths, including those in a query; `nil` for the
  ///     current directory.
  /// - Throws: `missing` if DuckDB was not found; `system` if it cannot be started or read; `failed` if the
  ///   source is not a readable Parquet file or not a valid query.
  package init(
    _ source: Source, fields: [String], lists: [String: String] = [:], threads: Int = 1,
    workingDirectory: String? = nil
  ) throws(DuckDBError) {
    self.source = source
    self.workingDirectory = workingDirectory
    let rows = try Self.rows(of: source, workingDirectory)
    let settings = SQL.settings(threads: threads)
    let described = try Self.output(
      of: settings + Self.description(of: rows), source, workingDirectory)
    let types = DescribedColumns(described)
    columns = types.columns.map(\.name)
    var header: [String] = []
    var values: [String] = []
    var missing: [String] = []
    // Bytes are compared, because `String` equality treats different encodings of an accent as equal.
    var seen: Set<[UInt8]> = []
    for field in fields where seen.insert(Array(field.utf8)).inserted {
      if let value = types.expression(of: field, separator: lists[field]) {
        header.append(SQL.literal(field))
        values.append(value)
      } else {
        missing.append(field)
      }
    }
    self.missing = missing
    // A line with a single missing value would be blank, and CSV readers skip blank lines.
    while header.count < 2 {
      header.append("''")
      values.append("NULL")
    }
    // A separate statement writes the header, because DuckDB renames columns whose names differ only in case.
    let form = """
      (FORMAT csv, HEADER false, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR '', COMPRESSION none,
      USE_TMP_FILE false)
      """
    statements =
      settings + "COPY (VALUES (\(header.joined(separator: ", ")))) TO \(SQL.standardOutput) \(form);\n"
      + "COPY (SELECT \(values.joined(separator: ", ")) FROM \(rows) AS source) TO \(SQL.standardOutput) \(form)"
  }

  /// Starts DuckDB, which writes the CSV to the process's output. This method may be called any number of
  /// times.
  ///
  /// The format is RFC 4180 with LF at the end of rows. The header contains the requested fields that exist,
  /// in the requested order and without duplicates. The rows follow in their original order. With fewer than
  /// two fields, empty unnamed columns are added, so that no line is blank. An empty field is a missing
  /// value, and `""` is the empty text.
  ///
  /// - Times of a column with a time zone have the form `2026-11-20 23:58:12.345+00`, in UTC. Times of a
  ///   column without a time zone have no offset. Dates have the form `2026-11-20`.
  /// - Doubles have enough digits to parse to the same number, and may be `nan` or `inf`. Decimals have all
  ///   their digits.
  /// - Flags are `true` and `false`. Lists, structs and bytes have DuckDB's text form.
  ///
  /// - Throws: `missing` if DuckDB was not found; `system` if it cannot be started. The method `finish` of
  ///   the process throws errors in the rows.
  package func start() throws(DuckDBError) -> DuckDBProcess {
    try Self.start(statements, source, workingDirectory)
  }

  private static func start(_ sql: String, _ source: Source, _ directory: String?) throws(DuckDBError)
    -> DuckDBProcess
  {
    var database: String?
    if case .query(_, let path) = source { database = path }
    return try DuckDBProcess(
      sql: sql, input: false, output: true, databasePath: database, workingDirectory: directory)
  }

  private static func rows(of source: Source, _ directory: String?) throws(DuckDBError) -> String {
    switch source {
    case .parquet(let file):
      // This check excludes pipes, which would make DuckDB wait, and everything else that is not a regular
      // file.
      let path = URL(filePath: file, relativeTo: directory.map { URL(filePath: $0) }).path
      var status = stat()
      let reason =
        unsafe stat(path, &status) != 0
        ? unsafe String(cString: strerror(errno))
        : status.st_mode & S_IFMT == S_IFREG ? nil : "it is not a regular file"
      if let reason { throw .failed(DuckDBFailure(status: 0, message: reason, isWriting: false)) }
      return "read_parquet(\(SQL.path(path)), hive_partitioning=false, filename=false)"
    case .query(let text, _):
      let ends: Set<Character> = [";", " ", "\t", "\n", "\r\n", "\r"]
      let query = text.reversed().drop { ends.contains($0) }.reversed()
      // The query is on separate lines, because it may end in a comment.
      return "(\n" + String(query) + "\n)"
    }
  }

  private static func description(of rows: String) -> String {
    "COPY (SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM \(rows) AS source)) "
      + "TO \(SQL.standardOutput) (FORMAT csv, HEADER false, FORCE_QUOTE *, COMPRESSION none, USE_TMP_FILE false)"
  }

  private static func output(of sql: String, _ source: Source, _ directory: String?) throws(DuckDBError)
    -> [UInt8]
  {
    let process = try start(sql, source, directory)
    let output = try process.readToEnd()
    try process.finish()
    return output
  }
}
