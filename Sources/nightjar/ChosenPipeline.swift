import ArgumentParser
import PipelineFile
internal import RunSchemas

/// The pipeline of a command. The default is the only pipeline with a complete run in the work directory. In
/// this case, the command uses the pipeline file and the overrides of the last complete run.
struct ChosenPipeline: ParsableArguments {
  @Argument(
    help: """
      The pipeline file (default: the file and the overrides of the last complete run, if only one pipeline in the work \
      directory has a complete run).
      """,
    completion: .pipelines)
  var pipeline: String?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Override one value of the pipeline file, for example rankings.partners.top=3; repeatable.",
      valueName: "key=value"))
  var overrides: [String] = []

  @Option(help: "The work directory, which contains the runs of all pipelines.", completion: .directory)
  var work = ShownCommand.usualWork

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
