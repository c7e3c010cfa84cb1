import Files
import Foundation
import GRDB
import Geohash
import PipelineFile
import ServingStore
import StageFixture
import System
import TestSupport
import Testing
import Text
import Tombstones

@testable import Publishing

/// What a publication notes, reports and rejects.
@Suite struct PublicationRulesTests {
  private func summary(_ night: TinyNight) throws -> GenerationSummary {
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    return try #require(try store.currentGeneration(pipeline: "tiny"))
  }

  @Test func `a generation has the number, time, digest and empty lists of its run`() throws {
    let night = try TinyNight()
    let run = night.fixture.directory + "/runs/7"
    try FileManager.default.createDirectory(
      atPath: night.fixture.directory + "/runs", withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: night.fixture.run, toPath: run)
    let published = try PublishedNight(night.pipeline, run: run)
    #expect(published.pipelineName == "tiny" && published.storeCount == 1 && published.keep == 2)
    #expect(published.listRows == 7, "6 lists and 1 match")
    #expect(published.rows == [NamedCount(name: "near", rows: 6), NamedCount(name: "matches", rows: 1)])
    _ = try StoresPublication(published, force: false, threads: 1) { _, _ in }.publish()
    let found = try summary(night)
    #expect(found.run == 7 && found.asOf == 1000 && found.number == 1)
    let publication = try #require(night.pipeline.publication)
    let digest = try PublishedContent.digest(of: run, publication)
    #expect(found.note.content == digest)
    let counts = try Manifest(of: run + "/rankings").counts["lists"]?["near"]?["users"]
    let empty = try #require(counts?["empty_lists"]?.integerValue)
    #expect(empty > 0 && found.note.empty == ["near": empty])
    #expect(found.note.overridden == [] && found.note.tombstones == nil)
    #expect(found.tables.positions == [NamedCount(name: "users", rows: 4)])
    #expect(found.tables.buckets == [NamedCount(name: "users", rows: 3)])
    #expect(found.tables.people == [NamedCount(name: "users", rows: 6)])
  }

  @Test func `each cell counts its own entities`() throws {
    let night = try TinyNight(people: TinyNight.people + ["g,Law,2,53.40,-6.30,", "h,Data,,53.40,-6.30,"])
    _ = try night.publish()
    let places = try [(53.40, -6.30), (10, 10)].map { latitude, longitude -> Geohash in
      let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
      return Geohash(place, precision: 5)
    }
    let found = try night.served { generation in
      try places.map {
        String(decoding: try generation.bucket(entity: "users", cell: $0) ?? [], as: UTF8.self)
      }
    }
    let expected = zip(places, [(3, #"{"Data":2,"Law":1}"#), (1, "{}")]).map { cell, counted in
      "{\"entities\":\(counted.0),\"latitude\":\(cell.center.latitude),\"longitude\":\(cell.center.longitude),"
        + "\"counts\":{\"field\":\(counted.1)}}"
    }
    #expect(found == expected)
  }

  @Test func `an accepted drop is published, and its guard is named`() throws {
    let before = try TinyNight()
    _ = try before.publish()
    let store = "\"sqlite:\(before.fixture.directory)/serving.sqlite\""
    let fewer = try TinyNight(people: TinyNight.people.filter { !$0.hasPrefix("c,") }, store: store)
    let publication = try #require(fewer.night.publications(force: false, acceptsDrop: true).first)
    let plan = try publication.plan()
    #expect(
      plan.report["would"] == "load generation 2, serve it instead of generation 1, and keep 2 generations")
    #expect(plan.report["generation"] == 2 && plan.report["rows"] == ["near": 5, "matches": 1])
    #expect(plan.report["guards"] == .array([.string("users_drop_at_most")]))
    #expect(plan.lines.count == 2 && plan.lines.first?.hasPrefix("  would    sqlite:") == true)
    let results = try StoresPublication(fewer.night, force: false, acceptsDrop: true, threads: 1) { _, _ in }
      .publish()
    let report = try #require(results.first).report
    #expect(report["generation"] == 2 && report["guards"] == .array([.string("users_drop_at_most")]))
    #expect(report["rows"] == ["near": 5, "matches": 1] && report["unchanged"] == nil)
    #expect(try summary(before).note.overridden == ["users_drop_at_most"])
  }

  @Test func `a guard against empty lists rejects even the first run, unless it is forced`() throws {
    let night = try TinyNight()
    var pipeline = night.pipeline
    pipeline.publication?.listsEmptyAtMost = 0
    let guarded = try PublishedNight(pipeline, run: night.fixture.run)
    let advice =
      "'nightjar publish \(pipeline.file) --run-dir \(ShownPath.short(night.fixture.run)) --force'"
    for acceptsDrop in [false, true] {
      let error = try #require(throws: ServingStoreError.self) {
        try StoresPublication(guarded, force: false, acceptsDrop: acceptsDrop, threads: 1) { _, _ in }
          .publish()
      }
      #expect(error.code == .guarded && "\(error)".contains("lists_empty_at_most: "), "\(error)")
      #expect("\(error)".contains("the store has not served a generation yet"), "\(error)")
      #expect("\(error)".contains(advice), "\(error)")
    }
    let forced = try StoresPublication(guarded, force: true, threads: 1) { _, _ in }.publish()
    #expect(forced.first?.report["guards"] == .array([.string("lists_empty_at_most")]))
  }

  /// The same rows were published before, so no guard rejects them again.
  @Test func `a forced run is published again without force`() throws {
    let night = try TinyNight()
    var pipeline = night.pipeline
    pipeline.publication?.listsEmptyAtMost = 0
    let guarded = try PublishedNight(pipeline, run: night.fixture.run)
    func publish(force: Bool) throws -> JSONValue? {
      try StoresPublication(guarded, force: force, threads: 1) { _, _ in }.publish().first?.report
    }
    for generation in [1, 2] {
      let forced = try #require(try publish(force: true))
      #expect(forced["generation"] == .integer(generation) && forced["kept"] == .integer(generation))
    }
    let same = try #require(try publish(force: false))
    #expect(same["unchanged"] == .boolean(true) && same["generation"] == 2 && same["kept"] == 2)
    #expect(same["rows"] == ["near": 6, "matches": 1] && same["guards"] == nil)
    let tolerated = same["tolerated_guards"]?.elements ?? []
    #expect(tolerated.count == 1 && tolerated[0].stringValue?.hasPrefix("lists_empty_at_most: ") == true)
    let lines = try #require(try guarded.publications(force: false).first).plan().lines
    #expect(lines.count == 2 && lines[1].contains("lists_empty_at_most: "))
    let store = try DatabaseQueue(path: night.fixture.directory + "/serving.sqlite")
    try store.write { try $0.execute(sql: "DELETE FROM lists WHERE user_id = 'b'") }
    try store.close()
    let plan = try #require(try guarded.publications(force: false).first).plan()
    #expect(
      plan.report["would"] == "load generation 3, serve it instead of generation 2, and keep 2 generations")
    #expect(plan.report["guards"] == nil && plan.lines.count == 2)
    let again = try #require(try publish(force: false))
    #expect(again["generation"] == 3 && again["guards"] == nil && again["kept"] == 2)
  }

  @Test func `a plan after a rollback continues with the next number`() throws {
    let night = try TinyNight()
    for _ in 0..<2 { _ = try night.publish(force: true) }
    let store = try night.pipeline.storeAddress(nil).open(for: .publishing)
    try store.serve(generation: 1, of: "tiny")
    func report(force: Bool) throws -> JSONValue? {
      try night.night.publications(force: force).first?.plan().report
    }
    let forced = try #require(try report(force: true))
    #expect(forced["would"] == "load generation 3, serve it instead of generation 1, and keep 2 generations")
    #expect(forced["generation"] == 3)
    let same = try #require(try report(force: false))
    #expect(same["would"] == "change nothing: generation 1 contains the same rows")
    #expect(same["generation"] == 1 && same["rows"] == ["near": 6, "matches": 1])
  }

  @Test func `a file that is no store is an error, not an absent store`() throws {
    let (night, scratch) = (try TinyNight(), try ScratchDirectory())
    let path = night.fixture.directory + "/serving.sqlite"
    try String(repeating: "x", count: 600).write(toFile: path, atomically: true, encoding: .utf8)
    let publication = try #require(night.night.publications(force: false).first)
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(id: Array("c".utf8), entity: "users")])
    let tombstones = try directory.load()
    let uses: [() throws -> Void] = [
      { _ = try publication.plan() }, { _ = try night.publish() },
      { try publication.removeErased(tombstones, warn: { _ in }) },
    ]
    for use in uses {
      let error = #expect(throws: ServingStoreError.self) { try use() }
      #expect(error?.code == .notOurs)
    }
  }

  /// The lock of a killed publisher lasts 30 seconds in Redis. Other stores release it at once.
  @Test(arguments: [("redis://h", 40), ("sqlite:x", 5)])
  func `a publication waits for another publisher as long as a lock may last`(store: String, seconds: Int)
    throws
  {
    #expect(try StoreAddress(parsing: store, relativeTo: "/").patience == .seconds(seconds))
  }

  @Test func `the advice for a drop is to accept it, and for any other guard to force it`() throws {
    let night = try TinyNight()
    _ = try night.publish()
    let served = try summary(night)
    let address = try night.pipeline.storeAddress(nil)
    let drop = PublicationGuards.Violation(guardName: "users_drop_at_most", found: "few")
    let empty = PublicationGuards.Violation(guardName: "lists_empty_at_most", found: "none")
    let one = "\(night.night.refusal([drop], address, served: served))"
    #expect(one.contains("users_drop_at_most: few") && one.contains("generation 1 is still served"))
    let file = night.pipeline.file
    #expect(one.contains("'nightjar run \(file) --resume --accept-drop'") && !one.contains("--force"))
    let two = "\(night.night.refusal([drop, empty], address, served: served))"
    #expect(two.contains("users_drop_at_most: few; lists_empty_at_most: none"))
    let run = ShownPath.short(night.fixture.run)
    #expect(two.contains("'nightjar publish \(file) --run-dir \(run) --force'"))
    #expect(!two.contains("--accept-drop"))
  }

  @Test func `a pipeline file without stores, or a run without rankings, cannot be published`() throws {
    let night = try TinyNight()
    var pipeline = night.pipeline
    pipeline.publication = nil
    let none = try #require(throws: StageFailure.self) {
      _ = try PublishedNight(pipeline, run: night.fixture.run)
    }
    #expect(none.exitStatus == .badPipelineFile && none.description.contains("has no 'publish'"))
    let address = try #require(throws: StageFailure.self) { try pipeline.storeAddress(nil) }
    #expect(address.exitStatus == .badPipelineFile && address.description.contains("has no 'publish'"))
    #expect(throws: StageFailure.self) { try pipeline.storeAddresses(nil) }
    #expect(try pipeline.storeAddress("sqlite:x.sqlite").shown.hasSuffix("x.sqlite"))
    #expect(try pipeline.storeAddresses("sqlite:x.sqlite").count == 1)
    #expect(throws: FileError.self) {
      _ = try PublishedNight(night.pipeline, run: night.fixture.directory + "/absent")
    }
  }

  @Test(arguments: [0, 1]) func `an invalid address is an error that names its key`(place: Int) throws {
    let night = try TinyNight()
    var pipeline = night.pipeline
    var stores = ["sqlite:one.sqlite"]
    stores.insert("mongodb://there", at: place)
    pipeline.publication?.stores = stores
    let error = try #require(throws: StageFailure.self) { try pipeline.checkStores() }
    #expect(error.exitStatus == .badPipelineFile)
    #expect(error.description.hasPrefix("\(pipeline.file): 'publish.store': "), "\(error)")
    pipeline.publication?.stores = ["sqlite:one.sqlite", "sqlite:two.sqlite", "sqlite:./two.sqlite"]
    let twice = try #require(throws: StageFailure.self) { try pipeline.checkStores() }
    #expect(twice.exitStatus == .badPipelineFile)
    #expect(twice.description.contains("two.sqlite twice. Remove one of the addresses."), "\(twice)")
    pipeline.publication?.stores = ["mongodb://there", "mongodb://there", "sqlite:one.sqlite"]
    try pipeline.checkDistinctStores()
  }

  @Test func `a search for erased people is noted in every generation, and is not repeated`() throws {
    let (night, scratch) = (try TinyNight(), try ScratchDirectory())
    let publication = StorePublication(
      night.night, to: try night.pipeline.storeAddress(nil), force: true, acceptsDrop: false)
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(id: Array("c".utf8), entity: "users"), (id: Array("b".utf8), entity: "users")])
    let tombstones = try directory.load()
    var warnings: [String] = []
    // A store that does not exist is not created.
    try publication.removeErased(tombstones) { warnings.append($0) }
    #expect(!FileManager.default.fileExists(atPath: night.fixture.directory + "/serving.sqlite"))
    for _ in 0..<2 { _ = try night.publish(force: true) }
    try publication.removeErased(.none) { warnings.append($0) }
    let store = try night.pipeline.storeAddress(nil).open(for: .reading)
    #expect(try store.generations(pipeline: "tiny").map(\.note.tombstones) == [nil, nil])
    #expect(warnings == [])
    try publication.removeErased(tombstones) { warnings.append($0) }
    let start = "\(publication.address.shown): removed 2 erased people who reappeared in "
    #expect(warnings.first?.hasPrefix(start) == true, "\(warnings)")
    #expect(
      try store.generations(pipeline: "tiny").map(\.note.tombstones) == [
        tombstones.digest, tombstones.digest,
      ])
    let left = try night.served { generation in
      try ["a", "b", "c", "d"].filter { try generation.person(entity: "users", id: StoredID($0)) != nil }
    }
    #expect(left == ["a", "d"])
  }

  @Test func `a rollback names the people it removes, and does not search a checked generation`() throws {
    let (night, scratch) = (try TinyNight(), try ScratchDirectory())
    for _ in 0..<2 { _ = try night.publish(force: true) }
    let store = try night.pipeline.storeAddress(nil).open(for: .publishing)
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(id: Array("c".utf8), entity: "users")])
    let tombstones = try directory.load()
    let noPeople = TombstoneSearch(pipeline: night.pipeline, tombstones: tombstones).people(ErasedIDs())
    func holdsPerson() throws -> Bool? {
      try store.read(pipeline: "tiny") { try $0.person(entity: "users", id: StoredID("c")) != nil }
    }
    // The note of both generations states that they were searched.
    _ = try store.erase(noPeople, of: "tiny", ErasureOptions(tombstones: tombstones.digest))
    var warnings: [String] = []
    let first = try Rollback(night.pipeline, tombstones: tombstones, to: nil).run(in: store) {
      warnings.append($0)
    }
    #expect(first.number == 1 && warnings == [])
    #expect(try holdsPerson() == true)
    _ = try store.erase(noPeople, of: "tiny", ErasureOptions(tombstones: nil))
    let second = try Rollback(night.pipeline, tombstones: tombstones, to: 2).run(in: store) {
      warnings.append($0)
    }
    let message =
      "\(store.address.shown): removing 1 erased person from the store before serving generation 2"
    #expect(second.number == 2 && warnings.first == message, "\(warnings)")
    #expect(try holdsPerson() == false)
  }

  @Test func `a rollback that is impossible states what to do`() throws {
    let night = try TinyNight()
    let store = try night.pipeline.storeAddress(nil).open(for: .publishing)
    let nothing = try #require(throws: StageFailure.self) {
      try Rollback(night.pipeline, tombstones: .none, to: nil).run(in: store) { _ in }
    }
    #expect(nothing.exitStatus == .missingInput && nothing.description.contains("serves nothing for 'tiny'"))
    _ = try night.publish()
    let older = try #require(throws: StageFailure.self) {
      try Rollback(night.pipeline, tombstones: .none, to: nil).run(in: store) { _ in }
    }
    #expect(
      older.description.hasSuffix(
        "the store has no generation older than 1. Its generations: 1. To keep more generations in the future, "
          + "raise 'publish.keep'."))
    let absent = try #require(throws: StageFailure.self) {
      try Rollback(night.pipeline, tombstones: .none, to: 9).run(in: store) { _ in }
    }
    #expect(
      absent.description.hasSuffix(
        "the store has no generation 9. Its generations: 1. Choose one of them with --to."))
  }
}
