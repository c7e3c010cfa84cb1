package import PipelineFile
package import RunSchemas

extension Pipeline {
  /// The directory of the pipeline's tombstones: as its file specifies, else among its runs.
  package func tombstones(beside runs: RunDirectories) -> TombstoneDirectory {
    TombstoneDirectory(privacy.erasures.map(resolve) ?? runs.root + "/erasures")
  }

  /// The same for a run directory that may be outside of a pipeline's directory: there are then none, unless the file specifies
  /// a directory.
  package func tombstones(beside runs: RunDirectories?) -> TombstoneDirectory? {
    guard let runs else { return privacy.erasures.map { TombstoneDirectory(resolve($0)) } }
    return tombstones(beside: runs) as TombstoneDirectory
  }
}
