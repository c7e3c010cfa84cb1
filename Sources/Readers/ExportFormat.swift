/// The format of an export file.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// RFC 4180 with a header: fields between commas.
  case csv
  /// The same with tabs.
  case tsv
  /// JSON Lines: one object per line.
  case jsonl
  /// One JSON array of objects.
  case json
  /// Responses of Firestore's REST interface: pages of documents, arrays of documents, query results, or documents one per
  /// line. See `JSONDialect`.
  case firestore
  /// Responses of Parse's REST interface and exports of its dashboard: `{"results": [...]}`, arrays of objects, or objects one
  /// per line, with Parse's typed objects (`Date`, `Pointer`, `File`, `GeoPoint`).
  case parse
  /// A tree of Firebase's Realtime Database, whose tables are objects keyed by id. See `RealtimePath`.
  case realtime
  /// Apache Parquet, read through DuckDB's command line.
  case parquet
  /// The result of a query that DuckDB's command line runs.
  case duckdb

  /// The unit of record numbers in this format, unless it depends on the file.
  ///
  /// Firestore documents one per line are counted in lines; all other forms of `firestore` in elements.
  package var unit: PlaceUnit {
    switch self {
    case .csv, .tsv, .jsonl: .line
    case .json, .firestore, .parse, .realtime: .element
    case .parquet, .duckdb: .row
    }
  }

  /// The byte between fields, unless `ExportOptions.delimiter` overrides it; `nil` for formats without delimiters.
  package var delimiter: UInt8? {
    switch self {
    case .csv: UInt8(ascii: ",")
    case .tsv: UInt8(ascii: "\t")
    case .jsonl, .json, .firestore, .parse, .realtime, .parquet, .duckdb: nil
    }
  }

  /// The format for the file extension of `path`: csv, tsv, jsonl (or ndjson), json or parquet, in any case, optionally
  /// followed by `.gz` or `.zst`. `nil` for any other extension; the other formats have none.
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

/// The unit of the number in a place.
package enum PlaceUnit: String, Sendable {
  /// Physical lines of the file from 1; a line ends with LF, CR LF or CR (JSON Lines: LF alone).
  case line
  /// Elements of the file's array, or members of its table, from 1, those without a record included.
  case element
  /// Rows of a table or of a query's answer from 1.
  case row
}
