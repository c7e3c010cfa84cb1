import Columns
import Erasure
import Files
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import TestSupport
import Text
import Tombstones

/// Data that an erasure could leave behind: words in earlier versions, people whose erasure was
/// killed, gaps in lists, and files that a power cut would lose.
@Suite struct LeftoverDataTests {
  private static let asOf = Instant(milliseconds: 100)

  private static func bytes(_ id: String) -> [UInt8] { Array(id.utf8) }

  private func ids(_ names: [String], of entity: String = "users") -> ErasedIDs {
    var ids = ErasedIDs()
    for name in names { ids.insert(Self.bytes(name), entity: entity) }
    return ids
  }

  private func erasure(_ names: [String], _ run: StageFixture, _ tombstones: TombstoneSet = .none)
    -> RunErasure
  {
    RunErasure(ids(names), tombstones: tombstones, tool: "test")
  }

  @Test func `hidden files of killed processes are removed, and a missing folder is not an error`() throws {
    let scratch = try ScratchDirectory()
    for name in [".hidden", "a.partial", "b.stopped", "kept", "partial"] {
      try scratch.write("x", to: "runs/\(name)")
    }
    try RunErasure.removeLeftovers(in: scratch("runs"))
    #expect(try Directories.names(in: scratch("runs")).sorted() == ["kept", "partial"])
    try RunErasure.removeLeftovers(in: scratch("missing"))
    #expect(!Directories.exists(scratch("missing")))
  }

  @Test func `the total contains every count once`() {
    var counts = RunErasureCounts()
    (counts.entities, counts.interactions, counts.models, counts.lists) = (1, 10, 100, 1_000)
    (counts.places, counts.matches, counts.rejects) = (10_000, 100_000, 1_000_000)
    #expect(counts.total == 1_111_111)
  }

  // MARK: - Words

  private static let versionedYAML = """
    pipeline: versions
    as_of: newest
    plausible: [1, 9999]
    entities:
      users:
        source: { path: users.csv }
        id: id
        updated: changed
        attributes: { field: { type: category }, city: { type: category } }
    interactions:
      swipes: { source: { path: swipes.csv }, user: who, candidate: whom, at: at, value: { from: way, map: { right: 1, left: -1 } } }
    model: { learns_from: swipes, features: [{ category: field }], compat: createml }
    rankings: { near: { users: users, candidates: users, exclude: [self], top: 5 } }
    """

  /// A run in which earlier versions of `gone` and `b` have a field and a city that no current
  /// version has.
  private func versionedRun() throws -> StageFixture {
    let run = try StageFixture(
      yaml: Self.versionedYAML,
      files: [
        "users.csv": """
        id,changed,field,city
        gone,1,Falconry,Oslo
        gone,2,Art,Rome
        b,1,Law,Oslo
        b,2,Art,Rome
        b,3,Data,Rome
        c,1,Art,Rome

        """,
        "swipes.csv":
          "who,whom,at,way\ngone,b,1,right\ngone,c,2,left\nb,c,3,right\nc,b,4,left\nb,gone,5,left\n",
      ])
    try run.runStages(asOf: Self.asOf)
    // Names of slices that an evaluation as of an earlier time could contain.
    let slices = [
      "Falconry", "Law", "Art", "Oslo", "Falconry, Oslo", "Law, Oslo", "Oslo, Falconry", "Falconry and more",
      "Falconr", "Art, Falconry",
    ]
    let metrics = JSONValue.object([
      "rankings": [
        "near": [
          "slices": .array(slices.map { ["slice": .string($0), "ndcg": 1] }),
          "groups": .array(slices.map { ["group": .string($0), "users": 2] }),
          "columns": .array(
            ["field=Falconry", "field=Law", "Falconry", "x=Falconry and more", "distance"].map {
              ["column": .string($0)]
            }), "note": "Falconry",
        ]
      ]
    ])
    var directory = try StageDirectory("evaluation", in: run.run)
    try directory.write("metrics.json") { (writer) throws(FileError) in try writer.append(metrics.pretty) }
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "evaluation", pipeline: "versions", configuration: run.pipeline.configuration,
        asOf: Self.asOf, seed: 0, counts: ["groups": .array(slices.map { ["group": .string($0)] })],
        parents: ["snapshot": try Manifest(of: run.run + "/snapshot").digest]))
    return run
  }

  private func names(_ value: JSONValue?, _ key: String) -> [String] {
    (value?.elements ?? []).compactMap { $0[key]?.stringValue }
  }

  @Test func `words of earlier versions are removed with the last person who had them`() throws {
    let run = try versionedRun()
    _ = try #require(try erasure(["gone"], run).erase(run.run, isDryRun: false))
    let metrics = try JSONDecoder().decode(JSONValue.self, from: run.bytes("evaluation/metrics.json"))
    let near = metrics["rankings"]?["near"]
    let left = ["Law", "Art", "Oslo", "Law, Oslo", "Falconry and more", "Falconr"]
    #expect(names(near?["slices"], "slice") == left)
    #expect(names(near?["groups"], "group") == left)
    #expect(
      names(near?["columns"], "column") == ["field=Law", "Falconry", "x=Falconry and more", "distance"])
    let manifest = try Manifest(of: run.run + "/evaluation")
    #expect(names(manifest.counts["groups"], "group") == left)
    #expect(manifest.counts["erased"]?["people"] == 1)
    #expect(try manifest.parents["snapshot"] == Manifest(of: run.run + "/snapshot").digest)
    // The earlier versions of the remaining people keep their words.
    let earlier = try #require(try run.snapshot().entities["users"]?.earlier)
    #expect(earlier.count == 2)
    #expect(earlier.attributes.categories["field"]?.vocabulary.strings == ["Art", "Law"])
    #expect(earlier.attributes.categories["city"]?.vocabulary.strings == ["Oslo", "Rome"])
  }

  @Test func `words are removed once all people who had them are erased`() throws {
    let run = try versionedRun()
    _ = try #require(try erasure(["gone"], run).erase(run.run, isDryRun: false))
    _ = try #require(try erasure(["b"], run).erase(run.run, isDryRun: false))
    let metrics = try JSONDecoder().decode(JSONValue.self, from: run.bytes("evaluation/metrics.json"))
    #expect(
      names(metrics["rankings"]?["near"]?["slices"], "slice") == ["Art", "Falconry and more", "Falconr"])
    #expect(try Manifest(of: run.run + "/evaluation").counts["erased"]?["people"] == 2)
  }

  // MARK: - Tombstones

  private static let yaml = RandomExport.yaml(
    features: "[{ category: field }, position]",
    ranking: "    exclude: [self]\n    order_by: distance\n    top: 5")

  private func run(people: Int = 30, swipes: Int = 200) throws -> StageFixture {
    let run = try StageFixture(
      yaml: Self.yaml, files: RandomExport(seed: 4, people: people, swipes: swipes).files)
    try run.runStages(asOf: Self.asOf)
    return run
  }

  /// The arguments are the requested people, the people with a tombstone, and the people who must
  /// be erased.
  @Test(
    arguments: [
      (["p1003"], ["p1003"], ["p1003"]), (["p1003"], ["p1003", "p1007"], ["p1003", "p1007"]),
      (["p1003"], ["p1003", "p1007", "p1011", "p1029"], ["p1003", "p1007", "p1011", "p1029"]),
      (["p1003"], ["p1007"], ["p1003", "p1007"]),
      (["p1003", "nobody"], ["p1007", "p1008"], ["p1003", "p1007", "p1008"]),
      ([], ["p1007", "p1008"], ["p1007", "p1008"]), (["p1003"], ["nobody", "p1003"], ["p1003"]),
    ] as [([String], [String], [String])])
  func `all people with a tombstone are removed`(
    asked: [String], buried: [String], going: [String]
  ) throws {
    let run = try run()
    let directory = TombstoneDirectory(try ScratchDirectory()("erasures"))
    try directory.add(buried.map { (Self.bytes($0), "users") })
    let tombstones = try directory.load()
    let erased = try #require(try erasure(asked, run, tombstones).erase(run.run, isDryRun: false))
    #expect(erased.ids.byEntity == ["users": Set(going.map(Self.bytes))])
    #expect(erased.counts.entities == going.count)
    let left = try #require(try run.snapshot().entities["users"]).ids.strings
    #expect(left.count == 30 - going.count && Set(left).isDisjoint(with: going))
    for line in try run.list("near") {
      #expect(
        !going.contains(line.user) && Set(line.recommendations.map(\.candidate)).isDisjoint(with: going))
    }
    let manifest = try Manifest(of: run.run + "/snapshot")
    #expect(manifest.inputs.first { $0.path == TombstoneSet.inputPath }?.sha256 == tombstones.digest)
    #expect(manifest.inputs.count { $0.path == TombstoneSet.inputPath } == 1)
  }

  @Test func `a tombstone of another kind of entity has no effect`() throws {
    let run = try run()
    let directory = TombstoneDirectory(try ScratchDirectory()("erasures"))
    try directory.add([(Self.bytes("p1003"), "events"), (Self.bytes("p1004"), "events")])
    #expect(try erasure([], run, directory.load()).erase(run.run, isDryRun: false) == nil)
  }

  // MARK: - Gaps

  @Test func `ranks have no gaps after an erasure, in JSON and in CSV`() throws {
    let run = try run()
    let before = try run.list("near")
    // Candidates 1, 2 and 5 of the first list are erased. This leaves two adjacent gaps and one at
    // the end. Other lists contain the same candidates.
    let first = try #require(before.first { $0.recommendations.count == 5 }).recommendations.map(\.candidate)
    let going = [first[0], first[1], first[4]]
    _ = try #require(try erasure(going, run).erase(run.run, isDryRun: false))
    var gaps = 0
    let expected = before.filter { !going.contains($0.user) }.map { line in
      let left = line.recommendations.map(\.candidate).filter { !going.contains($0) }
      gaps += left.count < line.recommendations.count - 1 ? 1 : 0
      return left.enumerated().map { [line.user, "\($0.offset + 1)", $0.element] }
    }
    #expect(gaps > 2)
    let lines = try run.list("near").map { line in
      line.recommendations.map { [line.user, "\($0.rank)", $0.candidate] }
    }
    #expect(lines == expected)
    #expect(try run.rows("rankings/near.csv").map { Array($0.prefix(3)) } == expected.flatMap(\.self))
  }

  // MARK: - Durability

  @Test func `the new run is on disk before it replaces the old one`() throws {
    let run = try run()
    try Data("{}".utf8).write(to: URL(filePath: run.run + "/run.json"))
    let runs = Directories.parent(of: run.run)
    var atExchange: [String] = []
    let syncs = try Syncs(under: runs) {
      let erased = try erasure(["p1003"], run).erase(run.run, isDryRun: false) { old, new, _ in
        #expect(old == run.run)
        atExchange = try Directories.names(in: new)
      }
      #expect(erased != nil)
    }
    let stages = ["index", "models", "rankings", "snapshot"]
    #expect(atExchange == (stages + ["run.json"]).sorted())
    // Every file and directory of the new run was synced while the run still had its hidden name.
    let files = try #require(FileManager.default.enumerator(atPath: run.run)?.compactMap { $0 as? String })
    #expect(files.count > 30)
    for file in files where file != "run.json" { #expect(syncs.contain("\(run.run)/\(file)"), "\(file)") }
    let resolved = URL(filePath: run.run).resolvingSymlinksInPath().path
    #expect(!syncs.all.contains { $0.path.hasPrefix(resolved + "/") })
    // The hidden directory was synced after it contained all files.
    let hidden = syncs.all.filter { $0.path.hasSuffix(".erased") }.compactMap(\.names)
    #expect(hidden.last == atExchange)
    // The parent directory was synced after the runs changed names and before the old run was
    // removed.
    #expect(syncs.directory(runs).last?.names?.contains { $0.hasSuffix(".erased") } == true)
    #expect(try !Directories.names(in: runs).contains { $0.hasSuffix(".erased") })
  }

  @Test func `a dry run, or an erasure without matches, writes nothing`() throws {
    let run = try run()
    let before = try DirectoryContents(of: run.run)
    #expect(try erasure(["p1003"], run).erase(run.run, isDryRun: true) != nil)
    #expect(try erasure(["nobody"], run).erase(run.run, isDryRun: false) == nil)
    #expect(try DirectoryContents(of: run.run).differences(from: before).isEmpty)
    #expect(try !Directories.names(in: Directories.parent(of: run.run)).contains { $0.hasPrefix(".") })
  }

  @Test func `leftovers of killed erasures are removed by the next one`() throws {
    let run = try run()
    let hidden = Directories.parent(of: run.run) + "/.run.erased"
    for place in [hidden, run.run + "/.models.partial", run.run + "/index.partial", run.run + "/x.stopped"] {
      try Directories.create(place)
      try Data("p1003".utf8).write(to: URL(filePath: place + "/x"))
    }
    #expect(try erasure(["p1003"], run).erase(run.run, isDryRun: false) != nil)
    #expect(!Directories.exists(hidden))
    #expect(try Directories.names(in: run.run) == ["index", "models", "rankings", "snapshot"])
  }
}
