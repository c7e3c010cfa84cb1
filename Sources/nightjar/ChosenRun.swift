import ArgumentParser
import PipelineFile
import StageSupport
import Tables

/// Which pipeline and run an analyst means: by default the last complete run of the only pipeline there is.
struct ChosenRun: ParsableArguments {
  @Argument(help: "The pipeline file (default: that of the only pipeline that has run under WORK).")
  var pipeline: String?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Override one value of the pipeline file; may be repeated.", valueName: "key=value"))
  var overrides: [String] = []

  @Option(help: "Where the runs of all pipelines lie.")
  var work = "var"

  @Option(help: "The number of the run (default: the last complete one).")
  var run: Int?

  /// The pipeline in force, and the run's directory.
  func load() throws -> (Pipeline, directory: String) {
    let pipeline = try loadPipeline()
    return (pipeline, try directory(of: pipeline.name))
  }

  func loadPipeline() throws -> Pipeline {
    var parsed: [Override] = []
    for argument in overrides { parsed.append(try Override(argument)) }
    let file = try pipeline ?? RunRecord(of: directory(of: onlyPipeline())).pipelineFile
    return try Pipeline(file: file, overrides: parsed)
  }

  private func directory(of pipeline: String) throws -> String {
    let directories = RunDirectories(work: work, pipeline: pipeline)
    guard let run else { return try directories.latest() }
    let path = directories.path(of: run)
    guard Directories.exists(path) else {
      let runs = try directories.numbers().map(String.init).joined(separator: ", ")
      throw FileError(.find, path, reason: "there is no run \(run)", advice: "Runs that are kept: \(runs).")
    }
    return path
  }

  private func onlyPipeline() throws -> String {
    let names = Directories.exists(work) ? try Directories.names(in: work) : []
    let complete = names.filter { Directories.exists("\(work)/\($0)/latest") }
    guard let only = complete.first, complete.count == 1 else {
      throw StageFailure(
        complete.isEmpty ? .missingInput : .usage,
        complete.isEmpty
          ? "no pipeline has run under '\(work)'. Run 'nightjar run' first, or name another directory with --work."
          : "several pipelines have run under '\(work)': \(complete.joined(separator: ", ")). Name the pipeline file."
      )
    }
    return only
  }
}
