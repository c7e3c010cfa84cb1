internal import CommandLine
internal import Files
internal import RunSchemas
internal import Text

/// The outcomes of a pipeline's last runs.
struct LastRuns {
  private let directories: RunDirectories
  /// The path of the pipeline file, for the commands in the advice.
  private let pipelineFile: String
  /// The values of `--set` of this command, for the commands in the advice.
  private let overrides: [String]
  /// The directory of the last complete run, and its record.
  private let complete: (directory: String, record: RunRecord)?
  /// The newest run, if it is not complete or if its record is damaged.
  private let newest: (number: Int, record: Record)?

  private enum Record {
    case read(RunRecord)
    case damaged(FileError)
    /// The run was killed before it wrote a record.
    case absent
  }

  init(_ directories: RunDirectories, pipelineFile: String, overrides: [String] = []) {
    (self.directories, self.pipelineFile, self.overrides) = (directories, pipelineFile, overrides)
    complete = (try? directories.latest()).flatMap { directory in
      (try? RunRecord(of: directory)).map { (directory, $0) }
    }
    newest = (try? directories.numbers())?.last.flatMap { number in
      switch Self.record(of: directories.path(of: number)) {
      case .read(let record) where record.complete: nil
      case let record: (number, record)
      }
    }
  }

  private static func record(of run: String) -> Record {
    guard Directories.exists(run + "/run.json") else { return .absent }
    do throws(FileError) { return .read(try RunRecord(of: run)) } catch { return .damaged(error) }
  }

  /// The number of bytes that the stages of the last complete run wrote; `nil` if no run is complete.
  var bytes: Int? {
    complete.map { complete in
      Stage.allCases.filter { !$0.directory.isEmpty }.reduce(0) { sum, stage in
        let manifest = try? Manifest(of: complete.directory + "/" + stage.directory)
        return sum + (manifest?.outputs.reduce(0) { $0 + $1.bytes } ?? 0)
      }
    }
  }

  /// The largest peak memory of a stage of the last complete run, in bytes; `nil` if it is unknown.
  var peakMemory: Int? { complete?.record.stages.compactMap(\.peakMemory).max() }

  /// Compares all files of the last complete run, and of a newer incomplete run, with their manifests.
  /// Returns `nil` if no run exists.
  ///
  /// A damaged file does not stop a new run, so the result is a note. The note contains the command that
  /// replaces the damaged stage.
  func damage() -> HealthCheck? {
    var advice: [String] = []
    if let complete, let (stage, error) = Self.damage(in: complete.directory) {
      advice.append("run \(complete.record.run): \(error.path): \(error.reason); \(remedy(stage))")
    }
    if let newest, let error = newestDamage {
      advice.append(
        "run \(newest.number) cannot be resumed: \(error.path): \(error.reason); start a new run with "
          + "'\(newRun)'"
      )
    }
    if complete == nil && newest == nil { return nil }
    return advice.isEmpty
      ? HealthCheck("files", .well, "all files of the last run are intact")
      : HealthCheck("files", .note, advice.joined(separator: "; "))
  }

  /// The damage of the newest run; `nil` if that run is complete or undamaged.
  private var newestDamage: FileError? {
    guard let newest else { return nil }
    if case .damaged(let error) = newest.record { return error }
    return Self.damage(in: directories.path(of: newest.number))?.1
  }

  /// Returns the first stage of a run that has a damaged file, with the damage. The result is `nil` if all
  /// files are intact.
  private static func damage(in run: String) -> (Stage, FileError)? {
    for stage in Stage.allCases where !stage.directory.isEmpty {
      let directory = "\(run)/\(stage.directory)"
      guard Directories.exists(directory) else { continue }
      do throws(FileError) { try StoredFiles.check(directory) } catch { return (stage, error) }
    }
    return nil
  }

  /// The command that starts a new run.
  private var newRun: String {
    ShownCommand.text("run", pipelineFile, set: overrides, work: directories.work)
  }

  private func remedy(_ stage: Stage) -> String {
    // A run from a later stage must have the same overrides as the run whose stages it reuses.
    let overrides = complete?.record.overrides ?? self.overrides
    switch stage {
    case .ingest: return "start a new run with '\(newRun)'"
    case .evaluate:
      let command = ShownCommand.text(
        "evaluate", pipelineFile, set: overrides, work: directories.work, "--force")
      return "evaluate again with '\(command)'"
    case .index, .fit, .rank, .publish:
      let command = ShownCommand.text(
        "run", pipelineFile, set: overrides, work: directories.work, "--from", stage.rawValue)
      return "start a new run with '\(command)'"
    }
  }

  func check() -> HealthCheck {
    if let newest {
      if newestDamage != nil {
        return HealthCheck(
          "last run", .note,
          "run \(newest.number) is damaged; '\(newRun)' starts a new one")
      }
      let record = if case .read(let record) = newest.record { record } else { nil as RunRecord? }
      let failed = record?.stages.last { $0.status != 0 }
      let how =
        failed.map { "failed in \($0.stage) with status \($0.status)" }
        ?? "was interrupted or is still running"
      if let tool = record?.tool, tool != Tool.name {
        return HealthCheck(
          "last run", .note,
          "run \(newest.number) is incomplete and was made by \(tool); '\(newRun)' starts a new one"
        )
      }
      let resume = ShownCommand.text(
        "run", pipelineFile, set: record?.overrides ?? overrides, work: directories.work, "--resume")
      return HealthCheck(
        "last run", .note,
        "run \(newest.number) \(how); '\(resume)' continues it; '\(newRun)' starts a new one")
    }
    guard let record = complete?.record else {
      return HealthCheck("last run", .note, "no run exists yet; '\(newRun)' starts one")
    }
    let seconds = record.stages.reduce(0) { $0 + $1.seconds }
    return HealthCheck(
      "last run", .well,
      "run \(record.run) was completed at \(record.finished ?? record.started) and took \(seconds.fixed(1)) s"
    )
  }
}
