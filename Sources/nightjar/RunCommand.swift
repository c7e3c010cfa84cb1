import ArgumentParser
import CommandLine
import Glibc
import NightlyRuns
internal import RunSchemas
internal import System
import Text

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs a pipeline: from exports to served lists.",
    discussion: """
      Each stage runs in its own process and writes one directory of WORK/<pipeline>/runs/<number>. Prints that \
      directory.
      """)

  @OptionGroup var pipeline: PipelineOptions
  @OptionGroup var threads: ThreadOptions

  @Option(help: "Where the runs of all pipelines lie.")
  var work = "var"

  @Option(help: "The last stage to run: \(Stage.allCases.map(\.rawValue).joined(separator: ", ")).")
  var until = Stage.publish

  @Flag(help: "Also judge the rankings by a cut in time, before they are published: see nightjar-evaluate.")
  var evaluate = false

  @OptionGroup var asOf: AsOfOptions

  @Flag(help: "Accept sources and lists that lost any share of their rows and users, for this run only.")
  var acceptDrop = false

  @Flag(help: "Go on with the last run, which was interrupted, at its first missing stage.")
  var resume = false

  @Option(help: "Begin a new run from this stage on, with the earlier ones of the last complete run.")
  var from: Stage?

  @Option(help: "How progress is printed to standard error: text, or json, one event per line.")
  var logFormat = LogFormat.text

  @Flag(
    name: .customLong("exit-99-if-unchanged"),
    help: "End with status 99, not 0, where every store serves the same rows already.")
  var exit99IfUnchanged = false

  @Option(
    help: ArgumentHelp(
      "Write metrics of this run for Prometheus' textfile collector to this file, also where it fails.",
      valueName: "file"))
  var metrics: String?

  func validate() throws {
    if resume, from != nil { throw ValidationError("--resume and --from exclude each other.") }
    let stages = Stage.allCases
    if let from, let first = stages.firstIndex(of: from), let last = stages.firstIndex(of: until),
      last < first
    {
      throw ValidationError("--from \(from.rawValue) comes after --until \(until.rawValue).")
    }
  }

  func run() throws {
    if logFormat == .json { Console.tellEvents() }
    // The night continues if the reader of the log closes it.
    _ = signal(SIGPIPE, SIG_IGN)
    try StageMain.guarded {
      do {
        try runStages()
      } catch let error where !(error is ExitCode || error is LockHeld) {
        // If another process holds the lock, that run writes its own metrics. The earlier failure is
        // reported, so a failure to write is ignored.
        if let metrics, let now = try? RunClock().now {
          try? RunMetrics.noteFailure(ExitStatus(error), at: now, in: metrics)
        }
        throw error
      }
    }
  }

  private func runStages() throws {
    let options = NightlyRun.Options(
      pipelineFile: pipeline.pipeline, overrides: pipeline.overrides, work: work, until: until,
      threads: threads.count, asOf: asOf.asOf, evaluates: evaluate,
      acceptsDrop: acceptDrop,
      beginning: resume ? .resumed : from.map { .from($0) } ?? .new, log: logFormat, metrics: metrics)
    let clock = try RunClock()
    let ended = try NightlyRun(pipeline.load(), options, clock: { clock.now }).run()
    Console.result(ended.directory)
    if exit99IfUnchanged, ended.isUnchanged { throw ExitCode(ExitStatus.unchanged.rawValue) }
  }
}

extension Stage: ExpressibleByArgument {}

extension LogFormat: ExpressibleByArgument {}
