/// Consecutive whole records of a file. Any thread can read them without the blocks before.
package struct RecordBlock: Sendable {
  /// The location of the records.
  enum Content: Sendable {
    /// Rows of a delimited file.
    case rows(WindowBlock, start: Int, DelimitedHeader)
    /// Lines of JSON.
    case lines(WindowBlock, start: Int)
    /// The rest of a file that was cut up to there, or a whole file that cannot be cut.
    case rest(RestOfFile)
  }

  let reader: ExportReader
  let content: Content
  /// Whether no block of the same file follows.
  package let isLast: Bool
  /// Whether it is the rest of a file that was cut up to there. The observer receives its bytes as they are read, so it must
  /// not be read before all blocks before it were observed.
  package let isRest: Bool
  /// The bytes that the file's observer has not received yet.
  let unobserved: Range<Int>

  /// Calls `body` with the bytes that the file's observer has not received during reading, if there are any. See
  /// `ExportReader.blocks`, also for when it may be called.
  ///
  /// Reading the records does not change the bytes, so this may be called before or after.
  package func observe(_ body: (RawSpan) -> Void) {
    switch content {
    case .rows(let block, _, _), .lines(let block, _): block.withBytes(unobserved, body)
    case .rest: break
    }
  }

  /// Calls `body` with every record of the block in file order, including faulty rows, except for rows that `onRows` receives
  /// in batches, in the same order.
  ///
  /// Record numbers and places in errors refer to the whole file. Called once.
  ///
  /// - Returns: Counts of this block alone; see `ReadSummary.add`.
  /// - Throws: `ExportError`, `DuckDBError`, possibly after some records; errors of `body`.
  package func forEachRecord(
    rows onRows: ((borrowing OrdinaryRows) throws -> Void)? = nil, _ body: (borrowing Record) throws -> Void
  ) throws -> ReadSummary {
    switch content {
    case .rows(let block, let start, let header):
      return try reader.pass(over: block, from: start, header).forEach(rows: onRows, body)
    case .lines(let block, let start):
      var pass = reader.pass(
        over: JSONStream(block, from: start, file: reader.shown, recordLimit: reader.recordLimit))
      if let onRows {
        try pass.forEachLine(after: block.line - 1, rows: onRows, body)
      } else {
        try pass.forEachLine(after: block.line - 1, body)
      }
      return pass.finished()
    case .rest(let rest): return try rest.forEachRecord(body)
    }
  }

  /// The memory for reuse, after the records were read.
  var memory: WindowMemory? {
    switch content {
    case .rows(let block, _, _), .lines(let block, _): block.memory
    case .rest: nil
    }
  }
}

/// The rest of a file, for one thread to read once.
final class RestOfFile: @unchecked Sendable {
  private var pass: ((_ body: (borrowing Record) throws -> Void) throws -> ReadSummary)?

  init(_ pass: @escaping (_ body: (borrowing Record) throws -> Void) throws -> ReadSummary) {
    self.pass = pass
  }

  func forEachRecord(_ body: (borrowing Record) throws -> Void) throws -> ReadSummary {
    guard let pass = pass.take() else { preconditionFailure("a file was gone through twice") }
    return try pass(body)
  }
}
