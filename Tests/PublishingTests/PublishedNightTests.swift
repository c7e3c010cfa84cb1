import Files
import Foundation
import GRDB
import Geohash
import PipelineFile
import Publishing
import ServingStore
import StageFixture
import System
import Testing
import Text

struct PublishedNightTests {
  @Test func `attributes, positions and cells are loaded with the lists`() throws {
    let night = try TinyNight()
    let report = try #require(try night.publish().first)
    #expect(report["generation"] == 1 && report["kept"] == 1)
    #expect(report["rows"] == ["near": 6, "matches": 1])
    let cell = try Geohash(parsing: "gc7x0")
    let lines = try night.served { generation in
      let people = try ["a", "b", "d", "e"].map {
        try generation.person(entity: "users", id: StoredID($0)).map { String(decoding: $0, as: UTF8.self) }
          ?? ""
      }
      let bucket = try generation.bucket(entity: "users", cell: cell) ?? []
      let positions = try ["a", "b", "c", "d", "e", "f"].filter {
        try generation.position(entity: "users", id: StoredID($0)) != nil
      }
      return people + [positions.joined(), String(decoding: bucket, as: UTF8.self)]
    }
    #expect(
      lines == [
        #"{"field":"Art","experience":3.0}"#, #"{"field":"Art","experience":null}"#,
        #"{"field":null,"experience":2.0}"#, #"{"field":"Art","experience":1.0}"#,
        // The deleted person and the person without coordinates have no position.
        "abcd",
        #"{"entities":2,"latitude":\#(cell.center.latitude),"longitude":\#(cell.center.longitude),"#
          + #""counts":{"field":{"Art":2}}}"#,
      ])
    let center = try #require(
      try night.pipeline.storeAddress(nil).open(for: .reading).read(pipeline: "tiny") {
        try $0.position(entity: "users", id: StoredID("a"))
      })
    #expect(center?.latitude == cell.center.latitude, "positions are centers of cells")
  }

  @Test func `a store that serves the same rows is unchanged, unless forced`() throws {
    let night = try TinyNight()
    #expect(try night.publish().first?["loaded"] == 20)
    let again = try #require(try night.publish().first)
    #expect(again["unchanged"] == .boolean(true) && again["generation"] == 1 && again["loaded"] == nil)
    let forced = try #require(try night.publish(force: true).first)
    #expect(forced["unchanged"] == nil && forced["generation"] == 2 && forced["kept"] == 2)
    #expect(forced["guards"] == nil)
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    #expect(try store.currentGeneration(pipeline: "tiny")?.note.tombstones == nil, "no person is erased")
  }

  /// The note of the generation remains, for example after a partial restore.
  @Test(arguments: [
    "DELETE FROM lists WHERE user_id = 'b'",
    "UPDATE lists SET document = replace(document, '\"rank\":1', '\"rank\":9') WHERE user_id = 'b'",
  ])
  func `a store with lost or changed rows is published again`(_ damage: String) throws {
    let night = try TinyNight()
    _ = try night.publish()
    let database = try DatabaseQueue(path: night.fixture.directory + "/serving.sqlite")
    let changed = try database.write { database in
      try database.execute(sql: damage)
      return database.changesCount
    }
    #expect(changed == 1)
    try database.close()
    let again = try #require(try night.publish().first)
    #expect(again["unchanged"] == nil && again["generation"] == 2)
    #expect(try night.publish().first?["unchanged"] == .boolean(true))
  }

  @Test func `a guard rejects a run that lost users, and a forced publish names the overridden guard`() throws
  {
    let before = try TinyNight()
    _ = try before.publish()
    let store = "\"sqlite:\(before.fixture.directory)/serving.sqlite\""
    let fewer = try TinyNight(people: TinyNight.people.filter { !$0.hasPrefix("c,") }, store: store)
    let error = try #require(throws: ServingStoreError.self) { try fewer.publish() }
    #expect(error.code == .guarded && "\(error)".contains("generation 1 is still served"))

    let plan = try #require(try fewer.night.publications(force: false).first?.plan())
    #expect(plan.report["would"] == "publish nothing, because a guard rejects the run")
    #expect(plan.report["guards"] == .array([.string("users_drop_at_most")]))
    #expect(plan.lines.count == 2 && plan.lines[1].contains("users_drop_at_most: "))

    let forced = try #require(try fewer.publish(force: true).first)
    #expect(forced["generation"] == 2 && forced["guards"] == .array([.string("users_drop_at_most")]))
    let summary = try #require(
      try before.pipeline.storeAddress(nil).open(for: .reading).currentGeneration(pipeline: "tiny"))
    #expect(summary.note.overridden == ["users_drop_at_most"])
    #expect(
      [summary].lines(.text(width: nil)) == [
        "   generation  run  as of                 rows",
        "*           2    0  1970-01-01T00:00:01Z  near 5, matches 1, users 5, overridden guards: users_drop_at_most",
      ])
    #expect(
      [summary].lines(.csv) == [
        "generation,served,run,as_of,rows,overridden",
        #"2,true,0,1970-01-01T00:00:01Z,"near 5, matches 1, users 5",users_drop_at_most"#,
      ])
    #expect(summary.json["served"] == .boolean(true) && summary.json["lists"] == ["near": 5])
    #expect(
      summary.json["positions"] == ["users": 3]
        && summary.json["overridden"] == .array([.string("users_drop_at_most")]))
  }

  /// A user without candidates still has a document in the store, but counts as lost.
  @Test func `a list that became empty counts as lost`() throws {
    let before = try TinyNight()
    _ = try before.publish()
    let store = "\"sqlite:\(before.fixture.directory)/serving.sqlite\""
    let moved = try TinyNight(
      people: TinyNight.people.map { $0.hasPrefix("c,") ? "c,Data,7,40,40," : $0 }, store: store)
    let error = try #require(throws: ServingStoreError.self) { try moved.publish() }
    #expect(
      error.code == .guarded && "\(error)".contains("near lost too many users: 3 instead of 4"), "\(error)")
  }

  @Test func `a plan reports the changes that a publish would make`() throws {
    let night = try TinyNight()
    func plan(force: Bool = false) throws -> JSONValue? {
      try night.night.publications(force: force).first?.plan().report["would"]
    }
    #expect(try plan() == "load and serve generation 1, and keep 1 generation")
    #expect(!FileManager.default.fileExists(atPath: night.fixture.directory + "/serving.sqlite"))
    _ = try night.publish()
    #expect(try plan() == "change nothing: generation 1 contains the same rows")
    let again: JSONValue = "load generation 2, serve it instead of generation 1, and keep 2 generations"
    #expect(try plan(force: true) == again)
  }

  @Test func `the digest depends only on the published rows`() throws {
    let night = try TinyNight()
    let run = night.fixture.run
    let publication = try #require(night.pipeline.publication)
    let digest = try PublishedContent.digest(of: run, publication)
    var other = publication
    other.keep = 7
    #expect(try PublishedContent.digest(of: run, other) == digest)
    other.attributes["users"] = ["experience", "field"]
    #expect(try PublishedContent.digest(of: run, other) != digest)
    other = publication
    other.positions[0].exclusions = []
    #expect(try PublishedContent.digest(of: run, other) != digest)
    let moved = try TinyNight(people: TinyNight.people.map { $0.replacing("c,Data", with: "c,Art") })
    #expect(try PublishedContent.digest(of: moved.fixture.run, publication) != digest)
  }

  @Test func `a store is chosen by a prefix of its address`() throws {
    let night = try TinyNight(store: #"["sqlite:one.sqlite", "sqlite:two.sqlite"]"#)
    let directory = night.fixture.directory
    #expect(try night.pipeline.storeAddress(nil).shown.hasSuffix("\(directory)/one.sqlite"))
    #expect(try night.pipeline.storeAddress("sqlite:two").shown.hasSuffix("\(directory)/two.sqlite"))
    #expect(try night.pipeline.storeAddresses(nil).count == 2)
    #expect(try night.pipeline.storeAddresses("sqlite:two").count == 1)
    #expect(try !night.pipeline.storeAddress("sqlite:x.sqlite").shown.contains(directory))
  }
}
