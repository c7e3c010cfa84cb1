internal import Glibc

extension MappedFile {
  /// Calls `body` with each line, without its end: a file of ours ends with one.
  ///
  /// - Throws: What `body` throws; `FileError` for a last line that was cut short.
  package func forEachLine(_ body: (Span<UInt8>) throws(FileError) -> Void, path: String) throws(FileError) {
    var start = 0
    while start < count {
      let rest = bytes.extracting(start..<count)
      let length = unsafe rest.withUnsafeBytes { rest -> Int? in
        guard let base = rest.baseAddress, let end = unsafe memchr(base, 0x0A, rest.count) else { return nil }
        return unsafe UnsafeRawPointer(end) - base
      }
      guard let length else { throw FileError(.read, path, reason: "its last line is cut short") }
      try body(Span(_bytes: rest.extracting(0..<length)))
      start += length + 1
    }
  }
}
