/// Some whole records of a file, one behind the other, which any thread can go through: it needs nothing of the blocks
/// before it.
package struct RecordBlock: Sendable {
  /// Where the records are.
  enum Content: Sendable {
    /// Rows of a delimited file.
    case rows(WindowBlock, start: Int, DelimitedHeader)
    /// Lines of JSON.
    case lines(WindowBlock, start: Int)
    /// The rest of a file that was cut up to there, or a whole one that cannot be cut.
    case rest(RestOfFile)
  }

  let reader: ExportReader
  let content: Content
  /// Whether no block of the same file follows.
  package let isLast: Bool
  /// Whether it is the rest of a file that was cut up to there: the file's observer is given its bytes as they are read, and so
  /// nobody may go through it before all blocks before it were observed.
  package let isRest: Bool
  /// Which of its bytes the file's observer was not given.
  let unobserved: Range<Int>

  /// Calls `body` with the bytes that the file's observer was not given as they were read, if there are any: see
  /// `ExportReader.blocks`, also for when it may be called.
  ///
  /// Records that are gone through leave the bytes as they are, so it may be called before or after.
  package func observe(_ body: (RawSpan) -> Void) {
    switch content {
    case .rows(let block, _, _), .lines(let block, _): block.withBytes(unobserved, body)
    case .rest: break
    }
  }

  /// Calls `body` with every record of the block in file order, faulty rows included, but for rows that `onRows` is given
  /// together, in the same order.
  ///
  /// Numbers of records and places in errors are those of the whole file. Called once.
  ///
  /// - Returns: Counts of this block alone; see `ReadSummary.add`.
  /// - Throws: `ExportError`, `DuckDBError`, possibly after some records; whatever `body` throws.
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

  /// The memory to be used again, once the records were gone through.
  var memory: WindowMemory? {
    switch content {
    case .rows(let block, _, _), .lines(let block, _): block.memory
    case .rest: nil
    }
  }
}

/// What is left of a file, for one thread to go through once.
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
