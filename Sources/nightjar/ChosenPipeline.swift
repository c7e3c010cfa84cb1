import ArgumentParser
import PipelineFile
internal import RunSchemas

/// The pipeline of a command. The default is the only pipeline with a complete run in the work directory,
/// with the pipeline file and the overrides of that run.
struct ChosenPipeline: ParsableArguments {
  @Argument(
    help: """
      The pipeline file (default: if only one pipeline under WORK has a complete run, the file and overrides of its last \
      complete run).
      """,
    completion: .pipelines)
  var pipeline: String?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Override one value of the pipeline file. Repeatable.", valueName: "key=value"))
  var overrides: [String] = []

  @Option(help: "The work directory, which contains the runs of all pipelines.", completion: .directory)
  var work = "var"

  /// Reads the pipeline file: the named file, or the file of the last complete run with that run's overrides.
  func load() throws -> Pipeline {
    let (file, changes) = try pipeline.map { ($0, overrides) } ?? lastRun()
    var parsed: [Override] = []
    for change in changes { parsed.append(try Override(change)) }
    return try Pipeline(file: file, overrides: parsed)
  }

  private func lastRun() throws -> (file: String, changes: [String]) {
    let record = try RunRecord(of: RunDirectories.only(in: work).latest())
    return (record.pipelineFile, record.overrides + overrides)
  }
}
