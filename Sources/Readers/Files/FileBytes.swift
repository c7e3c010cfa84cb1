import Glibc

/// Reads the bytes of a file, a pipe or standard input with `read(2)`.
final class FileBytes: ByteSource {
  let isAsOnDisk = true
  private let descriptor: Int32
  private let isOwned: Bool
  private let file: String
  private let observe: ((RawSpan) -> Void)?

  /// Opens the file at `path`; `-` is standard input. While bytes are read, `observe` receives all of them in
  /// order.
  ///
  /// - Throws: `missing_file`, or `unreadable` with the system's message.
  init(_ path: String, observe: ((RawSpan) -> Void)? = nil) throws(ExportError) {
    file = path
    self.observe = observe
    isOwned = path != "-"
    descriptor = isOwned ? unsafe open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
    guard descriptor >= 0 else { throw Self.failure(errno, path: path) }
    // This is only a hint to the kernel, so errors are ignored. A pipe, for example, gives an error.
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }

  /// Creates a source of the bytes of `descriptor`, which the caller must close. `file` is the name in
  /// messages.
  init(descriptor: Int32, file: String) {
    self.descriptor = descriptor
    self.file = file
    isOwned = false
    observe = nil
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
    while true {
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.failure(errno, path: file)
      }
      if count > 0, let observe {
        unsafe observe(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
      }
      return count
    }
  }

  /// Reads the remaining bytes, so that the observer receives them.
  func readToEnd() throws(ExportError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ByteWindow.chunk, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while try unsafe read(into: buffer) > 0 {}
  }

  private static func failure(_ cause: Int32, path: String) -> ExportError {
    if cause == ENOENT || cause == ENOTDIR {
      return ExportError(
        .missingFile, file: path, reason: "the file does not exist; check the path in the pipeline file")
    }
    let words = unsafe String(cString: strerror(cause))
    let path = path == "-" ? "standard input" : path
    return ExportError(
      .unreadable, file: path,
      reason: "the file cannot be read: \(words); check its path and permissions")
  }
}
