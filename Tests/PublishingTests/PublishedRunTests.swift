import Files
import GRDB
import Geohash
import PipelineFile
import StageFixture
import System
import TestSupport
import Testing
import Text
import Tombstones

@testable import Publishing
@testable import ServingStore

/// A run with several lists, a catalog and computed numbers: what is published, and how it is compared.
struct PublishedRunTests {
  /// Runs a statement on the store, and checks that it changes one row.
  private func change(_ night: ParksNight, _ sql: String) throws {
    let database = try DatabaseQueue(path: night.fixture.directory + "/serving.sqlite")
    let changed = try database.write { database in
      try database.execute(sql: sql)
      return database.changesCount
    }
    #expect(changed == 1, "\(sql)")
    try database.close()
  }

  private func compared(_ night: ParksNight) throws -> StoreDifferences {
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    let comparison = try RankingsVerification(night.pipeline, run: night.fixture.run)
    return try #require(try comparison.compare(with: store))
  }

  @Test func `lists, matches and catalogs are counted, and published categories are counted by cell`() throws
  {
    let night = try ParksNight()
    let rows: JSONValue = ["near": 3, "walks": 3, "matches": 1, "kinds": 3]
    #expect(night.night.listRows == 3 + 3 + 1 + 3)
    let plan = try #require(try night.night.publications(force: false).first).plan()
    #expect(plan.report["rows"] == rows)
    let report = try #require(try night.publish())
    #expect(report["rows"] == rows && report["loaded"] == 18)
    let cell = try Geohash(parsing: "gc7x0")
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    let found = try night.pipeline.servedLines(of: store) { generation in
      let person = try generation.person(entity: "users", id: "a") ?? []
      let bucket = try generation.bucket(entity: "users", cell: cell) ?? []
      return [person, bucket].map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(
      found == [
        #"{"field":"Art","level":"high","fans":2.0}"#,
        #"{"entities":2,"latitude":\#(cell.center.latitude),"longitude":\#(cell.center.longitude),"#
          + #""counts":{"field":{"Art":2},"level":{"high":1,"low":1}}}"#,
      ])
  }

  @Test(arguments: [
    ("DELETE FROM lists WHERE user_id = 'b' AND document LIKE '%\"candidate\":\"x\"%'", "/walks/part-"),
    ("DELETE FROM matches", "/matches.csv:2: the match is missing from the store"),
    ("DELETE FROM catalogs WHERE key = 'Cork'", "/kinds/part-"),
    ("UPDATE people SET attributes = replace(attributes, 'Art', 'Law') WHERE id = 'a'", "people of users, "),
    ("UPDATE positions SET latitude = latitude + 1 WHERE id = 'c'", "positions of users, "),
    ("DELETE FROM buckets WHERE cell = 'gc7x0'", "buckets of users, "),
    ("UPDATE positions SET geohash = 'zzzz' WHERE id = 'c'", "positions of users: a value or the "),
    ("DELETE FROM position_boxes WHERE position_id = 1", "positions of users: a value or the "),
  ])
  func `a comparison with the run finds a lost or changed row of each table`(damage: String, place: String)
    throws
  {
    let night = try ParksNight()
    _ = try night.publish()
    let before = try compared(night)
    #expect(before.rows == 18 && before.differing == 0)
    try change(night, damage)
    let found = try compared(night)
    #expect(found.rows == 18 && found.differing == 1)
    #expect(found.differences.count == 1 && found.differences.first?.contains(place) == true, "\(found)")
  }

  /// An erasure changes the computed numbers of other people in the snapshot, but not in stores.
  @Test(arguments: [(nil, 1), (0, 1), (1, 0)] as [(Int?, Int)])
  func `computed numbers may differ only after an erasure`(erased: Int?, differing: Int) throws {
    let night = try ParksNight()
    _ = try night.publish()
    try change(
      night,
      "UPDATE people SET attributes = replace(attributes, '\"fans\":2.0', '\"fans\":3.0') WHERE id = 'a'")
    try night.edit("snapshot") { manifest in
      var counts = manifest.counts.members
      var sources = counts["sources"]?.members ?? [:]
      var source = sources["swipes"]?.members ?? [:]
      source["erased"] = erased.map { JSONValue.integer($0) }
      sources["swipes"] = .object(source)
      counts["sources"] = .object(sources)
      manifest.counts = .object(counts)
    }
    #expect(try compared(night).differing == differing)
    // An erasure never changes an attribute from the exports.
    try change(night, "UPDATE people SET attributes = replace(attributes, 'Data', 'Law') WHERE id = 'c'")
    #expect(try compared(night).differing == differing + 1)
  }

  @Test func `stages that do not belong together are not published`() throws {
    let night = try ParksNight()
    try night.edit("snapshot") { $0.inputs.append(FileDigest(path: "more.csv", bytes: 1, sha256: "00")) }
    func failure(_ pipeline: Pipeline) -> FileError? {
      #expect(throws: FileError.self) { _ = try PublishedNight(pipeline, run: night.fixture.run) }
    }
    #expect(failure(night.pipeline)?.path == night.fixture.run + "/rankings")
    try night.adopt("rankings")
    #expect(failure(night.pipeline)?.path == night.fixture.run + "/index")
    // Only positions are read with the index.
    var pipeline = night.pipeline
    pipeline.publication?.positions = []
    #expect(try PublishedNight(pipeline, run: night.fixture.run).listRows == 10)
    try night.adopt("index")
    #expect(try PublishedNight(night.pipeline, run: night.fixture.run).listRows == 10)
  }

  @Test func `a generation names the tombstones that ingest applied`() throws {
    let night = try ParksNight()
    try night.edit("snapshot") { manifest in
      manifest.inputs.insert(FileDigest(path: "first.csv", bytes: 1, sha256: "00"), at: 0)
      manifest.inputs.append(FileDigest(path: TombstoneSet.inputPath, bytes: 1, sha256: "tombs"))
    }
    for stage in ["rankings", "index"] { try night.adopt(stage) }
    let published = try PublishedNight(night.pipeline, run: night.fixture.run)
    _ = try StoresPublication(published, force: false, threads: 1) { _, _ in }.publish()
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    #expect(try store.currentGeneration(pipeline: "parks")?.note.tombstones == "tombs")
  }

  /// By default, a list may lose 45 % of its users, and three users if they are at most half. With a limit in
  /// the pipeline file, each user counts.
  @Test(
    arguments: [
      (nil, [6, 3, 1, 3], []), (nil, [7, 3, 1, 3], ["near"]), (nil, [3, 7, 1, 3], ["walks"]),
      (nil, [3, 3, 5, 3], ["matches"]), (nil, [3, 3, 1, 7], ["kinds"]), (nil, [3, 3, 2, 6], []),
      (0.45, [6, 3, 1, 3], ["near"]), (0.5, [6, 3, 1, 3], []), (0.25, [4, 5, 1, 3], ["walks"]),
    ] as [(Double?, [Int], [String])])
  func `each list, match and catalog is guarded against a loss`(
    limit: Double?, served: [Int], lost: [String]
  ) throws {
    let night = try ParksNight()
    var pipeline = night.pipeline
    pipeline.publication?.usersDropAtMost = limit
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "near", rows: served[0]), NamedCount(name: "walks", rows: served[1])]
    tables.matches = [NamedCount(name: "matches", rows: served[2])]
    tables.catalogs = [NamedCount(name: "kinds", rows: served[3])]
    let summary = GenerationSummary(number: 1, run: 1, asOf: 1, isServed: true, tables: tables)
    let violations = try PublishedNight(pipeline, run: night.fixture.run).violations(served: summary)
    #expect(violations.map { String($0.found.prefix { $0 != " " }) } == lost)
    #expect(violations.allSatisfy { $0.guardName == "users_drop_at_most" })
  }

  @Test func `limits on quality need an evaluation, unless the publication is forced`() throws {
    let night = try ParksNight()
    var pipeline = night.pipeline
    pipeline.publication?.quality = Pipeline.QualityLimits(aucAtLeast: 0.9)
    let error = try #require(throws: StageFailure.self) {
      _ = try PublishedNight(pipeline, run: night.fixture.run)
    }
    #expect(error.exitStatus == .badPipelineFile && error.description.contains("auc_at_least"))
    let forced = try PublishedNight(pipeline, run: night.fixture.run, requiresEvaluation: false)
    #expect(forced.violations(served: nil).map(\.guardName) == ["auc_at_least"])
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "near", rows: 99)]
    let served = GenerationSummary(number: 1, run: 1, asOf: 1, isServed: true, tables: tables)
    #expect(forced.violations(served: served).map(\.guardName) == ["users_drop_at_most", "auc_at_least"])
  }

  @Test func `a search for tombstones knows the entity in each table`() throws {
    let night = try ParksNight()
    _ = try night.publish()
    var ids = ErasedIDs()
    ids.insert(Array("x".utf8), entity: "dogs")
    let people = TombstoneSearch(pipeline: night.pipeline, tombstones: .none).people(ids)
    #expect(people.ids == ["users": [], "dogs": ["x"]])
    #expect(people.entities(in: .user(list: "walks")) == ["users"])
    #expect(people.entities(in: .candidate(list: "walks")) == ["dogs"])
    #expect(people.entities(in: .candidate(list: "near")) == ["users"])
    #expect(people.entities(in: .match(name: "matches")) == ["users"])
    #expect(people.entities(in: .entry(catalog: "kinds")) == ["dogs"])
    let scratch = try ScratchDirectory()
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(id: Array("x".utf8), entity: "dogs"), (id: Array("y".utf8), entity: "users")])
    let search = TombstoneSearch(pipeline: night.pipeline, tombstones: try directory.load())
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    #expect(try search.found(in: 1, of: store).byEntity == ["dogs": [Array("x".utf8)]])
    #expect(try search.found(in: 2, of: store).isEmpty)
  }

  @Test func `several lists are shown under their names`() throws {
    let night = try ParksNight()
    _ = try night.publish()
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    func lines(_ list: String?, _ format: ResultFormat) throws -> [String] {
      try night.pipeline.servedLines(of: store) {
        try ServedLists(user: "a", list: list, word: nil).lines(
          $0, of: night.pipeline, top: nil, format: format)
      }
    }
    let text = try lines(nil, .text(width: nil))
    #expect(text.first == "a, Art, high, fans 2" && text.last == "  matches: 1")
    #expect(text.filter { $0.hasSuffix(":") } == ["near:", "walks:"])
    let walks = try lines("walks", .text(width: nil))
    #expect(walks.filter { $0.hasSuffix(":") } == ["walks:"])
    let csv = try lines(nil, .csv).map { String($0.prefix { $0 != "," }) }
    #expect(csv == ["list", "near", "near", "walks", "walks", "walks"])
    #expect(try lines(nil, .json).count == 2 && lines("near", .json).count == 1)
  }
}
