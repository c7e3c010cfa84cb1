import CommandLine
import Concurrency
import Files
import Foundation
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing
import Text

@testable import NightlyRuns

/// Tests the order, the arguments and the records of a run. The stages are functions of the test,
/// so no program starts.
@Suite struct NightlyRunTests {
  /// Records the stages that a run starts, and writes their outputs.
  final class Stages: Sendable {
    struct Call: Hashable {
      var stage: Stage
      var arguments: [String]

      func argument(after option: String) -> String? {
        arguments.firstIndex(of: option).map { arguments[$0 + 1] }
      }
    }

    private let made = Guarded<[Call]>([])
    private let reported = Guarded<[[String]]>([])
    /// How the report process ends.
    let reportEnding: ProcessEnding
    /// How each failing stage ends.
    let endings: [Stage: ProcessEnding]
    /// The text that publish prints to standard output.
    let published: String
    /// The number of users on the list `near`.
    let users: Int
    /// The error of a report process that cannot be started.
    let reportError: FileError?
    /// A function that runs during each stage.
    let meanwhile: @Sendable (Stage) -> Void

    init(
      _ endings: [Stage: ProcessEnding] = [:], report: ProcessEnding = .status(0),
      published: String = #"{"generation": 1, "unchanged": false}"#, users: Int = 0,
      reportError: FileError? = nil,
      meanwhile: @escaping @Sendable (Stage) -> Void = { _ in }
    ) {
      (self.endings, self.published, self.meanwhile) = (endings, published, meanwhile)
      (self.users, self.reportError, reportEnding) = (users, reportError, report)
    }

    var calls: [Call] { made.withLock { $0 } }
    var started: [Stage] { calls.map(\.stage) }

    /// The arguments of each report.
    var reports: [[String]] { reported.withLock { $0 } }

    func run(_ command: String, _ arguments: [String], _ lock: Int32) throws(FileError)
      -> StageProcess.StageEnd
    {
      guard let stage = Stage(rawValue: command) else {
        reported.withLock { $0.append(arguments) }
        if let reportError { throw reportError }
        return StageProcess.StageEnd(
          ending: reportEnding, output: Array("reports/small.html\n".utf8), peakMemory: 0)
      }
      let call = Call(stage: stage, arguments: arguments)
      made.withLock { $0.append(call) }
      meanwhile(stage)
      let ending = endings[stage] ?? .status(0)
      if ending == .status(0), stage != .publish, let run = call.argument(after: "--run-dir") {
        try Self.write(stage, of: run, for: arguments, users: users)
      }
      return StageProcess.StageEnd(
        ending: ending, output: Array((stage == .publish ? published : "").utf8),
        peakMemory: Self.peakMemory(of: stage.rawValue))
    }

    /// A memory size that is different for each stage.
    static func peakMemory(of stage: String) -> Int { 1000 + stage.utf8.reduce(0) { $0 + Int($1) } }

    /// Writes the directory of a stage with its manifest. The parents are all earlier stages of the
    /// run.
    private static func write(
      _ stage: Stage, of run: String, for arguments: [String], users: Int
    ) throws(FileError) {
      var parents: [String: String] = [:]
      let before: [Stage] = stage == .evaluate ? [.ingest] : Array(Stage.allCases.prefix { $0 != stage })
      for earlier in before where Directories.exists("\(run)/\(earlier.directory)/manifest.json") {
        parents[earlier.directory] = try Manifest(of: "\(run)/\(earlier.directory)").digest
      }
      let overrides = arguments.indices.filter { arguments[$0] == "--set" }.map { arguments[$0 + 1] }
      guard
        let pipeline = try? Pipeline(file: arguments[0], overrides: overrides.map { try Override($0) })
      else { throw FileError(.read, arguments[0], reason: "it is no pipeline file") }
      let call = Call(stage: stage, arguments: arguments)
      // The newest row of the exports is from 1970-01-01.
      var (asOf, from) = (Instant(milliseconds: 0), "newest_interaction")
      if let given = call.argument(after: "--as-of").flatMap(Instant.init(argument:)) {
        (asOf, from) = (given, "given")
      } else if call.argument(after: "--as-of") == "clock",
        let now = call.argument(after: "--now").flatMap(Instant.init(argument:))
      {
        (asOf, from) = (now, "clock")
      }
      var counts: [String: JSONValue] = ["as_of_from": .string(from)]
      let lists: JSONValue = ["near": ["users": ["total": .integer(users)]]]
      if stage == .rank { counts["lists"] = lists }
      let manifest = Manifest(
        tool: Tool.name, stage: stage.directory, pipeline: pipeline.name,
        configuration: pipeline.configuration, asOf: asOf, seed: 0,
        inputs: stage == .ingest ? try NightlyRunTests.digests(besides: arguments[0]) : [],
        counts: .object(counts), parents: parents)
      try Directories.create("\(run)/\(stage.directory)")
      try Directories.replace("\(run)/\(stage.directory)/manifest.json", with: manifest.json)
    }
  }

  /// Returns the digests of the two exports.
  static func digests(besides file: String) throws(FileError) -> [FileDigest] {
    try ["users.csv", "swipes.csv"].map { name throws(FileError) in
      let path = Directories.parent(of: file) + "/" + name
      guard let bytes = FileManager.default.contents(atPath: path) else {
        throw FileError(.read, path, reason: "it is missing")
      }
      return FileDigest(path: name, bytes: bytes.count, sha256: SHA256.digest(of: Array(bytes)))
    }
  }

  let scratch: ScratchDirectory
  var work: String { scratch("var") }
  var directories: RunDirectories { RunDirectories(work: work, pipeline: "small") }

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write("id,lat,lng,age\nu1,0,0,1\n", to: "users.csv")
    try scratch.write("a,b,at,v\n", to: "swipes.csv")
    try scratch.write(
      """
      pipeline: small
      entities:
        users:
          source: { path: users.csv }
          id: id
          position: { latitude: lat, longitude: lng }
          attributes: { age: { type: number } }
      interactions: { swipes: { source: { path: swipes.csv }, user: a, candidate: b, at: at, value: v } }
      models: { taste: { learns_from: swipes, features: [{ number: age }], prior: population } }
      rankings: { near: { users: users, candidates: users, order_by: distance, top: 10 } }
      evaluation: { cut: 0.8, model: taste }
      publish: { store: "sqlite:serving.sqlite" }

      """, to: "small.yaml")
    // Two variants of the pipeline file: one without a model and one without a store.
    let whole = try scratch.text("small.yaml").split(separator: "\n", omittingEmptySubsequences: false)
    for (name, parts) in [("no-model", ["models:", "evaluation:"]), ("no-store", ["publish:"])] {
      let rest = whole.filter { line in !parts.contains { line.hasPrefix($0) } }
      try scratch.write(rest.joined(separator: "\n"), to: name + ".yaml")
    }
  }

  /// The time 2026-11-18T05:46:40Z.
  static let clock = Instant(milliseconds: 1_794_980_800_000)

  @discardableResult
  func run(
    _ stages: Stages, file: String = "small.yaml", _ overrides: [String] = [], until: Stage = .publish,
    asOf: Pipeline.AsOf? = nil, evaluates: Bool = false, reports: Bool = false,
    beginning: RunBeginning = .new,
    acceptsDrop: Bool = false, log: LogFormat = .json, metrics: String? = nil, clock: Instant = Self.clock
  ) throws -> NightlyRun.Ended {
    let pipeline = try Pipeline(file: scratch(file), overrides: overrides.map { try Override($0) })
    let options = NightlyRun.Options(
      pipelineFile: scratch(file), overrides: overrides, work: work, until: until, threads: 3, asOf: asOf,
      evaluates: evaluates, reports: reports, acceptsDrop: acceptsDrop, beginning: beginning, log: log,
      metrics: metrics)
    return try NightlyRun(pipeline, options, clock: { clock }, start: stages.run).run()
  }

  func record(_ run: Int) throws -> RunRecord { try RunRecord(of: directories.path(of: run)) }
  func latest() throws -> String { Directories.resolved(try directories.latest()) }

  // MARK: - Complete runs

  @Test(arguments: [LogFormat.json, .text])
  func `a run runs every stage once, in order, and records it`(log: LogFormat) throws {
    let stages = Stages()
    let ended = try run(stages, log: log)
    let names = ["ingest", "index", "fit", "rank", "publish"]
    #expect(stages.started.map(\.rawValue) == names)
    let record = try record(1)
    #expect(record.stages.map(\.stage) == names && record.stages.allSatisfy { $0.status == 0 })
    #expect(record.stages.map(\.peakMemory) == names.map(Stages.peakMemory(of:)))
    #expect(record.stages.allSatisfy { $0.seconds >= 0 && $0.seconds < 600 })
    #expect(record.complete && record.finished != nil && record.published?["generation"] == 1)
    #expect(ended.directory == directories.path(of: 1) && !ended.isUnchanged)
    #expect(try latest() == Directories.resolved(directories.path(of: 1)))
  }

  @Test(arguments: [ProcessEnding.status(0), .status(74), .signal(9)], [LogFormat.json, .text])
  func `a run succeeds even if its report fails`(report: ProcessEnding, log: LogFormat) throws {
    let stages = Stages(report: report)
    let ended = try run(stages, ["keep_runs=5"], reports: true, log: log)
    #expect(
      stages.reports == [
        [
          scratch("small.yaml"), "--work", work, "--out", work + "/reports", "--quiet", "--set",
          "keep_runs=5",
        ]
      ])
    #expect(try record(1).complete && ended.directory == directories.path(of: 1))
  }

  @Test func `a failed run and a complete run are reported, but a run that ends early is not`() throws {
    let failing = Stages([.rank: .status(70)])
    #expect(throws: StageFailure.self) { try run(failing, reports: true) }
    #expect(failing.reports.count == 1, "the first run can fail too")
    #expect(try record(1).status == 70)
    let stages = Stages()
    try run(stages, until: .index, reports: true)
    #expect(stages.reports == [])
    try run(stages, reports: true, beginning: .resumed)
    #expect(try stages.reports.count == 1 && record(2).status == nil)
    #expect(throws: StageFailure.self) { try run(failing) }
    #expect(failing.reports.count == 1, "a run without a request writes no report")
  }

  @Test func `a run removes the note of a failed start, and then reports its own failures`() throws {
    let note = FailedStart(.badPipelineFile, at: Self.clock)
    try Directories.create(directories.root)
    try note.write(to: directories.root)
    #expect(FailedStart(of: directories.root) == note)
    let pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
    let options = NightlyRun.Options(
      pipelineFile: scratch("small.yaml"), overrides: [], work: work, until: .publish, threads: 1, asOf: nil,
      evaluates: false, log: .json)
    var begun: [Bool] = []
    let night = NightlyRun(
      pipeline, options, clock: { Self.clock }, start: Stages([.ingest: .status(66)]).run)
    #expect(throws: StageFailure.self) { try night.run { begun.append(true) } }
    #expect(begun == [true] && FailedStart(of: directories.root) == nil)
    // Without room for the lock, the run does not begin.
    try Directories.remove(directories.root)
    try scratch.write("", to: "var/small")
    #expect(throws: FileError.self) { try night.run { begun.append(true) } }
    #expect(begun == [true])
  }

  @Test func `a publish with a limit on quality but no evaluation fails before any stage`() throws {
    let stages = Stages()
    let limit = ["publish.guards.auc_at_least=0.6"]
    let failure = #expect(throws: StageFailure.self) { try run(stages, limit) }
    #expect(
      failure?.exitStatus == .badPipelineFile
        && failure?.description
          == "publish.guards.auc_at_least needs an evaluation, but this run is not evaluated. Add --evaluate."
    )
    #expect(stages.started == [])
    try run(stages, limit, evaluates: true)
    try run(stages, limit, until: .rank)
    #expect(stages.started.count == 6 + 4)
  }

  @Test func `every stage gets the pipeline file, the run, the threads and the overrides`() throws {
    let stages = Stages()
    let asOf = Instant(milliseconds: 1_700_000_000_000)
    try run(stages, ["seed=8", "keep_runs=5"], asOf: .moment(asOf))
    for call in stages.calls {
      #expect(call.arguments.first == scratch("small.yaml"))
      #expect(call.argument(after: "--run-dir") == directories.path(of: 1))
      #expect(call.argument(after: "--threads") == "3" && call.arguments.contains("--quiet"))
      #expect(
        call.arguments.split(separator: "--set").dropFirst().map { $0.first } == ["seed=8", "keep_runs=5"])
      // Only ingest gets the as-of time. Later stages read it from the snapshot.
      let expected = call.stage == .ingest ? asOf.description : nil
      #expect(call.argument(after: "--as-of") == expected)
    }
    let record = try record(1)
    #expect(record.asOf == asOf && record.overrides == ["seed=8", "keep_runs=5"] && record.threads == 3)
    #expect(record.pipeline == "small" && record.pipelineFile == scratch("small.yaml") && record.run == 1)
  }

  @Test(arguments: [
    ("small.yaml", Stage.ingest, false, ["ingest"], false),
    ("small.yaml", .index, false, ["ingest", "index"], false),
    ("small.yaml", .rank, true, ["ingest", "index", "fit", "rank"], false),
    ("small.yaml", .evaluate, false, ["ingest", "index", "fit", "rank", "evaluate"], false),
    ("small.yaml", .publish, true, ["ingest", "index", "fit", "rank", "evaluate", "publish"], true),
    ("no-model.yaml", .publish, false, ["ingest", "index", "rank", "publish"], true),
    ("no-store.yaml", .publish, false, ["ingest", "index", "fit", "rank"], true),
    ("no-store.yaml", .rank, false, ["ingest", "index", "fit", "rank"], true),
  ])
  func `the pipeline and the options decide the stages of a run`(
    file: String, until: Stage, evaluates: Bool, expected: [String], isComplete: Bool
  ) throws {
    let stages = Stages()
    try run(stages, file: file, until: until, asOf: .newest, evaluates: evaluates)
    #expect(stages.started.map(\.rawValue) == expected)
    #expect(try record(1).asOf == Instant(milliseconds: 0))
    #expect(try record(1).complete == isComplete && record(1).finished != nil)
    #expect(Directories.exists(directories.root + "/latest") == isComplete)
  }

  @Test(arguments: [
    (#"{"unchanged": true}"#, true), (#"{"unchanged": false}"#, false), (#"{"generation": 1}"#, false),
    (#"[{"unchanged": true}, {"unchanged": true}]"#, true),
    (#"[{"unchanged": true}, {"unchanged": false}]"#, false),
  ])
  func `a run is unchanged only if every store serves the same rows`(report: String, expected: Bool)
    throws
  {
    #expect(try run(Stages(published: report)).isUnchanged == expected)
  }

  @Test func `a run without a store is never unchanged`() throws {
    #expect(try !run(Stages(), file: "no-store.yaml").isUnchanged)
  }

  // MARK: - Removed runs

  @Test func `after a complete run, keep_runs decides which runs stay`() throws {
    for _ in 0..<4 { try run(Stages(), ["keep_runs=2"]) }
    #expect(try directories.numbers() == [3, 4])
    #expect(throws: StageFailure.self) { try run(Stages([.rank: .status(70)]), ["keep_runs=2"]) }
    #expect(try directories.numbers() == [3, 4, 5])
    // Before its first stage, the next run removes all failed runs except the newest one.
    #expect(throws: StageFailure.self) { try run(Stages([.index: .status(70)]), ["keep_runs=2"]) }
    let seen = Guarded<[Int]>([])
    let directories = directories
    try run(
      Stages(meanwhile: { stage in
        if stage == .ingest { seen.withLock { $0 = (try? directories.numbers()) ?? [] } }
      }), ["keep_runs=2"])
    #expect(seen.withLock { $0 } == [3, 4, 6, 7])
    #expect(try directories.numbers() == [4, 6, 7])
  }

  @Test func `a run that stops before publish removes no run`() throws {
    for _ in 0..<2 { try run(Stages(), ["keep_runs=1"]) }
    try run(Stages(), ["keep_runs=1"], until: .rank)
    #expect(try directories.numbers() == [2, 3])
    #expect(try latest().hasSuffix("runs/2"))
  }

  @Test func `before its first stage, a run removes the files of a killed run`() throws {
    try run(Stages())
    try FileManager.default.removeItem(atPath: directories.root + "/latest")
    try scratch.write("half", to: "var/small/runs/1/.rankings.partial/near.csv")
    let directories = directories
    let seen = Guarded<[Bool]>([])
    let failing = Stages(
      [.ingest: .status(66)],
      meanwhile: { _ in
        let latest = (try? directories.latest()).map(Directories.resolved)
        let isGone = !Directories.exists(directories.path(of: 1) + "/.rankings.partial")
        seen.withLock { $0 = [latest?.hasSuffix("runs/1") == true, isGone] }
      })
    #expect(throws: StageFailure.self) { try run(failing) }
    #expect(seen.withLock { $0 } == [true, true])
  }
}
