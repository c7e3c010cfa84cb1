import DuckDB
import Glibc

/// Reads the rows of a Parquet file or of a query's result as records, numbered from 1.
///
/// The DuckDB CLI runs as a child process that writes the requested fields as CSV to a pipe. Nothing is
/// written to disk.
struct DuckDBRows {
  let file: String
  let format: ExportFormat
  let fields: [String]
  let optional: Set<String>
  /// The separator between list elements, for each field whose lists become texts.
  let lists: [String: String]
  let options: ExportOptions

  /// Calls `body` with every row in order.
  ///
  /// - Throws: `missing_column`, `bad_option` and the errors of `DelimitedPass`; `DuckDBError`, possibly
  ///   after some rows; errors of `body`.
  func forEach(chunk: Int, recordLimit: Int, _ body: (borrowing Record) throws -> Void) throws -> ReadSummary
  {
    do {
      return try rows(chunk: chunk, recordLimit: recordLimit, body)
    } catch DuckDBError.failed(var failure) {
      // The error must contain the file name, because DuckDB's message may omit it.
      failure.subject = file.isEmpty ? name : "'\(name)'"
      throw DuckDBError.failed(failure)
    }
  }

  private func rows(
    chunk: Int, recordLimit: Int, _ body: (borrowing Record) throws -> Void
  ) throws -> ReadSummary {
    let export = try DuckDBExport(
      try source(), fields: fields, lists: lists, threads: 2, workingDirectory: options.workingDirectory)
    if let field = export.missing.first(where: { !optional.contains($0) }) {
      throw ExportError(
        .missingColumn, file: name,
        reason:
          "the export has no column '\(field)'\(inlineSuggestion(for: field, among: export.columns)); the "
          + "columns are \(listed(export.columns)); correct the pipeline file or the export")
    }
    let process = try export.start()
    guard let output = process.output else { preconditionFailure("an export has an output") }
    let window = ByteWindow(
      FileBytes(descriptor: output, file: name), file: name, checksUTF8: true, capacity: chunk)
    let pass: DelimitedPass
    do {
      pass = try DelimitedPass(
        window, file: name, fields: fields, optional: optional.union(export.missing), unit: .row,
        delimiter: UInt8(ascii: ","), quote: UInt8(ascii: "\""), missing: MissingTexts(options.missing),
        recordLimit: recordLimit)
    } catch {
      // Without a header, DuckDB has failed. `finish` then throws DuckDB's own error, which contains the
      // reason.
      try process.finish()
      throw error
    }
    var summary = try pass.forEach(body)
    summary.namesSeen = export.columns
    try process.finish()
    return summary
  }

  /// The name in messages.
  private var name: String { file.isEmpty ? "the query" : file }

  private func source() throws(ExportError) -> DuckDBExport.Source {
    let path = file.isEmpty ? nil : absolute(file)
    if format == .parquet { return .parquet(file: path ?? "") }
    guard let query = options.query else {
      throw ExportError(
        .badOption, file: name, reason: "the format 'duckdb' needs a query; set 'query' in the source")
    }
    return .query(query, database: path)
  }

  /// Makes a path absolute, because DuckDB may run in a different working directory.
  private func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let here = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(here) }
    return unsafe String(cString: here) + "/" + path
  }
}
