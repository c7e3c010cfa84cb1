/// The format of an export file.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// RFC 4180 with a header: fields separated by commas.
  case csv
  /// Like `csv`, but with tabs in place of commas.
  case tsv
  /// JSON Lines: one object per line.
  case jsonl
  /// One JSON array of objects.
  case json
  /// Responses of Firestore's REST API: pages of documents, arrays of documents, query results, or one
  /// document per line. See `JSONDialect`.
  case firestore
  /// Responses of Parse's REST API and exports of its dashboard. Their forms are `{"results": [...]}`, an
  /// array of objects, and one object per line. All forms may contain Parse's typed objects (`Date`,
  /// `Pointer`, `File`, `GeoPoint`).
  case parse
  /// A tree of Firebase's Realtime Database. Each table of the tree is an object keyed by id. See
  /// `RealtimePath`.
  case realtime
  /// Apache Parquet, read by the DuckDB CLI.
  case parquet
  /// The result of a query that the DuckDB CLI runs.
  case duckdb

  /// The unit of record numbers in this format.
  ///
  /// Exception: if a file has one Firestore document or Parse object per line, its records are counted in
  /// lines. The records of all other forms of `firestore` and `parse` are counted in elements.
  package var unit: PlaceUnit {
    switch self {
    case .csv, .tsv, .jsonl: .line
    case .json, .firestore, .parse, .realtime: .element
    case .parquet, .duckdb: .row
    }
  }

  /// The byte between fields, unless `ExportOptions.delimiter` overrides it; `nil` for formats without
  /// delimiters.
  package var delimiter: UInt8? {
    switch self {
    case .csv: UInt8(ascii: ",")
    case .tsv: UInt8(ascii: "\t")
    case .jsonl, .json, .firestore, .parse, .realtime, .parquet, .duckdb: nil
    }
  }

  /// Creates the format for the file extension of `path`. Returns `nil` for an unknown extension.
  ///
  /// The recognized extensions are csv, tsv, jsonl, ndjson, json and parquet in any letter case, optionally
  /// followed by `.gz` or `.zst`.
  package init?(endingOf path: String) {
    guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last else { return nil }
    var parts = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    if parts.count > 1, let last = parts.last, ["gz", "zst"].contains(last) { parts.removeLast() }
    guard parts.count > 1, let ending = parts.last else { return nil }
    switch ending {
    case "csv": self = .csv
    case "tsv": self = .tsv
    case "jsonl", "ndjson": self = .jsonl
    case "json": self = .json
    case "parquet": self = .parquet
    default: return nil
    }
  }
}

/// The unit in which records are counted.
package enum PlaceUnit: String, Sendable {
  /// Physical lines of the file, from 1. LF, CR LF and CR each end a line; in JSON Lines, only LF does.
  case line
  /// Elements of the file's array or members of its table, from 1. Elements that are not records count too.
  case element
  /// Rows of a table or of a query's result, from 1.
  case row
}
