import CommandLine
import Concurrency
import Files
import Foundation
import Glibc
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing
import Text

@testable import NightlyRuns

/// Runs that fail, and the traces that they leave.
extension NightlyRunTests {
  @Test(arguments: [
    (ProcessEnding.status(65), System.ExitStatus.badData, Int32(65)), (.status(78), .badPipelineFile, 78),
    (.status(42), .internalError, 42), (.signal(9), .tryAgain, 137), (.signal(11), .internalError, 139),
  ])
  func `a stage that fails ends the run with its status, and no later stage starts`(
    ending: ProcessEnding, status: System.ExitStatus, recorded: Int32
  ) throws {
    try run(Stages())
    let stages = Stages([.fit: ending])
    let metrics = scratch("night.prom")
    let failure = try #require(throws: StageFailure.self) { try run(stages, metrics: metrics) }
    #expect(failure.exitStatus == status && "\(failure)".contains("fit"), "\(failure)")
    #expect(stages.started == [.ingest, .index, .fit])
    let record = try record(2)
    #expect(record.stages.map(\.status) == [0, 0, recorded] && record.stages.last?.stage == "fit")
    #expect(!record.complete && record.finished != nil && record.published == nil)
    #expect(try latest().hasSuffix("runs/1"))
    let text = try scratch.text("night.prom")
    #expect(text.contains("nightjar_run_status{pipeline=\"small\"} \(status.rawValue)\n"))
  }

  @Test(arguments: [
    (
      Stage.ingest, ProcessEnding.status(65),
      "ingest failed with status 65. No stage is complete; no store has changed."
    ),
    (
      .publish, .status(69),
      "publish failed with status 69. The earlier stages of 'RUN' are complete; no store has changed, "
        + "except the stores that the message above lists as switched."
    ),
    (
      .rank, .signal(9),
      "Signal 9 killed nightjar rank, probably because the system ran out of memory. The earlier stages of 'RUN' are complete; "
        + "no store has changed. To continue, run 'nightjar run FILE --resume --work WORK'."
    ),
    (
      .ingest, .signal(11),
      "Signal 11 terminated nightjar ingest. No stage is complete; no store has changed. "
        + "To continue, run 'nightjar run FILE --resume --work WORK'."
    ),
  ])
  func `the message about a failed stage states what is complete`(
    stage: Stage, ending: ProcessEnding, message: String
  ) throws {
    let failure = try #require(throws: StageFailure.self) { try run(Stages([stage: ending])) }
    let expected = message.replacing("RUN", with: directories.path(of: 1))
      .replacing("FILE", with: scratch("small.yaml")).replacing("WORK", with: work)
    #expect(failure.description == expected)
  }

  @Test(arguments: [
    (ProcessEnding.status(0), "status 0", Int32(0)), (.status(74), "status 74", 74),
    (.signal(15), "signal 15", 143),
  ])
  func `the end of a process has words and a status`(ending: ProcessEnding, words: String, status: Int32) {
    #expect(ending.inWords == words && ending.exitStatus == status)
  }

  /// The stage `rank` fails, and the resumed run completes.
  @Test func `a night sends the events of its stages`() throws {
    func events(_ stages: Stages, _ name: String, _ beginning: RunBeginning) throws -> [String] {
      let options = NightlyRun.Options(
        pipelineFile: scratch("small.yaml"), overrides: [], work: work, until: .publish, threads: 1,
        asOf: nil, evaluates: false, beginning: beginning, log: .json,
        lineage: try LineageDestination(scratch(name), [:]))
      let pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
      let night = NightlyRun(pipeline, options, clock: { Self.clock }, start: stages.run)
      if beginning == .new {
        #expect(throws: StageFailure.self) { try night.run() }
      } else {
        _ = try night.run()
      }
      return try scratch.text(name).split(separator: "\n").map { line in
        let event = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
        return "\(event["job"]?["name"]?.stringValue ?? "") \(event["eventType"]?.stringValue ?? "")"
      }
    }
    #expect(
      try events(Stages([.rank: .status(70)]), "first.jsonl", .new) == [
        "small START", "small.ingest START", "small.ingest COMPLETE", "small.index START",
        "small.index COMPLETE", "small.fit START", "small.fit COMPLETE", "small.rank START",
        "small.rank FAIL",
        "small FAIL",
      ])
    #expect(
      try events(Stages(), "second.jsonl", .resumed) == [
        "small START", "small.rank START", "small.rank COMPLETE", "small.publish START",
        "small.publish COMPLETE", "small COMPLETE",
      ])
  }

  @Test func `a program that cannot start ends the run, and the record has the time`() throws {
    let pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
    let options = NightlyRun.Options(
      pipelineFile: scratch("small.yaml"), overrides: [], work: work, until: .publish, threads: 1, asOf: nil,
      evaluates: false, log: .json)
    let night = NightlyRun(pipeline, options, clock: { Self.clock }) { stage, _, _ throws(FileError) in
      throw FileError(.find, "nightjar-" + stage, reason: "the program is missing")
    }
    #expect(throws: FileError.self) { try night.run() }
    #expect(try record(1).finished != nil && record(1).stages.isEmpty && !record(1).complete)
  }

  @Test func `a report of publish that is not JSON ends the run`() throws {
    #expect(throws: (any Error).self) { try run(Stages(published: "generation 1")) }
    #expect(try !record(1).complete && record(1).finished != nil)
  }

  @Test func `an unwritable metrics file is rejected before any stage runs`() throws {
    let stages = Stages()
    #expect(throws: (any Error).self) { try run(stages, metrics: scratch("missing/night.prom")) }
    #expect(stages.started.isEmpty && !Directories.exists(directories.path(of: 1)))
  }

  @Test func `the metrics of a good run hold its status and its last success`() throws {
    try run(Stages(), metrics: scratch("night.prom"))
    let text = try scratch.text("night.prom")
    #expect(text.contains("nightjar_run_status{pipeline=\"small\"} 0\n"))
    #expect(text.contains("nightjar_stage_duration_seconds{pipeline=\"small\",stage=\"publish\"}"))
    #expect(text.contains("nightjar_last_success_timestamp_seconds{pipeline=\"small\"} 1794980800\n"))
  }

  @Test(arguments: [true, false]) func `ingest and publish accept a drop if the run does`(accepts: Bool)
    throws
  {
    let stages = Stages()
    try run(stages, acceptsDrop: accepts)
    let told = stages.calls.filter { $0.arguments.contains("--accept-drop") }.map(\.stage)
    #expect(told == (accepts ? [.ingest, .publish] : []))
    #expect(try record(1).acceptsDrop == accepts)
  }

  @Test func `a record that cannot be written is an error at the end`() throws {
    let writer = RecordWriter(scratch("absent"))
    let record = RunRecord(
      pipeline: "small", pipelineFile: "small.yaml", overrides: [], run: 1, threads: 1, started: Self.clock)
    try? writer.write(record)
    #expect(throws: FileError.self) { try writer.finish() }
    #expect(throws: FileError.self, "the next record reports the error too") { try writer.write(record) }
  }

  @Test func `a second concurrent run of the same pipeline is rejected`() throws {
    let inner = Stages()
    let refused = Guarded<[Bool]>([])
    let outer = Stages(meanwhile: { [self] _ in
      do {
        try run(inner)
        refused.withLock { $0.append(false) }
      } catch {
        let holder = "process \(getpid()), started \(Self.clock),"
        refused.withLock { $0.append((error as? LockHeld)?.holder == holder) }
      }
    })
    try run(outer)
    #expect(refused.withLock { $0 } == Array(repeating: true, count: 5) && inner.started.isEmpty)
    #expect(try directories.numbers() == [1])
  }

  // MARK: - Failures before or between stages

  @Test func `a store that is named twice, or an unknown group, is rejected before any stage runs`() throws {
    let stages = Stages()
    let twice = #expect(throws: StageFailure.self) {
      try run(stages, [#"publish.store=["sqlite:a.sqlite", "sqlite:./a.sqlite"]"#])
    }
    #expect(twice?.exitStatus == .badPipelineFile && twice?.description.contains("twice") == true)
    let group = ["report.group=no-such-group-XQ"]
    for reports in [true, false] {
      #expect(throws: UnknownGroup.self) { try run(stages, group, reports: reports) }
    }
    #expect(stages.started.isEmpty && !Directories.exists(directories.path(of: 1)))
  }

  @Test func `a file in place of the link to the last run is an error before any stage runs`() throws {
    try scratch.write("", to: "var/small/latest")
    let stages = Stages()
    let error = #expect(throws: FileError.self) { try run(stages) }
    #expect(error?.operation == .create && error?.path == directories.root + "/latest")
    #expect(stages.started.isEmpty && !Directories.exists(directories.path(of: 1)))
  }

  @Test func `a run whose list lost its users stops before later stages until the drop is accepted`() throws {
    try run(Stages(users: 10))
    let stages = Stages(users: 1)
    let failure = #expect(throws: StageFailure.self) { try run(stages, evaluates: true) }
    #expect(failure?.exitStatus == .badData && failure?.description.contains("near: 1 user") == true)
    #expect(stages.started == [.ingest, .index, .fit, .rank])
    #expect(try record(2).stages.map(\.status) == [0, 0, 0, 0] && !record(2).complete)
    let resumed = Stages()
    #expect(throws: StageFailure.self) { try run(resumed, beginning: .resumed) }
    #expect(resumed.started.isEmpty)
    try run(resumed, beginning: .resumed, acceptsDrop: true)
    #expect(try resumed.started == [.publish] && record(2).complete)
    // A new run can accept the drop from the start.
    try run(Stages(users: 10))
    try run(Stages(users: 1), acceptsDrop: true)
    #expect(try record(4).complete)
  }

  @Test func `a stage without disk space does not start`() throws {
    try run(Stages())
    var snapshot = try Manifest(of: directories.path(of: 1) + "/snapshot")
    snapshot.outputs = [FileDigest(path: "x", bytes: 1 << 60, sha256: "")]
    try scratch.write(snapshot.json, to: "var/small/runs/1/snapshot/manifest.json")
    let stages = Stages()
    let error = #expect(throws: FileError.self) { try run(stages) }
    #expect(error?.operation == .write && error?.reason.hasPrefix("ingest needs about") == true)
    #expect(stages.started.isEmpty)
  }

  // MARK: - Messages

  private static func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

  /// The events of a night: its run, the event, and the stage, the place or the reason.
  private static func events(_ bytes: [UInt8]?) throws -> [String] {
    try text(bytes).split(separator: "\n").map { line in
      let event = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
      let place = event["place"]?.stringValue?.split(separator: "/").last.map(String.init)
      let stages = event["stages"]?.elements.compactMap(\.stringValue).joined(separator: ",")
      let words: [String?] = [
        event["run"]?.integerValue.map(String.init), event["event"]?.stringValue,
        event["stage"]?.stringValue, place, stages, event["path"]?.stringValue, event["reason"]?.stringValue,
      ]
      return words.compactMap(\.self).joined(separator: " ")
    }
  }

  /// A failed night, its resumption, a night from a later stage, and a night with only one stage.
  @Test func `a night prints an event for each step`() async throws {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let nights = try NightlyRunTests()
      try withExtendedLifetime(nights.scratch) {
        _ = try? nights.run(Stages([.rank: .status(70)]))
        try nights.run(Stages(), reports: true, beginning: .resumed)
        let failing = Stages(reportError: FileError(.create, "nightjar-report", reason: "no pipe is left"))
        try nights.run(failing, reports: true, beginning: .from(.rank))
        try nights.run(Stages(), until: .ingest)
      }
    }
    func steps(_ stages: String...) -> [String] {
      stages.flatMap { ["stage_started \($0)", "stage_finished \($0)"] }
    }
    let first =
      ["run_started"] + steps("ingest", "index", "fit") + ["stage_started rank", "stage_failed rank"]
    let rest =
      ["run_started", "stages_complete ingest,index,fit"] + steps("rank", "publish") + ["run_finished latest"]
    let second = rest + ["report_finished reports/small.html"]
    let third = rest + ["report_failed cannot create 'nightjar-report': no pipe is left."]
    let last = ["run_started"] + steps("ingest") + ["run_finished 3"]
    let expected =
      (first + second).map { "1 " + $0 } + third.map { "2 " + $0 } + last.map { "3 " + $0 }
    #expect(try Self.events(ended?.standardErrorContent) == expected)
  }

  @Test func `a night that stops early names its own directory, and lists only if it has some`() async {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let nights = try NightlyRunTests()
      try withExtendedLifetime(nights.scratch) {
        try nights.run(Stages(), until: .index, log: .text)
        try nights.run(Stages(), until: .rank, log: .text)
      }
    }
    let lines = Self.text(ended?.standardErrorContent).split(separator: "\n")
    let places = lines.filter { $0.hasPrefix("  lists  ") || $0.hasPrefix("  times  ") }
    #expect(
      places.map { $0.split(separator: "/").suffix(2).joined(separator: "/") } == [
        "1/run.json", "2/rankings", "2/run.json",
      ])
  }

  /// The signal arrives while `fit` is running, and ends it.
  @Test func `a stop signal ends a night without a report, and no later stage starts`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let nights = try NightlyRunTests()
      try withExtendedLifetime(nights.scratch) {
        try nights.run(Stages())
        Interruption.watch()
        let stages = Stages([.fit: .signal(15)]) { stage in
          guard stage == .fit else { return }
          kill(getpid(), SIGTERM)
          while Interruption.received == nil { sched_yield() }
        }
        let options = NightlyRun.Options(
          pipelineFile: nights.scratch("small.yaml"), overrides: [], work: nights.work, until: .publish,
          threads: 1, asOf: nil, evaluates: false, reports: true, log: .json,
          lineage: try LineageDestination(nights.scratch("night.jsonl"), [:]))
        let pipeline = try Pipeline(file: nights.scratch("small.yaml"), overrides: [])
        let night = NightlyRun(pipeline, options, clock: { NightlyRunTests.clock }, start: stages.run)
        let failure = try #require(throws: StageFailure.self) { try night.run() }
        try #require(failure.exitStatus == .tryAgain)
        try #require(failure.description.hasPrefix("stopped by SIGTERM"))
        let command = "'nightjar run \(nights.scratch("small.yaml")) --resume --work \(nights.work)'."
        try #require(failure.description.hasSuffix(command))
        try #require(stages.started == [.ingest, .index, .fit] && stages.reports == [])
        let events = try nights.scratch.text("night.jsonl").split(separator: "\n")
        try #require(events.suffix(2).allSatisfy { $0.contains("\"eventType\":\"ABORT\"") })
        // After the signal, not even the first missing stage starts.
        let later = Stages()
        let stopped = try #require(throws: StageFailure.self) { try nights.run(later, beginning: .resumed) }
        try #require(stopped.exitStatus == .tryAgain && later.started == [])
      }
    }
  }
}
