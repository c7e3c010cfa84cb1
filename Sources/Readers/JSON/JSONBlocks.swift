internal import Text

extension JSONStream {
  /// Returns the complete lines from the current position on as a block, and moves past these lines. Lines
  /// end with LF.
  ///
  /// - Parameter spare: Memory for the bytes after the block.
  /// - Returns: The lines, the offset of the first line, and whether the file ends after the lines; `nil`,
  ///   without moving, if a line exceeds the record limit.
  /// - Throws: The errors of `ByteWindow.move`.
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

  /// Returns the end of the last complete line in the window, and the number of the next line; `nil` if no
  /// line ends in the window.
  private borrowing func lastLineEnd() -> (offset: Int, line: Int)? {
    let rest = window.bytes.extracting(offset..<window.count)
    guard let end = window.isComplete ? rest.count : rest.lastIndex(of: lineFeed).map({ $0 + 1 }) else {
      return nil
    }
    return (offset + end, window.line + lineFeeds(in: rest.extracting(0..<end)).count)
  }
}
