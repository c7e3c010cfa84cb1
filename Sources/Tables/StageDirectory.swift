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

  /// Creates the hidden directory for the stage directory `name` in `run`.
  ///
  /// - Throws: `FileError` of `create`; also where the stage directory exists already.
  package init(_ name: String, in run: String) throws(FileError) {
    path = run + "/" + name
    partial = run + "/." + name + ".partial"
    guard !Directories.exists(path) else {
      throw FileError(
        .create, path, reason: "it exists already, and what is complete is never overwritten",
        advice: "Choose another run directory, or remove this one.")
    }
    try Directories.remove(partial)
    try Directories.create(partial)
  }

  deinit {
    // After `complete` there is nothing under this name. Else an error is on its way, and is the one to tell.
    try? Directories.remove(partial)
  }

  /// Writes the file `name`, which may stand in subdirectories (`users/id.utf8`).
  package mutating func write(
    _ name: String, rows: Int? = nil,
    _ body: (inout FileWriter) throws(FileError) -> Void
  ) throws(FileError) {
    let file = partial + "/" + name
    let directory = Directories.parent(of: file)
    if subdirectories.insert(directory).inserted { try Directories.create(directory) }
    var writer = try FileWriter(creating: file)
    try body(&writer)
    outputs.append(try writer.finish(as: name, rows: rows))
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
    _ = try writer.finish(as: "manifest.json")
    for directory in subdirectories.sorted(by: >) { try Directories.sync(directory) }
    try Directories.sync(partial)
    try Directories.moveIntoPlace(partial, to: path)
    return manifest
  }

  /// Removes what was written so far: for a stage that ends in an error.
  package consuming func discard() throws(FileError) {
    try Directories.remove(partial)
  }
}
