import ArgumentParser
import CommandLine
import Files
import Parquet
import PipelineFile
internal import RunSchemas
internal import Text

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes a run's snapshot, models and lists as Parquet files.",
    discussion: """
      Needs DuckDB's command line: 'pip install duckdb-cli', or NIGHTJAR_DUCKDB with its path. The directory \
      appears when it is whole. Prints it.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var threads: ThreadOptions

  @Option(name: .customLong("parquet"), help: ArgumentHelp("The directory to write.", valueName: "dir"))
  var directory: String
  @Option(
    name: .customLong("run"),
    help: "The number of the run, or its directory (default: the last complete one).")
  var chosenRun: String?
  @Flag(help: "Replace an earlier export.") var force = false

  func validate() throws {
    if directory.isEmpty { throw ValidationError("--parquet must name a directory.") }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let source = try RunDirectories(work: chosen.work, pipeline: pipeline.name)
        .directory(chosen: chosenRun)
      let manifest = try ParquetExport.write(
        source, of: pipeline, to: directory, force: force, number: try RunRecord.number(of: source),
        threads: threads.count, tool: Tool.name)
      let rows = manifest.outputs.reduce(0) { $0 + ($1.rows ?? 0) }
      Console.tell("\(manifest.outputs.count.counted("file")) of \(rows.counted("row"))")
      Console.result(directory)
    }
  }
}
