/// The one directory that a stage writes: hidden while it grows, whole when it appears.
///
/// Files go into `.NAME.partial` beside the final place; `complete` writes the manifest, syncs, and renames. A stage
/// directory that exists is therefore complete, whenever the process was killed. Whoever holds the run's lock
/// may remove a `.partial` that a dead process left, and `init` does.
package struct StageDirectory: ~Copyable {
  /// Where the directory will stand.
  package let path: String
  private let partial: String
  private var outputs: [FileDigest] = []
  private var subdirectories: Set<String> = []
  var syncs = PendingSyncs()
  private let replaces: Bool

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

  deinit {
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
    outputs.append(try writer.finish(as: name, rows: rows, syncedBy: &syncs))
  }

  /// Writes two files at the same time, for what tells the same in two formats.
  package mutating func write(
    _ first: String, _ second: String,
    _ body: (inout FileWriter, inout FileWriter) throws(FileError) -> Void
  ) throws(FileError) {
    var one = try FileWriter(creating: try place(first))
    var other = try FileWriter(creating: try place(second))
    try body(&one, &other)
    outputs.append(try one.finish(as: first, syncedBy: &syncs))
    outputs.append(try other.finish(as: second, syncedBy: &syncs))
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
    outputs.append(try FileDigest(syncing: file, as: name, rows: rows))
  }

  /// Notes files that were written at their places.
  mutating func add(_ files: [FileDigest]) { outputs += files }

  /// The path of the file `name`, in a directory that exists.
  mutating func place(_ name: String) throws(FileError) -> String {
    let file = partial + "/" + name
    let directory = Directories.parent(of: file)
    guard !subdirectories.contains(directory) else { return file }
    try Directories.create(directory, isSynced: false)
    var created = directory
    while created != partial, subdirectories.insert(created).inserted {
      created = Directories.parent(of: created)
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
    manifest.outputs = outputs.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    var writer = try FileWriter(creating: partial + "/manifest.json")
    try writer.append(manifest.json)
    _ = try writer.finish(as: "manifest.json", syncedBy: &syncs)
    // All names exist by now, and nobody looks at them before the renaming: the order of the syncs does not matter.
    for directory in subdirectories.union([partial]) { try syncs.add(directory: directory) }
    try syncs.finish()
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
