import Foundation
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing
import Text

@testable import NightlyRuns

struct LineageTests {
  private let scratch: ScratchDirectory
  private let pipeline: Pipeline

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id } }
      publish: { store: ["sqlite:serving.sqlite", "postgresql://app@db.example.org:5433/app"] }

      """, to: "small.yaml")
    pipeline = try Pipeline(file: scratch("small.yaml"))
  }

  private func events(_ directory: String = "runs/3", started: String = "2026-11-18T05:46:40Z")
    -> LineageEvents
  {
    LineageEvents(
      pipeline: pipeline, root: scratch("var/small"), directory: scratch(directory), namespace: "nightjar",
      started: started)
  }

  private static let time = Instant(milliseconds: 1_794_980_800_000)

  @Test func `the events of one run have the same id, and no other event has it`() throws {
    let id = { (event: JSONValue) in event["run"]?["runId"]?.stringValue ?? "" }
    let events = events()
    let night = id(events.night(.start, at: Self.time, asOf: nil))
    #expect(
      try #/[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/#.wholeMatch(in: night) != nil
    )
    #expect(id(events.night(.fail, at: Self.time, asOf: nil, message: "x")) == night)
    let stage = id(try events.stage(.fit, .start, at: Self.time, attempt: Self.time))
    #expect(id(try events.stage(.fit, .fail, at: Self.time, attempt: Self.time, message: "x")) == stage)
    let others = [
      night, id(try events.stage(.rank, .start, at: Self.time, attempt: Self.time)),
      id(
        try events.stage(
          .fit, .start, at: Self.time, attempt: Instant(milliseconds: Self.time.milliseconds + 1))),
      id(self.events("runs/4").night(.start, at: Self.time, asOf: nil)),
      id(self.events(started: "2026-11-18T05:46:41Z").night(.start, at: Self.time, asOf: nil)),
    ]
    #expect(Set(others + [stage]).count == others.count + 1)
  }

  @Test func `a failed stage names its night, its job and the reason`() throws {
    let event = try events().stage(.fit, .fail, at: Self.time, attempt: Self.time, message: "status 74")
    #expect(event["eventType"] == "FAIL" && event["eventTime"] == "2026-11-18T05:46:40Z")
    #expect(event["job"]?["namespace"] == "nightjar" && event["job"]?["name"] == "small.fit")
    #expect(event["job"]?["facets"]?["jobType"]?["jobType"] == "TASK")
    let facets = event["run"]?["facets"]
    #expect(facets?["errorMessage"]?["message"] == "status 74")
    let night = events().night(.start, at: Self.time, asOf: Self.time)
    #expect(facets?["parent"]?["run"]?["runId"] == night["run"]?["runId"])
    #expect(facets?["parent"]?["job"]?["name"] == "small" && night["job"]?["name"] == "small")
    #expect(night["run"]?["facets"]?["nominalTime"]?["nominalStartTime"] == "2026-11-18T05:46:40Z")
    #expect(night["run"]?["facets"]?["errorMessage"] == nil && night["inputs"] == .array([]))
  }

  @Test func `a store is an output with its generation and rows`() throws {
    try FileManager.default.createDirectory(
      atPath: scratch("runs/3/rankings"), withIntermediateDirectories: true)
    let published: JSONValue = .array([
      ["generation": 7, "loaded": 120, "store": "sqlite:serving.sqlite"],
      ["generation": 9, "unchanged": .boolean(true)],
    ])
    let event = try events().stage(
      .publish, .complete, at: Self.time, published: published, attempt: Self.time)
    let outputs = event["outputs"]?.elements ?? []
    try #require(outputs.count == 2)
    #expect(outputs[0]["namespace"] == "file" && outputs[0]["name"] == .string(scratch("serving.sqlite")))
    #expect(outputs[0]["facets"]?["version"]?["datasetVersion"] == "7")
    #expect(outputs[0]["outputFacets"]?["outputStatistics"]?["rowCount"] == 120)
    #expect(
      outputs[1]["namespace"] == "postgresql://app@db.example.org:5433/app" && outputs[1]["name"] == "small")
    #expect(outputs[1]["outputFacets"] == nil)
  }

  // MARK: - Destinations

  @Test(arguments: [
    ("ftp://example.org", "neither a file nor an address"), ("https://", "neither a file nor an address"),
    ("https://me:secretXQ@example.org/", "contains a password"),
  ])
  func `an unsupported address or a password in it is a usage error`(_ text: String, _ message: String) {
    let failure = #expect(throws: StageFailure.self) { try LineageDestination(text, [:]) }
    #expect(failure?.exitStatus == .usage && failure?.description.contains(message) == true)
    #expect(failure?.description.contains("secretXQ") == false)
  }

  @Test func `a file gets one line per event, after its earlier lines`() throws {
    try scratch.write("{}\n", to: "lineage.jsonl")
    let destination = try LineageDestination(scratch("lineage.jsonl"), ["OPENLINEAGE_NAMESPACE": "mine"])
    #expect(destination.namespace == "mine")
    try destination.send(["b": "x\ny", "a": 1])
    try destination.send(["a": 2])
    #expect(try scratch.text("lineage.jsonl") == "{}\n{\"a\":1,\"b\":\"x\\ny\"}\n{\"a\":2}\n")
    let folder = try LineageDestination(scratch(""), [:])
    #expect(throws: (any Error).self) { try folder.send(["a": 1]) }
  }
}
