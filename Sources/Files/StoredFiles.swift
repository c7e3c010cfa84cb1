internal import Concurrency
internal import Glibc

/// The files that the manifests of complete stage directories list, with their lengths and
/// checksums.
///
/// Every reader of a run's file compares the file with this list before use, so no result is computed from
/// damaged bytes. A process reads each manifest once, and again only if the manifest changes.
package enum StoredFiles {
  /// The identity and version of a file on disk.
  private struct Stamp: Hashable {
    var device: UInt
    var inode: UInt
    var size: Int
    var seconds: Int
    var nanoseconds: Int

    /// Examines the file at `path`; `nil` if this fails, usually because the file does not exist.
    init?(_ path: String) {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return nil }
      (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private struct Listing {
    var stamp: Stamp
    var files: [String: FileDigest]
  }

  /// The listings by stage directory.
  private static let listings = Guarded<[String: Listing]>([:])

  /// The maximum number of folders to search for a manifest, from a file upwards. The deepest folder in a
  /// stage directory is `entities/NAME/earlier/attributes` in the snapshot of a fold.
  private static let deepest = 8

  /// Returns the entry of the file at `path` in the manifest of its stage directory.
  ///
  /// The stage directory is the nearest parent folder that contains a `manifest.json`. Files in hidden
  /// folders have no entry yet, because these folders are still being written.
  ///
  /// - Returns: The entry; `nil` if the file is in no complete stage directory, or if the manifest lists no
  ///   files.
  /// - Throws: `FileError`, with `read` if the manifest is damaged or does not list the file. The same error
  ///   reports another listed file that is missing or has the wrong length.
  static func expected(_ path: String) throws(FileError) -> FileDigest? {
    guard let (directory, name) = place(of: path) else { return nil }
    let files = try files(of: directory)
    // A manifest without outputs contains no checksums or lengths.
    if files.isEmpty { return nil }
    guard let file = files[name] else {
      throw FileError(damaged: path, "the manifest of '\(directory)' does not list it")
    }
    return file
  }

  /// Returns the stage directory of the file at `path`, and the file's name in this directory.
  private static func place(of path: String) -> (directory: String, name: String)? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    for length in (0..<parts.count).reversed().prefix(deepest) {
      let directory = length == 0 ? "." : parts[..<length].joined(separator: "/")
      if Directories.exists(directory + "/manifest.json") {
        return (directory, parts[length...].joined(separator: "/"))
      }
      if length > 0, parts[length - 1].first == ".", parts[length - 1].contains(where: { $0 != "." }) {
        return nil
      }
    }
    return nil
  }

  private static func files(of directory: String) throws(FileError) -> [String: FileDigest] {
    let stamp = Stamp(directory + "/manifest.json")
    let known = listings.withLock { $0[directory] }
    if let known, known.stamp == stamp { return known.files }
    let manifest = try Manifest(of: directory)
    var files: [String: FileDigest] = [:]
    for file in manifest.outputs {
      try checkLength(of: file, in: directory)
      files[file.path] = file
    }
    if let stamp { listings.withLock { [files] in $0[directory] = Listing(stamp: stamp, files: files) } }
    return files
  }

  /// Checks that the listed file exists and has its listed length. Without this check, a missing file would
  /// look like an optional file that was never written.
  private static func checkLength(of file: FileDigest, in directory: String) throws(FileError) {
    let path = directory + "/" + file.path
    guard let stamp = Stamp(path) else { throw FileError(damaged: path, "it is missing") }
    guard stamp.size == file.bytes else {
      throw FileError(damaged: path, "its size is \(stamp.size) instead of \(file.bytes) bytes")
    }
  }

  /// Checks that no file is missing in the stage directory `directory`, and that each file has its listed
  /// length. A directory without a manifest is not checked.
  ///
  /// - Throws: `FileError` for the first damaged file in the order of the manifest.
  package static func checkLengths(in directory: String) throws(FileError) {
    if Directories.exists(directory + "/manifest.json") { _ = try files(of: directory) }
  }

  /// Checks all files of the complete stage directory `directory`.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - threads: The number of threads.
  /// - Throws: `FileError` for the first damaged file in the order of the manifest.
  package static func check(_ directory: String, threads: Int = 1) throws(FileError) {
    let outputs = try Manifest(of: directory).outputs
    _ = try parallelMap(count: outputs.count, chunkSize: 1, threads: threads) { (range) throws(FileError) in
      for index in range { try check(outputs[index], in: directory) }
    }
  }

  private static func check(_ file: FileDigest, in directory: String) throws(FileError) {
    try checkLength(of: file, in: directory)
    let path = directory + "/" + file.path
    let mapped = try MappedFile(path)
    try file.check(mapped.bytes, path: path)
  }
}

extension MappedFile {
  /// Maps the file at `path` in a stage directory, and checks all its bytes against the directory's manifest.
  ///
  /// A file outside of complete stage directories is not checked, for example a file that a stage still
  /// writes.
  ///
  /// - Throws: `FileError`, with `read` if the file is damaged, or the manifest does not list it.
  package convenience init(checking path: String) throws(FileError) {
    let expected = try StoredFiles.expected(path)
    try self.init(path)
    if let expected { try expected.check(bytes, path: path) }
  }
}

extension FileDigest {
  /// Compares the bytes of the file at `path` with this entry. Entries of earlier versions have no checksums,
  /// so only the length is compared.
  func check(_ bytes: RawSpan, path: String) throws(FileError) {
    guard bytes.byteCount == self.bytes else {
      throw FileError(damaged: path, "its size is \(bytes.byteCount) instead of \(self.bytes) bytes")
    }
    guard let crc32c else { return }
    try crc32c.check(BlockChecksums(of: bytes), path: path)
  }
}

extension BlockChecksums {
  /// Compares `found`, the checksums of the file at `path`, with these checksums from the manifest.
  func check(_ found: BlockChecksums, path: String) throws(FileError) {
    guard found != self else { return }
    let block = zip(values, found.values).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    throw FileError(
      damaged: path,
      "block \((block ?? values.count) + 1) of \(values.count) does not match its checksum in the manifest")
  }
}

/// Checks one file of a run while a reader reads it in pieces.
package struct FileCheck: Sendable {
  private let path: String
  private let expected: FileDigest?
  private var running = RunningChecksums()
  private var count = 0

  /// Starts to check the file at `path`. See `StoredFiles.expected`.
  package init(_ path: String) throws(FileError) {
    self.path = path
    expected = try StoredFiles.expected(path)
  }

  /// Adds the next bytes of the file.
  package mutating func update(_ bytes: RawSpan) {
    count += bytes.byteCount
    if expected?.crc32c != nil { running.update(bytes) }
  }

  /// Compares the bytes so far, which must be the whole file, with the manifest.
  ///
  /// - Throws: `FileError` if the file is damaged.
  package func finish() throws(FileError) {
    guard let expected else { return }
    guard count == expected.bytes else {
      throw FileError(damaged: path, "its size is \(count) instead of \(expected.bytes) bytes")
    }
    if let crc32c = expected.crc32c { try crc32c.check(running.checksums, path: path) }
  }

  /// Compares one block of the file with the manifest. Every block except the last has
  /// `BlockChecksums.blockSize` bytes.
  ///
  /// - Throws: `FileError` if the block is damaged.
  package func check(block: Int, _ bytes: RawSpan) throws(FileError) {
    guard let values = expected?.crc32c?.values else { return }
    let isRight = block < values.count && BlockChecksums.checksum(of: bytes) == values[block]
    guard isRight else {
      throw FileError(
        damaged: path, "block \(block + 1) of \(values.count) does not match its checksum in the manifest")
    }
  }
}
