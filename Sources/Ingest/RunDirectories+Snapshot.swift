package import Files
package import PipelineFile
package import RunSchemas

extension RunDirectories {
  /// The manifest of the last complete run's snapshot, with which a night's exports and clock are compared; `nil` where
  /// there is no such run.
  ///
  /// - Throws: `FileError` where it cannot be read, if `pipeline` expects something of the exports beside it. The clock
  ///   alone is no reason to do without lists because a former run is damaged: it is `nil` then.
  package func snapshotToCompare(with pipeline: Pipeline) throws(FileError) -> Manifest? {
    let expectations = pipeline.entities.map(\.expectations) + pipeline.interactions.map(\.expectations)
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
