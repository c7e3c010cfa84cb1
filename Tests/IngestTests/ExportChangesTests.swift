import Files
import Foundation
import IngestFixture
import PipelineFile
import Testing
import TestSupport
import Text
import Tombstones

@testable import Ingest

/// Exports beside the snapshot that was made from them.
struct ExportChangesTests {
  private static let like = "a,b,2025-12-01T00:00:00Z,yes\n"

  private let night: Night

  init() throws {
    night = try Night(
      Night.yaml().replacing("path: likes.csv", with: "path: likes"),
      [
        "people.csv": Night.peopleHeader + "a,,,,,,,,\nb,,,,,,,,\n",
        "likes/1.csv": Night.likesHeader + Self.like, "likes/2.csv": Night.likesHeader + Self.like,
      ])
  }

  private func changes(_ manifest: Manifest? = nil) throws -> [String] {
    try ExportChanges.since(manifest ?? night.manifest, night.pipeline, tombstones: .none)
  }

  @Test func `unchanged exports have no changes`() throws {
    #expect(try changes() == [])
  }

  @Test func `changed, removed and new exports are named`() throws {
    // The first file has the same length as before.
    try night.scratch.write(
      Night.likesHeader + Self.like.replacing("-01T", with: "-02T"), to: "likes/1.csv")
    #expect(try changes() == ["likes/1.csv has changed"])
    try FileManager.default.removeItem(atPath: night.scratch("likes/2.csv"))
    try night.scratch.write(Night.likesHeader, to: "likes/3.csv")
    try night.scratch.write(night.scratch.text("people.csv") + "\n", to: "people.csv")
    #expect(
      try changes() == [
        "likes/1.csv has changed", "likes/2.csv is gone", "people.csv has changed", "likes/3.csv is new",
      ])
  }

  @Test func `other tombstones are a change, and standard input is not`() throws {
    var manifest = night.manifest
    manifest.inputs.append(FileDigest(path: "-", bytes: 1, sha256: "ab"))
    #expect(try changes(manifest) == [])
    manifest.inputs.append(FileDigest(path: TombstoneSet.inputPath, bytes: 1, sha256: "ab"))
    #expect(try changes(manifest) == ["the tombstones of erased people have changed"])
  }

  @Test func `the sizes and times of exports are listed`() throws {
    try night.scratch.write("x", to: "likes/2.csv.gz")
    let times = [1_700_000_000, 1_700_000_001, 1_700_000_002, 1_700_000_003]
    let names = ["people.csv", "likes/1.csv", "likes/2.csv", "likes/2.csv.gz"]
    for (name, time) in zip(names, times) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(time))], ofItemAtPath: night.scratch(name))
    }
    let files = ExportSizes.files(of: night.pipeline).sorted { $0.changed < $1.changed }
    #expect(files.map(\.changed) == times.map { Double($0) })
    #expect(files.map(\.bytes) == [Night.peopleHeader.utf8.count + 20, 8 + 29, 8 + 29, 1])
    #expect(files.map(\.isCompressed) == [false, false, false, true])
    #expect(try ExportSizes.streams(in: night.pipeline) == [])
    // Sources whose files are missing are left out.
    try FileManager.default.removeItem(atPath: night.scratch("likes"))
    #expect(ExportSizes.files(of: night.pipeline).map(\.changed) == [1_700_000_000])
  }

  @Test func `standard input and devices are streams`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("x", to: "people.csv")
    for (path, streams) in [("\"-\"", ["-"]), ("/dev/null", ["/dev/null"]), ("people.csv", [])]
      as [(String, [String])]
    {
      let yaml = Night.yaml().replacing("path: likes.csv", with: "path: \(path)")
      let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
      #expect(try ExportSizes.streams(in: pipeline) == streams)
    }
  }
}

/// Reading exports to find all their faults at once.
struct TriedExportsTests {
  private func tried(
    likes: String, limit: String = "1", former: Int64? = nil, extent: TriedExports.Extent = .whole,
    hasPeople: Bool = true
  ) throws -> [String] {
    let scratch = try ScratchDirectory()
    if hasPeople { try scratch.write(Night.peopleHeader + "a,,,,,,,,\nb,,,,,,,,\n", to: "people.csv") }
    try scratch.write(Night.likesHeader + likes, to: "likes.csv")
    let previous = former.map {
      Manifest(
        tool: "t", stage: "snapshot", pipeline: "p", configuration: .null,
        asOf: Instant(milliseconds: Night.clock.milliseconds + $0), seed: 0, counts: ["as_of_from": "clock"])
    }
    let exports = TriedExports(
      try Pipeline(yaml: Night.yaml(limit: limit), file: scratch("p.yaml")), asOf: nil, clock: Night.clock,
      previous: previous, tombstones: .none, extent: extent)
    return exports.errors.map { "\(type(of: $0))" }
  }

  private static let like = "a,b,2025-12-01T00:00:00Z,yes\n"
  private static let broken = "a,b,2025-12-01T00:00:00Z,?\n"

  @Test func `all faults are found, in the order of a run`() throws {
    #expect(try tried(likes: Self.like) == [])
    #expect(try tried(likes: Self.like + Self.broken, limit: "0") == ["RowLimitExceeded"])
    #expect(try tried(likes: Self.like, former: 1) == ["ClockWentBack"])
    #expect(try tried(likes: Self.like, former: 0) == ["AsOfWentBack"])
    #expect(
      try tried(likes: Self.like + Self.broken, limit: "0", former: 1) == [
        "RowLimitExceeded", "ClockWentBack",
      ])
    #expect(try tried(likes: Self.like, hasPeople: false).first == "ExportError")
  }

  @Test func `the beginnings of exports show no limits and no times`() throws {
    #expect(
      try tried(likes: Self.like + Self.broken, limit: "0", former: 1, extent: .beginnings) == [])
    #expect(try tried(likes: Self.like, extent: .beginnings, hasPeople: false).first == "ExportError")
  }
}

/// Reading the beginnings of exports finds sources that are empty.
struct BeginningsTests {
  private func tried(
    _ people: String, likes: String = "", extent: TriedExports.Extent, condition: String = ""
  ) throws
    -> TriedExports
  {
    let scratch = try ScratchDirectory()
    try scratch.write(Night.peopleHeader + people, to: "people.csv")
    try scratch.write(Night.likesHeader + likes, to: "likes.csv")
    let rankings = "rankings:\n  near: { users: people, candidates: people, order_by: newest, top: 3 }\n"
    let yaml = Night.yaml(extra: rankings).replacing(
      "people.csv, format: csv", with: "people.csv, format: csv\(condition)")
    return TriedExports(
      try Pipeline(yaml: yaml, file: scratch("p.yaml")), asOf: nil, clock: Night.clock, previous: nil,
      tombstones: .none, extent: extent)
  }

  @Test(arguments: [
    ("", "", true, true), ("a,,,,,,,,\n", "", false, false),
    ("a,,,,,x,,,\n", ", where: { field: x }", false, false),
    ("", ", where: { field: x }", true, true),
    // Later rows may meet the condition.
    ("a,,,,,y,,,\n", ", where: { field: x }", false, true),
  ])
  func `an empty source is found`(people: String, condition: String, inBeginnings: Bool, inWhole: Bool) throws
  {
    for (extent, isFound) in [
      (TriedExports.Extent.beginnings, inBeginnings), (TriedExports.Extent.whole, inWhole),
    ] {
      let found = try tried(people, extent: extent, condition: condition)
      #expect(found.errors.isEmpty)
      let violated = found.expectations.filter { $0.outcome == .violated }
      #expect(violated.map(\.source) == (isFound ? ["people"] : []), "\(extent)")
    }
  }

  @Test func `each source that a list needs must have rows`() throws {
    let scratch = try ScratchDirectory()
    for name in ["cats", "dogs", "extras", "users"] { try scratch.write("id,t,county\n", to: name + ".csv") }
    let yaml = """
      pipeline: p
      entities:
        cats: { source: { path: cats.csv }, id: id, created: t, attributes: { county: { type: category } } }
        dogs: { source: { path: dogs.csv }, id: id, created: t }
        extras: { source: { path: extras.csv }, id: id }
        users: { source: { path: users.csv }, id: id }
      rankings:
        near: { users: users, candidates: dogs, order_by: newest, top: 3 }
        all: { catalog: cats, by: county }
      """
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    let exports = try IngestedExports(pipeline, asOf: nil, clock: Night.clock) { throw $1 }
    let results = try exports.expectations(previous: nil)
    let rest = """
      The lists that need this source would have no entries. Correct the export. If the source may be empty, \
      set 'expect: { rows: { at_least: 0 } }' in the pipeline file.
      """
    #expect(
      results.map(\.description)
        == ["cats", "dogs", "users"].map { "\($0): expected rows.at_least 1, found 0 rows. \(rest)" })
    // Only the last source lost rows that no list needs.
    let read = ["cats", "dogs", "extras", "users"].map { ($0, ["read": 9] as JSONValue) }
    let previous = Manifest(
      tool: "t", stage: "snapshot", pipeline: "p", configuration: .null, asOf: Night.clock, seed: 0,
      counts: ["sources": .object(Dictionary(uniqueKeysWithValues: read))])
    #expect(exports.losses(since: previous).map(\.source) == ["extras"])
  }

  @Test func `only the first block of a file is read`() throws {
    let likes = String(repeating: "a,b,2025-12-01T00:00:00Z,yes\n", count: 80_000)
    func read(_ extent: TriedExports.Extent) throws -> Int {
      let exports = try tried("a,,,,,,,,\nb,,,,,,,,\n", likes: likes, extent: extent).exports
      return exports.sources.last?.counts.read ?? 0
    }
    #expect(try read(.whole) == 80_000)
    let beginning = try read(.beginnings)
    #expect(beginning > 0 && beginning < 80_000)
  }
}

struct AsOfWentBackTests {
  private static let day: Int64 = 86_400_000

  private static func manifest(_ days: Int64) -> Manifest {
    Manifest(
      tool: "t", stage: "snapshot", pipeline: "p", configuration: .null,
      asOf: Instant(milliseconds: days * day), seed: 0, counts: [:])
  }

  @Test func `only an earlier as-of time is an error`() {
    let clock = Instant(milliseconds: 5 * Self.day)
    let asOf = AsOf(.clock, interactions: [], checkIns: [], requests: [], clock: clock)
    #expect(asOf.instant == clock && asOf.origin == .clock)
    for days in [4, 5] as [Int64] { #expect(AsOfWentBack(asOf, after: Self.manifest(days)) == nil) }
    let error = AsOfWentBack(asOf, after: Self.manifest(6))
    #expect(
      error?.description
        == "the as-of time would be 1970-01-06T00:00:00Z (the machine's clock), but the last complete run had "
        + "the later as-of time 1970-01-07T00:00:00Z. A run stops before it makes lists, and the app keeps "
        + "reading the previous lists. If an export is old, export its data again. To use these exports, pass "
        + "--as-of 1970-01-06T00:00:00Z.")
  }

  @Test func `without any row, the clock is the newest time, and a given time always counts`() {
    let (clock, given) = (Instant(milliseconds: 5), Instant(milliseconds: 9))
    let newest = AsOf(.newest, interactions: [], checkIns: [], requests: [], clock: clock)
    #expect(newest.instant == clock && newest.origin == .clock)
    let moment = AsOf(.moment(given), interactions: [], checkIns: [], requests: [], clock: clock)
    #expect(moment.instant == given && moment.origin == .given)
  }
}
