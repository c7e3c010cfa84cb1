import ArgumentParser
import PipelineFile
import Reports
import StageSupport
import Tables

@main
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-report",
    abstract: "Writes the morning report of a run: one page that tells whether to trust it.",
    discussion: """
      OUT/<pipeline>.html needs nothing but a browser, and runs nothing in it. Prints its path.


      """ + ExitStatus.table, version: Tool.version)

  @OptionGroup var pipeline: PipelineOptions

  @Option(
    name: .customLong("run"),
    help: "The number of the run, or its directory (default: the last complete one).")
  var chosenRun: String?

  @Option(help: "Where the runs of all pipelines lie.")
  var work = "var"

  @Option(help: "The directory that receives the report.")
  var out = "reports"

  @Flag(help: "Tell nothing on standard error but errors.")
  var quiet = false

  func run() throws {
    try StageMain.guarded {
      let pipeline = try pipeline.load()
      let kept = KeptRuns(RunDirectories(work: work, pipeline: pipeline.name))
      let run = try kept.run(chosenRun)
      guard run.name == pipeline.name else {
        throw StageFailure(
          .badData, "'\(run.directory)' is a run of the pipeline '\(run.name)', not of '\(pipeline.name)'.")
      }
      let clock = ContinuousClock()
      let start = clock.now
      let path = try Report.write(run, later: kept.unfinished(after: run), to: out)
      Console.result(path)
      if !quiet { Console.tell("  report    \(path)  \(start.duration(to: clock.now).inSeconds.fixed(1)) s") }
    }
  }
}
