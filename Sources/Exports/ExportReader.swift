/// Goes through the records of one export file, asking for the same named fields of each.
///
/// The file is mapped, never copied, and can be gone through any number of times. Fields that were not asked
/// for may hold anything. See `DelimitedScanner` for CSV and TSV, `JSONPass` for the JSON formats.
///
/// ```swift
/// let reader = try ExportReader(file: "swipes.csv", format: .csv, fields: ["swiper_id", "target_id"])
/// let summary = try reader.forEachRecord { record in
///   if let fault = record.fault { … }
///   switch record[0] {
///   case .text(let id): ids.insert(id.span)
///   default: …
///   }
/// }
/// ```
package struct ExportReader: Sendable {
  private enum Content {
    case delimited(DelimitedRecords)
    case json(PaddedBytes, [FieldPath])
  }

  /// The file as it was named.
  package let file: String
  /// How the file is written.
  package let format: ExportFormat
  /// The requested fields: column names, or for JSON keys with dots between them (`location.latitude`; a dot
  /// within a key is written `\.`, a backslash `\\`).
  package let fields: [String]
  private let content: Content

  /// A reader of the file at the path `file`. CSV and TSV: its UTF-8 and its header are checked here.
  ///
  /// A field in `optional` may be missing from that header, and is missing in every record then.
  ///
  /// - Throws: `missing_file`, `unreadable`, `bad_field`, and for CSV and TSV `bad_option`, `invalid_utf8`,
  ///   `missing_header`, `bad_header`, `missing_column`, `duplicate_column`.
  package init(
    file: String, format: ExportFormat, fields: [String], optional: Set<String> = [],
    options: ExportOptions = ExportOptions()
  ) throws(ExportError) {
    try self.init(
      PaddedBytes.opened(file), file: file, format: format, fields: fields, optional: optional,
      options: options)
  }

  /// A reader of `bytes`, which `name` stands for in messages.
  ///
  /// - Throws: As for a file, except about opening it.
  package init(
    bytes: [UInt8], name: String, format: ExportFormat, fields: [String], optional: Set<String> = [],
    options: ExportOptions = ExportOptions()
  ) throws(ExportError) {
    try self.init(
      PaddedBytes(bytes), file: name, format: format, fields: fields, optional: optional, options: options)
  }

  private init(
    _ source: PaddedBytes, file: String, format: ExportFormat, fields: [String], optional: Set<String>,
    options: ExportOptions
  ) throws(ExportError) {
    self.file = file
    self.format = format
    self.fields = fields
    switch format {
    case .csv, .tsv:
      let delimiter = options.delimiter ?? (format == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t"))
      content = .delimited(
        try DelimitedRecords(
          source, file: file, fields: fields, optional: optional, delimiter: delimiter, quote: options.quote))
    case .parse, .realtime, .parquet, .duckdb:
      throw ExportError(.badOption, file: file, reason: "this format is not read yet")
    case .jsonl, .json, .firestore:
      var paths: [FieldPath] = []
      for field in fields { paths.append(try FieldPath(field, file: file)) }
      content = .json(source, paths)
    }
  }

  /// Calls `body` with every record in file order, faulty rows included.
  ///
  /// - Parameter body: Receives the record, which ends with the call. What it throws ends the pass.
  /// - Returns: Counts, and what helps to explain a field that no record has.
  /// - Throws: `ExportError` when the file turns out not to be of its format (`bad_json`, `wrong_shape`,
  ///   `invalid_utf8`), possibly after some records; whatever `body` throws.
  /// - Complexity: O(n) in the file's bytes; memory for the largest record alone.
  @discardableResult
  package func forEachRecord(_ body: (borrowing Record) throws -> Void) throws -> ReadSummary {
    switch content {
    case .delimited(let records):
      return try records.forEach(body)
    case .json(let source, let paths):
      var pass = JSONPass(
        source, file: file, paths: paths, fields: fields, isFirestore: format == .firestore)
      switch format {
      case .firestore: try pass.forEachDocument(body)
      case .json: try pass.forEachElement(body)
      default: try pass.forEachLine(body)
      }
      return pass.finished()
    }
  }
}
