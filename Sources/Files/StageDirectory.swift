internal import Concurrency

/// The one directory that a stage writes: hidden while it grows, whole when it appears.
///
/// Files go into `.NAME.partial` beside the final place; `complete` writes the manifest, syncs, and renames. A stage
/// directory that exists is therefore complete, whenever the process was killed. Whoever holds the run's lock
/// may remove a `.partial` that a dead process left, and `init` does.
package struct StageDirectory: ~Copyable {
  /// Where the directory will stand.
  package let path: String
  private let partial: String
  private let replaces: Bool
  private let files: Guarded<Files>
  /// Whether another value is the owner of what is written: see `writeTogether`.
  private let isLent: Bool

  /// What was written so far.
  private struct Files: ~Copyable {
    var outputs: [FileDigest] = []
    var subdirectories: Set<String> = []
    var syncs = PendingSyncs()
  }

  /// Creates the hidden directory for the stage directory `name` in `run`.
  ///
  /// - Parameters:
  ///   - name: The last part of its path.
  ///   - run: The directory that will hold it.
  ///   - hidden: The name of the hidden directory, for what is written without the run's lock; `nil` is `.NAME.partial`.
  ///   - replaces: Whether a directory that exists is replaced once this one is complete.
  /// - Throws: `FileError` of `create`; also where the stage directory exists already.
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
        .create, path, reason: "it exists already, and what is complete is never overwritten",
        advice: "Choose another run directory, or remove this one.")
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

  /// The same directory for another thread, as long as its owner waits.
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
    // After `complete` there is nothing under this name. Else an error is on its way, and is the one to tell.
    try? Directories.remove(partial)
  }

  /// Writes the file `name`, which may stand in subdirectories (`users/id.utf8`).
  package mutating func write(
    _ name: String, rows: Int? = nil,
    _ body: (inout FileWriter) throws(FileError) -> Void
  ) throws(FileError) {
    var writer = try FileWriter(creating: try place(name))
    try body(&writer)
    try add(writer, as: name, rows: rows)
  }

  /// Writes some files, with others at the same time.
  package typealias Body = @Sendable (inout StageDirectory) throws(FileError) -> Void

  /// Writes files on up to `threads` threads: each of `bodies` writes some that no other one does.
  ///
  /// - Throws: `FileError` of the first of `bodies` that could not write, or to which it fell to sync files that others have
  ///   written.
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

  /// Ends a file that was written under the name `name`.
  package func add(_ writer: consuming FileWriter, as name: String, rows: Int?) throws(FileError) {
    // Digested and on its way to the disk before the others wait, and synced after.
    var syncs = PendingSyncs()
    let digest = try writer.finish(as: name, rows: rows, syncedBy: &syncs)
    files.withLock { files in
      files.outputs.append(digest)
      files.syncs.take(&syncs)
      if files.syncs.isFull { swap(&files.syncs, &syncs) }
    }
    try syncs.finish()
  }

  /// Writes two files at the same time, for what tells the same in two formats.
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

  /// Has another program write the file `name`.
  ///
  /// - Parameters:
  ///   - name: As for `write`.
  ///   - body: Has the file written at the path that it is given, and returns the number of rows in it.
  /// - Throws: `FileError`; whatever `body` throws.
  package mutating func adopt(_ name: String, _ body: (_ path: String) throws -> Int) throws {
    let file = try place(name)
    let rows = try body(file)
    let digest = try FileDigest(syncing: file, as: name, rows: rows)
    files.withLock { $0.outputs.append(digest) }
  }

  /// Where the file or directory `name` is while the stage directory grows: for whoever reads what was written before.
  package func written(_ name: String) -> String { partial + "/" + name }

  /// Notes files that were written at their places.
  mutating func add(_ written: [FileDigest]) { files.withLock { $0.outputs += written } }

  /// The path of the file `name`, in a directory that exists.
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

  /// Writes the manifest and whatever marks completeness, and moves the directory into its place.
  ///
  /// - Parameters:
  ///   - manifest: Completed here with the output files, sorted by path.
  ///   - marker: The name of an empty file to add, such as `_SUCCESS`.
  /// - Returns: The manifest as it was written.
  /// - Throws: `FileError`; the stage directory does not exist then.
  package consuming func complete(_ manifest: Manifest, marker: String? = nil) throws(FileError) -> Manifest {
    var manifest = manifest
    if let marker { try write(marker) { (_) throws(FileError) in } }
    manifest.outputs = files.withLock { $0.outputs }.sorted {
      $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
    }
    var writer = try FileWriter(creating: partial + "/manifest.json")
    try writer.append(manifest.json)
    try add(writer, as: "manifest.json", rows: nil)
    // All names exist by now, and nobody looks at them before the renaming: the order of the syncs does not matter.
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

  /// Removes what was written so far: for a stage that ends in an error.
  package consuming func discard() throws(FileError) {
    try Directories.remove(partial)
  }
}
