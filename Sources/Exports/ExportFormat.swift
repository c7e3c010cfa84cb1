/// How an export file is written.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// RFC 4180 with a header: fields between commas.
  case csv
  /// The same with tabs.
  case tsv
  /// JSON Lines: one object per line.
  case jsonl
  /// One JSON array of objects.
  case json
  /// What Firestore's REST interface answers: pages of documents, arrays of them, query results, or documents
  /// one per line. See `FirestoreRecords`.
  case firestore

  /// What a record's number counts in this format, where that does not depend on the file.
  ///
  /// Firestore documents one per line are counted in lines; all else that is `firestore` in elements.
  package var unit: PlaceUnit {
    switch self {
    case .csv, .tsv, .jsonl: .line
    case .json, .firestore: .element
    }
  }
}

/// What a number in a place counts.
package enum PlaceUnit: String, Sendable {
  /// Physical lines of the file from 1; a line ends with LF, CR LF or CR (JSON Lines: LF alone).
  case line
  /// Elements of the file's array from 1, those without a record included.
  case element
}

/// How a delimited file departs from RFC 4180. The JSON formats have no options.
package struct ExportOptions: Hashable, Sendable {
  /// The byte between fields; `nil` is the format's own: a comma for CSV, a tab for TSV.
  package var delimiter: UInt8?
  /// The byte around fields that hold delimiters, quotes or line ends.
  package var quote: UInt8

  /// Options with the given departures; none by default.
  package init(delimiter: UInt8? = nil, quote: UInt8 = UInt8(ascii: "\"")) {
    self.delimiter = delimiter
    self.quote = quote
  }
}
