package import Files
package import PipelineFile
internal import Readers
package import Tombstones

/// Finds the exports that changed after a snapshot of them was made.
package enum ExportChanges {
  /// Lists the exports of `pipeline` that changed, appeared or disappeared after `snapshot` was made.
  ///
  /// The function reads every file again, because modification times are unreliable. Standard input and the
  /// inputs of queries cannot be compared and always pass.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot's manifest.
  ///   - pipeline: The effective pipeline file.
  ///   - tombstones: The tombstones in force. A snapshot that was made with other tombstones may lack people,
  ///     or still contain erased people.
  /// - Returns: One line for each changed file: its display name, and what changed. If the tombstones have
  ///   changed, the first line reports this change.
  /// - Throws: `ExportError` if files cannot be listed or read.
  package static func since(
    _ snapshot: Manifest, _ pipeline: Pipeline, tombstones: TombstoneSet
  ) throws -> [String] {
    var files: [ExportFile] = []
    for (_, source) in pipeline.sources where !source.paths.isEmpty {
      files += try ExportFile.files(named: source.paths, in: pipeline.directory)
    }
    var changes: [String] = []
    let former = snapshot.inputs.first { $0.path == TombstoneSet.inputPath }
    if former?.sha256 != tombstones.digest { changes.append("the tombstones of erased people have changed") }
    for input in snapshot.inputs where input.path != "-" && input.path != TombstoneSet.inputPath {
      guard let file = files.first(where: { $0.shown == input.path }) else {
        changes.append("\(input.path) is gone")
        continue
      }
      // The file is not mapped into memory, because another process may truncate it meanwhile.
      let digest = RunningDigest()
      try file.read { digest.update($0) }
      if digest.bytes != input.bytes || digest.finish() != input.sha256 {
        changes.append("\(input.path) has changed")
      }
    }
    let known = Set(snapshot.inputs.map { Array($0.path.utf8) })
    for file in files where file.path != "-" && !known.contains(Array(file.shown.utf8)) {
      changes.append("\(file.shown) is new")
    }
    return changes
  }
}
