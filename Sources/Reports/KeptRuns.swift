package import Files
internal import PipelineFile
internal import Readers
package import RunSchemas
internal import System
internal import Text

/// The kept runs of a pipeline, as input for reports.
package struct KeptRuns {
  private let directories: RunDirectories

  package init(_ directories: RunDirectories) { self.directories = directories }

  /// Writes the report of a run, and the index of all pipelines. If no run is complete but runs have failed,
  /// the report only names the failure.
  ///
  /// - Parameters:
  ///   - name: The name of the pipeline.
  ///   - chosen: The number or the directory of the run; `nil` for the last complete run.
  ///   - work: The directory of all pipelines' runs, for the index.
  ///   - directory: The directory that receives the pages.
  ///   - tool: The name and version of the program, for the index.
  ///   - access: The permissions of the files; `nil` for the default permissions.
  /// - Returns: The path of the page of the run.
  /// - Throws: `StageFailure` for a run of another pipeline; `FileError` if a file cannot be read or written;
  ///   `PipelineFileError` if this version of the program does not support a run's pipeline file.
  package func writeReport(
    of name: String, _ chosen: String?, work: String, to directory: String, tool: String,
    _ access: FileAccess? = nil
  ) throws -> String {
    let written = try page(of: name, chosen, to: directory, tool, access)
    _ = try ReportIndex.write(Self.entries(in: work), to: directory, tool: tool, access)
    return written
  }

  private func page(
    of name: String, _ chosen: String?, to directory: String, _ tool: String, _ access: FileAccess?
  ) throws -> String {
    if chosen == nil, !Directories.exists(directories.root + "/latest") {
      let failed = try unfinished(after: nil)
      if failed.contains(where: { $0.at != nil }) {
        return try Report.write(failed, of: name, to: directory, tool: tool, access)
      }
    }
    let run = try run(chosen)
    guard run.name == name else {
      throw StageFailure(
        .badData,
        "'\(run.directory)' is a run of the pipeline '\(run.name)', not of '\(name)'. Choose a run of "
          + "'\(name)'.")
    }
    return try Report.write(
      run, previous: previous(of: run), later: unfinished(after: run), to: directory, access)
  }

  /// Returns the permissions that the pipeline file of the last complete run sets for report files; `nil` for
  /// the default permissions.
  ///
  /// - Throws: `FileError` or `PipelineFileError` if no run can be read; `UnknownGroup` for an unknown group.
  package func access() throws -> FileAccess? { try run(nil).pipeline.reportAccess() }

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
    if !entry.runs.isEmpty || entry.unreadable.isEmpty {
      entry.unfinished = try unfinished(after: entry.runs.last)
    }
    return entry
  }

  /// Returns all pipelines with a complete run or a failure under the directory `work`.
  static func entries(in work: String) throws -> [PipelineRuns] {
    let complete = Set(try RunDirectories.pipelines(in: work))
    return try (Directories.exists(work) ? Directories.names(in: work) : []).compactMap {
      (name) -> PipelineRuns? in
      let entry = try KeptRuns(RunDirectories(work: work, pipeline: name)).entry(name)
      return complete.contains(name) || entry.unfinished.contains { $0.at != nil } ? entry : nil
    }
  }

  /// Returns the incomplete runs after the complete run `run`, oldest first. If `run` is `nil`, returns all
  /// incomplete runs.
  func unfinished(after run: ReportedRun?) throws -> [UnfinishedRun] {
    if let run, run.record == nil { return [] }
    let number = run?.record?.number ?? 0
    let later = try directories.numbers().filter { $0 > number }.compactMap { later -> UnfinishedRun? in
      let path = directories.path(of: later)
      // A run without a readable record does not count as complete.
      guard (try? RunRecord.isComplete(path)) != true else { return nil }
      return UnfinishedRun(number: later, try? RunRecord(of: path))
    }
    // The next run removes this note, so the note is newer than all runs.
    let start = FailedStart(of: directories.root)
    return later
      + [start.map { UnfinishedRun(number: nil, failure: (nil, $0.status), at: $0.time) }]
      .compactMap(\.self)
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

extension UnfinishedRun {
  /// Creates the run `number` with the record `record`; `nil` if its record cannot be read.
  fileprivate init(number: Int, _ record: RunRecord?) {
    let stage = record?.stages.last { $0.status != 0 }
    // Earlier versions of the program recorded only the status of the failed stage.
    let status = stage?.status ?? record?.status
    self.init(
      number: number, failure: status.map { (stage: stage?.stage, status: $0) },
      at: status == nil ? nil : record?.finished.flatMap(Instant.init(recorded:)))
  }
}

extension Instant {
  /// Creates the instant from a time in a run's record; `nil` if the time is invalid.
  fileprivate init?(recorded text: String) {
    guard let milliseconds = parseInstant(Array(text.utf8).span) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

extension ReportedRun.RunFacts {
  init(_ record: RunRecord) {
    let reports = record.published?.storeReports ?? []
    self.init(
      number: record.run,
      started: Instant(recorded: record.started),
      generations: reports.compactMap { report in
        guard let store = report["store"]?.stringValue, let generation = report["generation"]?.integerValue
        else {
          return nil
        }
        return (store, generation)
      })
  }
}
