internal import Text

extension MappedFile {
  /// Calls `body` with each line, without its end: a file of ours ends with one.
  ///
  /// - Throws: What `body` throws; `FileError` for a last line that was cut short.
  package func forEachLine(_ body: (Span<UInt8>) throws(FileError) -> Void, path: String) throws(FileError) {
    let text = Span<UInt8>(_bytes: bytes)
    var start = 0
    while start < count {
      guard let end = text.firstIndex(of: 0x0A, from: start) else {
        throw FileError(.read, path, reason: "its last line is cut short")
      }
      try body(text.extracting(start..<end))
      start = end + 1
    }
  }
}
