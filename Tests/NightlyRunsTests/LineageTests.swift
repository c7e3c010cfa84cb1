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

  /// The address of the schema of a facet with its version.
  private static func schema(_ facet: String) -> JSONValue {
    let name = facet.split(separator: "/").last ?? ""
    return .string("https://openlineage.io/spec/facets/\(facet).json#/$defs/\(name)")
  }

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
    #expect(id(self.events("runs/./3").night(.start, at: Self.time, asOf: nil)) == night)
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
    #expect(facets?["parent"]?["job"]?["namespace"] == "nightjar" && facets?["nominalTime"] == nil)
    #expect(facets?["parent"]?["_schemaURL"] == Self.schema("1-2-0/ParentRunFacet"))
    let nominal = night["run"]?["facets"]?["nominalTime"]
    #expect(nominal?["_schemaURL"] == Self.schema("1-0-1/NominalTimeRunFacet"))
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
    #expect(outputs[1]["facets"]?["version"]?["datasetVersion"] == "9" && outputs[1]["outputFacets"] == nil)
    #expect(
      outputs[0]["facets"]?["version"]?["_schemaURL"] == Self.schema("1-0-1/DatasetVersionDatasetFacet"))
    let statistics = outputs[0]["outputFacets"]?["outputStatistics"]
    #expect(statistics?["_schemaURL"] == Self.schema("1-0-2/OutputStatisticsOutputDatasetFacet"))
  }

  /// Writes the manifest of a stage with two outputs of 12 bytes in total, and returns it.
  @discardableResult
  private func manifest(_ stage: String, inputs: [FileDigest] = [], parents: [String] = []) throws -> Manifest
  {
    var manifest = Manifest(
      tool: "test", stage: stage, pipeline: "small", configuration: .null, asOf: Self.time, seed: 0,
      inputs: inputs, counts: .null,
      parents: Dictionary(uniqueKeysWithValues: parents.map { ($0, "digest") }))
    manifest.outputs = [
      FileDigest(path: "a", bytes: 5, sha256: ""), FileDigest(path: "b", bytes: 7, sha256: ""),
    ]
    try scratch.write(manifest.json, to: "runs/3/\(stage)/manifest.json")
    return try Manifest(of: scratch("runs/3/" + stage))
  }

  private func versions(_ datasets: JSONValue?) -> [JSONValue?] {
    (datasets?.elements ?? []).map { $0["facets"]?["version"]?["datasetVersion"] }
  }

  private func names(_ datasets: JSONValue?) -> [JSONValue?] {
    (datasets?.elements ?? []).map { $0["name"] }
  }

  @Test func `the inputs of ingest are its exports with their digests`() throws {
    let snapshot = try manifest(
      "snapshot",
      inputs: [
        FileDigest(path: "users.csv", bytes: 1, sha256: "one"), FileDigest(path: "", bytes: 1, sha256: "two"),
        FileDigest(path: "/data/swipes.csv", bytes: 1, sha256: "three"),
      ])
    let event = try events().stage(.ingest, .complete, at: Self.time, attempt: Self.time)
    #expect(names(event["inputs"]) == [.string(scratch("users.csv")), "/data/swipes.csv"])
    #expect(versions(event["inputs"]) == ["one", "three"])
    #expect(names(event["outputs"]) == [.string(scratch("var/small/latest/snapshot"))])
    #expect(versions(event["outputs"]) == [.string(snapshot.digest)])
    for state in [LineageEvents.State.start, .fail, .abort] {
      let other = try events().stage(.ingest, state, at: Self.time, attempt: Self.time)
      #expect(other["inputs"] == .array([]) && other["outputs"] == .array([]))
    }
  }

  @Test func `the inputs of a later stage are its parents, and its output has a size`() throws {
    let snapshot = try manifest("snapshot")
    let index = try manifest("index")
    // This run has no models.
    let rankings = try manifest("rankings", parents: ["snapshot", "models", "index"])
    let event = try events().stage(.rank, .complete, at: Self.time, attempt: Self.time)
    let latest = scratch("var/small/latest")
    #expect(names(event["inputs"]) == [.string(latest + "/index"), .string(latest + "/snapshot")])
    #expect(versions(event["inputs"]) == [.string(index.digest), .string(snapshot.digest)])
    let output = try #require(event["outputs"]?.elements.first)
    #expect(output["namespace"] == "file" && output["name"] == .string(latest + "/rankings"))
    let statistics = output["outputFacets"]?["outputStatistics"]
    #expect(statistics?["size"] == 12 && statistics?["fileCount"] == 2)
    #expect(statistics?["_schemaURL"] == Self.schema("1-0-2/OutputStatisticsOutputDatasetFacet"))
    #expect(versions(event["outputs"]) == [.string(rankings.digest)])
    let published = try events().stage(.publish, .complete, at: Self.time, attempt: Self.time)
    #expect(names(published["inputs"]) == [.string(latest + "/rankings")])
    #expect(published["outputs"] == .array([]), "without a report, the stores are unknown")
  }

  @Test func `a single report belongs to the first store`() throws {
    try manifest("rankings")
    let report: JSONValue = ["generation": 7, "loaded": 120]
    let event = try events().stage(.publish, .complete, at: Self.time, published: report, attempt: Self.time)
    #expect(names(event["outputs"]) == [.string(scratch("serving.sqlite"))])
    #expect(versions(event["outputs"]) == ["7"])
  }

  @Test func `the event of a night has all required members`() throws {
    let event = events().night(.complete, at: Self.time, asOf: nil)
    let producer = JSONValue.string("urn:nightjar:" + Tool.version)
    let kind: JSONValue = [
      "processingType": "BATCH", "integration": "NIGHTJAR", "jobType": "JOB", "_producer": producer,
      "_schemaURL": "https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet",
    ]
    let expected: JSONValue = [
      "eventType": "COMPLETE", "eventTime": "2026-11-18T05:46:40Z", "producer": producer,
      "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
      "run": ["runId": event["run"]?["runId"] ?? .null, "facets": [:]],
      "job": ["namespace": "nightjar", "name": "small", "facets": ["jobType": kind]],
      "inputs": .array([]), "outputs": .array([]),
    ]
    #expect(event == expected)
    let failed = events().night(.abort, at: Self.time, asOf: Self.time, message: "no")
    #expect(failed["eventType"] == "ABORT")
    let message = failed["run"]?["facets"]?["errorMessage"]
    #expect(message?["message"] == "no" && message?["programmingLanguage"] == "Swift")
    #expect(
      message?["_schemaURL"]
        == "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet")
    #expect(failed["run"]?["facets"]?["nominalTime"]?["_producer"] == producer)
  }

  // MARK: - Nights

  /// A night whose clock advances by one second with each reading.
  private func lineage(_ file: String, _ format: LogFormat = .json) throws -> Lineage {
    var seconds: Int64 = 0
    return Lineage(events(), to: try LineageDestination(scratch(file), [:]), format) {
      seconds += 1
      return Instant(milliseconds: seconds * 1000)
    }
  }

  @Test func `events are sent in order, and the attempts of a stage have different ids`() throws {
    let lineage = try lineage("lineage.jsonl")
    lineage.night(.start, asOf: nil)
    lineage.began(.fit)
    lineage.failed(.fit, .abort, "stopped")
    lineage.began(.fit)
    try manifest("models")
    lineage.ended(.fit, nil)
    lineage.night(.fail, asOf: nil, message: "no")
    let sent = try scratch.text("lineage.jsonl").split(separator: "\n").map {
      try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
    }
    #expect(sent.map { $0["eventType"] } == ["START", "START", "ABORT", "START", "COMPLETE", "FAIL"])
    let times: [String?] = (1...6).map { Instant(milliseconds: $0 * 1000).description }
    #expect(sent.map { $0["eventTime"]?.stringValue } == times)
    try #require(sent.count == 6)
    let ids = sent.map { $0["run"]?["runId"]?.stringValue ?? "" }
    #expect(ids[0] == ids[5] && ids[1] == ids[2] && ids[3] == ids[4] && Set(ids).count == 3)
    #expect(sent[2]["run"]?["facets"]?["errorMessage"]?["message"] == "stopped")
  }

  @Test func `after an event that cannot be sent, no more events are sent`() throws {
    let lineage = try lineage("later/lineage.jsonl")
    lineage.night(.start, asOf: nil)
    try FileManager.default.createDirectory(atPath: scratch("later"), withIntermediateDirectories: true)
    lineage.night(.complete, asOf: nil)
    #expect(!scratch.exists("later/lineage.jsonl"))
  }

  @Test func `an event that cannot be sent gives one warning`() async throws {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let tests = try LineageTests()
      try withExtendedLifetime(tests.scratch) {
        for format in [LogFormat.text, .json] {
          let lineage = try tests.lineage("later/lineage.jsonl", format)
          lineage.night(.start, asOf: nil)
          lineage.night(.complete, asOf: nil)
        }
      }
    }
    let lines = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
    try #require(lines.count == 2)
    let words = "the lineage of this run is incomplete: cannot create '"
    #expect(lines[0].hasPrefix("  warning: " + words), "\(lines[0])")
    let event = try JSONDecoder().decode(JSONValue.self, from: Data(lines[1].utf8))
    #expect(event["event"] == "warning" && event["message"]?.stringValue?.hasPrefix(words) == true)
  }

  // MARK: - Destinations

  /// Writes `script` as the first program `curl` of this process. A file that is not executable comes before
  /// it.
  private static func replaceCurl(with script: String, in scratch: ScratchDirectory) throws {
    try scratch.write("", to: "none/curl")
    try scratch.write("#!/bin/sh\n" + script + "\n", to: "curl")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch("curl"))
    unsafe setenv("PATH", "\(scratch("none")):\(scratch.path):/usr/bin:/bin", 1)
  }

  private static func printError(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }

  /// The script keeps the input of curl. Other users of the machine cannot read this input.
  @Test func `a service gets each event through the input of curl`() async {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let scratch = try ScratchDirectory()
      try withExtendedLifetime(scratch) {
        try Self.replaceCurl(with: #"cat > "$0.input"; echo "$@" >> "$0.input""#, in: scratch)
        for (address, key) in [
          ("http://h.example", nil), ("http://h.example/", ""), ("https://h.example:8/mine?a=1", #"s"e\c"#),
        ] as [(String, String?)] {
          let environment = key.map { [LineageDestination.keyVariable: $0] } ?? [:]
          try LineageDestination(address, environment).send(["text": #"a "quoted" \ word"#])
          Self.printError(try scratch.text("curl.input"))
        }
      }
    }
    func input(_ url: String, _ key: String = "") -> String {
      """
      silent
      show-error
      fail
      max-time = 10
      output = /dev/null
      url = "\(url)"
      header = "Content-Type: application/json"
      data-raw = \(#""{\"text\":\"a \\\"quoted\\\" \\\\ word\"}""#)
      \(key)--config -

      """
    }
    let usual = "http://h.example/api/v1/lineage"
    let key = #"header = "Authorization: Bearer s\"e\\c""# + "\n"
    #expect(
      String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        == input(usual) + input(usual) + input("https://h.example:8/mine?a=1", key))
  }

  @Test func `a service that does not accept an event is unavailable, with the first line of curl's errors`()
    async
  {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      let scratch = try ScratchDirectory()
      try withExtendedLifetime(scratch) {
        let destination = try LineageDestination("http://h.example", [:])
        for script in ["printf 'curl: (22) 404\nmore\n' >&2; exit 22", "exit 1", "kill -9 $$", ""] {
          try Self.replaceCurl(with: script, in: scratch)
          if script.isEmpty { unsafe setenv("PATH", scratch("none"), 1) }
          let failure = try #require(throws: StageFailure.self) { try destination.send(["a": 1]) }
          Self.printError("\(failure.exitStatus == .storeUnavailable) \(failure)\n")
        }
      }
    }
    let advice = ". Check the address in --lineage, and OPENLINEAGE_API_KEY.\n"
    let unknown = "true the service did not accept the event" + advice
    #expect(
      String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        == "true curl: (22) 404" + advice + unknown + unknown
        + "true the program curl is not on PATH. Install it: apt-get install curl\n")
  }

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
    try destination.send(["b": "x/\ny", "a": 1])
    try destination.send(["a": 2])
    #expect(try scratch.text("lineage.jsonl") == "{}\n{\"a\":1,\"b\":\"x/\\ny\"}\n{\"a\":2}\n")
    // A new file is not readable by other accounts.
    try LineageDestination(scratch("new.jsonl"), [:]).send(["a": 3])
    let mode = try FileManager.default.attributesOfItem(atPath: scratch("new.jsonl"))[.posixPermissions]
    #expect(try scratch.text("new.jsonl") == "{\"a\":3}\n" && (mode as? Int ?? 0o777) & 0o007 == 0)
    let folder = try LineageDestination(scratch(""), [:])
    #expect(throws: (any Error).self) { try folder.send(["a": 1]) }
  }

  @Test(
    arguments: [([:], "nightjar"), (["OPENLINEAGE_NAMESPACE": ""], "nightjar")]
      as [([String: String], String)])
  func `the default namespace is the name of the program`(environment: [String: String], namespace: String)
    throws
  {
    #expect(try LineageDestination("lineage.jsonl", environment).namespace == namespace)
    #expect(try LineageDestination("HTTPS://example.org", environment).namespace == namespace)
  }
}
