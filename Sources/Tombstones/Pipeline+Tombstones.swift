package import PipelineFile
package import RunSchemas

extension Pipeline {
  /// The directory of the pipeline's tombstones: the directory in the pipeline file, otherwise `erasures`
  /// next to the runs.
  package func tombstones(beside runs: RunDirectories) -> TombstoneDirectory {
    TombstoneDirectory(privacy.erasures.map(resolve) ?? runs.root + "/erasures")
  }

  /// The directory of the tombstones for a run directory that may be outside a pipeline's directory. The
  /// result is `nil` if `runs` is `nil` and the pipeline file names no directory.
  package func tombstones(beside runs: RunDirectories?) -> TombstoneDirectory? {
    guard let runs else { return privacy.erasures.map { TombstoneDirectory(resolve($0)) } }
    return tombstones(beside: runs) as TombstoneDirectory
  }
}
