import DuckDB
import Foundation
import Glibc
import TestSupport

/// Writes `query`'s rows into the Parquet file `path`.
func writeParquet(_ query: String, to path: String, threads: Int = 1) throws {
  let process = try DuckDBProcess(
    sql: SQL.settings(threads: threads)
      + "COPY (\(query)) TO \(SQL.literal(path)) (FORMAT parquet, USE_TMP_FILE false)",
    input: false, output: false)
  try process.finish()
}

/// Everything that `process` writes, read to the end.
func outputBytes(_ process: DuckDBProcess) throws -> [UInt8] {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while let descriptor = process.output {
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { break }
    bytes += buffer.prefix(count)
  }
  try process.finish()
  return bytes
}

/// The rows of CSV that an export of `fields` gives, header first.
func exported(_ source: DuckDBExport.Source, _ fields: [String], threads: Int = 1) throws -> [[String]] {
  let export = try DuckDBExport(source, fields: fields, threads: threads)
  return plainCSVText(try outputBytes(export.start()))
}
