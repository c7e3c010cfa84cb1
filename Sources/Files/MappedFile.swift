internal import Glibc

/// A read-only memory-mapped file, or a copy of bytes with the same interface.
///
/// The object is the sole owner of its mapping, and columns retain the object. Files in complete stage
/// directories never change, so threads can share them safely.
@safe
package final class MappedFile: @unchecked Sendable {
  // The conformance is `@unchecked`, because the compiler cannot check the pointer. The mapping is private,
  // is not written after `init`, and is unmapped only in `deinit`.
  private let base: UnsafeRawPointer?
  package let count: Int

  /// Maps the file at `path`. For an empty file, `bytes` is empty.
  ///
  /// - Throws: `FileError` if the file cannot be opened or mapped, or is not a regular file.
  package init(_ path: String) throws(FileError) {
    // Without O_NONBLOCK, opening a named pipe waits for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(.read, path, errno: errno) }
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(.read, path, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(.read, path, reason: "it is not a regular file", advice: "Use a regular file.")
    }
    count = Int(status.st_size)
    guard count > 0 else {
      unsafe base = nil
      return
    }
    guard let address = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
      unsafe address != MAP_FAILED
    else { throw FileError(.read, path, errno: errno) }
    unsafe base = UnsafeRawPointer(address)
  }

  /// Copies `bytes`, for code that expects a file.
  package init(copying bytes: RawSpan) {
    count = bytes.byteCount
    guard count > 0 else {
      unsafe base = nil
      return
    }
    guard let address = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe address != MAP_FAILED
    else { preconditionFailure("memory allocation of \(count) bytes failed") }
    unsafe bytes.withUnsafeBytes { source in
      unsafe UnsafeMutableRawBufferPointer(start: address, count: source.count).copyMemory(from: source)
    }
    unsafe base = UnsafeRawPointer(address)
  }

  deinit {
    if let base = unsafe base {
      _ = unsafe munmap(UnsafeMutableRawPointer(mutating: base), count)
    }
  }

  /// All bytes of the file.
  package var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      let buffer = unsafe UnsafeRawBufferPointer(start: base, count: count)
      return unsafe _overrideLifetime(RawSpan(_unsafeBytes: buffer), borrowing: self)
    }
  }
}
