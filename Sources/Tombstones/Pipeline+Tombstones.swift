package import PipelineFile
package import RunSchemas

extension Pipeline {
  /// Where the tombstones of the pipeline lie: where its file says, else among its runs.
  package func tombstones(beside runs: RunDirectories) -> TombstoneDirectory {
    TombstoneDirectory(privacy.erasures.map(resolve) ?? runs.root + "/erasures")
  }

  /// The same for a run directory that may stand alone: there are none then, unless the file says where.
  package func tombstones(beside runs: RunDirectories?) -> TombstoneDirectory? {
    guard let runs else { return privacy.erasures.map { TombstoneDirectory(resolve($0)) } }
    return tombstones(beside: runs) as TombstoneDirectory
  }
}
