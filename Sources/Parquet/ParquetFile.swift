internal import Columns
internal import DuckDB
internal import Text

/// A Parquet file that DuckDB writes, compressed with Zstandard.
struct ParquetFile {
  var path: String
  /// The maximum number of DuckDB's threads.
  var threads: Int

  /// Writes the rows that `body` appends.
  ///
  /// - Parameters:
  ///   - columns: The columns, at least one.
  ///   - longestTexts: The length in bytes of the longest text of each text column, summed over all text
  ///     columns.
  ///   - body: Appends one value per column to the rows, and ends each row.
  /// - Returns: The number of rows that DuckDB counted in the file.
  /// - Throws: `DuckDBError`; errors of `body`.
  func write(
    _ columns: [ParquetColumn], longestTexts: Int, _ body: (inout ParquetRows) throws -> Void
  ) throws -> Int {
    let fields = columns.indices.map { "c\($0)" }
    let types = zip(fields, columns).map { "'\($0)': '\($1.fieldType)'" }.joined(separator: ", ")
    let selected = zip(columns, fields).map { $0.selected($1) }.joined(separator: ", ")
    // Each byte of a text may be a quote, which is doubled. A number has at most 24 characters.
    let longestRow = max(2 << 20, 2 * longestTexts + 32 * columns.count)
    let rows = """
      read_csv(\(SQL.standardInput), columns={\(types)}, auto_detect=false, header=false, delim=',', quote='"',
      escape='"', nullstr='', allow_quoted_nulls=false, new_line='\\n', compression='none', parallel=false,
      max_line_size=\(longestRow))
      """
    let process = try start("SELECT \(selected) FROM \(rows)", input: true)
    var output = ParquetRows(to: process)
    try body(&output)
    try output.flush()
    let count = try finish(process)
    guard count == output.count else {
      throw DuckDBError.failed(
        DuckDBFailure(
          status: 0,
          message: "'\(path)' has \(count.grouped) of \(output.count.counted("row")); run the command again",
          isWriting: true))
    }
    return count
  }

  /// Writes the result of `query`, and returns the number of rows.
  func write(query: String) throws(DuckDBError) -> Int {
    try finish(start(query, input: false))
  }

  private func start(_ query: String, input: Bool) throws(DuckDBError) -> DuckDBProcess {
    let process = try DuckDBProcess(
      sql: SQL.settings(threads: threads) + """
        COPY (\(query)) TO \(SQL.literal(path)) (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false);
        COPY (SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(\(SQL.path(path)))) TO \(SQL.standardOutput)
        (FORMAT csv, HEADER false, COMPRESSION none, USE_TMP_FILE false)
        """, input: input, output: true)
    process.isWriting = true
    return process
  }

  private func finish(_ process: DuckDBProcess) throws(DuckDBError) -> Int {
    process.endInput()
    let counted = String(decoding: try process.readToEnd(), as: UTF8.self)
    try process.finish()
    guard let count = Int(counted.prefix { $0 != "\n" }) else {
      throw .failed(
        DuckDBFailure(
          status: 0, message: "it did not report the number of rows that it wrote; run the command again",
          isWriting: true))
    }
    return count
  }
}

extension StringColumn {
  /// The number of bytes of the longest text; 0 for an empty column.
  var longest: Int {
    (0..<count).reduce(0) { max($0, bytes($1).count) }
  }
}
