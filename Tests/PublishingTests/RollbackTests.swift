import PipelineFile
import Publishing
import RunSchemas
import ServingStore
import StageFixture
import System
import Testing
import TestSupport
import Tombstones

struct RollbackTests {
  private let first: TinyNight
  private let store: any ServingStore

  /// Creates a store with two generations: one with six people and a newer one without `f`.
  init() throws {
    first = try TinyNight()
    _ = try first.publish()
    let later = try TinyNight(
      people: Array(TinyNight.people.prefix(5)), store: "\"sqlite:\(first.fixture.directory)/serving.sqlite\""
    )
    _ = try later.publish(force: true)
    store = try first.pipeline.storeAddress(nil).open(for: .publishing)
  }

  private func people() throws -> String {
    try #require(
      try store.read(pipeline: "tiny") { generation in
        try ["a", "b", "c", "d", "e", "f"].filter {
          try generation.person(entity: "users", id: StoredID($0)) != nil
        }.joined()
      })
  }

  @Test func `the newest older generation is served, and the store keeps both`() throws {
    #expect(try people() == "abcde")
    let served = try Rollback(first.pipeline, tombstones: .none, to: nil).run(in: store) { _ in }
    #expect(served.number == 1 && served.isServed)
    #expect(try people() == "abcdef")
    #expect(try store.generations(pipeline: "tiny").map(\.number) == [2, 1])
    let back = try Rollback(first.pipeline, tombstones: .none, to: 2).run(in: store) { _ in }
    #expect(back.number == 2)
  }

  @Test func `a missing or older generation is a failure that lists the existing ones`() throws {
    let absent = #expect(throws: StageFailure.self) {
      try Rollback(first.pipeline, tombstones: .none, to: 7).run(in: store) { _ in }
    }
    #expect(
      absent?.exitStatus == .missingInput && absent?.description.contains("Its generations: 2, 1.") == true)
    _ = try Rollback(first.pipeline, tombstones: .none, to: 1).run(in: store) { _ in }
    let older = #expect(throws: StageFailure.self) {
      try Rollback(first.pipeline, tombstones: .none, to: nil).run(in: store) { _ in }
    }
    #expect(older?.description.contains("no generation older than 1") == true)
    #expect(try people() == "abcdef")
  }

  @Test func `people with a tombstone are removed before the generation is served`() throws {
    let scratch = try ScratchDirectory()
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(id: Array("f".utf8), entity: "users"), (id: Array("c".utf8), entity: "users")])
    let tombstones = try directory.load()
    var warnings: [String] = []
    _ = try Rollback(first.pipeline, tombstones: tombstones, to: nil).run(in: store) { warnings.append($0) }
    #expect(try people() == "abde")
    #expect(warnings.count == 1 && warnings[0].contains("removing 2 erased people from the store"))
    let near = try #require(
      try store.read(pipeline: "tiny") { generation in
        try generation.document(list: "near", user: StoredID("a")).map { String(decoding: $0, as: UTF8.self) }
      })
    #expect(near?.contains(#""candidate":"c""#) == false && near?.contains(#""candidate":"b""#) == true)
    // Later publications do not search these generations again.
    #expect(try store.generations(pipeline: "tiny").allSatisfy { $0.note.tombstones == tombstones.digest })
  }

  /// The person `f` is only in generation 1, `g` only in generation 3, and `c` in generations 1 and 2.
  @Test func `people with a tombstone are removed from the other generations, too`() throws {
    let scratch = try ScratchDirectory()
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add(["c", "f", "g"].map { (id: Array($0.utf8), entity: "users") })
    let tombstones = try directory.load()
    try store.publish(pipeline: "tiny", run: 9, asOf: 0, note: GenerationNote(), keep: 3) { loader in
      try loader.begin(.list, "near")
      try loader.begin(.people, "users")
      let id = Array("g".utf8)
      let json = Array("{}".utf8)
      try loader.add(.document(id: id.span, json: json.span))
    }
    var warnings: [String] = []
    let served = try Rollback(first.pipeline, tombstones: tombstones, to: nil).run(in: store) {
      warnings.append($0)
    }
    #expect(served.number == 2)
    #expect(warnings.count == 1 && warnings[0].contains("removing 3 erased people from the store"))
    let search = TombstoneSearch(pipeline: first.pipeline, tombstones: tombstones)
    let generations = try store.generations(pipeline: "tiny")
    #expect(generations.map(\.number) == [3, 2, 1])
    for generation in generations {
      #expect(generation.note.tombstones == tombstones.digest)
      #expect(try search.found(in: generation.number, of: store).isEmpty)
    }
  }

  @Test func `people without a tombstone cause no message, and the nearest older generation is served`()
    throws
  {
    let scratch = try ScratchDirectory()
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(id: Array("nobody".utf8), entity: "users")])
    let tombstones = try directory.load()
    try store.publish(pipeline: "tiny", run: 9, asOf: 0, note: GenerationNote(), keep: 3) { loader in
      try loader.begin(.list, "near")
    }
    var warnings: [String] = []
    for number in [2, 1] {
      let served = try Rollback(first.pipeline, tombstones: tombstones, to: nil).run(in: store) {
        warnings.append($0)
      }
      #expect(served.number == number)
    }
    #expect(warnings == [])
    #expect(try people() == "abcdef")
    #expect(try store.generations(pipeline: "tiny").map(\.isServed) == [false, false, true])
  }

  @Test func `a search finds tombstones by kind of entity, except in checked generations`() throws {
    let scratch = try ScratchDirectory()
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(id: Array("c".utf8), entity: "users"), (id: Array("b".utf8), entity: "dogs")])
    let tombstones = try directory.load()
    let search = TombstoneSearch(pipeline: first.pipeline, tombstones: tombstones)
    #expect(try search.found(in: 2, of: store).byEntity == ["users": [Array("c".utf8)]])
    #expect(try search.found(in: store, unlessCheckedAgainst: .none).isEmpty)
    #expect(try search.found(in: store, unlessCheckedAgainst: tombstones).count == 1)
  }

  @Test func `a generation that was checked against other tombstones is searched again`() throws {
    let scratch = try ScratchDirectory()
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add([(id: Array("b".utf8), entity: "users")])
    let others = try directory.load()
    try directory.add([(id: Array("c".utf8), entity: "users")])
    let tombstones = try directory.load()
    let search = TombstoneSearch(pipeline: first.pipeline, tombstones: tombstones)
    for (checked, count) in [(tombstones.digest, 0), (others.digest, 0), ("another", 2), (nil, 2)] {
      var nobody = ErasedIDs()
      nobody.insert(Array("nobody".utf8), entity: "users")
      _ = try store.erase(search.people(nobody), of: "tiny", ErasureOptions(tombstones: checked))
      #expect(try store.generations(pipeline: "tiny").allSatisfy { $0.note.tombstones == checked })
      #expect(try search.found(in: store, unlessCheckedAgainst: others).count == count, "\(checked ?? "")")
    }
  }
}
