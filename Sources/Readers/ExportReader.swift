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
  /// The file as it was named; `-` is standard input. Empty for a query of DuckDB without a database file.
  package let file: String
  /// How the file is written.
  package let format: ExportFormat
  /// The requested fields: column names, or for JSON keys with dots between them (`location.latitude`; a dot
  /// within a key is written `\.`, a backslash `\\`).
  package let fields: [String]
  private let optional: Set<String>
  /// Fields where a list may stand, with the text that parts the elements of lists which DuckDB hands over as texts.
  package let lists: [String: String]
  private let options: ExportOptions
  private let paths: [FieldPath]
  private let table: RealtimePath
  private let bytes: [UInt8]?
  /// Of how many bytes the first window is, and the longest record: checks try small ones.
  package var chunk = ByteWindow.chunk
  package var recordLimit = ByteWindow.recordLimit
  /// About how many bytes a block of records has.
  package var blockSize = Self.usualBlockSize
  /// Small enough for a processor's second cache.
  package static let usualBlockSize = 1 << 20

  /// A reader of the file at the path `file`, which is not opened yet.
  ///
  /// A field in `optional` may be missing from a CSV or TSV header, and is missing in every record then. A field in
  /// `lists` is a `FieldValue.list` where a JSON array of scalars stands.
  ///
  /// - Throws: `bad_field`, `bad_option`.
  package init(
    file: String, format: ExportFormat, fields: [String], optional: Set<String> = [],
    lists: [String: String] = [:], options: ExportOptions = ExportOptions()
  ) throws(ExportError) {
    try self.init(
      nil, file: file, format: format, fields: fields, optional: optional, lists: lists, options: options)
  }

  /// A reader of `bytes`, which `name` stands for in messages.
  ///
  /// - Throws: `bad_field`, `bad_option`.
  package init(
    bytes: [UInt8], name: String, format: ExportFormat, fields: [String], optional: Set<String> = [],
    lists: [String: String] = [:], options: ExportOptions = ExportOptions()
  ) throws(ExportError) {
    try self.init(
      bytes, file: name, format: format, fields: fields, optional: optional, lists: lists, options: options)
  }

  private init(
    _ bytes: [UInt8]?, file: String, format: ExportFormat, fields: [String], optional: Set<String>,
    lists: [String: String], options: ExportOptions
  ) throws(ExportError) {
    self.bytes = bytes
    self.file = file
    self.format = format
    self.fields = fields
    self.optional = optional
    self.lists = lists
    self.options = options
    var paths: [FieldPath] = []
    switch format {
    case .jsonl, .json, .firestore, .parse, .realtime:
      for field in fields { paths.append(try FieldPath(field, file: file)) }
    case .csv, .tsv: try options.checkDelimiters(format, file: file)
    case .parquet, .duckdb: break
    }
    self.paths = paths
    table = try RealtimePath(options.table ?? "", file: file)
  }

  /// Calls `body` with every record in file order, faulty rows included.
  ///
  /// - Parameters:
  ///   - observe: Called with the file's bytes in order as they are on disk, compressed ones compressed.
  ///   - body: Receives the record, which ends with the call. What it throws ends the pass.
  /// - Returns: Counts, and what helps to explain a field that no record has.
  /// - Throws: `ExportError`, possibly after some records; whatever `body` throws.
  /// - Complexity: O(n) in the file's bytes; memory for the largest record alone.
  @discardableResult
  package func forEachRecord(
    observing observe: ((RawSpan) -> Void)? = nil, _ body: (borrowing Record) throws -> Void
  ) throws -> ReadSummary {
    switch format {
    case .csv, .tsv:
      return try delimitedPass(observing: observe, capacity: chunk).forEach(body)
    case .parquet, .duckdb:
      if let observe, !file.isEmpty { try FileBytes(file, observe: observe).readToEnd() }
      return try DuckDBRows(
        file: file, format: format, fields: fields, optional: optional, lists: lists, options: options
      ).forEach(chunk: chunk, recordLimit: recordLimit, body)
    case .jsonl, .json, .firestore, .parse, .realtime:
      var pass = pass(over: try jsonStream(observing: observe, capacity: chunk))
      switch format {
      case .firestore, .parse: try pass.forEachPaged(body)
      case .realtime: try pass.forEachRecord(ofTableAt: table, body)
      case .json: try pass.forEachElement(body)
      default: try pass.forEachLine(body)
      }
      return pass.finished()
    }
  }

  /// What messages call the file.
  package var shown: String { file == "-" && bytes == nil ? "standard input" : file }

  private var dialect: JSONDialect {
    switch format {
    case .firestore: .firestore
    case .parse: .parse
    case .realtime: .realtime
    default: .plain
    }
  }

  /// A window before the beginning of what the file expands to.
  private func window(
    _ observe: ((RawSpan) -> Void)?, checksUTF8: Bool, capacity: Int
  ) throws(ExportError) -> ByteWindow {
    let source: any ByteSource =
      if let bytes { MemoryBytes(bytes) } else { try FileBytes(file, observe: observe) }
    return ByteWindow(
      try Compression.expanded(source, file: shown, limits: options.expansion), file: shown,
      checksUTF8: checksUTF8, capacity: capacity)
  }
}

extension ExportReader {
  /// A pass over a delimited file that has read its header.
  func delimitedPass(
    observing observe: ((RawSpan) -> Void)?, capacity: Int
  ) throws(ExportError) -> DelimitedPass {
    try DelimitedPass(
      window(observe, checksUTF8: true, capacity: capacity), file: shown, fields: fields, optional: optional,
      unit: .line, delimiter: options.delimiter(in: format), quote: options.quote,
      missing: MissingTexts(options.missing), recordLimit: recordLimit)
  }

  /// A pass over the rows of a block.
  func pass(over block: WindowBlock, from start: Int, _ header: DelimitedHeader) -> DelimitedPass {
    DelimitedPass(
      ByteWindow(block, file: shown), header, offset: start, line: block.line, fieldCount: fields.count,
      unit: .line, delimiter: options.delimiter(in: format), quote: options.quote,
      missing: MissingTexts(options.missing), recordLimit: recordLimit)
  }

  /// The text of a JSON format from its beginning.
  func jsonStream(
    observing observe: ((RawSpan) -> Void)?, capacity: Int
  ) throws(ExportError) -> JSONStream {
    // Of JSON Lines, and of a document per line, each line answers for itself.
    try JSONStream(
      window(observe, checksUTF8: format == .json || format == .realtime, capacity: capacity), file: shown,
      recordLimit: recordLimit)
  }

  func pass(over stream: consuming JSONStream) -> JSONPass {
    JSONPass(
      stream, file: shown, fields: fields, paths: paths, lists: Set(lists.keys), dialect: dialect,
      missing: MissingTexts(options.missing))
  }
}
