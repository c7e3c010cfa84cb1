internal import Text

extension MappedFile {
  /// Calls `body` with each line, without its line end.
  ///
  /// - Throws: Errors of `body`; `FileError` if the last line has no line end and is thus truncated.
  package func forEachLine(_ body: (Span<UInt8>) throws(FileError) -> Void, path: String) throws(FileError) {
    let text = Span<UInt8>(_bytes: bytes)
    var start = 0
    while start < count {
      guard let end = text.firstIndex(of: 0x0A, from: start) else {
        throw FileError(damaged: path, "its last line is truncated")
      }
      try body(text.extracting(start..<end))
      start = end + 1
    }
  }
}
