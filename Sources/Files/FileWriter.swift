internal import CLinux
internal import Glibc

/// A file as it stands in a manifest.
package struct FileDigest: Codable, Hashable, Sendable {
  /// Relative to the directory of the manifest, or, for an export, as the pipeline file names it.
  package var path: String
  package var bytes: Int
  package var sha256: String
  /// Rows or elements, where the file has such.
  package var rows: Int?

  package init(path: String, bytes: Int, sha256: String, rows: Int? = nil) {
    self.path = path
    self.bytes = bytes
    self.sha256 = sha256
    self.rows = rows
  }
}

extension FileDigest {
  /// Syncs the file at `path`, which another program has written, and digests it under the name `name`.
  ///
  /// It gets the permissions of the files that are written here.
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
    self.init(path: name, bytes: file.count, sha256: hash.finish(), rows: rows)
  }
}

/// Writes one new file: buffered, digested as it passes, synced at the end.
///
/// The only way in which Nightjar's stages write. A short write goes on, an interrupted one is repeated, and a
/// failed `fsync` is never retried: the kernel may have dropped the pages, so that a second one lies.
package struct FileWriter: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private var buffer: [UInt8] = []
  /// Of what was written, and of what `append(digested:)` will be given.
  package let digest = RunningDigest()
  private var written = 0
  /// The most that is written at once, too: for megabytes, Linux takes megabytes of memory in one stretch, and in a virtual
  /// machine these are often such as its host has yet to provide. There, 400 MB in pieces of 8 MB took 0.8 to 1.1 s, of 256 KB
  /// 0.07 (`dd if=/dev/zero bs=8M`, ext4, Linux 6.18).
  private static let capacity = 1 << 18
  /// How many bytes the kernel is to have before it begins to write them to the disk: a sync at the end of a large file
  /// then has little to wait for.
  private static let ahead = 1 << 25
  private var begun = 0
  /// Up to where the disk's room was set aside: else the kernel looks for it while the file grows, and whoever writes waits for
  /// that as long as earlier bytes of the same file are on their way to the disk.
  private var reserved = 0
  /// Whether no more will be needed.
  private var isWholeReserved = false
  private static let reserve = 1 << 26

  /// Creates the file at `path`, for its owner alone if it `isSecret`.
  ///
  /// - Throws: `FileError` of `create`; also where the file exists already.
  package init(creating path: String, isSecret: Bool = false) throws(FileError) {
    let mode: mode_t = isSecret ? 0o600 : 0o640
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError(.create, path, errno: errno) }
    self.init(descriptor: descriptor, path: path)
  }

  /// Sets the disk's room for the whole file aside, which will have `bytes` bytes: where there is not enough, that is told before
  /// anything is written.
  ///
  /// - Throws: `FileError` of `write`.
  package mutating func reserve(_ bytes: Int) throws(FileError) {
    let answer = linux_reserve(descriptor, 0, Int64(bytes))
    if answer < 0 { throw FileError(.write, path, errno: errno) }
    if answer > 0 { (reserved, isWholeReserved) = (bytes, true) }
  }

  /// Writes to the open file `descriptor`, which is closed with this value.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
    buffer.reserveCapacity(Self.capacity)
  }

  deinit {
    // Reached without `finish` only when an error is on its way: there is nothing more to tell.
    _ = close(descriptor)
  }

  package mutating func append(_ bytes: RawSpan) throws(FileError) {
    // What is large already is not worth a copy.
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

  /// The same of bytes that `digest` was given, maybe by another thread: in the order of the file, and not before `flush` where
  /// there are others before them.
  package mutating func append(digested bytes: RawSpan) throws(FileError) {
    try flush()
    try put(bytes)
  }

  package mutating func append(_ text: String) throws(FileError) {
    try append(Array(text.utf8))
  }

  /// Writes what is buffered, syncs, and returns the file's size and digest under the name `name`.
  package consuming func finish(as name: String, rows: Int? = nil) throws(FileError) -> FileDigest {
    try end()
    guard fsync(descriptor) == 0 else { throw FileError(.write, path, errno: errno) }
    return FileDigest(path: name, bytes: written, sha256: digest.finish(), rows: rows)
  }

  /// Writes what is buffered and returns the file's size and digest under the name `name`; `syncs` will sync it.
  package consuming func finish(as name: String, rows: Int? = nil, syncedBy syncs: inout PendingSyncs)
    throws(FileError) -> FileDigest
  {
    try end()
    try syncs.add(descriptor, path: path)
    return FileDigest(path: name, bytes: written, sha256: digest.finish(), rows: rows)
  }

  /// Room for `bytes` that may follow. A hint: the disk may be too full for them, and yet not for what will follow.
  private mutating func reserveMore(_ bytes: Int) {
    // Also where it failed: some of it may be there, and has to be cut off.
    if linux_reserve(descriptor, Int64(written), Int64(bytes)) != 0 {
      reserved = written + bytes
    }
  }

  /// Writes what is buffered, and ends the file there.
  private mutating func end() throws(FileError) {
    try flush()
    guard reserved > written else { return }
    while ftruncate(descriptor, off_t(written)) != 0 {
      guard errno == EINTR else { throw FileError(.write, path, errno: errno) }
    }
  }

  /// Writes what is buffered.
  package mutating func flush() throws(FileError) {
    guard !buffer.isEmpty else { return }
    // Moved out while it is written, so that nothing else can touch it; then back, with its capacity.
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
