import Concurrency
import Files
import IngestFixture
import PipelineFile
import Readers
import Testing
import TestSupport
import Text
import Tombstones

@testable import Ingest

/// Every rule about sources holds for entities, belongings, check-ins, interactions and requests.
struct AllSourcesTests {
  private static let views =
    "  views: { source: { path: views.jsonl }, user: { from: a, entity: people }, at: t, value: v, "
    + "candidate: { from: d, entity: dogs } }\n"

  private static let yaml = ErasedIngestTests.sourcesOfEveryKind
    .replacing("requests:\n", with: views + "requests:\n")
    .replacing("reject_limit: 1\n", with: "reject_limit: 1\nlater_limit: 1\ndangling_limit: 1\n")

  private static let fields = [
    "people": "id", "dogs": "id,of", "visits": "id,who,t,lat,lon", "likes": "a,d,t,v", "views": "a,d,t,v",
    "asks": "a,d,t,s,c",
  ]

  private static let rows = [
    "people": ["1", "2", "3"], "dogs": ["11,1", "12,2"], "visits": ["21,1,400,10,20", "22,2,300,10,20"],
    "likes": ["2,11,200,1", "1,12,500,1"], "views": ["2,11,150,1"],
    "asks": ["2,11,100,\"yes\",600", "1,12,250,\"open\","],
  ]

  /// Returns JSON lines. Each cell is a JSON value, and an empty cell leaves out its field. `absent` is a field
  /// that no line has.
  private static func lines(_ source: String, _ rows: [String], without absent: String = "") -> String {
    let names = (fields[source] ?? "").split(separator: ",").map(String.init)
    return rows.map { row in
      let cells = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let members = zip(names, cells).filter { $0 != absent && !$1.isEmpty }.map { "\"\($0)\":\($1)" }
      return "{" + members.joined(separator: ",") + "}\n"
    }.joined()
  }

  /// Returns the exports. `changed` replaces the rows of some sources.
  private static func files(_ changed: [String: [String]] = [:]) -> [String: String] {
    let all = rows.merging(changed) { $1 }
    return Dictionary(uniqueKeysWithValues: all.map { ("\($0).jsonl", lines($0, $1)) })
  }

  /// Writes the exports, and reads the pipeline file.
  private func prepared(_ files: [String: String] = Self.files()) throws -> (ScratchDirectory, Pipeline) {
    let scratch = try ScratchDirectory()
    for (name, text) in files { try scratch.write(text, to: name) }
    return (scratch, try Pipeline(yaml: Self.yaml, file: scratch("p.yaml")))
  }

  @Test(
    arguments: [
      ([400, 500, 150, 600], 1000, 600, "newest_request"),
      ([700, 500, 150, 600], 1000, 700, "newest_check_in"),
      ([400, 800, 150, 600], 1000, 800, "newest_interaction"),
      ([400, 500, 900, 600], 1000, 900, "newest_interaction"),
      // Of equally new rows, an interaction comes first, and a check-in comes before a request.
      ([800, 800, 150, 800], 1000, 800, "newest_interaction"),
      ([700, 500, 150, 700], 1000, 700, "newest_check_in"),
      // Rows after the clock decide nothing.
      ([700, 500, 150, 600], 650, 600, "newest_request"),
      ([400, 800, 150, 900], 600, 400, "newest_check_in"),
      ([400, 500, 150, 600], 99, 99, "clock"), ([400, 500, 150, 600], 100, 100, "newest_request"),
    ] as [([Int], Int64, Int64, String)])
  func `the newest row of any source decides the as-of time`(
    times: [Int], clock: Int64, expected: Int64, origin: String
  ) throws {
    let night = try Night(
      Self.yaml,
      Self.files([
        "visits": ["21,1,\(times[0]),10,20", "22,2,300,10,20"],
        "likes": ["2,11,200,1", "1,12,\(times[1]),1"],
        "views": ["2,11,\(times[2]),1"], "asks": ["2,11,100,\"yes\",\(times[3])", "1,12,250,\"open\","],
      ]), clock: Instant(milliseconds: clock))
    #expect(night.manifest.asOf == Instant(milliseconds: expected))
    #expect(night.manifest.counts["as_of_from"] == .string(origin))
  }

  @Test func `the manifest names each export, and each source has its counts`() throws {
    let (scratch, pipeline) = try prepared()
    let progress = WorkProgress()
    let manifest = try IngestStage.run(
      pipeline, in: scratch("run"), asOf: nil, clock: Night.clock, progress: progress, tool: "the tool")
    let names = ["asks", "dogs", "likes", "people", "views", "visits"]
    #expect(manifest.inputs.map(\.path) == names.map { $0 + ".jsonl" })
    #expect(manifest.inputs.map(\.rows) == [2, 2, 2, 3, 1, 2])
    let bytes = Self.files().values.reduce(0) { $0 + $1.utf8.count }
    #expect(progress.state == WorkProgress.State(unit: "bytes", done: bytes, total: bytes))
    #expect(manifest.tool == "the tool" && manifest.stage == "snapshot" && manifest.pipeline == "p")
    #expect(manifest.counts["snapped_to_precision"] == 12)
    let sources = try #require(manifest.counts["sources"])
    #expect(sources.members.keys.sorted() == names)
    for name in names { #expect(sources[name]?["kept"] == .integer(Self.rows[name]?.count ?? 0), "\(name)") }
    let newest: [Int?] = names.map { sources[$0]?["newest"]?["milliseconds"]?.integerValue }
    #expect(newest == [600, nil, 500, nil, 150, 400])
    for name in names {
      #expect(sources[name]?["files"] == nil, "only delimited files end with a line break")
    }
  }

  @Test(
    arguments: [
      ("", ["dogs", "people", "visits", "likes", "views", "asks"]), ("people", []),
      ("dogs", ["people", "visits"]), ("visits", ["dogs", "people", "likes", "views", "asks"]),
      ("likes", ["dogs", "people", "visits", "views", "asks"]),
      ("asks", ["dogs", "people", "visits", "likes", "views"]),
    ] as [(String, [String])])
  func `without an export, the sources that need it are not read`(missing: String, read: [String]) throws {
    var files = Self.files()
    files["\(missing).jsonl"] = nil
    let (scratch, pipeline) = try prepared(files)
    var unreadable: [String] = []
    let exports = IngestedExports(pipeline, asOf: nil, clock: Night.clock) { source, _ in
      unreadable.append(source)
    }
    #expect(unreadable == (missing.isEmpty ? [] : [missing]))
    #expect(exports.sources.map(\.name) == read)
    #expect(exports.isKept("people").count == (missing == "people" ? 0 : 3))
    let positions = exports.entities["people"]?.rows.count { $0.position != nil } ?? 0
    #expect(positions == (["people", "visits"].contains(missing) ? 0 : 2))
    let tried = TriedExports(
      pipeline, asOf: nil, clock: Night.clock, previous: nil, tombstones: .none)
    #expect(tried.errors.count == unreadable.count && scratch.files.count == 6 - unreadable.count)
  }

  @Test(arguments: ["people", "dogs", "visits", "likes", "views", "asks"])
  func `an export that changed since it was read is found`(changed: String) throws {
    let (scratch, pipeline) = try prepared()
    let exports = try IngestedExports(pipeline, asOf: nil, clock: Night.clock) { throw $1 }
    try exports.checkUnchanged()
    try scratch.write(scratch.text(changed + ".jsonl") + "\n", to: changed + ".jsonl")
    let error = #expect(throws: FileError.self) { try exports.checkUnchanged() }
    #expect(error?.path == scratch(changed + ".jsonl"))
  }

  @Test(arguments: [
    ("people", "id"), ("dogs", "id"), ("dogs", "of"), ("visits", "id"), ("visits", "who"), ("visits", "t"),
    ("visits", "lat"), ("visits", "lon"), ("likes", "a"), ("likes", "d"), ("likes", "t"), ("likes", "v"),
    ("asks", "a"), ("asks", "d"), ("asks", "t"), ("asks", "s"),
  ])
  func `a needed field that no record has is an error`(source: String, field: String) throws {
    var files = Self.files()
    files["\(source).jsonl"] = Self.lines(source, Self.rows[source] ?? [], without: field)
    let error = #expect(throws: ExportError.self) { _ = try Night(Self.yaml, files) }
    #expect(error?.code == .missingColumn && error?.file == "\(source).jsonl")
    #expect(error?.reason.hasPrefix("no record has '\(field)'.") == true, "\(error?.reason ?? "")")
  }

  /// While all requests are pending, no record has the time of an answer.
  @Test func `the time of an answer may be absent`() throws {
    let night = try Night(Self.yaml, Self.files(["asks": ["2,11,100,\"open\",", "1,12,250,\"open\","]]))
    #expect(night.accounts("asks") == [2, 2, 0, 0, 0])
    #expect(night.counts("asks")?["absent_fields"] == .array([.string("c")]))
  }

  @Test func `rows of erased people and of their belongings are left out of every source`() throws {
    var files = Self.files([
      // Another row gives the dog 13 to a person who is not erased. The last dog has an invalid id.
      "dogs": ["11,1", "12,2", "13,2", "13,1", "true,2"],
      "visits": ["21,1,400,10,20", "22,2,300,10,20", "23,2,,10,20", "24,9,300,10,20"],
      "likes": ["2,11,200,1", "1,12,500,1", "3,13,500,1", "3,99,1,1"], "views": ["2,11,150,1"],
      "asks": [
        "2,11,100,\"yes\",600", "1,12,250,\"open\",", "3,11,100,\"no\",150", "9,12,1,\"open\",",
        "1,99,1,\"open\",",
      ],
    ])
    for name in ["visits.jsonl", "asks.jsonl"] { files[name]? += "\"2\"\n" }
    let (scratch, pipeline) = try prepared(files)
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(Array("2".utf8), "people")])
    let manifest = try IngestStage.run(
      pipeline, in: scratch("run"), asOf: nil, clock: Night.clock, tombstones: directory.load(), tool: "t")
    // The erased person's request has the newest time.
    #expect(manifest.asOf == Instant(milliseconds: 500))
    let sources = try #require(manifest.counts["sources"])
    let counts: [(String, [Int])] = [
      ("people", [3, 2, 1, 0, 0]), ("dogs", [5, 2, 3, 0, 0]), ("visits", [5, 1, 2, 1, 1]),
      ("likes", [4, 1, 2, 0, 1]), ("views", [1, 0, 1, 0, 0]), ("asks", [6, 1, 3, 1, 1]),
    ]
    for (name, expected) in counts {
      let found = try #require(sources[name])
      let sums = [found["rejected"]?.total, found["dangling"]?.total].map { $0 ?? -1 }
      let all = ["read", "kept", "erased"].map { found[$0]?.integerValue ?? 0 } + sums
      #expect(all == expected, "\(name)")
    }
    let rejects = plainCSVText(try scratch.bytes("run/snapshot/rejects.csv")).dropFirst()
    // A line that cannot be parsed, or a row that belongs to no known person, may be the erased person's.
    #expect(rejects.filter { $0[4] == "not_an_object" }.map { $0[5] } == ["", ""])
    #expect(rejects.filter { $0[0] == "asks.jsonl" }.map { $0[5] } == ["", ""])
  }

  @Test(arguments: ["dogs", "visits", "likes", "asks"], [2, 3])
  func `a file with the number of rows is not read as an export`(source: String, stated: Int) throws {
    var files = Self.files()
    files["\(source)/1.jsonl"] = files["\(source).jsonl"]
    files["\(source)/n"] = "\(stated)\n"
    let (scratch, original) = try prepared(files)
    var pipeline = original
    switch source {
    case "dogs":
      pipeline.entities[0].source.paths = [source]
      pipeline.entities[0].expectations.rowsIn = "n"
    case "visits":
      pipeline.entities[1].checkIns?.source.paths = [source]
      pipeline.entities[1].checkIns?.expectations.rowsIn = "n"
    case "likes":
      pipeline.interactions[0].source.paths = [source]
      pipeline.interactions[0].expectations.rowsIn = "n"
    default:
      pipeline.requests[0].source.paths = [source]
      pipeline.requests[0].expectations.rowsIn = "n"
    }
    let exports = try IngestedExports(pipeline, asOf: nil, clock: Night.clock) { throw $1 }
    let results = try exports.expectations(previous: nil)
    #expect(results.map(\.source) == [source] && results.map(\.expectation) == ["complete.rows_in"])
    #expect(results.map(\.found) == ["2 rows"] && results.map(\.expected) == ["\(stated) rows"])
    #expect(results.map(\.outcome) == [stated == 2 ? .met : .violated])
    #expect(results.map { $0.advice != nil } == [stated != 2])
    #expect(scratch.exists("\(source)/n"))
  }
}
