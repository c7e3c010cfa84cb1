internal import Concurrency

/// The directory that a stage writes. It is hidden until it is complete.
///
/// The module `Files` reads files and writes them durably: atomic directories, digests, manifests. It must
/// not depend on the content of files, or on `Columns` and `RunSchemas`, which depend on it.
///
/// Files go into `.NAME.partial` next to the final path. `complete` writes the manifest, syncs, and renames.
/// An existing stage directory is therefore complete, even if the process was killed. `init` removes a
/// `.partial` directory that a killed process left. The caller must therefore hold the run's lock, or choose
/// a name with `hidden`.
package struct StageDirectory: ~Copyable {
  /// The final path of the directory.
  package let path: String
  private let partial: String
  private let replaces: Bool
  private let files: Guarded<Files>
  /// Whether another value owns the written files; see `writeTogether`.
  private let isLent: Bool

  /// The files written so far.
  private struct Files: ~Copyable {
    var outputs: [FileDigest] = []
    var subdirectories: Set<String> = []
    var syncs = PendingSyncs()
  }

  /// Creates the hidden directory for the stage directory `name` in `run`.
  ///
  /// - Parameters:
  ///   - name: The last component of the stage directory's path.
  ///   - run: The parent directory.
  ///   - hidden: The name of the hidden directory, for output that is written without the run's lock; `nil`
  ///     for `.NAME.partial`.
  ///   - replaces: Whether this directory replaces an existing one when it is complete.
  /// - Throws: `FileError` if the stage directory exists already, or if the hidden directory cannot be
  ///   removed or created.
  package init(_ name: String, in run: String, hidden: String? = nil, replaces: Bool = false)
    throws(FileError)
  {
    self.replaces = replaces
    files = Guarded(Files())
    isLent = false
    path = run + "/" + name
    partial = run + "/" + (hidden ?? "." + name + ".partial")
    guard replaces || !Directories.exists(path) else {
      throw FileError(
        .create, path, reason: "it already exists, and complete directories are never overwritten",
        advice: "Remove this directory, or choose another run directory.")
    }
    try Directories.remove(partial)
    try Directories.create(run)
    PartialOutputs.begin(partial)
    do throws(FileError) {
      try Directories.create(partial, isSynced: false)
    } catch {
      PartialOutputs.end(partial)
      throw error
    }
  }

  /// Creates a value for another thread. It shares the list of written files with its owner, which waits.
  private init(lending path: String, _ partial: String, _ files: Guarded<Files>) {
    self.path = path
    self.partial = partial
    self.files = files
    replaces = false
    isLent = true
  }

  deinit {
    if isLent { return }
    PartialOutputs.end(partial)
    // After `complete`, the hidden directory no longer exists. Without `complete`, an error is already being
    // thrown, so errors here are not reported.
    try? Directories.remove(partial)
  }

  /// Writes the file `name`. The name may contain subdirectories, as in `users/id.utf8`.
  package mutating func write(
    _ name: String, rows: Int? = nil,
    _ body: (inout FileWriter) throws(FileError) -> Void
  ) throws(FileError) {
    var writer = try FileWriter(creating: try place(name))
    try body(&writer)
    try add(writer, as: name, rows: rows)
  }

  /// A task that writes some files while other threads write other files.
  package typealias Body = @Sendable (inout StageDirectory) throws(FileError) -> Void

  /// Runs `bodies` on up to `threads` threads. Each body must write different files.
  ///
  /// - Throws: The error of the first body, in the order of `bodies`, that failed. The error may come from
  ///   syncing a file that another body wrote.
  package mutating func writeTogether(
    threads: Int, _ bodies: [Body]
  ) throws(FileError) {
    let (path, partial, files) = (path, partial, files)
    _ = try parallelMap(count: bodies.count, chunkSize: 1, threads: threads) {
      (range) throws(FileError) in
      var directory = StageDirectory(lending: path, partial, files)
      try bodies[range.lowerBound](&directory)
    }
  }

  /// Completes the file of `writer`, and adds it to the manifest as `name`. The file is synced later, at the
  /// latest by `complete`.
  package func add(_ writer: consuming FileWriter, as name: String, rows: Int?) throws(FileError) {
    // The digest is finished and the write to disk starts before the lock is taken, so that other threads do
    // not wait.
    var syncs = PendingSyncs()
    let digest = try writer.finish(as: name, rows: rows, syncedBy: &syncs)
    files.withLock { files in
      files.outputs.append(digest)
      files.syncs.take(&syncs)
      if files.syncs.isFull { swap(&files.syncs, &syncs) }
    }
    try syncs.finish()
  }

  /// Writes two files at the same time, for the same content in two formats.
  package mutating func write(
    _ first: String, _ second: String,
    _ body: (inout FileWriter, inout FileWriter) throws(FileError) -> Void
  ) throws(FileError) {
    var one = try FileWriter(creating: try place(first))
    var other = try FileWriter(creating: try place(second))
    try body(&one, &other)
    try add(one, as: first, rows: nil)
    try add(other, as: second, rows: nil)
  }

  /// Lets another program write the file `name`.
  ///
  /// - Parameters:
  ///   - name: The name, as for `write`.
  ///   - body: Receives the path, writes the file there, and returns its number of rows.
  /// - Throws: `FileError` if the file cannot be placed or synced; errors of `body`.
  package mutating func adopt(_ name: String, _ body: (_ path: String) throws -> Int) throws {
    let file = try place(name)
    let rows = try body(file)
    let digest = try FileDigest(syncing: file, as: name, rows: rows)
    files.withLock { $0.outputs.append(digest) }
  }

  /// Returns the path of the file or directory `name` while the stage directory is incomplete, for reading
  /// files that are already written.
  package func written(_ name: String) -> String { partial + "/" + name }

  /// Adds files that are already in the hidden directory to the manifest.
  mutating func add(_ written: [FileDigest]) { files.withLock { $0.outputs += written } }

  /// Returns the path of the file `name`, and creates its directory.
  package mutating func place(_ name: String) throws(FileError) -> String {
    let file = partial + "/" + name
    let directory = Directories.parent(of: file)
    let partial = partial
    try files.withLock { (files) throws(FileError) in
      guard !files.subdirectories.contains(directory) else { return }
      try Directories.create(directory, isSynced: false)
      var created = directory
      while created != partial, files.subdirectories.insert(created).inserted {
        created = Directories.parent(of: created)
      }
    }
    return file
  }

  /// Writes the manifest and the marker, syncs all files, and renames the directory to its final path.
  ///
  /// - Parameters:
  ///   - manifest: The manifest without outputs. The output files are added, sorted by path.
  ///   - marker: The name of an empty file to add, such as `_SUCCESS`.
  /// - Returns: The manifest as it was written.
  /// - Throws: `FileError` if a file cannot be written or synced, or the directory cannot be renamed. After
  ///   an error, the final path is unchanged, unless the error occurred after the rename.
  package consuming func complete(_ manifest: Manifest, marker: String? = nil) throws(FileError) -> Manifest {
    var manifest = manifest
    if let marker { try write(marker) { (_) throws(FileError) in } }
    manifest.outputs = files.withLock { $0.outputs }.sorted {
      $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
    }
    var writer = try FileWriter(creating: partial + "/manifest.json")
    try writer.append(manifest.json)
    try add(writer, as: "manifest.json", rows: nil)
    // All names exist by now and are invisible until the rename, so the order of the syncs does not matter.
    let partial = partial
    try files.withLock { (files) throws(FileError) in
      for directory in files.subdirectories.union([partial]) { try files.syncs.add(directory: directory) }
      try files.syncs.finish()
    }
    if replaces, Directories.exists(path) {
      try Directories.moveIntoPlace(partial, replacing: path)
    } else {
      try Directories.moveIntoPlace(partial, to: path)
    }
    return manifest
  }

  /// Removes the files written so far, after an error in the stage.
  package consuming func discard() throws(FileError) {
    try Directories.remove(partial)
  }
}
