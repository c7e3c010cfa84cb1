import DuckDB
import Foundation
import TestSupport

/// Writes the rows of `query` to the Parquet file `path`.
func writeParquet(_ query: String, to path: String, threads: Int = 1, rowsPerGroup: Int = 122_880) throws {
  let process = try DuckDBProcess(
    sql: SQL.settings(threads: threads)
      + "COPY (\(query)) TO \(SQL.literal(path)) (FORMAT parquet, USE_TMP_FILE false, ROW_GROUP_SIZE \(rowsPerGroup))",
    input: false, output: false)
  try process.finish()
}

/// Reads the output of `process` to its end.
func outputBytes(_ process: DuckDBProcess) throws -> [UInt8] {
  let bytes = try process.readToEnd()
  try process.finish()
  return bytes
}

/// Returns the CSV rows that an export of `fields` produces, including the header.
func exported(_ source: DuckDBExport.Source, _ fields: [String], threads: Int = 1) throws -> [[String]] {
  let export = try DuckDBExport(source, fields: fields, threads: threads)
  return plainCSVText(try outputBytes(export.start()))
}
