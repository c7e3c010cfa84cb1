import ArgumentParser
import CommandLine
import Evaluation
import Files
import PipelineFile
internal import RunSchemas
internal import System
internal import Text

@main
struct EvaluateCommand: Executable {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-evaluate",
    abstract: "Judges a run's rankings by what users did after a cut in time; writes RUN-DIR/evaluation.",
    discussion: """
      Learns and ranks again from what was known at the cut, by the pipeline's own ranking and by baselines, and \
      compares them on the same users. Prints tables for people; metrics.json, per_user.csv and files for trec_eval \
      lie in the directory.


      """ + ExitStatus.table, version: Tool.version)

  @OptionGroup var pipeline: PipelineOptions

  @Option(help: "The run directory: holds the snapshot, receives the evaluation (default: the latest run).")
  var runDir: String?

  @Option(help: "Where the runs of all pipelines lie.")
  var work = "var"

  @Option(help: "An earlier run directory: judge what it published by what users did since.")
  var previous: String?

  @Flag(help: "Replace an evaluation that the run has already.")
  var force = false

  @Flag(help: "Print metrics.json instead of tables.")
  var json = false

  @OptionGroup var threads: ThreadOptions

  @Flag(help: "Print nothing to standard error except errors.")
  var quiet = false

  func run() throws {
    try StageMain.guarded {
      let inherited = StageParent.inherit()
      let pipeline = try pipeline.load()
      let run =
        try runDir ?? Directories.resolved(RunDirectories(work: work, pipeline: pipeline.name).latest())
      let lock = inherited == nil ? try RunLock(ofRun: run, stage: .evaluate) : nil
      if !quiet && !Console.isTerminal { Console.tell("  \(Stage.evaluate.rawValue.padded(to: 9)) started") }
      guard force || !Directories.exists(run + "/" + Stage.evaluate.directory) else {
        throw FileError(
          .create, run + "/" + Stage.evaluate.directory, reason: "this run has an evaluation already",
          advice: "Pass --force to replace it.")
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
        Console.tell(Stage.evaluate.line(manifest, pipeline, seconds: seconds))
        Console.tell("  figures   \(place)/metrics.json, per_user.csv, trec")
      }
      _ = consume lock
    }
  }
}
