import ArgumentParser
import CommandLine
import Files
import PipelineFile
import Reports
import RunSchemas
internal import System
internal import Text

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes the morning report: one page that shows whether you can trust a run.",
    discussion: """
      Writes OUT/<pipeline>.html, a self-contained page without scripts, and prints its path. OUT/<pipeline> contains the \
      charts as SVG and CSV files. OUT/index.html lists all pipelines with their kept runs, and OUT/feed.xml is an Atom feed \
      of these runs and of later failures.


      """ + ExitStatus.table, version: Tool.version)

  @OptionGroup var pipeline: PipelineOptions

  @Option(
    name: .customLong("run"),
    help: "The number or the directory of the run (default: the last complete run).")
  var chosenRun: String?

  @Option(help: "The work directory, which contains the runs of all pipelines.", completion: .directory)
  var work = ShownCommand.usualWork

  @Option(help: "The directory that receives the report.", completion: .directory)
  var out = "reports"

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Instead of a report, write a page in OUT/<pipeline> that compares two runs, each given by number or directory.",
      valueName: "run run"))
  var compare: [String] = []

  @Flag(help: "Print only errors on standard error.")
  var quiet = false

  func validate() throws {
    guard [0, 2].contains(compare.count) else {
      throw ValidationError("--compare takes two runs, not \(compare.count).")
    }
    if !compare.isEmpty, chosenRun != nil {
      throw ValidationError("--compare and --run cannot be used together. Remove one of them.")
    }
  }

  func run() throws {
    try StageMain.guarded {
      // If a run started this process, the end of the run must end this process too.
      _ = try StageParent.inherit()
      let pipeline = try pipeline.load()
      let access = try pipeline.reportAccess()
      let kept = KeptRuns(RunDirectories(work: work, pipeline: pipeline.name))
      let clock = ContinuousClock()
      let start = clock.now
      let written = try write(kept, pipeline, access)
      Console.result(written)
      if !quiet {
        Console.print("  report    \(written)  \(start.duration(to: clock.now).inSeconds.fixed(1)) s")
      }
    }
  }

  private func write(_ kept: KeptRuns, _ pipeline: Pipeline, _ access: FileAccess?) throws -> String {
    if compare.count == 2 {
      return try kept.writeComparison(of: compare[0], with: compare[1], to: out, access)
    }
    return try kept.writeReport(of: pipeline.name, chosenRun, work: work, to: out, tool: Tool.name, access)
  }
}
