import ArgumentParser
import CommandLine
import Files
import PipelineFile
internal import System

/// Which pipeline a person means: by default the only one that has run here, as it ran last.
struct ChosenPipeline: ParsableArguments {
  @Argument(help: "The pipeline file (default: that of the only pipeline that has run under WORK).")
  var pipeline: String?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Override one value of the pipeline file; may be repeated.", valueName: "key=value"))
  var overrides: [String] = []

  @Option(help: "Where the runs of all pipelines lie.")
  var work = "var"

  /// The pipeline in force: the named file, or that of the last complete run with the overrides of that run.
  func load() throws -> Pipeline {
    let (file, changes) = try pipeline.map { ($0, overrides) } ?? lastRun()
    var parsed: [Override] = []
    for change in changes { parsed.append(try Override(change)) }
    return try Pipeline(file: file, overrides: parsed)
  }

  private func lastRun() throws -> (file: String, changes: [String]) {
    let record = try RunRecord(of: RunDirectories(work: work, pipeline: onlyPipeline()).latest())
    return (record.pipelineFile, record.overrides + overrides)
  }

  private func onlyPipeline() throws -> String {
    let names = Directories.exists(work) ? try Directories.names(in: work) : []
    let complete = names.filter { Directories.exists("\(work)/\($0)/latest") }
    if let only = complete.first, complete.count == 1 { return only }
    if complete.isEmpty {
      throw StageFailure(
        .missingInput,
        "no pipeline has run under '\(work)'. Run 'nightjar run' first, or name another directory with --work."
      )
    }
    throw StageFailure(
      .usage,
      "several pipelines have run under '\(work)': \(complete.joined(separator: ", ")). Name the pipeline file."
    )
  }
}

extension RunDirectories {
  /// The directory of the run `number`, or of the last complete one.
  func directory(of number: Int?) throws -> String {
    guard let number else { return try latest() }
    let path = path(of: number)
    guard Directories.exists(path) else {
      let kept = try numbers().map(String.init).joined(separator: ", ")
      throw FileError(
        .find, path, reason: "there is no run \(number)", advice: "Runs that are kept: \(kept).")
    }
    return path
  }
}
