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
      Learns models and makes lists from the data up to a point in time, the cut. Compares the lists with the later \
      interactions, and compares the pipeline with baselines on the same users. Prints tables, and writes metrics.json, \
      per_user.csv and files for trec_eval. With --show, only prints the existing evaluation of the run.


      """ + ExitStatus.table, version: Tool.version)

  @OptionGroup var pipeline: PipelineOptions

  @Option(
    help: "The run directory, which contains the snapshot (default: the last complete run).",
    completion: .directory)
  var runDir: String?

  @Option(help: "The work directory, which contains the runs of all pipelines.", completion: .directory)
  var work = ShownCommand.usualWork

  @Option(
    help:
      "The directory of an earlier run. The command also compares its lists with the interactions after its as-of time."
  )
  var previous: String?

  @Flag(help: "Replace an existing evaluation.")
  var force = false

  @Flag(help: "Print the evaluation of the run without evaluating it again.")
  var show = false

  @OptionGroup var output: OutputOptions

  @OptionGroup var threads: ThreadOptions

  @Flag(help: "Print only errors on standard error.")
  var quiet = false

  func validate() throws {
    if show, force {
      throw ValidationError("--show and --force cannot be used together. Remove one of them.")
    }
    if show, previous != nil {
      throw ValidationError("--show and --previous cannot be used together. Remove one of them.")
    }
  }

  func run() throws {
    try StageMain.guarded {
      let inherited = try StageParent.inherit()
      let pipeline = try pipeline.load()
      let run =
        try runDir ?? Directories.resolved(RunDirectories(work: work, pipeline: pipeline.name).latest())
      if show {
        try printTables(of: run, pipeline)
      } else {
        let lock = inherited == nil ? try RunLock(ofRun: run, stage: .evaluate) : nil
        try evaluate(pipeline, run, showsProgress: !quiet || inherited != nil)
        _ = consume lock
      }
    }
  }

  private func printTables(of run: String, _ pipeline: Pipeline) throws {
    let text = try EvaluationText(of: run)
    guard text.pipelineName == pipeline.name else {
      throw OtherPipelinesRun(run, of: text.pipelineName, not: pipeline.name)
    }
    Console.result(text.lines(output.format), in: output.format)
  }

  private func evaluate(_ pipeline: Pipeline, _ run: String, showsProgress: Bool) throws {
    if !quiet && !Console.canRedraw { Console.print("  \(Stage.evaluate.rawValue.padded(to: 9)) started") }
    let place = run + "/" + Stage.evaluate.directory
    guard force || !Directories.exists(place) else {
      throw FileError(
        .create, place, reason: "the run already has an evaluation",
        advice: "To print it, use --show. To replace it, use --force.")
    }
    let clock = ContinuousClock()
    let start = clock.now
    let manifest = try StageMain.showingProgress(
      of: .evaluate, pipeline: pipeline.name, run: run, showsProgress
    ) { progress in
      try EvaluateStage.run(
        pipeline, in: run, previous: previous, replaces: force, threads: threads.count, progress: progress,
        tool: Tool.name)
    }
    let seconds = start.duration(to: clock.now).inSeconds
    try printTables(of: run, pipeline)
    guard !quiet else { return }
    Console.print(Stage.evaluate.line(manifest, pipeline, seconds: seconds), indent: Stage.indent)
    Console.print("  figures   \(place)/metrics.json, per_user.csv, scores.csv, trec")
  }
}
