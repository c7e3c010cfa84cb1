/// Consecutive whole records of a file. Any thread can read them independently of earlier blocks.
package struct RecordBlock: Sendable {
  /// The source of the records.
  enum Content: Sendable {
    /// Rows of a delimited file.
    case rows(WindowBlock, start: Int, DelimitedHeader)
    /// Lines of JSON.
    case lines(WindowBlock, start: Int)
    /// The rest of a file after the last block of rows or lines, or a whole file that cannot be
    /// divided into blocks.
    case rest(RestOfFile)
  }

  let reader: ExportReader
  let content: Content
  /// Whether this is the last block of the file.
  package let isLast: Bool
  /// Whether the block is the undivided rest of a file. The observer receives the bytes of this block during
  /// reading, so all earlier blocks must be observed first.
  package let isRest: Bool
  /// The range of bytes that the file's observer has not received yet.
  let unobserved: Range<Int>

  /// Calls `body` with the bytes that the file's observer did not receive during reading.
  /// `ExportReader.blocks` describes when to call this method.
  ///
  /// Reading the records does not change the bytes, so the call may precede or follow the reading.
  package func observe(_ body: (RawSpan) -> Void) {
    switch content {
    case .rows(let block, _, _), .lines(let block, _): block.withBytes(unobserved, body)
    case .rest: break
    }
  }

  /// Calls `body` with every record of the block in file order, including faulty rows. If `onRows` is not
  /// `nil`, it receives ordinary rows in batches instead, also in file order.
  ///
  /// Record numbers and places in errors refer to the whole file. Call this method once per block.
  ///
  /// - Returns: Counts of this block alone; see `ReadSummary.add`.
  /// - Throws: `ExportError` or `DuckDBError`, possibly after some records; errors of `body`.
  package func forEachRecord(
    rows onRows: ((borrowing OrdinaryRows) throws -> Void)? = nil, _ body: (borrowing Record) throws -> Void
  ) throws -> ReadSummary {
    switch content {
    case .rows(let block, let start, let header):
      return try reader.pass(over: block, from: start, header, endsFile: isLast).forEach(rows: onRows, body)
    case .lines(let block, let start):
      var pass = reader.pass(
        over: JSONStream(block, from: start, file: reader.shown, recordLimit: reader.recordLimit))
      pass.endsFile = isLast
      if let onRows {
        try pass.forEachLine(after: block.line - 1, rows: onRows, body)
      } else {
        try pass.forEachLine(after: block.line - 1, body)
      }
      return pass.finished()
    case .rest(let rest): return try rest.forEachRecord(body)
    }
  }

  /// The memory of the block, which can be reused after the records were read; `nil` for the rest of a file.
  var memory: WindowMemory? {
    switch content {
    case .rows(let block, _, _), .lines(let block, _): block.memory
    case .rest: nil
    }
  }
}

/// The rest of a file, which one thread may read once.
final class RestOfFile: @unchecked Sendable {
  private var pass: ((_ body: (borrowing Record) throws -> Void) throws -> ReadSummary)?

  init(_ pass: @escaping (_ body: (borrowing Record) throws -> Void) throws -> ReadSummary) {
    self.pass = pass
  }

  func forEachRecord(_ body: (borrowing Record) throws -> Void) throws -> ReadSummary {
    guard let pass = pass.take() else { preconditionFailure("the records of a file were read twice") }
    return try pass(body)
  }
}
