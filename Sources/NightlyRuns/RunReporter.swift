internal import CommandLine
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import System
internal import Text

/// The format of a run's messages on standard error.
package enum LogFormat: String, CaseIterable, Sendable {
  /// Human-readable lines.
  case text
  /// One JSON object per line, for programs.
  case json
}

/// Reports the progress of a run: as human-readable text, or as events for programs.
struct RunReporter {
  private let format: LogFormat
  private let pipeline: Pipeline
  private let run: Int
  private let directory: String
  /// The work directory, for the commands in messages.
  private let work: String
  private var text: RunText { RunText(pipeline: pipeline, run: run, directory: directory) }
  private var events: RunEvents { RunEvents(pipeline: pipeline, run: run, directory: directory) }

  init(
    _ format: LogFormat, _ pipeline: Pipeline, run: Int, directory: String,
    work: String = ShownCommand.usualWork
  ) {
    (self.format, self.pipeline, self.run, self.directory) = (format, pipeline, run, directory)
    self.work = work
  }

  func runBegan() {
    switch format {
    case .text: text.runBegan()
    case .json: events.print("run_started")
    }
  }

  /// Reports the stages that are already complete.
  func skipped(_ stages: [Stage]) throws {
    if stages.isEmpty { return }
    switch format {
    case .text: try text.skipped(stages)
    case .json: events.print("stages_complete", ["stages": .array(stages.map { .string($0.rawValue) })])
    }
  }

  func began(_ stage: Stage) {
    switch format {
    case .text: text.began(stage)
    case .json: events.print("stage_started", ["stage": .string(stage.rawValue)])
    }
  }

  func failed(_ stage: Stage, _ ending: ProcessEnding, seconds: Double) {
    switch format {
    case .text: Console.draw("")
    case .json:
      events.print(
        "stage_failed",
        [
          "stage": .string(stage.rawValue), "seconds": .number(seconds),
          "status": .integer(Int(ending.exitStatus)),
        ])
    }
  }

  func ended(_ stage: Stage, published: JSONValue?, seconds: Double) throws {
    switch format {
    case .text: try text.ended(stage, published: published, seconds: seconds)
    case .json: try events.ended(stage, published: published, seconds: seconds)
    }
  }

  /// Reports that all requested stages of a run are complete.
  ///
  /// - Parameters:
  ///   - place: The path at which the user finds the run: the link `latest`, or the run directory.
  ///   - hasLists: Whether the run has lists.
  /// - Throws: `FileError` if the snapshot's manifest or the metrics of the evaluation cannot be read.
  func runEnded(place: String, hasLists: Bool) throws {
    switch format {
    case .text: try text.runEnded(place: place, hasLists: hasLists)
    case .json: events.print("run_finished", ["place": .string(place)])
    }
  }
}

extension RunReporter {
  /// Reports the path of the page that the command `report` wrote, or the reason why it wrote no page.
  func reported(_ page: String?, reason: String) {
    switch (format, page) {
    case (.text, let page?): Console.print("  report      \(page)")
    case (.text, nil):
      let command = ShownCommand.text("report", pipeline.file, set: pipeline.overrides, work: work)
      Console.print(
        "  warning: the report was not written (\(reason)). The run itself is not affected. To write the "
          + "report, run '\(command)'.")
    case (.json, let page?): events.print("report_finished", ["path": .string(page)])
    case (.json, nil): events.print("report_failed", ["reason": .string(reason)])
    }
  }
}

/// Reports a run as events: one JSON object per line, with `time`, `event`, `pipeline` and `run`.
struct RunEvents {
  let pipeline: Pipeline
  let run: Int
  let directory: String

  func print(_ event: String, _ members: [String: JSONValue] = [:]) {
    Console.print(
      event: event,
      ["pipeline": .string(pipeline.name), "run": .integer(run)].merging(members) { $1 })
  }

  func ended(_ stage: Stage, published: JSONValue?, seconds: Double) throws {
    var warnings: [String] = []
    var members: [String: JSONValue] = ["stage": .string(stage.rawValue), "seconds": .number(seconds)]
    if stage == .publish {
      members["published"] = published ?? .null
      warnings = (published?.storeReports ?? []).flatMap(Stage.warnings(published:))
    } else {
      let manifest = try Manifest(of: directory + "/" + stage.directory)
      warnings = RunWarnings(pipeline, manifest).lines
      members["as_of"] = .string(manifest.asOf.description)
      members["counts"] = manifest.counts
    }
    print("stage_finished", members)
    for warning in warnings { print("warning", ["message": .string(warning)]) }
  }
}
