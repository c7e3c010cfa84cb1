package import Files
internal import Glibc

/// The directory of a pipeline's tombstones.
///
/// ```
/// key           64 hexadecimal digits; mode 0600; created by the first erasure
/// tombstones    one line of 64 hexadecimal digits per tombstone, sorted; mode 0600
/// belongings    see `belongings()`
/// ```
///
/// Anyone who has `key` and `tombstones` can check whether a given id was erased. Without the key, the
/// tombstones reveal only their number.
package struct TombstoneDirectory: Sendable {
  package let path: String

  static let keyName = "key"
  /// The number of bytes in a key. A key is as long as a digest, because a longer key would not be safer.
  private static let keyLength = 32

  package init(_ path: String) {
    self.path = path
  }

  private var keyFile: String { "\(path)/\(Self.keyName)" }
  private var tombstonesFile: String { "\(path)/\(TombstoneSet.fileName)" }

  /// Reads all tombstones. Returns the empty set if the file of tombstones does not exist.
  ///
  /// - Throws: `TombstoneError` if there are tombstones but no key, if other users can access the key, or if
  ///   a file is damaged; `FileError` if a file cannot be read.
  package func load() throws -> TombstoneSet {
    guard try Directories.isPresent(tombstonesFile) else { return .none }
    let (tombstones, bytes) = try read()
    return TombstoneSet(tombstones, belongings: try belongings(), under: try key(), file: bytes)
  }

  /// Reads all tombstones for a run after the snapshot with the manifest `previous`.
  ///
  /// - Throws: The errors of `load()`; also `TombstoneError` if that snapshot had tombstones, but the file is
  ///   missing. Without this error, all erased people would reappear if the directory were not mounted.
  package func load(after previous: Manifest?) throws -> TombstoneSet {
    let hadTombstones = previous?.inputs.contains { $0.path == TombstoneSet.inputPath } ?? false
    if hadTombstones, try !Directories.isPresent(tombstonesFile) {
      throw TombstoneError(
        .missing, tombstonesFile,
        "the tombstones of erased people are missing, but the last complete run had some",
        nextStep: "Mount or restore the directory, or correct 'privacy.erasures' in the pipeline file.")
    }
    return try load()
  }

  /// Adds the tombstones of `ids`, each with its entity, and creates the key if it is missing.
  ///
  /// - Returns: The number of new tombstones.
  /// - Throws: `TombstoneError` if the existing files cannot be used; `FileError` if a file cannot be read or
  ///   written. After an error, the tombstones are unchanged.
  @discardableResult
  package func add(_ ids: [(id: [UInt8], entity: String)]) throws -> Int {
    try Directories.create(path)
    let before = try Directories.isPresent(tombstonesFile) ? try read().tombstones : []
    if try !Directories.isPresent(keyFile) {
      guard before.isEmpty else { throw missingKey() }
      var generator = SystemRandomNumberGenerator()
      let key = (0..<Self.keyLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      try Directories.replaceSecret(keyFile, with: Hexadecimal.digits(key) + [0x0A])
    }
    let key = try key()
    let after = Set(before).union(ids.map { Tombstone(of: $0.id.span, entity: $0.entity, under: key) })
    let known = Set(before).count
    if after.count > known { try write(after) }
    return after.count - known
  }

  /// Removes the tombstones of `ids`, each with its entity, and the codes of the rows that these people
  /// owned.
  ///
  /// - Returns: The number of removed tombstones.
  /// - Throws: `TombstoneError` with `absent` if none of the ids has a tombstone, and with another code if
  ///   the files cannot be used; `FileError` if a file cannot be read or written.
  @discardableResult
  package func lift(_ ids: [(id: [UInt8], entity: String)]) throws -> Int {
    let before = try Directories.isPresent(tombstonesFile) ? Set(try read().tombstones) : []
    let lifted =
      before.isEmpty
      ? []
      : before.intersection(
        try ids.map { Tombstone(of: $0.id.span, entity: $0.entity, under: try key()) })
    guard !lifted.isEmpty else {
      throw TombstoneError(
        .absent, tombstonesFile, "this id has no tombstone",
        nextStep: "Check the pipeline file, --work and --entity. The id must match byte for byte.")
    }
    try write(before.subtracting(lifted))
    try removeBelongings(of: lifted)
    return lifted.count
  }

  private func write(_ tombstones: Set<Tombstone>) throws(FileError) {
    try Directories.replaceSecret(tombstonesFile, with: tombstones.sorted().flatMap { $0.line + [0x0A] })
  }

  private func read() throws -> (tombstones: [Tombstone], bytes: [UInt8]) {
    let bytes = try bytes(of: tombstonesFile)
    let tombstones = try Self.lines(
      of: bytes, "64 lowercase hexadecimal digits", damaged, Tombstone.init(line:))
    return (tombstones, bytes)
  }

  /// Returns the parsed lines of a file. Each line must end with a line break.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - form: The form of a line, for messages.
  ///   - damaged: Returns the error for a fault.
  ///   - parse: Parses a line; `nil` if the line has another form.
  /// - Returns: The results of `parse`, in the order of lines.
  /// - Throws: The error of `damaged` for the first fault.
  static func lines<Line>(
    of bytes: [UInt8], _ form: String, _ damaged: (String) -> TombstoneError,
    _ parse: (ArraySlice<UInt8>) -> Line?
  ) throws(TombstoneError) -> [Line] {
    guard !bytes.isEmpty else { return [] }
    guard bytes.last == 0x0A else { throw damaged("its last line is truncated") }
    var lines: [Line] = []
    for line in bytes.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard let parsed = parse(line) else { throw damaged("line \(lines.count + 1) is not \(form)") }
      lines.append(parsed)
    }
    return lines
  }

  private func damaged(_ found: String) -> TombstoneError {
    TombstoneError(
      .damaged, tombstonesFile, found,
      nextStep: "Restore the file from a backup. Without it, erased people would appear on lists again.")
  }

  func key() throws -> MessageAuthentication {
    var status = stat()
    guard unsafe stat(keyFile, &status) == 0 else {
      if errno == ENOENT { throw missingKey() }
      throw FileError(.read, keyFile, errno: errno)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw TombstoneError(
        .key, keyFile, "other accounts can access it (mode \(String(status.st_mode & 0o777, radix: 8)))",
        nextStep: "Run: chmod 600 '\(keyFile)'.")
    }
    let text = try bytes(of: keyFile)
    guard let key = Hexadecimal.bytes(text.last == 0x0A ? text.dropLast() : text[...]),
      key.count == Self.keyLength
    else {
      throw TombstoneError(
        .key, keyFile, "it does not consist of \(2 * Self.keyLength) lowercase hexadecimal digits",
        nextStep: "Restore the file from a backup. The tombstones cannot be used without this key.")
    }
    return MessageAuthentication(key: key)
  }

  private func missingKey() -> TombstoneError {
    TombstoneError(
      .key, keyFile, "it is missing, and the existing tombstones cannot be used without it",
      nextStep: "Restore the file from a backup, with mode 600.")
  }

  func bytes(of file: String) throws(FileError) -> [UInt8] {
    let mapped = try MappedFile(file)
    return unsafe mapped.bytes.withUnsafeBytes { unsafe Array($0) }
  }
}
