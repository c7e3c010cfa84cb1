internal import Text

extension DelimitedPass {
  /// Returns the complete rows from the current position on as a block, and moves past these rows.
  ///
  /// If the bytes contain no quote, every line end ends a row. Otherwise the rows are scanned. To find the
  /// fault of a row, the scanner may read past the start of the next row. The block includes all bytes that
  /// were read, so that a second scan of the block finds the same fault.
  ///
  /// - Parameter spare: Memory for the bytes after the block.
  /// - Returns: The rows, the offset of the first row, and whether the file ends after the rows; `nil`,
  ///   without moving, if a row exceeds the record limit.
  /// - Throws: The errors of `ByteWindow.move`.
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

  /// Returns the end of the last complete row in the window, and the number of the next line; `nil` if no row
  /// ends in the window.
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
      // The last byte is excluded: if it is a CR, an LF may follow it.
      end = last + 1
    } else {
      return nil
    }
    // The byte after the end is not an LF, so no CR LF is split.
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
    // The last block of a file also includes blank lines after the last row.
    return window.isComplete && !scanner.isInLongRow ? (scanner.offset, scanner.line) : last
  }
}
