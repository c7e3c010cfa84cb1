package import Files
package import PipelineFile
package import RunSchemas

extension RunDirectories {
  /// Returns the manifest of the last complete run's snapshot, for a comparison with the exports and the
  /// clock of a run; `nil` if no run is complete.
  ///
  /// - Throws: `FileError` if the manifest cannot be read and an expectation of `pipeline` needs it. If no
  ///   expectation needs it, the function returns `nil` for an unreadable manifest, and the run skips the
  ///   comparison.
  package func snapshotToCompare(with pipeline: Pipeline) throws(FileError) -> Manifest? {
    let expectations =
      pipeline.entities.map(\.expectations) + pipeline.checkIns.map(\.expectations)
      + pipeline.interactions.map(\.expectations) + pipeline.requests.map(\.expectations)
    let snapshot = root + "/latest/" + Stage.ingest.directory
    guard Directories.exists(snapshot) else { return nil }
    do {
      return try Manifest(of: snapshot)
    } catch {
      guard expectations.contains(where: { $0.dropAtMost != nil || $0.growAtMost != nil }) else { return nil }
      throw error
    }
  }
}
