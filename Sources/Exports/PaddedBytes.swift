import CSimdJSON
import Glibc

/// The bytes of an export, followed by at least 64 readable bytes that are zero.
///
/// The padding lets scanners load whole words and lets simdjson parse in place. A regular file is mapped, so
/// that it costs address space rather than memory; anything else (a pipe, `/proc`) is read to its end first.
/// A file must not shrink while it is mapped: the kernel would end the process (SIGBUS).
///
/// The memory belongs to this object, never changes, and every view of it depends on the object's lifetime:
/// that is what makes the two pointers safe.
@safe final class PaddedBytes: @unchecked Sendable {
  // Unchecked because of the pointer; no lock is needed as nothing writes after init.
  private let base: UnsafeRawPointer
  private let mappedLength: Int?
  /// How many bytes, without the padding.
  let count: Int

  static let padding = Int(NJSON_PADDING)

  /// A copy of `bytes`.
  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + Self.padding, alignment: 16)
    unsafe bytes.withUnsafeBytes { source in
      if let start = source.baseAddress { unsafe copy.copyMemory(from: start, byteCount: source.count) }
    }
    unsafe memset(copy + bytes.count, 0, Self.padding)
    unsafe base = UnsafeRawPointer(copy)
    mappedLength = nil
    count = bytes.count
  }

  private init(mapped base: UnsafeRawPointer, count: Int, mappedLength: Int) {
    unsafe self.base = base
    self.count = count
    self.mappedLength = mappedLength
  }

  deinit {
    if let mappedLength {
      unsafe munmap(UnsafeMutableRawPointer(mutating: base), mappedLength)
    } else {
      unsafe base.deallocate()
    }
  }

  /// The bytes without the padding.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let pointer = unsafe base.assumingMemoryBound(to: UInt8.self)
      return unsafe _overrideLifetime(Span(_unsafeStart: pointer, count: count), borrowing: self)
    }
  }

  /// The bytes and the padding, for loads of whole words.
  var padded: RawSpan {
    @_lifetime(borrow self)
    get {
      unsafe _overrideLifetime(
        RawSpan(_unsafeStart: base, byteCount: count + Self.padding), borrowing: self)
    }
  }

  /// The contents of the file at `path`.
  ///
  /// - Throws: `missing_file`, or `unreadable` with the system's words.
  static func opened(_ path: String) throws(ExportError) -> PaddedBytes {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno, path: path) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure(errno, path: path) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw failure(EISDIR, path: path)
    case S_IFREG where status.st_size > 0:
      return try mapped(descriptor, count: Int(status.st_size), path: path)
    default: return try read(descriptor, path: path)
    }
  }

  private static func mapped(
    _ descriptor: Int32, count: Int, path: String
  ) throws(ExportError) -> PaddedBytes {
    // Zero pages for the file and its padding, then the file over their beginning: where the file ends with
    // its last page, the padding is the zero page behind it.
    let length = count + padding
    let readOnly = PROT_READ
    guard let base = unsafe mmap(nil, length, readOnly, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe base != MAP_FAILED
    else { throw failure(errno, path: path) }
    guard unsafe mmap(base, count, readOnly, MAP_PRIVATE | MAP_FIXED, descriptor, 0) != MAP_FAILED else {
      let cause = errno
      unsafe munmap(base, length)
      throw failure(cause, path: path)
    }
    // Only advice: a refusal changes nothing but speed.
    _ = unsafe madvise(base, count, MADV_SEQUENTIAL)
    return unsafe PaddedBytes(mapped: UnsafeRawPointer(base), count: count, mappedLength: length)
  }

  private static func read(_ descriptor: Int32, path: String) throws(ExportError) -> PaddedBytes {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = unsafe chunk.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if got == 0 { return PaddedBytes(all) }
      if got < 0 {
        if errno == EINTR { continue }
        throw failure(errno, path: path)
      }
      all.append(contentsOf: chunk[..<got])
    }
  }

  private static func failure(_ cause: Int32, path: String) -> ExportError {
    if cause == ENOENT || cause == ENOTDIR {
      return ExportError(
        .missingFile, file: path, reason: "there is no such file; check the path in the pipeline file")
    }
    let words = unsafe String(cString: strerror(cause))
    return ExportError(.unreadable, file: path, reason: "the file cannot be read: \(words)")
  }
}
