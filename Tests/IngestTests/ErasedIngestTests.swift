import Concurrency
import Files
import Foundation
import IngestFixture
import PipelineFile
import Readers
import Testing
import TestSupport
import Text
import Tombstones

@testable import Ingest

/// With tombstones, ingest writes the snapshot of exports that lack the erased people.
@Suite struct ErasedIngestTests {
  /// Random exports with rows of every kind. A second version lacks the rows of `victims` and all
  /// interactions with them.
  private struct World {
    var people: [[String]] = []
    var likes: [[String]] = []

    init(seed: UInt64, victims: [String]) {
      var random = SplitMix64(seed: seed)
      func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
      let ids =
        (0..<30).map { "p\($0)" } + (0..<20).map { "somebody-with-a-long-id-\($0)" } + ["é", "e\u{301}", ""]
      for number in 0..<200 {
        let id = pick(ids + victims)
        // Each victim has a word, a text tag and a bio that no other person has.
        let own = victims.contains(where: { $0.utf8.elementsEqual(id.utf8) }) ? "CANARY\(number)" : "f"
        people.append([
          id, pick(["", "10", "20", "90", "x"]), pick(["", "5", "7", "70"]), pick(["", "1", "2", "91"]),
          pick(["1", "3"]), pick(["", "g", own]), pick(["", "1", "30", own]), pick(["", "true"]),
          pick(["", "a bio", own]),
        ])
      }
      for _ in 0..<1500 {
        likes.append([
          pick(ids + victims + ["nobody", "stranger-with-a-long-id"]), pick(ids + victims + ["nobody"]),
          pick(["1", "2", "50", "51", "99", "x"]), pick(["yes", "no", "?"]),
        ])
      }
    }

    func without(_ victims: [String]) -> World {
      func isFree(_ ids: ArraySlice<String>) -> Bool {
        !ids.contains { id in victims.contains { $0.utf8.elementsEqual(id.utf8) } }
      }
      var world = self
      world.people = people.filter { isFree($0.prefix(1)) }
      world.likes = likes.filter { isFree($0.prefix(2)) }
      return world
    }

    func files(_ format: ExportFormat) -> [String: String] {
      func text(_ rows: [[String]], _ header: String) -> String {
        let names = header.dropLast().split(separator: ",").map(String.init)
        if format == .csv { return header + rows.map { $0.joined(separator: ",") + "\n" }.joined() }
        return rows.map { row in
          "{" + zip(names, row).map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}\n"
        }.joined()
      }
      return [
        "people.\(format.rawValue)": text(people, Night.peopleHeader),
        "likes.\(format.rawValue)": text(likes, Night.likesHeader),
      ]
    }
  }

  /// Returns the files of a snapshot. The manifest, the row numbers of rejects and the counts are
  /// omitted, because they differ.
  private func snapshot(
    _ world: World, _ format: ExportFormat, _ tombstones: TombstoneSet, asOf: Int64?, threads: Int = 1,
    blockSize: Int = 1 << 20
  ) throws -> (files: [String: [UInt8]], sources: JSONValue) {
    let scratch = try ScratchDirectory()
    for (name, text) in world.files(format) { try scratch.write(text, to: name) }
    let pipeline = try Pipeline(yaml: Night.yaml(people: format, likes: format), file: scratch("p.yaml"))
    let manifest = try IngestStage.run(
      pipeline, in: scratch("run"), asOf: asOf.map { Instant(milliseconds: $0) }, clock: Night.clock,
      tombstones: tombstones, threads: threads, blockSize: blockSize, tool: "test")
    var files: [String: [UInt8]] = [:]
    for output in manifest.outputs { files[output.path] = try scratch.bytes("run/snapshot/" + output.path) }
    let rejects = plainCSVText(files["rejects.csv"] ?? []).map { $0[0...1] + $0[3...] }
    files["rejects.csv"] = Array(rejects.map { $0.joined(separator: ",") }.joined(separator: "\n").utf8)
    return (files, manifest.counts["sources"] ?? .null)
  }

  private func tombstones(_ ids: [String]) throws -> TombstoneSet {
    let scratch = try ScratchDirectory()
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add(ids.map { (Array($0.utf8), "people") })
    return try directory.load()
  }

  @Test(
    arguments: [
      ["p1"], ["somebody-with-a-long-id-1"], ["é"], ["victim", "p2", "another victim with a long id"],
    ], 0..<6 as Range<UInt64>)
  func `the snapshot equals an ingest without the erased people`(victims: [String], seed: UInt64) throws {
    let world = World(seed: seed, victims: victims)
    let clean = world.without(victims)
    let tombstones = try tombstones(victims)
    let asOf: Int64? = seed.isMultiple(of: 2) ? 60 : nil
    for format in [ExportFormat.csv, .jsonl] {
      let expected = try snapshot(clean, format, .none, asOf: asOf)
      let found = try snapshot(world, format, tombstones, asOf: asOf)
      #expect(Set(found.files.keys) == Set(expected.files.keys))
      for (name, bytes) in expected.files { #expect(found.files[name] == bytes, "\(name) differs") }
      for (source, rows, cleanRows) in [
        ("people", world.people, clean.people), ("likes", world.likes, clean.likes),
      ] {
        let counts = try #require(found.sources[source])
        #expect(counts["erased"]?.integerValue == rows.count - cleanRows.count)
        #expect(counts["read"]?.integerValue == rows.count)
        for key in ["kept", "merged", "later", "rejected", "dangling", "not_allowed"] {
          #expect(counts[key] == expected.sources[source]?[key])
        }
      }
      // The seeds are divided among three other combinations of threads and block sizes.
      let (threads, blockSize) = [(1, 100), (2, 1000), (8, 1)][Int(seed % 3)]
      let other = try snapshot(world, format, tombstones, asOf: asOf, threads: threads, blockSize: blockSize)
      #expect(other.files == found.files && other.sources == found.sources)
    }
  }

  @Test func `rows that may belong to erased people show no values`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      Night.peopleHeader + "CANARY,1,1,1,1,f,1,,bio\nCANARY,1,1\np1,,,,,,1,,\n", to: "people.csv")
    try scratch.write(
      Night.likesHeader
        + "CANARY,p1,1\n,CANARY,1,yes\np1,CANARY,x,yes\nnobody,CANARY,1,?\n\"CANARY,p1,1,yes\nnobody,p1,1,yes\n",
      to: "likes.csv")
    let pipeline = try Pipeline(yaml: Night.yaml(), file: scratch("p.yaml"))
    let manifest = try IngestStage.run(
      pipeline, in: scratch("run"), asOf: nil, clock: Night.clock, tombstones: try tombstones(["CANARY"]),
      tool: "test")
    for name in scratch.files where name.hasPrefix("run/") {
      #expect(!(try scratch.text(name)).contains("CANARY"), "\(name)")
    }
    let sources = manifest.counts["sources"]
    #expect(sources?["people"]?["erased"] == 1 && sources?["people"]?["rejected"] == ["wrong_field_count": 1])
    #expect(sources?["likes"]?["erased"] == 3)
    #expect(manifest.inputs.contains { $0.path == "erasures/tombstones" })
  }

  static let sourcesOfEveryKind = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    privacy: { snap_positions_to: 12 }
    entities:
      people: { source: { path: people.jsonl }, id: id }
      dogs: { source: { path: dogs.jsonl }, id: id, owner: { from: of, entity: people } }
    check_ins:
      visits:
        source: { path: visits.jsonl }
        id: id
        user: { from: who, entity: people }
        at: t
        position: { latitude: lat, longitude: lon }
    interactions:
      likes:
        source: { path: likes.jsonl }
        user: { from: a, entity: people }
        candidate: { from: d, entity: dogs }
        at: t
        value: v
    requests:
      asks:
        source: { path: asks.jsonl }
        user: { from: a, entity: people }
        candidate: { from: d, entity: dogs }
        at: t
        status: { from: s, map: { open: pending, yes: accepted, no: refused } }
        changed: c
    """

  /// A number that is too large to be exact may be the rounded id of an erased person.
  @Test(arguments: [false, true])
  func `bad ids are in the rejects only without tombstones`(hasTombstones: Bool) throws {
    let scratch = try ScratchDirectory()
    func write(_ source: String, _ fields: String, _ rows: String...) throws {
      let names = fields.split(separator: ",")
      let lines = rows.map { row in
        "{" + zip(names, row.split(separator: ",")).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}\n"
      }
      try scratch.write(lines.joined(), to: source + ".jsonl")
    }
    let bad = "12345678901234567890"
    try write("people", "id", "1", "2", bad)
    try write("dogs", "id,of", "3,1", "\(bad),1", "4,\(bad)")
    try write("visits", "id,who,t,lat,lon", "5,1,1,1,1", "\(bad),1,1,1,1", "6,\(bad),1,1,1")
    try write("likes", "a,d,t,v", "2,3,1,1", "\(bad),3,1,1", "2,\(bad),1,1")
    try write("asks", "a,d,t,s", "2,3,1,\"open\"", "\(bad),3,1,\"open\"", "2,\(bad),1,\"open\"")
    _ = try IngestStage.run(
      Pipeline(yaml: Self.sourcesOfEveryKind, file: scratch("p.yaml")), in: scratch("run"), asOf: nil,
      clock: Night.clock, tombstones: hasTombstones ? tombstones(["CANARY"]) : .none, tool: "test")
    let rejects = plainCSVText(try scratch.bytes("run/snapshot/rejects.csv")).dropFirst()
    #expect(rejects.map { $0[4] } == Array(repeating: "bad_id", count: 9))
    #expect(rejects.allSatisfy { $0[5].isEmpty == hasTombstones }, "\(rejects)")
  }

  @Test func `without tombstones the manifest does not mention erasures`() throws {
    let night = try Night(people: "a,1,,,,f,1,,\n", likes: "")
    #expect(night.counts("people")?["erased"] == nil)
    #expect(night.manifest.inputs.count == 2)
  }
}
