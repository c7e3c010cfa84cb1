package import PipelineFile
package import RunSchemas

extension Pipeline {
  /// Returns the directory of the pipeline's tombstones: the directory that the pipeline file names, or
  /// `erasures` next to the runs if it names none.
  package func tombstones(beside runs: RunDirectories) -> TombstoneDirectory {
    TombstoneDirectory(privacy.erasures.map(resolve) ?? runs.root + "/erasures")
  }

  /// Returns the directory of the tombstones for a stage that runs on its own. `runs` is `nil` if the run
  /// directory of the stage is outside a pipeline's directory. The result is `nil` if `runs` is `nil` and the
  /// pipeline file names no directory.
  package func tombstones(beside runs: RunDirectories?) -> TombstoneDirectory? {
    guard let runs else { return privacy.erasures.map { TombstoneDirectory(resolve($0)) } }
    return tombstones(beside: runs) as TombstoneDirectory
  }
}
