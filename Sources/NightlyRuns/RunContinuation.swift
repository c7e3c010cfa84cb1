internal import CommandLine
internal import Files
internal import Foundation
internal import Ingest
internal import PipelineFile
package import RunSchemas
internal import System
internal import Text
internal import Tombstones

/// The beginning of a run: without complete stages, or with complete stages of an earlier run.
package enum RunBeginning: Hashable, Sendable {
  case new
  /// Continues the last run, which was interrupted, after its complete stages.
  case resumed
  /// Starts a new run at this stage, with the earlier stages of the last complete run.
  case from(Stage)
}

/// Checks the stages of an earlier or interrupted run before another run reuses them.
struct RunContinuation {
  let pipeline: Pipeline
  let directories: RunDirectories
  /// The number of threads that compare files with their manifests.
  let threads: Int

  /// Returns the number of the interrupted run: the newest run, if it is not complete.
  ///
  /// - Throws: `StageFailure` if no run can be resumed, or if the pipeline file, the exports, the tombstones
  ///   or the program have changed since the interruption; `FileError` if the run is damaged; `ExportError`
  ///   or `TombstoneError` if the exports or the tombstones cannot be read.
  func interrupted() throws -> Int {
    guard let number = try directories.numbers().last else {
      throw nothingToResume("no run of '\(pipeline.name)' exists")
    }
    guard try !RunRecord.isComplete(directories.path(of: number)) else {
      throw nothingToResume("run \(number) is complete")
    }
    try check(run: number, stage: nil, "resume")
    return number
  }

  /// Checks that a run can start from `stage` with the earlier stages of the last complete run.
  ///
  /// - Throws: `FileError` if no run is complete, or if the run is damaged; `StageFailure` if the program or
  ///   the settings of these stages have changed.
  func checkLast(before stage: Stage) throws {
    let source = try directories.latest()
    let run = Int(Directories.resolved(source).split(separator: "/").last ?? "") ?? 0
    // A newer run with a damaged record may be the last complete run, so the damage is an error.
    for number in try directories.numbers() where number >= run {
      _ = try RunRecord.isComplete(directories.path(of: number))
    }
    guard let last = earlier(than: stage).last else { return }
    try check(run: run, stage: last, "start from '\(stage.rawValue)'")
  }

  /// Links those stages of the last complete run that precede `stage` into the directory of run `number`.
  /// Hard links are safe because the files of a complete stage never change.
  func link(before stage: Stage, into number: Int) throws {
    let source = try directories.latest()
    for earlier in earlier(than: stage) where Directories.exists("\(source)/\(earlier.directory)") {
      try Directories.linkFiles(
        of: "\(source)/\(earlier.directory)", to: "\(directories.path(of: number))/\(earlier.directory)")
    }
  }

  /// Returns the stages before `stage` that write directories, except `evaluate`. A run with `--from` never
  /// reuses an evaluation.
  private func earlier(than stage: Stage) -> [Stage] {
    Stage.allCases.prefix { $0 != stage }.filter { $0 != .evaluate }
  }

  private func check(run: Int, stage: Stage?, _ what: String) throws {
    let directory = directories.path(of: run)
    let made = Stage.allCases.filter {
      !$0.directory.isEmpty && Directories.exists("\(directory)/\($0.directory)")
    }
    let relevant = stage.map { earlier(than: $0) + [$0] } ?? made
    for earlier in made where relevant.contains(earlier) {
      let manifest = try Manifest(of: "\(directory)/\(earlier.directory)")
      guard manifest.tool == Tool.name else {
        throw refusal(run, what, "\(manifest.tool) made run \(run), but this is \(Tool.name)")
      }
      let changed = ConfigurationChange.keys(
        from: manifest.configuration, to: pipeline.configuration, stage: stage == nil ? nil : earlier)
      guard changed.isEmpty else {
        throw refusal(
          run, what,
          "the pipeline file has changed since run \(run): \(changed.prefix(5).joined(separator: ", "))",
          .badPipelineFile)
      }
      try StoredFiles.check("\(directory)/\(earlier.directory)", threads: threads)
    }
    _ = try Manifest.parents(made.filter(relevant.contains).map(\.directory), in: directory)
    // With `--from`, a run uses the earlier snapshot even if the exports have changed.
    guard stage == nil, made.contains(.ingest) else { return }
    let snapshot = try Manifest(of: "\(directory)/\(Stage.ingest.directory)")
    let changed = try ExportChanges.since(
      snapshot, pipeline, tombstones: pipeline.tombstones(beside: directories).load())
    guard let first = changed.first else { return }
    let others = changed.count == 1 ? "" : ", and \((changed.count - 1).counted("other change"))"
    throw refusal(run, what, "the inputs have changed since run \(run): \(first)\(others)", .badData)
  }

  private func refusal(
    _ run: Int, _ what: String, _ found: String, _ status: ExitStatus = .badPipelineFile
  ) -> StageFailure {
    StageFailure(status, "cannot \(what): \(found). Start a new run.")
  }

  private func nothingToResume(_ found: String) -> StageFailure {
    StageFailure(.missingInput, "the pipeline has nothing to resume: \(found). Start a run without --resume.")
  }
}

/// Compares the effective pipeline file with the configuration in the manifest of a stage.
enum ConfigurationChange {
  /// Returns the top-level keys that affect neither `stage` nor an earlier stage.
  static func irrelevantKeys(to stage: Stage) -> Set<String> {
    let outputs: Set = ["evaluation", "publish", "keep_runs", "report"]
    return switch stage {
    case .ingest: outputs.union(["model", "models", "rankings"])
    case .index, .fit: outputs.union(["rankings"])
    case .rank, .evaluate, .publish: outputs
    }
  }

  /// Returns the dotted paths of the keys with different values, sorted.
  ///
  /// - Parameters:
  ///   - old: The configuration of a manifest.
  ///   - new: The configuration of the effective pipeline file.
  ///   - stage: The stage of the manifest; `nil` to compare everything.
  /// - Returns: Paths such as `rankings.partners.top`.
  static func keys(from old: JSONValue, to new: JSONValue, stage: Stage?) -> [String] {
    let ignored = stage.map(irrelevantKeys) ?? ["keep_runs", "report"]
    return keys(old, new, at: []).filter { !ignored.contains(String($0.prefix { $0 != "." })) }
  }

  private static func keys(_ old: JSONValue, _ new: JSONValue, at path: [String]) -> [String] {
    guard old != new else { return [] }
    guard case .object(let before) = old, case .object(let after) = new else {
      return [path.joined(separator: ".")]
    }
    return Set(before.keys).union(after.keys).sorted().flatMap { key in
      keys(before[key] ?? .null, after[key] ?? .null, at: path + [key])
    }
  }
}
