internal import Text

extension DelimitedPass {
  /// Cuts off whole rows from where the pass is.
  ///
  /// Where no quote stands in what has been read, every line end ends a row. Where one does, the rows are scanned: a
  /// faulty one was looked at further than where reading resumes, and is only cut off with all of that, so that whoever
  /// scans the block again finds the same fault.
  ///
  /// - Parameter spare: Memory for what follows.
  /// - Returns: The rows, where in them the first begins, and whether nothing follows; `nil`, staying before it, where a
  ///   row is longer than a record may be.
  /// - Throws: What the window throws as it moves.
  mutating func nextBlock(
    taking spare: consuming WindowMemory?
  ) throws(ExportError) -> (WindowBlock, start: Int, isLast: Bool)? {
    while true {
      if let end = lastRowEnd() {
        let start = offset
        let isLast = window.isComplete && end.offset == window.count
        let block = window.handOver(before: end.offset, line: end.line, taking: spare)
        let given = WindowBlock(
          memory: block.memory, count: block.count, position: block.position, line: line)
        offset = 0
        line = end.line
        return (given, start, isLast)
      }
      if window.count - offset > recordLimit { return nil }
      try window.move(to: min(offset, window.settled), line: line)
      offset = 0
    }
  }

  /// Where the last row that ends in the window ends, and the line behind it; `nil` where none does.
  private borrowing func lastRowEnd() -> (offset: Int, line: Int)? {
    let rest = window.bytes.extracting(offset..<window.count)
    let (feeds, mayHaveRare) = lineFeeds(in: rest, alsoSeeking: quote)
    if mayHaveRare, rest.firstIndex(of: quote) != nil { return lastScannedRowEnd() }
    let end: Int
    if window.isComplete {
      end = rest.count
    } else if let feed = rest.lastIndex(of: lineFeed) {
      end = feed + 1
    } else if let last = rest.extracting(0..<max(rest.count - 1, 0)).lastIndex(of: carriageReturn) {
      // The last byte aside: an LF may follow it.
      end = last + 1
    } else {
      return nil
    }
    // No LF stands behind the end.
    let ends = mayHaveRare ? lineEnds(in: rest.extracting(0..<end)) : feeds
    return (offset + end, line + ends)
  }

  private borrowing func lastScannedRowEnd() -> (offset: Int, line: Int)? {
    var scanner = DelimitedScanner(
      window, at: offset, line: line, delimiter: delimiter, quote: quote, recordLimit: recordLimit)
    var last: (offset: Int, line: Int)?
    while scanner.nextRow({ _, _ in }) != nil, !scanner.isInLongRow {
      if scanner.offset >= scanner.furthest { last = (scanner.offset, scanner.line) }
    }
    // Blank lines behind the last row too.
    return window.isComplete && !scanner.isInLongRow ? (scanner.offset, scanner.line) : last
  }
}
