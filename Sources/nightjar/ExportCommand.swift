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
      Prints the path of the directory. The directory appears only when all its files are complete. Requires the DuckDB CLI: \
      run 'pip install duckdb-cli', or set NIGHTJAR_DUCKDB to the path of the program.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var threads: ThreadOptions

  @Option(name: .customLong("parquet"), help: ArgumentHelp("The directory to write.", valueName: "dir"))
  var directory: String
  @Option(
    name: .customLong("run"),
    help: "The number or the directory of the run (default: the last complete run).")
  var chosenRun: String?
  @Flag(help: "Replace an earlier export.") var force = false

  func validate() throws {
    if directory.isEmpty {
      throw ValidationError("--parquet must not be empty. Name the directory to write.")
    }
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
      Console.print("\(manifest.outputs.count.counted("file")) with \(rows.counted("row"))")
      Console.result(directory)
    }
  }
}
