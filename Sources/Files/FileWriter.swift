internal import CLinux
internal import Glibc

/// A file as listed in a manifest.
package struct FileDigest: Codable, Hashable, Sendable {
  /// The path relative to the directory of the manifest; for an export, the path in the pipeline file.
  package var path: String
  package var bytes: Int
  package var sha256: String
  /// The CRC-32C of each block. `nil` for an export, and for a file that version 0.1 or 0.2 wrote.
  package var crc32c: BlockChecksums?
  /// The number of rows or elements; `nil` for a file that has neither.
  package var rows: Int?

  package init(
    path: String, bytes: Int, sha256: String, crc32c: BlockChecksums? = nil, rows: Int? = nil
  ) {
    self.path = path
    self.bytes = bytes
    self.sha256 = sha256
    self.crc32c = crc32c
    self.rows = rows
  }
}

extension FileDigest {
  /// Syncs the existing file at `path`, and computes its digest. `name` is the name of the file in the
  /// manifest.
  ///
  /// The file gets the permissions 0640, like the files that `FileWriter` creates.
  package init(syncing path: String, as name: String, rows: Int?) throws(FileError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.write, path, errno: errno) }
    defer { _ = close(descriptor) }
    guard fchmod(descriptor, 0o640) == 0, fsync(descriptor) == 0 else {
      throw FileError(.write, path, errno: errno)
    }
    let file = try MappedFile(path)
    var hash = SHA256()
    hash.update(file.bytes)
    self.init(
      path: name, bytes: file.count, sha256: hash.finish(), crc32c: BlockChecksums(of: file.bytes), rows: rows
    )
  }
}

/// Writes one new file through a buffer, computes its digest meanwhile, and syncs the file at the end.
///
/// All stages write with this type. Short and interrupted writes are continued. A failed `fsync` is never
/// retried: the kernel may have dropped the pages, and a second call would falsely succeed.
package struct FileWriter: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private var buffer: [UInt8] = []
  /// The digest of the bytes written so far, and of the bytes digested for a later `append(digested:)`.
  package let digest = RunningDigest(hasChecksums: true)
  private var written = 0
  /// The buffer size and the maximum size of one write, in bytes.
  ///
  /// For writes of megabytes, Linux allocates large contiguous memory, which the host of a virtual machine
  /// often has to provide first. On a virtual machine, writing 400 MB took 0.8 to 1.1 s in pieces of 8 MB,
  /// and 0.07 s in pieces of 256 KB (`dd if=/dev/zero bs=8M`, ext4, Linux 6.18).
  private static let capacity = 1 << 18
  /// Each time this many bytes are written, the kernel starts to write them to disk. The final sync of a
  /// large file is then short.
  private static let ahead = 1 << 25
  private var begun = 0
  /// The end of the preallocated range. Without preallocation, the kernel allocates blocks while the file
  /// grows. Writes then wait while earlier bytes of the same file are being written to disk.
  private var reserved = 0
  /// Whether the whole file is already preallocated.
  private var isWholeReserved = false
  private static let reserve = 1 << 26

  /// Creates the file at `path`. If `isSecret`, only the owner of the file can read it.
  ///
  /// - Throws: `FileError` with `create` if the file exists already or cannot be created.
  package init(creating path: String, isSecret: Bool = false) throws(FileError) {
    let mode: mode_t = isSecret ? 0o600 : 0o640
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError(.create, path, errno: errno) }
    self.init(descriptor: descriptor, path: path)
  }

  /// Gives the file the permissions `access`.
  func grant(_ access: FileAccess) throws(FileError) { try access.apply(to: descriptor, path) }

  /// Preallocates disk space for the whole file of `bytes` bytes, so that a lack of space is reported before
  /// writing. Does nothing if the file system cannot preallocate space.
  ///
  /// - Throws: `FileError` with `write` if the disk has too little space.
  package mutating func reserve(_ bytes: Int) throws(FileError) {
    let answer = linux_reserve(descriptor, 0, Int64(bytes))
    if answer < 0 { throw FileError(.write, path, errno: errno) }
    if answer > 0 { (reserved, isWholeReserved) = (bytes, true) }
  }

  /// Creates a writer for the open file `descriptor`. The writer closes the descriptor.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
    buffer.reserveCapacity(Self.capacity)
  }

  deinit {
    // If `finish` was not called, an error is already being thrown, so errors here are not reported.
    _ = close(descriptor)
  }

  package mutating func append(_ bytes: RawSpan) throws(FileError) {
    // Large pieces are written without copying.
    let isLarge = bytes.byteCount >= Self.capacity / 4
    if isLarge || buffer.count + bytes.byteCount > Self.capacity { try flush() }
    if isLarge {
      try write(bytes)
    } else {
      unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    }
  }

  package mutating func append(_ bytes: [UInt8]) throws(FileError) {
    unsafe try append(bytes.span.bytes)
  }

  /// Appends bytes that `digest` has already received, possibly on another thread. `digest` must receive all
  /// bytes in file order. If bytes were appended in another way before, call `flush` before `digest` receives
  /// `bytes`.
  package mutating func append(digested bytes: RawSpan) throws(FileError) {
    try flush()
    try put(bytes)
  }

  package mutating func append(_ text: String) throws(FileError) {
    try append(Array(text.utf8))
  }

  /// Writes the buffered bytes, syncs the file, and returns the file's size and digest. `name` is the file's
  /// name in the manifest.
  package consuming func finish(as name: String, rows: Int? = nil) throws(FileError) -> FileDigest {
    try end()
    guard fsync(descriptor) == 0 else { throw FileError(.write, path, errno: errno) }
    return fileDigest(as: name, rows: rows)
  }

  /// Writes the buffered bytes, and returns the file's size and digest. Adds the file to `syncs`, which syncs
  /// the file later.
  package consuming func finish(as name: String, rows: Int? = nil, syncedBy syncs: inout PendingSyncs)
    throws(FileError) -> FileDigest
  {
    try end()
    try syncs.add(descriptor, path: path)
    return fileDigest(as: name, rows: rows)
  }

  private func fileDigest(as name: String, rows: Int?) -> FileDigest {
    FileDigest(
      path: name, bytes: written, sha256: digest.finish(), crc32c: digest.checksums, rows: rows)
  }

  /// Preallocates the next `bytes` bytes. A failure is ignored: the disk may be too full for this range, but
  /// not for the bytes that are actually written.
  private mutating func reserveMore(_ bytes: Int) {
    // `reserved` is also set after a failure. This prevents an immediate second attempt, and `end` truncates
    // any part of the range that is still allocated.
    if linux_reserve(descriptor, Int64(written), Int64(bytes)) != 0 {
      reserved = written + bytes
    }
  }

  /// Writes the buffered bytes, and removes the preallocated space after them.
  private mutating func end() throws(FileError) {
    try flush()
    guard reserved > written else { return }
    while ftruncate(descriptor, off_t(written)) != 0 {
      guard errno == EINTR else { throw FileError(.write, path, errno: errno) }
    }
  }

  /// Writes the buffered bytes.
  package mutating func flush() throws(FileError) {
    guard !buffer.isEmpty else { return }
    // The buffer is moved out, because `write` needs exclusive access to this value. The buffer is then moved
    // back, so that its memory is reused.
    var full: [UInt8] = []
    swap(&full, &buffer)
    unsafe try write(full.span.bytes)
    full.removeAll(keepingCapacity: true)
    swap(&full, &buffer)
  }

  private mutating func write(_ bytes: RawSpan) throws(FileError) {
    digest.update(bytes)
    try put(bytes)
  }

  private mutating func put(_ bytes: RawSpan) throws(FileError) {
    if bytes.byteCount >= Self.ahead, !isWholeReserved, reserved < written + bytes.byteCount {
      reserveMore(bytes.byteCount)
    }
    var done = 0
    while done < bytes.byteCount {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(
          descriptor, $0.baseAddress.map { unsafe $0 + done }, min($0.count - done, Self.capacity))
      }
      if count < 0 {
        guard errno == EINTR else { throw FileError(.write, path, errno: errno) }
        continue
      }
      done += count
    }
    written += bytes.byteCount
    if written - begun >= Self.ahead {
      WriteBehind.begin(descriptor)
      begun = written
      if !isWholeReserved, reserved < written + Self.ahead { reserveMore(Self.reserve) }
    }
  }
}
