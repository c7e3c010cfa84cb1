import Files
import Foundation
import PipelineFile
import RunSchemas
import ServingStore
import System
import TestSupport
import Testing
import Text

@testable import NightlyRuns

/// The list of the kept runs shows each run's result, its rows, its quality, and the stores that serve it.
@Suite struct RunListTests {
  private let scratch: ScratchDirectory
  private let pipeline: Pipeline

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write(
      """
      pipeline: small
      entities:
        items: { source: { path: items.csv }, id: id }
        users: { source: { path: users.csv }, id: id }
      interactions:
        likes:
          source: { path: likes.csv }
          user: { from: a, entity: users }
          candidate: { from: b, entity: users }
          at: at
          value: { from: v, map: { yes: 1 } }
      rankings:
        far: { users: users, candidates: users, top: 10 }
        near: { users: users, candidates: users, top: 10 }

      """, to: "small.yaml")
    pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
  }

  private var directories: RunDirectories { RunDirectories(work: scratch("var"), pipeline: "small") }

  /// Writes the record of a run whose stages have the given durations and exit statuses.
  private func record(
    _ run: Int, _ stages: [(name: String, seconds: Double, status: Int32)], isComplete: Bool,
    asOf: Instant? = nil
  ) throws {
    var record = RunRecord(
      pipeline: "small", pipelineFile: "small.yaml", overrides: [], run: run, threads: 1,
      started: Instant(milliseconds: 0))
    record.stages = stages.map {
      RunRecord.StageRecord(stage: $0.name, seconds: $0.seconds, status: $0.status, peakMemory: nil)
    }
    (record.complete, record.asOf) = (isComplete, asOf)
    try Directories.create(directories.path(of: run))
    try record.write(to: directories.path(of: run))
  }

  private func manifest(_ stage: Stage, of run: Int, _ counts: JSONValue) throws {
    let manifest = Manifest(
      tool: "test", stage: stage.directory, pipeline: "small", configuration: .null,
      asOf: Instant(milliseconds: 2000), seed: 0, counts: counts)
    try scratch.write(manifest.json, to: "var/small/runs/\(run)/\(stage.directory)/manifest.json")
  }

  private static let metrics: JSONValue = [
    "rankings": [
      "near": [
        "method_order": .array([.string("pipeline")]), "tests": .array([]),
        "methods": [
          "pipeline": [
            "ordering": [
              "auc": [
                "users": 50, "mean": .number(0.75), "interval": .array([.number(0.5), .number(0.875)]),
              ]
            ],
            "finding": ["ndcg@10": ["users": 50, "mean": .number(0.25), "interval": .null]],
          ]
        ],
      ]
    ]
  ]

  /// Writes a complete run with all figures, a complete run without them, a failed run, a run without a
  /// record, and a damaged run. Returns the store that serves the first run.
  private func runs() throws -> StoreAddress {
    try record(1, [("ingest", 0.5, 0), ("rank", 1.75, 0)], isComplete: true)
    try manifest(
      .ingest, of: 1,
      ["sources": ["likes": ["read": 9, "kept": 7], "users": ["read": 1300, "kept": 1200], "items": [:]]])
    try manifest(
      .rank, of: 1,
      [
        "lists": [
          "near": ["users": ["total": 9, "empty_lists": 2]], "far": ["users": ["total": 3]],
        ]
      ])
    try scratch.write(Self.metrics.pretty, to: "var/small/runs/1/evaluation/metrics.json")
    try record(2, [("ingest", 0.5, 0)], isComplete: true, asOf: Instant(milliseconds: 3000))
    try record(3, [("ingest", 0.5, 66), ("index", 0.25, 0), ("rank", 0.75, 70)], isComplete: false)
    try Directories.create(directories.path(of: 4))
    for name in [
      "run.json", "snapshot/manifest.json", "rankings/manifest.json", "evaluation/metrics.json",
    ] { try scratch.write("no JSON", to: "var/small/runs/5/" + name) }
    let address = try StoreAddress(parsing: "sqlite:serving.sqlite", relativeTo: scratch.path)
    try address.open(for: .publishing)
      .publish(pipeline: "small", run: 1, asOf: 0, note: GenerationNote(), keep: 3) { loader in
        try loader.begin(.list, "near")
      }
    return address
  }

  private func list(_ stores: [StoreAddress] = []) throws -> RunList {
    try RunList(pipeline, work: scratch("var"), stores: stores)
  }

  @Test func `without runs, only the header or an empty array is printed`() throws {
    let none = try list()
    #expect(none.unknown == [])
    #expect(
      none.lines(.csv) == [
        "run,status,damaged,started,as_of,seconds,served_by,generations"
      ])
    #expect(none.lines(.text(width: nil)) == ["run  status  started  as of  seconds  figures"])
    let json = try JSONDecoder().decode(JSONValue.self, from: Data(none.lines(.json).joined().utf8))
    #expect(json == .array([]))
  }

  @Test func `CSV has a row for each run and a column for each figure`() throws {
    let address = try runs()
    let found = try list([address])
    #expect(found.unknown == [])
    #expect(
      found.lines(.csv) == [
        "run,status,damaged,started,as_of,seconds,served_by,generations,rows.users,rows.likes,"
          + "users_with_lists.far,users_with_lists.near,"
          + "quality.near.auc,quality.near.auc.low,quality.near.auc.high,"
          + "quality.near.ndcg@10,quality.near.ndcg@10.low,quality.near.ndcg@10.high",
        "5,incomplete,run ingest rank evaluate,,,,,,,,,,,,,,,", "4,incomplete,,,,,,,,,,,,,,,,",
        "3,rank failed (70),,1970-01-01T00:00:00Z,,1.5,,,,,,,,,,,,",
        "2,complete,,1970-01-01T00:00:00Z,1970-01-01T00:00:03Z,0.5,,,,,,,,,,,,",
        "1,complete,,1970-01-01T00:00:00Z,1970-01-01T00:00:02Z,2.2,\(address.shown),1,1200,7,"
          + "3,7,0.75,0.5,0.875,0.25,,",
      ])
  }

  @Test func `text has a row for each run, newest first`() throws {
    let address = try runs()
    #expect(
      try list([address]).lines(.text(width: nil)) == [
        "run  status            started               as of                 seconds  figures",
        "  5  incomplete        -                     -                           -  "
          + "damaged run, damaged ingest, damaged rank, damaged evaluate",
        "  4  incomplete        -                     -                           -",
        "  3  rank failed (70)  1970-01-01T00:00:00Z  -                         1.5",
        "  2  complete          1970-01-01T00:00:00Z  1970-01-01T00:00:03Z      0.5",
        "  1  complete          1970-01-01T00:00:00Z  1970-01-01T00:00:02Z      2.2  "
          + "1 200 users, 7 likes, lists far 3, lists near 7, near AUC 0.750 [0.500, 0.875], "
          + "near nDCG@10 0.250, served by \(address.shown) (generation 1)",
      ])
  }

  @Test(arguments: [60, 80, 120]) func `the figures go below a run if they have no room beside it`(width: Int)
    throws
  {
    _ = try runs()
    let lines = try list().lines(.text(width: width)).wrapped(to: width)
    for line in lines { #expect(line.terminalColumns <= width, "\(line)") }
    let isBelow = lines.contains("    1 200 users, 7 likes, lists far 3, lists near 7,")
    #expect(isBelow == (width < 120), "\(lines)")
  }

  @Test func `JSON has an object for each run, newest first`() throws {
    let address = try runs()
    let text = try list([address]).lines(.json)
    #expect(text.count == 1)
    let found = try JSONDecoder().decode(JSONValue.self, from: Data(text.joined().utf8)).elements
    try #require(found.count == 5)
    let none: JSONValue = [
      "run": 4, "status": "incomplete", "damaged": .array([]), "as_of": .null, "started": .null,
      "seconds": .null, "rows": [:], "users_with_lists": [:], "quality": [:], "served_by": .array([]),
    ]
    #expect(found[1] == none)
    let first: JSONValue = [
      "run": 1, "status": "complete", "damaged": .array([]), "as_of": "1970-01-01T00:00:02Z",
      "started": "1970-01-01T00:00:00Z", "seconds": .number(2.25), "rows": ["users": 1200, "likes": 7],
      "users_with_lists": ["far": 3, "near": 7],
      "quality": [
        "near": [
          "auc": ["mean": .number(0.75), "interval": .array([.number(0.5), .number(0.875)])],
          "ndcg@10": ["mean": .number(0.25), "interval": .null],
        ]
      ], "served_by": .array([.string("\(address.shown) (generation 1)")]),
    ]
    #expect(found[4] == first)
    #expect(found[0]["damaged"] == .array(["run", "ingest", "rank", "evaluate"].map { .string($0) }))
    #expect(found.map { $0["run"] } == [5, 4, 3, 2, 1])
    #expect(found[2]["status"] == "rank failed (70)" && found[2]["seconds"] == .number(1.5))
  }

  @Test func `a night that failed before it created a run is above the runs, without a number`() throws {
    try record(1, [("ingest", 0.5, 0)], isComplete: true)
    try FailedStart(.missingInput, at: Instant(milliseconds: 5000)).write(to: directories.root)
    let found = try list()
    #expect(
      found.lines(.text(width: nil)) == [
        "run  status             started               as of  seconds  figures",
        "  -  start failed (66)  1970-01-01T00:00:05Z  -            -  an input is missing",
        "  1  complete           1970-01-01T00:00:00Z  -          0.5",
      ])
    #expect(found.lines(.csv)[1] == ",start failed (66),,1970-01-01T00:00:05Z,,,,")
    let json = try JSONDecoder().decode(JSONValue.self, from: Data(found.lines(.json).joined().utf8)).elements
    #expect(json.map { $0["run"] } == [JSONValue.null, 1])
    #expect(json[0]["status"] == "start failed (66)" && json[0]["started"] == "1970-01-01T00:00:05Z")
  }

  @Test func `only the newest run can be running, and only if it is not complete`() throws {
    try record(1, [("ingest", 0.5, 65)], isComplete: false)
    try record(2, [("ingest", 0.5, 65)], isComplete: false)
    func statuses() throws -> [String] {
      try list().lines(.csv).dropFirst().map { String($0.split(separator: ",")[1]) }
    }
    #expect(try statuses() == ["ingest failed (65)", "ingest failed (65)"])
    let lock = try RunLock(of: directories.root, holder: "the test")
    #expect(try statuses() == ["running", "ingest failed (65)"])
    try record(3, [], isComplete: true)
    #expect(try statuses() == ["complete", "ingest failed (65)", "ingest failed (65)"])
    let descriptor = lock.descriptor
    #expect(descriptor >= 0)
  }

  @Test func `a store that cannot be read is reported, and the others are still listed`() throws {
    let address = try runs()
    let absent = try StoreAddress(parsing: "sqlite:absent.sqlite", relativeTo: scratch.path)
    let found = try list([absent, address])
    #expect(found.unknown.count == 1 && found.unknown.first?.hasPrefix("\(absent.shown): ") == true)
    let last = found.lines(.csv).last
    #expect(last?.contains(",\(address.shown),1,1200,") == true, "\(last ?? "")")
    // A store of another pipeline serves no run of this one.
    let other = try StoreAddress(parsing: "sqlite:other.sqlite", relativeTo: scratch.path)
    try other.open(for: .publishing)
      .publish(pipeline: "other", run: 1, asOf: 0, note: GenerationNote(), keep: 3) { loader in
        try loader.begin(.list, "near")
      }
    let both = try list([other, address])
    let alone = try list([address])
    #expect(both.unknown == [])
    #expect(both.lines(.csv) == alone.lines(.csv))
  }
}
