package import Files
package import PipelineFile
internal import Readers
package import RunSchemas
internal import System
internal import Text

/// The kept runs of a pipeline, as input for reports.
package struct KeptRuns {
  private let directories: RunDirectories

  package init(_ directories: RunDirectories) { self.directories = directories }

  /// Writes the report of a run of `pipeline`, and the index of all pipelines.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - chosen: The number or the directory of the run; `nil` for the last complete run.
  ///   - work: The directory of all pipelines' runs, for the index.
  ///   - directory: The directory that receives the pages.
  ///   - tool: The name and version of the program, for the index.
  ///   - access: The permissions of the files; `nil` for the default permissions.
  /// - Returns: The path of the page of the run.
  /// - Throws: `StageFailure` for a run of another pipeline; `FileError` if a file cannot be read or written;
  ///   `PipelineFileError` if this version of the program does not support a run's pipeline file.
  package func writeReport(
    of pipeline: Pipeline, _ chosen: String?, work: String, to directory: String, tool: String,
    _ access: FileAccess? = nil
  ) throws -> String {
    let run = try run(chosen)
    guard run.name == pipeline.name else {
      throw StageFailure(
        .badData,
        "'\(run.directory)' is a run of the pipeline '\(run.name)', not of '\(pipeline.name)'. Choose a run of "
          + "'\(pipeline.name)'.")
    }
    let written = try Report.write(
      run, previous: previous(of: run), later: unfinished(after: run), to: directory, access)
    _ = try ReportIndex.write(Self.entries(in: work), to: directory, tool: tool, access)
    return written
  }

  /// Writes the comparison of two runs. Each run is given by its number or its directory.
  ///
  /// - Returns: The path of the page.
  /// - Throws: `FileError` if a file cannot be read or written; `PipelineFileError` if this version of the
  ///   program does not support a run's pipeline file.
  package func writeComparison(
    of first: String, with second: String, to directory: String, _ access: FileAccess? = nil
  ) throws -> String {
    try Comparison.write(run(first), run(second), to: directory, access)
  }

  /// Returns the run with the number or the directory `chosen`; `nil` means the last complete run.
  ///
  /// - Throws: `FileError` if the run does not exist or has no lists.
  func run(_ chosen: String?) throws -> ReportedRun {
    try Self.run(in: Directories.resolved(directories.directory(chosen: chosen)))
  }

  /// Returns the newest complete run before `run`; `none` if no earlier run is complete, or if `run` has no
  /// number; `unreadable` if this program cannot read the earlier run.
  func previous(of run: ReportedRun) throws -> EarlierRun {
    guard let number = run.record?.number else { return .none }
    for earlier in try directories.numbers().reversed() where earlier < number {
      do {
        if let run = try completeRun(earlier) { return .read(run) }
      } catch  where Self.isUnreadable(error) {
        return .unreadable(earlier)
      }
    }
    return .none
  }

  /// Returns the kept runs of the pipeline `name`, for the index.
  func entry(_ name: String) throws -> PipelineRuns {
    var entry = PipelineRuns(name: name, runs: [], unfinished: [], unreadable: [])
    for number in try directories.numbers() {
      do {
        if let run = try completeRun(number) { entry.runs.append(run) }
      } catch  where Self.isUnreadable(error) {
        entry.unreadable.append(number)
      }
    }
    if let last = entry.runs.last { entry.unfinished = try unfinished(after: last) }
    return entry
  }

  /// Returns all pipelines with a complete run under the directory `work`.
  static func entries(in work: String) throws -> [PipelineRuns] {
    try RunDirectories.pipelines(in: work).map {
      try KeptRuns(RunDirectories(work: work, pipeline: $0)).entry($0)
    }
  }

  /// Returns the incomplete runs after `run`, oldest first.
  func unfinished(after run: ReportedRun) throws -> [UnfinishedRun] {
    guard let number = run.record?.number else { return [] }
    return try directories.numbers().filter { $0 > number }.compactMap { later in
      let path = directories.path(of: later)
      // A run without a readable record does not count as complete.
      guard (try? RunRecord.isComplete(path)) != true else { return nil }
      let failed = try? RunRecord(of: path).stages.last { $0.status != 0 }
      return UnfinishedRun(number: later, failure: failed.map { ($0.stage, $0.status) })
    }
  }

  /// Returns the run `number`; `nil` if the run is not complete.
  private func completeRun(_ number: Int) throws -> ReportedRun? {
    let path = directories.path(of: number)
    return try RunRecord.isComplete(path) ? Self.run(in: path) : nil
  }

  /// Returns whether the error means that a run's files are missing, damaged or of another version. Reports
  /// omit such a run.
  private static func isUnreadable(_ error: any Error) -> Bool {
    error is PipelineFileError || (error as? FileError).map { [.find, .read].contains($0.operation) } == true
  }

  private static func run(in directory: String) throws -> ReportedRun {
    guard Directories.exists(directory + "/run.json") else { return try ReportedRun(directory, record: nil) }
    return try ReportedRun(directory, record: ReportedRun.RunFacts(RunRecord(of: directory)))
  }
}

extension ReportedRun.RunFacts {
  init(_ record: RunRecord) {
    let reports = record.published.map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []
    self.init(
      number: record.run,
      started: parseInstant(Array(record.started.utf8).span).map(Instant.init(milliseconds:)),
      generations: reports.compactMap { report in
        guard let store = report["store"]?.stringValue, let generation = report["generation"]?.integerValue
        else {
          return nil
        }
        return (store, generation)
      })
  }
}
