import CommandLine
import Files
import PipelineFile
import Reports
import Text

/// The runs of a pipeline that are kept, as reports want to see them.
struct KeptRuns {
  let directories: RunDirectories

  init(_ directories: RunDirectories) { self.directories = directories }

  /// The run of a number, or in a directory; the last complete one where none is chosen.
  ///
  /// - Throws: `FileError` where there is none, or it has no lists.
  func run(_ chosen: String?) throws -> ReportedRun {
    guard let chosen else { return try Self.run(in: Directories.resolved(directories.latest())) }
    guard let number = Int(chosen) else {
      guard Directories.exists(chosen) else {
        throw FileError(.find, chosen, reason: "there is no such run directory")
      }
      return try Self.run(in: Directories.resolved(chosen))
    }
    let path = directories.path(of: number)
    guard Directories.exists(path) else {
      let kept = try directories.numbers().map(String.init).joined(separator: ", ")
      throw FileError(
        .find, path, reason: "there is no run \(number)", advice: "Runs that are kept: \(kept).")
    }
    return try Self.run(in: path)
  }

  /// The complete run before `run`.
  func previous(of run: ReportedRun) throws -> PreviousRun {
    guard let number = run.record?.number else { return .none }
    let earlier = try directories.numbers().filter { $0 < number }
    guard let last = try earlier.last(where: { try RunRecord.isComplete(directories.path(of: $0)) }) else {
      return .none
    }
    do {
      return .read(try Self.run(in: directories.path(of: last)))
    } catch is PipelineFileError {
      return .unreadable(last)
    }
  }

  /// All complete runs, for the index.
  func entry(_ name: String) throws -> ReportIndex.Entry {
    var entry = ReportIndex.Entry(name: name, runs: [], unfinished: [], unreadable: [])
    for number in try directories.numbers() where try RunRecord.isComplete(directories.path(of: number)) {
      do {
        entry.runs.append(try Self.run(in: directories.path(of: number)))
      } catch is PipelineFileError {
        entry.unreadable.append(number)
      }
    }
    if let last = entry.runs.last { entry.unfinished = try unfinished(after: last) }
    return entry
  }

  /// All pipelines with a complete run under the directory `work`.
  static func entries(in work: String) throws -> [ReportIndex.Entry] {
    guard Directories.exists(work) else { return [] }
    let names = try Directories.names(in: work).filter { Directories.exists("\(work)/\($0)/latest") }
    return try names.map { try KeptRuns(RunDirectories(work: work, pipeline: $0)).entry($0) }
  }

  /// The runs after `run` that are not complete, oldest first.
  func unfinished(after run: ReportedRun) throws -> [UnfinishedRun] {
    guard let number = run.record?.number else { return [] }
    return try directories.numbers().filter { $0 > number }.compactMap { later in
      let path = directories.path(of: later)
      guard try !RunRecord.isComplete(path) else { return nil }
      let failed = try? RunRecord(of: path).stages.last { $0.status != 0 }
      return UnfinishedRun(number: later, failure: failed.map { ($0.stage, $0.status) })
    }
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
      number: record.run, started: Instant(argument: record.started),
      generations: reports.compactMap { report in
        guard let store = report["store"]?.stringValue, let generation = report["generation"]?.integerValue
        else {
          return nil
        }
        return (store, generation)
      })
  }
}
