import ArgumentParser
import CommandLine
import Glibc
import NightlyRuns
import PipelineFile
internal import RunSchemas
internal import System
import Text

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs all stages of a pipeline, from the exports to the served lists.",
    discussion: """
      Each stage runs in its own process and writes one directory of WORK/<pipeline>/runs/<number>. Prints the path of \
      the run directory. If a stage fails, the run ends, and the stores keep serving the previous generation.
      """)

  @OptionGroup var pipeline: PipelineOptions
  @OptionGroup var threads: ThreadOptions

  @Option(help: "The work directory, which contains the runs of all pipelines.", completion: .directory)
  var work = ShownCommand.usualWork

  @Option(help: "The last stage to run: \(Stage.allCases.map(\.rawValue).joined(separator: ", ")).")
  var until = Stage.publish

  @Flag(help: "Evaluate the rankings before publishing. See nightjar evaluate.")
  var evaluate = false

  @Flag(
    help: "Write the morning report to WORK/reports at the end, even if the run fails. See nightjar report."
  )
  var report = false

  @OptionGroup var asOf: AsOfOptions

  @Flag(help: "Accept sources and lists even if they lost many rows or users, for this run only.")
  var acceptDrop = false

  @Flag(help: "Continue the last run at its first missing stage, if the run is incomplete.")
  var resume = false

  @Option(help: "Start a new run at this stage and reuse the earlier stages of the last complete run.")
  var from: Stage?

  @Option(help: "The format of progress on standard error: text, or json with one event per line.")
  var logFormat = LogFormat.text

  @Flag(
    name: .customLong("exit-99-if-unchanged"),
    help: "Exit with status 99 instead of 0 if every store already serves the same rows.")
  var exit99IfUnchanged = false

  @Option(
    help: ArgumentHelp(
      "Write metrics for the Prometheus textfile collector to this file, even if the run fails.",
      valueName: "file"))
  var metrics: String?

  @Option(
    help: ArgumentHelp(
      "Send OpenLineage events of the run and its stages: append them to a file, or post them to an http or https address.",
      valueName: "file-or-address"))
  var lineage: String?

  func validate() throws {
    if resume, from != nil {
      throw ValidationError("--resume and --from cannot be used together. Remove one of them.")
    }
    let stages = Stage.allCases
    if let from, let first = stages.firstIndex(of: from), let last = stages.firstIndex(of: until),
      last < first
    {
      throw ValidationError(
        "--from must not name a later stage than --until: \(from.rawValue) comes after \(until.rawValue).")
    }
  }

  func run() throws {
    if logFormat == .json { Console.printEvents() }
    // The run continues even if the reader of its output closes the pipe.
    _ = signal(SIGPIPE, SIG_IGN)
    try StageMain.guarded {
      var loaded: Pipeline?
      var hasBegun = false
      do {
        try runStages(&loaded) { hasBegun = true }
      } catch let error where !(error is ExitCode || error is LockHeld) {
        // If another process holds the lock, that process writes the metrics and the report of its own run.
        guard let now = try? RunClock().now else { throw error }
        // If the metrics cannot be written, only the error of the run is reported.
        if let metrics { try? RunMetrics.noteFailure(ExitStatus(error), at: now, in: metrics) }
        // A run that has begun writes its own report.
        if report, !hasBegun, Interruption.received == nil {
          FailedNight(pipelineFile: pipeline.pipeline, work: work, pipeline: loaded)
            .report(ExitStatus(error), at: now)
        }
        throw error
      }
    }
  }

  private func runStages(_ loaded: inout Pipeline?, onBegin: () -> Void) throws {
    let clock = try RunClock()
    let pipeline = try pipeline.load()
    loaded = pipeline
    let options = NightlyRun.Options(
      pipelineFile: self.pipeline.pipeline, overrides: self.pipeline.overrides, work: work, until: until,
      threads: threads.count, asOf: asOf.asOf, evaluates: evaluate, reports: report,
      acceptsDrop: acceptDrop,
      beginning: resume ? .resumed : from.map { .from($0) } ?? .new, log: logFormat, metrics: metrics,
      lineage: try lineage.map { try LineageDestination($0) })
    let ended = try NightlyRun(pipeline, options, clock: { clock.now }).run(onBegin: onBegin)
    Console.result(ended.directory)
    if exit99IfUnchanged, ended.isUnchanged { throw ExitCode(ExitStatus.unchanged.rawValue) }
  }
}

extension Stage: ExpressibleByArgument {}

extension LogFormat: ExpressibleByArgument {}
