import Columns
import Erasure
import Files
import Foundation
import Ingest
import PipelineFile
import RunSchemas
import StageFixture
import System
import TestSupport
import Testing
import Text
import Tombstones

/// The parts of a run that only some pipelines have: requests, replaced interactions, models with names,
/// owned entities, and files that belong to no stage.
@Suite struct RunPartsErasureTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    dangling_limit: 1
    privacy: { snap_positions_to: 7 }
    entities:
      users:
        source: { path: users.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { age: { type: number } }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: a, entity: users }
        candidate: { from: b, entity: users }
        at: t
        value: { from: v, map: { "yes": 1, "no": -1 }, latest: true }
    requests:
      asks:
        source: { path: asks.csv }
        user: { from: a, entity: users }
        candidate: { from: b, entity: users }
        at: t
        status: { from: s, map: { open: pending, done: accepted } }
        changed: c

    """

  private static let users = ["ann,50,8,20", "bob,50.5,8.5,30", "cid,51,9,40", "gone,10,10,50"]
  private static let likes = [
    "ann,bob,10,yes", "ann,bob,20,no", "bob,gone,11,yes", "bob,gone,21,no", "gone,ann,12,yes",
    "cid,ann,13,yes", "cid,bob,50,no",
  ]
  private static let asks = [
    "ann,bob,10,open,", "gone,ann,11,done,12", "bob,gone,12,open,", "cid,ann,13,done,14",
  ]

  /// The exports without the rows that contain `gone`. `strangers` are likes by people who have no row.
  private static func files(without gone: String = "none", strangers: [String] = []) -> [String: String] {
    func text(_ header: String, _ rows: [String]) -> String {
      ([header] + rows.filter { !$0.contains(gone) }).map { $0 + "\n" }.joined()
    }
    return [
      "users.csv": text("id,lat,lon,age", users), "likes.csv": text("a,b,t,v", likes + strangers),
      "asks.csv": text("a,b,t,s,c", asks),
    ]
  }

  private func run(
    without gone: String = "none", strangers: [String] = [], extra: String = ""
  ) throws -> StageFixture {
    try StageFixture(yaml: Self.yaml + extra, files: Self.files(without: gone, strangers: strangers))
  }

  private func erasure(of id: String, entity: String = "users") -> RunErasure {
    var ids = ErasedIDs()
    ids.insert(Array(id.utf8), entity: entity)
    return RunErasure(ids, tombstones: .none, tool: "test")
  }

  @Test func `requests and replaced interactions of the person are removed, and all others stay`() throws {
    let (run, clean) = (try self.run(), try self.run(without: "gone"))
    try run.ingest()
    try clean.ingest()
    let erased = try #require(try erasure(of: "gone").erase(run.run, isDryRun: false))
    #expect(erased.counts.entities == 1 && erased.counts.interactions == 5 && erased.counts.total == 6)
    let expected = try DirectoryContents(of: clean.run + "/snapshot")
    #expect(
      try DirectoryContents(of: run.run + "/snapshot").differences(from: expected) == ["manifest.json"])
    let names = expected.names
    #expect(
      names.contains("requests/asks/status.npy") && names.contains("interactions/likes/in_force/at.npy"))
    let found = try Snapshot(
      run.run + "/snapshot", entities: run.pipeline.entities.map(\.schema),
      interactions: run.pipeline.interactions.map(\.schema), requests: run.pipeline.requests.map(\.schema),
      holdsEnded: true)
    #expect(found.interactions["likes"]?.at.elements == [10, 20, 13, 50])
    #expect(found.requests["asks"]?.count == 2)
  }

  @Test func `a person who is only among the rejects is removed from them`() throws {
    let run = try run(strangers: ["stranger,ann,15,yes", "other,ann,16,yes"])
    try run.ingest()
    let before = try DirectoryContents(of: run.run)
    let dry = try #require(try erasure(of: "stranger").erase(run.run, isDryRun: true))
    #expect(dry.counts.rejects == 1 && dry.counts.total == 1 && dry.ids.isEmpty)
    #expect(try DirectoryContents(of: run.run).differences(from: before).isEmpty)
    let erased = try #require(try erasure(of: "stranger").erase(run.run, isDryRun: false))
    #expect(erased.counts == dry.counts && erased.ids.isEmpty)
    // No entity has an owner, so the ids of other people stay.
    let rejects = String(decoding: try run.bytes("snapshot/rejects.csv"), as: UTF8.self)
    #expect(!rejects.contains("stranger") && rejects.hasSuffix(",a,unknown_user,other\n"), "\(rejects)")
    let manifest = try Manifest(of: run.run + "/snapshot")
    #expect(manifest.outputs.first { $0.path == "rejects.csv" }?.rows == 1)
    #expect(
      try DirectoryContents(of: run.run).differences(from: before) == [
        "snapshot/manifest.json", "snapshot/rejects.csv",
      ])
    #expect(try erasure(of: "stranger").erase(run.run, isDryRun: false) == nil)
  }

  @Test func `a run without a snapshot is unchanged once its rejects contain no ids`() throws {
    let scratch = try ScratchDirectory()
    let text = "file,unit,number,field,rule,value\nlikes.csv,line,2,a,unknown_user,\n"
    try scratch.write(text, to: "runs/1/rejects.csv")
    #expect(try erasure(of: "gone").erase(scratch("runs/1"), isDryRun: false) == nil)
    #expect(try scratch.text("runs/1/rejects.csv") == text)
  }

  @Test func `an error before the exchange leaves the run as it was`() throws {
    let run = try run()
    try run.ingest()
    let before = try DirectoryContents(of: run.directory)
    let error = #expect(throws: StageFailure.self) {
      try erasure(of: "gone").erase(run.run, isDryRun: false) { _, _, _ in
        throw StageFailure(.ioError, "the disk is full")
      }
    }
    #expect(error?.description == "the disk is full")
    #expect(try DirectoryContents(of: run.directory).differences(from: before).isEmpty)
    #expect(try !Directories.names(in: run.directory).contains { $0.hasSuffix(".erased") })
  }

  @Test func `files that belong to no stage stay, except rejects of an earlier attempt`() throws {
    let run = try run()
    try run.ingest()
    try Directories.create(run.run + "/notes/deep")
    for (name, text) in [("run.json", "{}"), ("notes/deep/x", "n"), ("rejects.csv", "gone\n")] {
      try text.write(toFile: run.run + "/" + name, atomically: false, encoding: .utf8)
    }
    #expect(try erasure(of: "gone").erase(run.run, isDryRun: false) != nil)
    #expect(try Directories.names(in: run.run) == ["notes", "run.json", "snapshot"])
    #expect(try run.bytes("notes/deep/x") == Data("n".utf8))
    #expect(try run.bytes("run.json") == Data("{}".utf8))
  }

  // MARK: - Models

  private static let models = """
    models:
      taste: { learns_from: likes, features: [{ geohash: { precision: 4 } }], compat: createml }
      trust: { learns_from: likes, features: [{ number: age }], compat: createml }
    rankings:
      near: { users: users, candidates: users, model: taste, exclude: [self], top: 5 }
      best: { users: users, candidates: users, model: trust, exclude: [self], top: 5 }

    """

  private func table(_ name: String, of run: StageFixture) throws -> ModelTable {
    let path = run.run + "/models/" + name
    return try ModelTable(path, columns: StringColumn(path + "/columns").strings)
  }

  /// The erased person is the only one in a cell, so the column of this cell is removed, and with it all
  /// figures about this column.
  @Test func `every model loses the person, and the evaluation loses the columns of the person's cell`()
    throws
  {
    let run = try run(extra: Self.models)
    try run.runStages(asOf: Instant(milliseconds: 60))
    let names = ["taste", "trust"]
    let before = try names.map { try table($0, of: run) }
    let former = before.map { table in (0..<table.count).map { table[$0] } }
    let columns = before.map(\.columns.strings)
    let metrics = JSONValue.object(["columns": .array(columns.joined().map { ["column": .string($0)] })])
    var directory = try StageDirectory("evaluation", in: run.run)
    try directory.write("metrics.json") { (writer) throws(FileError) in try writer.append(metrics.pretty) }
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "evaluation", pipeline: "p", configuration: run.pipeline.configuration,
        asOf: Instant(milliseconds: 60), seed: 0, counts: [:],
        parents: ["models": try Manifest(of: run.run + "/models").digest]))

    let erased = try #require(try erasure(of: "gone").erase(run.run, isDryRun: false))
    #expect(erased.counts.models == 2)
    #expect(try Manifest(of: run.run + "/models").counts["erased"]?["models"] == 2)
    let after = try names.map { try table($0, of: run) }
    for (table, old) in zip(after, former) {
      #expect(table.count == 3)
      // The columns of the cell change their numbers in the other models.
      #expect((0..<3).map { table[$0]?.observations } == old.prefix(3).map { $0?.observations })
      #expect((0..<3).map { table[$0]?.intercept } == old.prefix(3).map { $0?.intercept })
    }
    #expect((0..<3).map { after[1][$0] } == Array(former[1].prefix(3)))
    try #require(after[0].columns.count < columns[0].count)
    #expect(after[1].columns.strings == columns[1])
    let figures = try JSONDecoder().decode(JSONValue.self, from: run.bytes("evaluation/metrics.json"))
    #expect(
      figures["columns"]?.elements.compactMap { $0["column"]?.stringValue }
        == after.flatMap(\.columns.strings))
    let evaluation = try Manifest(of: run.run + "/evaluation")
    #expect(try evaluation.parents["models"] == Manifest(of: run.run + "/models").digest)
  }

  // MARK: - Owned entities

  private static let ownedYAML = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    dangling_limit: 1
    entities:
      people: { source: { path: people.csv }, id: id }
      notes: { source: { path: notes.csv }, id: id, owner: { from: by, entity: people } }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: notes }
        at: t
        value: { from: v, map: { "yes": 1 } }

    """

  /// In the second run, the person and the note are gone, so a like of the note is a reject.
  @Test func `a note that a person owns in one run is removed from the rejects of another run`() throws {
    let scratch = try ScratchDirectory()
    let pipeline = try Pipeline(yaml: Self.ownedYAML, file: scratch("p.yaml"))
    let runs = RunDirectories(work: scratch("var"), pipeline: "p")
    try scratch.write("a,b,t,v\nada,n,10,yes\nada,m,11,yes\n", to: "likes.csv")
    for (number, people, notes) in [(1, "ada\ngone\n", "m,ada\nn,gone\n"), (2, "ada\n", "m,ada\n")] {
      try scratch.write("id\n" + people, to: "people.csv")
      try scratch.write("id,by\n" + notes, to: "notes.csv")
      let clock = Instant(milliseconds: 4_000_000_000_000)
      _ = try IngestStage.run(
        pipeline, in: runs.path(of: number), asOf: Instant(milliseconds: 60), clock: clock, tool: "test")
    }
    var remarks: [ErasureRemark] = []
    try PersonErasure(of: Array("gone".utf8), entity: "people", from: pipeline, runs: runs)
      .erase(isDryRun: false, tool: "test") { remarks.append($0) }
    #expect(
      remarks == [
        .result("tombstone: added in \(runs.root)/erasures"),
        .result("run 1: removed 2 rows, 1 interaction"), .result("run 2: removed 1 reject"),
      ])
    #expect(try !scratch.text("var/p/runs/2/snapshot/rejects.csv").contains("unknown_candidate"))
  }
}
