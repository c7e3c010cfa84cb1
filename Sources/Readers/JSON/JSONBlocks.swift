internal import Text

extension JSONStream {
  /// Cuts off whole lines from where the stream is. Lines end with LF.
  ///
  /// - Parameter spare: Memory for what follows.
  /// - Returns: The lines, where in them the first begins, and whether nothing follows; `nil`, staying before it, where a
  ///   line is longer than a record may be.
  /// - Throws: What the window throws as it moves.
  mutating func nextBlock(
    taking spare: consuming WindowMemory?
  ) throws(ExportError) -> (WindowBlock, start: Int, isLast: Bool)? {
    while true {
      if let end = lastLineEnd() {
        let start = offset
        let isLast = window.isComplete
        let block = window.handOver(before: end.offset, line: end.line, taking: spare)
        offset = 0
        return (block, start, isLast)
      }
      if window.count - offset > recordLimit { return nil }
      try window.move(to: offset, line: window.line)
      offset = 0
    }
  }

  /// Where the last line that ends in the window ends, and the line behind it; `nil` where none does.
  private borrowing func lastLineEnd() -> (offset: Int, line: Int)? {
    let rest = window.bytes.extracting(offset..<window.count)
    guard let end = window.isComplete ? rest.count : rest.lastIndex(of: lineFeed).map({ $0 + 1 }) else {
      return nil
    }
    return (offset + end, window.line + lineFeeds(in: rest.extracting(0..<end)).count)
  }
}
