import Foundation
import Geohash
import Testing

@testable import ServingStore

/// The rules for erasures that every back end must follow.
@Suite struct `Contract of erasing` {
  /// Encodes an id as a JSON string with an independent encoder.
  private static func json(_ id: StoredID) throws -> String {
    String(decoding: try JSONEncoder().encode(id.text), as: UTF8.self)
      .replacingOccurrences(of: "\\/", with: "/")
  }

  /// Returns a list of `candidates`. `shortfall` shows whether the list was full when it was made.
  private static func document(_ user: StoredID, _ candidates: [StoredID], shortfall: String) throws -> String
  {
    let entries = try candidates.enumerated().map { index, candidate in
      "{\"rank\":\(index + 1),\"candidate\":\(try json(candidate)),\"score\":0.5,\"distance_km\":null,"
        + "\"reasons\":[{\"feature\":\"f=]}\\\"\",\"contribution\":1}]}"
    }
    return "{\"user\":\(try json(user)),\"recommendations\":[\(entries.joined(separator: ","))],"
      + "\"shortfall\":\(shortfall)}"
  }

  private static func people(_ ids: [StoredID], entity: String = "users") -> ErasedPeople {
    ErasedPeople(
      [entity: Set(ids)], lists: ["partners": ("users", "users"), "events": ("users", "events")],
      matches: ["matches": ["users"]])
  }

  /// Publishes full and short lists that contain all other users. The first user has a match with
  /// each other user.
  @discardableResult
  private static func publish(_ ids: [StoredID], _ store: any ServingStore, run: Int) throws
    -> PublishedGeneration
  {
    try store.publish(
      pipeline: "fusion", run: run, asOf: 1, note: GenerationNote(content: "before \(run)"), keep: 3
    ) { loader in
      for (list, shortfall) in [("full", "null"), ("partners", "null"), ("short", "\"none_in_radius\"")] {
        try loader.beginList(list)
        for user in ids {
          try loader.addDocument(
            document(user, ids.filter { $0 != user }, shortfall: shortfall), user: user)
        }
      }
      try loader.beginMatches("matches")
      for id in ids.dropFirst() { try loader.addMatch(ids[0], id, at: "2026-01-01") }
      try loader.beginPeople("users")
      for id in ids { try loader.addPerson("{\"run\":\(run)}", id: id) }
    }
  }

  @Test(arguments: Backend.allCases)
  func `erased people are removed everywhere, and others are unchanged`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let ids = hostileIDs.filter { $0.utf8.count < 100 }
    for run in 1...3 { try Self.publish(ids, store, run: run) }
    var left = ids
    for victim in ids.reversed() {
      left.removeAll { $0 == victim }
      let erasure = try store.erase(Self.people([victim]), of: "fusion", ErasureOptions())
      #expect(erasure.lists == 9 && erasure.people == 3 && erasure.generations == 3)
      #expect(erasure.places == 9 * left.count)
      #expect(erasure.matches == 3 * (victim == ids[0] ? left.count : 1))
      // Reading all generations each time would take minutes.
      try store.serve(generation: 1 + left.count % 3, of: "fusion")
      try store.read(pipeline: "fusion") { generation in
        for (list, shortfall) in [
          ("full", "\"none_left\""), ("partners", "\"none_left\""), ("short", "\"none_in_radius\""),
        ] {
          #expect(try generation.document(list: list, user: victim) == nil)
          for user in left {
            let expected = try Self.document(user, left.filter { $0 != user }, shortfall: shortfall)
            let found = try generation.document(list: list, user: user)
            #expect(found == expected.utf8Bytes)
          }
        }
        #expect(try generation.person(entity: "users", id: victim) == nil)
        #expect(try generation.matches(name: "matches", user: victim).isEmpty)
        if victim != ids[0] {
          #expect(
            try generation.matches(name: "matches", user: ids[0]).map(\.other)
              == left.dropFirst().sorted())
        }
        let summary = generation.summary
        #expect(summary.tables.lists.map(\.rows) == [left.count, left.count, left.count])
        #expect(summary.tables.people.map(\.rows) == [left.count])
        #expect(summary.tables.matches.map(\.rows) == [max(0, left.count - 1)])
      }
    }
  }

  /// SQLite limits the depth of an expression to 1000. For many ids, SQL stores parse all documents instead.
  @Test(arguments: Backend.allCases, [32, 33, 3_000])
  func `many people are erased at once`(backend: Backend, count: Int) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let gone = (0..<count).map { StoredID("gone\($0)") }
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      for (user, candidates) in [
        ("a", [gone[0], "stays", gone[count - 1]]), ("b", ["stays"]), (gone[1], ["a", "b"]),
      ] as [(StoredID, [StoredID])] {
        try loader.addDocument(Self.document(user, candidates, shortfall: "null"), user: user)
      }
    }
    let erasure = try store.erase(Self.people(gone), of: "fusion", ErasureOptions())
    #expect(erasure.lists == 1 && erasure.places == 2 && erasure.generations == 1)
    #expect(try store.partners("a") == Self.document("a", ["stays"], shortfall: "\"none_left\""))
    #expect(try store.partners("b") == Self.document("b", ["stays"], shortfall: "null"))
    #expect(try store.partners(gone[1]) == nil)
  }

  /// The store counts a match of two erased people once, in a dry run and in an erasure.
  @Test(arguments: Backend.allCases)
  func `a dry run counts the same matches as an erasure`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      try loader.beginMatches("matches")
      for (user, other) in [("a", "b"), ("b", "a"), ("b", "c"), ("d", "a"), ("a", "a"), ("c", "d")]
        as [(StoredID, StoredID)]
      {
        try loader.addMatch(user, other, at: "2026-01-01")
      }
    }
    let people = Self.people(["a", "b"])
    for isDryRun in [true, false] {
      let erasure = try store.erase(people, of: "fusion", ErasureOptions(isDryRun: isDryRun))
      #expect(erasure.matches == 5, "dry run: \(isDryRun)")
    }
    let tables = try #require(try store.currentGeneration(pipeline: "fusion")).tables
    #expect(tables.matches == [NamedCount(name: "matches", rows: 1)])
    #expect(try store.heldTables(of: "fusion")?.matches == tables.matches)
  }

  @Test(arguments: Backend.allCases)
  func `an id of another kind of entity stays`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("events")
      try loader.addDocument(Self.document("a", ["7"], shortfall: "null"), user: "a")
      try loader.addDocument(Self.document("7", ["7"], shortfall: "null"), user: "7")
      // The pipeline file does not contain this list any more. Candidates with the erased id are
      // therefore removed from the list, whatever their entity is.
      try loader.beginList("former")
      try loader.addDocument(Self.document("a", ["7"], shortfall: "null"), user: "a")
      try loader.beginPeople("events")
      try loader.addPerson("{}", id: "7")
    }
    let erasure = try store.erase(Self.people(["7"]), of: "fusion", ErasureOptions())
    #expect(erasure.lists == 1 && erasure.places == 1 && erasure.people == 0)
    let expected = try Self.document("a", ["7"], shortfall: "null")
    #expect(try store.listDocument(pipeline: "fusion", list: "events", user: "a") == expected.utf8Bytes)
    #expect(try store.listDocument(pipeline: "fusion", list: "events", user: "7") == nil)
    #expect(try store.person(pipeline: "fusion", entity: "events", id: "7") != nil)
  }

  @Test(arguments: Backend.allCases)
  func `erasing an unknown id, erasing twice and counting change no row`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    #expect(try store.erase(Self.people(["a"]), of: "fusion", ErasureOptions()).total == 0)
    try Self.publish(["a", "b", "c"], store, run: 1)
    let before = try store.generations(pipeline: "fusion")
    let counted = try store.erase(Self.people(["b"]), of: "fusion", ErasureOptions(isDryRun: true))
    #expect(counted.lists == 3 && counted.places == 6 && counted.matches == 1 && counted.people == 1)
    #expect(try store.generations(pipeline: "fusion") == before)
    #expect(try store.listDocument(pipeline: "fusion", list: "full", user: "b") != nil)
    #expect(try store.erase(Self.people(["nobody"]), of: "fusion", ErasureOptions()).total == 0)
    #expect(try store.generations(pipeline: "fusion") == before)
    let done = try store.erase(Self.people(["b"]), of: "fusion", ErasureOptions())
    #expect(done.lists == counted.lists && done.places == counted.places && done.matches == counted.matches)
    #expect(done.remarks == [], "the account may remove all traces")
    #expect(try store.erase(Self.people(["b"]), of: "fusion", ErasureOptions()).total == 0)
  }

  @Test(arguments: Backend.allCases)
  func `notes match the contents of generations`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try Self.publish(["a", "b"], store, run: 1)
    try Self.publish(["a", "c"], store, run: 2)
    try Self.publish(["a", "b"], store, run: 3)
    try store.erase(
      Self.people(["b"]), of: "fusion",
      ErasureOptions(contents: ["before 3": "after 3"], tombstones: "set 1"))
    let notes = try store.generations(pipeline: "fusion").map(\.note)
    // The notes belong to a run with new content, a run without the erased person, and a run for
    // which no content was given.
    #expect(notes.map(\.content) == ["after 3", "before 2", nil])
    #expect(notes.allSatisfy { $0.tombstones == "set 1" })
  }

  @Test(arguments: Backend.allCases)
  func `every id of a generation is visited with its role`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let ids = Array(hostileIDs.prefix(30))
    try Self.publish(ids, store, run: 1)
    try Self.publish(["other", "another"], store, run: 2)
    var seen: [StoredRole: Set<StoredID>] = [:]
    try store.visitIDs(in: 1, of: "fusion") { seen[$0, default: []].insert($1) }
    #expect(
      Set(seen.keys) == [
        .user(list: "full"), .user(list: "partners"), .user(list: "short"), .candidate(list: "full"),
        .candidate(list: "partners"), .candidate(list: "short"), .match(name: "matches"),
        .person(entity: "users"),
      ])
    for (role, found) in seen { #expect(found == Set(ids), "\(role)") }
    try store.visitIDs(in: 7, of: "fusion") { role, _ in Issue.record("\(role) of no generation") }
  }

  @Test(arguments: Backend.allCases)
  func `positions, cells and catalogs lose erased entities`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let ids: [StoredID] = ["a", "b\u{0}", "c\"", "d", "pole"]
    let cell = try #require(Geohash("gc7x3r"))
    let (far, pole) = (try #require(Geohash("u33db2")), try #require(Geohash("zzzzzz")))
    func bucket(_ count: Int, _ counts: String) -> String {
      "{\"entities\":\(count),\"latitude\":1.5,\"longitude\":2,\"counts\":{\(counts)}}"
    }
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      try loader.beginPeople("users")
      for (id, word) in zip(ids, ["x", "y\\\"", "x", "z", "x"]) {
        try loader.addPerson("{\"field\":\"\(word)\",\"n\":1,\"none\":null}", id: id)
      }
      try loader.beginPositions("users")
      for (id, place) in zip(ids, [cell, cell, cell, far, pole]) {
        try loader.addPosition(place.center, cell: place, id: id.utf8.span)
      }
      try loader.beginBuckets("users")
      try loader.addBucket(
        Array(bucket(3, "\"field\":{\"x\":2,\"y\\\"\":1}").utf8).span, cell: cell)
      try loader.addBucket(Array(bucket(1, "\"field\":{\"z\":1}").utf8).span, cell: far)
      try loader.addBucket(Array(bucket(1, "\"field\":{\"x\":1}").utf8).span, cell: pole)
      try loader.beginCatalog("towns")
      for entry in ["{\"id\":\"a\"}", "{\"id\":\"d\"}", "{\"name\":\"a\"}", "{\"id\":\"a\",\"n\":2}"] {
        try loader.addEntry(entry, key: "Cork")
      }
      try loader.addEntry("{\"candidate\":\"a\"}", key: "Kerry")
    }
    func look() throws -> (found: [StoredID], buckets: [String?], entries: [String]) {
      let seen = try store.read(pipeline: "fusion") {
        generation -> (found: [StoredID], buckets: [String?], entries: [String]) in
        var found: [StoredID] = []
        for place in [cell, far, pole] {
          found += try generation.positions(entity: "users", around: place.center, within: 5).map(\.id)
        }
        let buckets = try [cell, far, pole].map { cell in
          try generation.bucket(entity: "users", cell: cell).map { String(decoding: $0, as: UTF8.self) }
        }
        let entries = try ["Cork", "Kerry"].flatMap { key in
          try generation.entries(catalog: "towns", key: StoredID(key), 0..<10)
            .map { String(decoding: $0, as: UTF8.self) }
        }
        return (found, buckets, entries)
      }
      return try #require(seen)
    }
    #expect(try Set(look().found) == Set(ids))
    let erasure = try store.erase(Self.people(["a", "d", "pole"]), of: "fusion", ErasureOptions())
    #expect(erasure.positions == 3 && erasure.people == 3 && erasure.entries == 4)
    var left = try look()
    #expect(Set(left.found) == ["b\u{0}", "c\""])
    #expect(left.buckets == [bucket(2, "\"field\":{\"x\":1,\"y\\\"\":1}"), nil, nil])
    #expect(left.entries == ["{\"name\":\"a\"}"])
    try store.erase(Self.people(["b\u{0}"]), of: "fusion", ErasureOptions())
    left = try look()
    #expect(left.buckets == [bucket(1, "\"field\":{\"x\":1}"), nil, nil])
    let tables = try #require(try store.currentGeneration(pipeline: "fusion")).tables
    #expect(tables.positions.map(\.rows) == [1] && tables.buckets.map(\.rows) == [1])
    #expect(tables.catalogs.map(\.rows) == [1] && tables.people.map(\.rows) == [1])
  }

  @Test(arguments: Backend.allCases)
  func `counting positions and entries changes no row`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginPositions("users")
      try loader.addPosition(53.35, -6.26, id: "a")
      try loader.addPosition(89, 0, id: "b")
      try loader.beginBuckets("users")
      try loader.addBucket("{\"entities\":1,\"counts\":{}}", cell: "gc7x9rn")
      try loader.beginCatalog("towns")
      for id in ["a", "b", "a"] { try loader.addEntry("{\"id\":\"\(id)\"}", key: "Cork") }
    }
    let digest = try store.heldDigest(of: "fusion")
    let generations = try store.generations(pipeline: "fusion")
    let people = Self.people(["a", "nobody"])
    let counted = try fixture.address.open(for: .dryRun)
      .erase(people, of: "fusion", ErasureOptions(tombstones: "set", isDryRun: true))
    #expect(counted.positions == 1 && counted.entries == 2 && counted.total == 3)
    #expect(counted.generations == 1)
    #expect(try store.heldDigest(of: "fusion") == digest)
    #expect(try store.generations(pipeline: "fusion") == generations)
    #expect(try store.erase(people, of: "fusion", ErasureOptions()).total == 3)
    let held = try store.heldDigest(of: "fusion")
    #expect(held != digest)
  }

  @Test(arguments: Backend.allCases)
  func `a store opened for reading is unchanged`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    try Self.publish(["a", "b"], fixture.publisher(), run: 1)
    #expect {
      try fixture.reader().erase(Self.people(["a"]), of: "fusion", ErasureOptions())
    } throws: {
      ($0 as? ServingStoreError)?.code == .readOnly
    }
  }

  @Test(arguments: Backend.allCases)
  func `other pipelines keep their people`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{}"], pipeline: "rovers")
    try store.publishPartners(["a": "{}", "b": "{}"], pipeline: "fusion")
    try store.erase(Self.people(["a"]), of: "fusion", ErasureOptions())
    #expect(try store.partners("a", pipeline: "rovers") == "{}")
    #expect(try store.partners("a", pipeline: "fusion") == nil)
  }
}
