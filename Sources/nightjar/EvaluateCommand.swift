import ArgumentParser
import CommandLine
import Evaluation
import Files
import PipelineFile
internal import RunSchemas
internal import System
internal import Text

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Evaluates the rankings of a run, and writes RUN-DIR/evaluation.",
    discussion: """
      Learns models and makes lists from the data before a cut in time, and compares them with the interactions after the cut. \
      Compares the pipeline with baselines on the same users. Prints tables, and writes metrics.json, per_user.csv and files \
      for trec_eval.


      """ + ExitStatus.table, version: Tool.version)

  @OptionGroup var pipeline: PipelineOptions

  @Option(
    help: "The run directory, which contains the snapshot (default: the latest run).", completion: .directory)
  var runDir: String?

  @Option(help: "The work directory, which contains the runs of all pipelines.", completion: .directory)
  var work = "var"

  @Option(
    help: "The directory of an earlier run, whose published lists are compared with later interactions.")
  var previous: String?

  @Flag(help: "Replace an existing evaluation.")
  var force = false

  @Flag(help: "Print metrics.json instead of tables.")
  var json = false

  @OptionGroup var threads: ThreadOptions

  @Flag(help: "Print nothing to standard error except errors.")
  var quiet = false

  func run() throws {
    try StageMain.guarded {
      let inherited = try StageParent.inherit()
      let pipeline = try pipeline.load()
      let run =
        try runDir ?? Directories.resolved(RunDirectories(work: work, pipeline: pipeline.name).latest())
      let lock = inherited == nil ? try RunLock(ofRun: run, stage: .evaluate) : nil
      if !quiet && !Console.canRedraw { Console.print("  \(Stage.evaluate.rawValue.padded(to: 9)) started") }
      guard force || !Directories.exists(run + "/" + Stage.evaluate.directory) else {
        throw FileError(
          .create, run + "/" + Stage.evaluate.directory, reason: "the run already has an evaluation",
          advice: "To replace it, add --force.")
      }
      let clock = ContinuousClock()
      let start = clock.now
      let (manifest, text) = try EvaluateStage.run(
        pipeline, in: run, previous: previous, replaces: force, threads: threads.count, tool: Tool.name)
      let seconds = start.duration(to: clock.now).inSeconds
      let place = run + "/" + Stage.evaluate.directory
      if json {
        Console.result(try EvaluateStage.metrics(in: place))
      } else {
        Console.result(text)
      }
      if !quiet {
        Console.print(Stage.evaluate.line(manifest, pipeline, seconds: seconds), indent: Stage.indent)
        Console.print("  figures   \(place)/metrics.json, per_user.csv, trec")
      }
      _ = consume lock
    }
  }
}
