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

/// Runs that continue an earlier run, or start with its stages.
extension NightlyRunTests {
  @Test func `a resumed run runs the missing stages in the same run, and keeps its start`() throws {
    let asOf = Instant(milliseconds: 0)
    #expect(throws: StageFailure.self) { try run(Stages([.fit: .signal(9)]), asOf: .moment(asOf)) }
    let before = try record(1)
    let stages = Stages()
    let ended = try run(stages, beginning: .resumed)
    #expect(ended.directory == directories.path(of: 1))
    #expect(stages.started == [.fit, .rank, .publish])
    let record = try record(1)
    #expect(record.stages.map(\.stage) == ["ingest", "index", "fit", "rank", "publish"])
    #expect(record.stages.allSatisfy { $0.status == 0 })
    #expect(record.stages.prefix(2).map(\.seconds) == before.stages.prefix(2).map(\.seconds))
    #expect(record.started == before.started && record.asOf == asOf && record.complete)
  }

  @Test func `a run resumed before ingest ended keeps its as-of time`() throws {
    let asOf = Instant(milliseconds: 1_700_000_000_000)
    #expect(throws: StageFailure.self) { try run(Stages([.ingest: .signal(9)]), asOf: .moment(asOf)) }
    let stages = Stages()
    try run(stages, beginning: .resumed)
    #expect(stages.calls.first?.argument(after: "--as-of") == asOf.description)
    // A time on the command line replaces the time of the interrupted run.
    #expect(throws: StageFailure.self) { try run(Stages([.ingest: .signal(9)]), asOf: .moment(asOf)) }
    let other = Instant(milliseconds: asOf.milliseconds + 1000)
    let changed = Stages()
    try run(changed, asOf: .moment(other), beginning: .resumed)
    #expect(changed.calls.first?.argument(after: "--as-of") == other.description)
    #expect(try record(2).asOf == other)
  }

  @Test func `a run that was killed before it had a record is resumed from its first stage`() throws {
    try Directories.create(directories.path(of: 1))
    let stages = Stages()
    let ended = try run(stages, beginning: .resumed)
    #expect(stages.started == [.ingest, .index, .fit, .rank, .publish])
    #expect(ended.directory == directories.path(of: 1))
    #expect(try record(1).started == Self.clock.description && record(1).asOf == Self.clock)
  }

  @Test func `a stage whose directory is gone runs again, and the record names it once`() throws {
    #expect(throws: StageFailure.self) { try run(Stages([.rank: .status(70)])) }
    try Directories.remove(directories.path(of: 1) + "/models")
    let stages = Stages()
    try run(stages, beginning: .resumed)
    #expect(stages.started == [.fit, .rank, .publish])
    #expect(try record(1).stages.map(\.stage) == ["ingest", "index", "fit", "rank", "publish"])
  }

  @Test func `a resumed run with an evaluation needs no other one`() throws {
    let limit = ["publish.guards.auc_at_least=0.6"]
    #expect(throws: StageFailure.self) {
      try run(Stages([.publish: .status(69)]), limit, evaluates: true)
    }
    let stages = Stages()
    try run(stages, limit, beginning: .resumed)
    #expect(try stages.started == [.publish] && record(1).complete)
  }

  @Test func `the events of a resumed night belong to the night that began it`() throws {
    func night(_ stages: Stages, _ name: String, _ beginning: RunBeginning, _ clock: Instant) throws
      -> NightlyRun
    {
      let options = NightlyRun.Options(
        pipelineFile: scratch("small.yaml"), overrides: [], work: work, until: .publish, threads: 1,
        asOf: nil, evaluates: false, beginning: beginning, log: .json,
        lineage: try LineageDestination(scratch(name), ["OPENLINEAGE_NAMESPACE": "mine"]))
      let pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
      return NightlyRun(pipeline, options, clock: { clock }, start: stages.run)
    }
    func events(_ name: String) throws -> [JSONValue] {
      try scratch.text(name).split(separator: "\n").map { line in
        try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
      }
    }
    let failing = try night(Stages([.rank: .status(70)]), "first.jsonl", .new, Self.clock)
    let failure = try #require(throws: StageFailure.self) { try failing.run() }
    let later = Instant(milliseconds: Self.clock.milliseconds + 3_600_000)
    _ = try night(Stages(), "second.jsonl", .resumed, later).run()
    let (first, second) = (try events("first.jsonl"), try events("second.jsonl"))
    try #require(first.count == 10 && second.count == 6)
    let id = try #require(first[0]["run"]?["runId"]?.stringValue)
    #expect([first[9], second[0], second[5]].allSatisfy { $0["run"]?["runId"] == .string(id) })
    for event in [first[0], second[0], second[5]] {
      let time = event["run"]?["facets"]?["nominalTime"]?["nominalStartTime"]
      #expect(time == .string(Self.clock.description))
    }
    #expect((first + second).allSatisfy { $0["job"]?["namespace"] == "mine" })
    let messages = first.suffix(2).map { $0["run"]?["facets"]?["errorMessage"]?["message"]?.stringValue }
    #expect(messages == ["the stage ended with status 70", failure.description])
    let snapshot = first[2]["outputs"]?.elements.first
    #expect(snapshot?["name"] == .string(directories.root + "/latest/snapshot"))
    let store = second[4]["outputs"]?.elements.first
    #expect(store?["facets"]?["version"]?["datasetVersion"] == "1")
  }

  @Test(
    arguments: [
      (nil, [], ["--as-of", "clock", "--now"], "clock"),
      (.newest, [], ["--as-of", "newest", "--now"], "newest"),
      (nil, ["as_of=newest"], ["--as-of", "newest", "--now"], "newest"),
      (.clock, ["as_of=newest"], ["--as-of", "clock", "--now"], "clock"),
      (nil, ["as_of=2026-01-01"], ["--as-of", "2026-01-01T00:00:00Z", "--now"], "given"),
    ] as [(Pipeline.AsOf?, [String], [String], String)])
  func `only the run reads the clock, and a resumed run keeps its time`(
    asOf: Pipeline.AsOf?, overrides: [String], arguments: [String], from: String
  ) throws {
    let expected = arguments + [Self.clock.description]
    let first = Stages([.ingest: .status(75)])
    #expect(throws: StageFailure.self) { try run(first, overrides, asOf: asOf) }
    #expect(first.calls[0].arguments.suffix(4) == expected[...])
    let before = try record(1)
    #expect(before.asOfFrom == from && (before.asOf == nil) == (from == "newest"))
    let later = Instant(milliseconds: Self.clock.milliseconds + 3_600_000)
    let second = Stages([.fit: .status(70)])
    #expect(throws: StageFailure.self) { try run(second, overrides, beginning: .resumed, clock: later) }
    #expect(second.calls[0].arguments.suffix(4) == expected[...])
    // The record contains the as-of time of the snapshot, even if the newest row decides it.
    let time = from == "newest" ? Instant(milliseconds: 0) : before.asOf
    #expect(try record(1).asOf == time && record(1).started == Self.clock.description)
    try run(Stages(), overrides, beginning: .resumed, clock: later)
    #expect(try record(1).complete && record(1).asOf == time)
    try run(Stages(), overrides, beginning: .from(.rank), clock: later)
    #expect(try record(2).asOf == time && record(2).started == later.description)
  }

  @Test func `a new run fails if the clock went back, and a resumed run continues`() throws {
    try run(Stages())
    let hour: Int64 = 3_600_000
    let before = Instant(milliseconds: Self.clock.milliseconds - hour)
    let after = Instant(milliseconds: Self.clock.milliseconds + hour)
    let stages = Stages()
    let error = try #require(throws: (any Error).self) { try run(stages, clock: before) }
    #expect("\(error)".hasPrefix("the machine's clock shows") && stages.started.isEmpty)
    #expect(throws: StageFailure.self) { try run(Stages([.rank: .status(70)]), clock: after) }
    try run(stages, beginning: .resumed, clock: before)
    #expect(stages.started == [.rank, .publish])
    // A given time does not depend on the clock.
    let givens: [(Pipeline.AsOf?, [String])] = [(.moment(before), []), (nil, ["as_of=2026-01-01"])]
    for (asOf, overrides) in givens {
      let given = Stages([.index: .status(70)])
      #expect(throws: StageFailure.self) { try run(given, overrides, asOf: asOf, clock: before) }
      #expect(given.started == [.ingest, .index])
    }
  }

  @Test func `a pipeline that cannot be evaluated is rejected before any stage runs`() throws {
    let stages = Stages()
    #expect(throws: NothingToEvaluate.self) {
      try run(stages, ["rankings.near.order_by=[age asc]"], evaluates: true)
    }
    #expect(stages.started.isEmpty && !Directories.exists(directories.path(of: 1)))
  }

  @Test func `an as-of time other than the snapshot's is rejected`() throws {
    #expect(throws: StageFailure.self) { try run(Stages([.fit: .status(70)]), asOf: .newest) }
    let stages = Stages()
    let failure = try #require(throws: StageFailure.self) {
      try run(stages, asOf: .moment(Instant(milliseconds: 1)), beginning: .resumed)
    }
    #expect(failure.exitStatus == .badPipelineFile && stages.started.isEmpty)
    #expect("\(failure)".contains("run 1"), "\(failure)")
    try run(stages, asOf: .moment(Instant(milliseconds: 0)), beginning: .resumed)
    #expect(stages.started == [.fit, .rank, .publish])
  }

  @Test func `a resumed run removes no other run before its stages`() throws {
    for _ in 0..<2 { #expect(throws: StageFailure.self) { try run(Stages([.fit: .status(70)])) } }
    #expect(throws: StageFailure.self) { try run(Stages([.rank: .status(70)]), beginning: .resumed) }
    #expect(try directories.numbers() == [1, 2])
  }

  @Test func `a run from a later stage is a new run with the earlier stages of the last run`() throws {
    try run(Stages())
    let stages = Stages()
    try run(stages, ["rankings.near.top=5"], beginning: .from(.rank))
    #expect(stages.started == [.rank, .publish])
    #expect(try record(2).stages.map(\.stage) == ["rank", "publish"])
    #expect(Directories.exists(directories.path(of: 2) + "/snapshot/manifest.json"))
    #expect(try record(2).complete && latest().hasSuffix("runs/2"))
  }
}
