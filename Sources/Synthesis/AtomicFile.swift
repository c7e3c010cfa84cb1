#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A text file that appears under its name only when it is whole.
///
/// Text goes through a buffer into a hidden file beside the target; `sync` puts it on the disk, and
/// `replaceTarget` renames it. If neither is reached, the hidden file is removed and the target is untouched.
struct AtomicFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let partialPath: String
  private var buffer: [UInt8] = []
  private var isRenamed = false
  /// Bytes appended so far.
  private(set) var byteCount = 0
  private static let capacity = 1 << 16

  /// A file that will be `name` in the existing directory `directory`.
  init(_ name: String, in directory: String) throws(SynthesisError) {
    path = directory + "/" + name
    // With the process in the name, two runs into one directory do not write into each other's file.
    partialPath = directory + "/.\(name).\(getpid()).partial"
    descriptor = unsafe open(partialPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SynthesisError(.cannotCreate, path, errno: errno) }
    buffer.reserveCapacity(Self.capacity)
  }

  deinit {
    // Nothing can be told here: after `sync` there is nothing left to fail, before it an error is on its way.
    _ = close(descriptor)
    if !isRenamed { _ = unsafe unlink(partialPath) }
  }

  mutating func append(_ text: String) throws(SynthesisError) {
    let before = buffer.count
    buffer.append(contentsOf: text.utf8)
    byteCount += buffer.count - before
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Writes what is buffered and waits until the disk has it.
  mutating func sync() throws(SynthesisError) {
    try flush()
    guard fsync(descriptor) == 0 else { throw SynthesisError(.cannotWrite, path, errno: errno) }
  }

  /// Gives the file its name, in place of any file that had it. Call `sync` first.
  mutating func replaceTarget() throws(SynthesisError) {
    precondition(buffer.isEmpty, "\(buffer.count) bytes are not written yet")
    guard unsafe rename(partialPath, path) == 0 else {
      throw SynthesisError(.cannotWrite, path, errno: errno)
    }
    isRenamed = true
  }

  private mutating func flush() throws(SynthesisError) {
    var done = 0
    while done < buffer.count {
      let count = unsafe buffer.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done)
      }
      if count < 0 {
        guard errno == EINTR else { throw SynthesisError(.cannotWrite, path, errno: errno) }
        continue
      }
      done += count
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// What is done to directories around an `AtomicFile`.
enum OutputDirectory {
  /// Makes `path` and what is missing above it; a directory that exists is fine.
  static func create(_ path: String) throws(SynthesisError) {
    guard unsafe mkdir(path, 0o755) != 0 else { return }
    switch errno {
    case EEXIST:
      // A file of that name fails later, when something is created in it.
      return
    case ENOENT:
      let parent = parent(of: path)
      guard !parent.isEmpty, parent != path else { break }
      try create(parent)
      guard unsafe mkdir(path, 0o755) != 0, errno != EEXIST else { return }
    default: break
    }
    throw SynthesisError(.cannotCreate, path, errno: errno)
  }

  /// Waits until the disk has the names in the directory: a rename alone may be lost at a power cut.
  static func sync(_ path: String) throws(SynthesisError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SynthesisError(.cannotWrite, path, errno: errno) }
    defer { _ = close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SynthesisError(.cannotWrite, path, errno: errno) }
  }

  private static func parent(of path: String) -> String {
    var end = path.endIndex
    while end > path.startIndex, path[path.index(before: end)] == "/" { end = path.index(before: end) }
    guard let slash = path[..<end].lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
