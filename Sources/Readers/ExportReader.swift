/// Reads the records of one export file, with the same requested fields for each record.
///
/// The module `Readers` turns files of many formats, compressed or not, into records of typed values.
/// `DelimitedScanner` reads CSV and TSV, `JSONPass` reads the JSON formats, and DuckDB reads Parquet and runs
/// queries. The module reports faulty rows, but its callers decide whether to reject them. It must not depend
/// on `PipelineFile` or `Ingest`, which depend on it.
///
/// A file is read through a window that moves along it, so memory does not grow with the file. A file, but
/// not a pipe, can be read any number of times. Fields that were not requested may contain anything.
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
  /// The file name as given; `-` is standard input. It is empty for a DuckDB query without a database file.
  package let file: String
  /// The format of the file.
  package let format: ExportFormat
  /// The requested fields. In CSV and TSV, a field is a column name. In other formats, a field can be a path
  /// of keys separated by dots, such as `location.latitude`. A dot within a key is written as `\.`, and a
  /// backslash is written as `\\`.
  package let fields: [String]
  private let optional: Set<String>
  /// The fields that may contain a list. Each field has the separator with which DuckDB joins the elements of
  /// the list to a text.
  package let lists: [String: String]
  private let options: ExportOptions
  private let paths: [FieldPath]
  private let table: RealtimePath
  private let bytes: [UInt8]?
  /// The initial size of the window in bytes. Tests use a small size.
  package var chunk = ByteWindow.chunk
  /// The maximum size of a record in bytes. A larger record has the fault `record_too_long`.
  package var recordLimit = ByteWindow.recordLimit
  /// The approximate number of bytes in a block of records.
  package var blockSize = Self.usualBlockSize
  /// The default block size in bytes. A block of this size fits in a cache of most processors.
  package static let usualBlockSize = 1 << 20

  /// Creates a reader of the file at the path `file`, without opening the file.
  ///
  /// A field in `optional` may be absent from a header of CSV or TSV, or from DuckDB's columns. The field is
  /// then missing in every record. A field in `lists` becomes a `FieldValue.list` if it contains a JSON array
  /// of scalars or of objects.
  ///
  /// - Throws: `bad_field` if a field is not a path of keys; `bad_option` if an option is invalid.
  package init(
    file: String, format: ExportFormat, fields: [String], optional: Set<String> = [],
    lists: [String: String] = [:], options: ExportOptions = ExportOptions()
  ) throws(ExportError) {
    try self.init(
      nil, file: file, format: format, fields: fields, optional: optional, lists: lists, options: options)
  }

  /// Creates a reader of `bytes`. `name` is the file name in messages.
  ///
  /// - Throws: `bad_field` if a field is not a path of keys; `bad_option` if an option is invalid.
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

  /// Calls `body` with every record in file order, including faulty rows.
  ///
  /// - Parameters:
  ///   - observe: Receives the file's bytes in order as they are on disk, before decompression.
  ///   - body: Receives the record, which is valid only during the call. An error that `body` throws ends the
  ///     pass.
  /// - Returns: Counts, and names that help to explain a field that no record has.
  /// - Throws: `ExportError` or `DuckDBError`, possibly after some records; errors of `body`.
  /// - Complexity: O(n) in the file's bytes. Memory grows only with the largest record.
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
    case .jsonl: return try jsonPass(observe) { (pass) in try pass.forEachLine(body) }
    case .json: return try jsonPass(observe) { (pass) in try pass.forEachElement(body) }
    case .firestore, .parse: return try jsonPass(observe) { (pass) in try pass.forEachPaged(body) }
    case .realtime: return try jsonPass(observe) { (pass) in try pass.forEachRecord(ofTableAt: table, body) }
    }
  }

  private func jsonPass(
    _ observe: ((RawSpan) -> Void)?, _ body: (inout JSONPass) throws -> Void
  ) throws -> ReadSummary {
    var pass = pass(over: try jsonStream(observing: observe, capacity: chunk))
    try body(&pass)
    return pass.finished()
  }

  /// The file name in messages.
  package var shown: String { file == "-" && bytes == nil ? "standard input" : file }

  private var dialect: JSONDialect {
    switch format {
    case .firestore: .firestore
    case .parse: .parse
    case .realtime: .realtime
    case .csv, .tsv, .jsonl, .json, .parquet, .duckdb: .plain
    }
  }

  /// Returns a window at the start of the decompressed file.
  private func window(
    _ observe: ((RawSpan) -> Void)?, checksUTF8: Bool, capacity: Int
  ) throws(ExportError) -> ByteWindow {
    let source: any ByteSource =
      if let bytes { MemoryBytes(bytes) } else { try FileBytes(file, observe: observe) }
    let expanded = try Compression.expanded(source, file: shown, limits: options.expansion)
    return ByteWindow(
      options.encoding == .utf8 ? expanded : TranscodedBytes(expanded, from: options.encoding), file: shown,
      checksUTF8: checksUTF8, capacity: capacity)
  }
}

extension ExportReader {
  /// Reads the header of a delimited file, and returns a pass over its rows.
  func delimitedPass(
    observing observe: ((RawSpan) -> Void)?, capacity: Int
  ) throws(ExportError) -> DelimitedPass {
    try DelimitedPass(
      window(observe, checksUTF8: true, capacity: capacity), file: shown, fields: fields, optional: optional,
      unit: .line, delimiter: options.delimiter(in: format), quote: options.quote,
      missing: MissingTexts(options.missing), recordLimit: recordLimit, columns: options.columns,
      allowsEmpty: options.allowsEmpty)
  }

  /// Returns a pass over the rows of a block.
  ///
  /// - Parameters:
  ///   - block: The bytes.
  ///   - start: The offset of the first row.
  ///   - header: The header of the file.
  ///   - endsFile: Whether the file ends with the block.
  /// - Returns: The pass.
  func pass(
    over block: WindowBlock, from start: Int, _ header: DelimitedHeader, endsFile: Bool
  ) -> DelimitedPass {
    var pass = DelimitedPass(
      ByteWindow(block, file: shown), header, offset: start, line: block.line, fieldCount: fields.count,
      unit: .line, delimiter: options.delimiter(in: format), quote: options.quote,
      missing: MissingTexts(options.missing), recordLimit: recordLimit)
    pass.endsFile = endsFile
    return pass
  }

  /// Returns a stream at the start of a file in a JSON format.
  func jsonStream(
    observing observe: ((RawSpan) -> Void)?, capacity: Int
  ) throws(ExportError) -> JSONStream {
    // Files in `jsonl`, `firestore` and `parse` can have one record per line. Invalid UTF-8 is then a fault
    // of its line alone.
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
