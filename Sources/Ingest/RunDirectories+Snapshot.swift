package import Files
package import PipelineFile
package import RunSchemas

extension RunDirectories {
  /// The manifest of the last complete run's snapshot, which a night compares its exports and clock with; `nil` if there is no
  /// such run.
  ///
  /// - Throws: `FileError` if it cannot be read and `pipeline` has expectations that need it. For the clock alone, a damaged
  ///   former run does not stop the night: the result is `nil` then.
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
