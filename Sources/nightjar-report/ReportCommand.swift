import ArgumentParser
import CommandLine
import Files
import PipelineFile
import Reports
import RunSchemas
internal import System
internal import Text

@main
struct ReportCommand: Executable {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-report",
    abstract: "Writes the morning report of a run: one page that shows whether to trust it.",
    discussion: """
      OUT/<pipeline>.html needs nothing but a browser, and runs nothing in it; its charts lie as Vega-Lite \
      specifications and CSV in OUT/<pipeline>. OUT/index.html lists all pipelines with their kept runs. Prints the \
      path of the page.


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

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Set two runs side by side instead, in OUT/<pipeline>: numbers, or directories of runs of any pipeline.",
      valueName: "run run"))
  var compare: [String] = []

  @Option(
    help: ArgumentHelp(
      "The Python with vl-convert that draws charts (default: .build/charts, which 'make charts' sets up).",
      valueName: "python"))
  var charts: String?

  @Flag(help: "Draw no charts; show their tables instead.")
  var noCharts = false

  @Flag(help: "Print nothing to standard error except errors.")
  var quiet = false

  func validate() throws {
    guard [0, 2].contains(compare.count) else {
      throw ValidationError("--compare takes two runs, not \(compare.count).")
    }
    if !compare.isEmpty, chosenRun != nil { throw ValidationError("--compare and --run exclude each other.") }
    if noCharts, charts != nil { throw ValidationError("--charts and --no-charts exclude each other.") }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try pipeline.load()
      let kept = KeptRuns(RunDirectories(work: work, pipeline: pipeline.name))
      let clock = ContinuousClock()
      let start = clock.now
      let written = try write(kept, pipeline)
      Console.result(written.path)
      if !quiet {
        if let missing = written.chartsMissing, !noCharts {
          Console.tell("  warning: no chart is drawn: \(missing)")
        }
        Console.tell("  report    \(written.path)  \(start.duration(to: clock.now).inSeconds.fixed(1)) s")
      }
    }
  }

  private func write(_ kept: KeptRuns, _ pipeline: Pipeline) throws -> WrittenPage {
    let charts = try drawer()
    if compare.count == 2 {
      return try kept.writeComparison(of: compare[0], with: compare[1], to: out, charts: charts)
    }
    return try kept.writeReport(
      of: pipeline, chosenRun, work: work, to: out, charts: charts, tool: Tool.name)
  }

  /// The program that draws charts; `nil` if it is switched off or not installed.
  private func drawer() throws -> ChartProgram? {
    if noCharts { return nil }
    guard let charts else { return ChartProgram.besideBuild() }
    guard Directories.exists(charts) else {
      throw FileError(
        .find, charts, reason: "there is no such program",
        advice: "Name a Python that has vl-convert, or leave --charts out.")
    }
    return ChartProgram(path: charts)
  }
}
