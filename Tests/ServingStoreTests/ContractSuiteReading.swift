import Foundation
import Geohash
import Synchronization
import Testing

@testable import ServingStore

/// The rules for reading that every back end must follow. `ContractSuiteLoading` covers publishing.
@Suite struct `Contract of reading` {
  @Test(arguments: Backend.allCases)
  func `unpublished pipelines are absent`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    #expect(try store.currentGeneration(pipeline: "fusion") == nil)
    #expect(try store.listNames(pipeline: "fusion").isEmpty)
    #expect(try store.read(pipeline: "fusion") { _ in 1 } == nil)
    try store.publishPartners(["a": "{}"])
    #expect(try store.partners("b") == nil)
    #expect(try store.partners("") == nil)
    #expect(try store.listDocument(pipeline: "fusion", list: "others", user: "a") == nil)
    #expect(try store.listDocument(pipeline: "rovers", list: "partners", user: "a") == nil)
    #expect(try store.person(pipeline: "fusion", entity: "users", id: "a") == nil)
    #expect(try store.matches(pipeline: "fusion", name: "matches", user: "a").isEmpty)
    // Each kind of table has a separate namespace.
    #expect(try store.matches(pipeline: "fusion", name: "partners", user: "a").isEmpty)
    #expect(try store.listNames(pipeline: "fusion") == ["partners"])
  }

  @Test(arguments: Backend.allCases)
  func `hostile ids round-trip and stay distinct`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try #require(Set(hostileIDs).count == hostileIDs.count)
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      for (index, id) in hostileIDs.enumerated() { try loader.addDocument("{\"n\":\(index)}", user: id) }
      try loader.beginPeople("users")
      for (index, id) in hostileIDs.enumerated() { try loader.addPerson("[\(index)]", id: id) }
      try loader.beginMatches("matches")
      for id in hostileIDs { try loader.addMatch("everybody", id, at: "") }
    }
    let reader = try fixture.reader()
    for (index, id) in hostileIDs.enumerated() {
      #expect(try reader.partners(id) == "{\"n\":\(index)}")
      #expect(try reader.person(pipeline: "fusion", entity: "users", id: id) == "[\(index)]".utf8Bytes)
      #expect(
        try reader.matches(pipeline: "fusion", name: "matches", user: id)
          == [ServedMatch(other: "everybody", matchedAt: nil)])
    }
    #expect(
      try reader.matches(pipeline: "fusion", name: "matches", user: "everybody").map(\.other)
        == hostileIDs.sorted())
    #expect(try reader.currentGeneration(pipeline: "fusion")?.tables.lists.first?.rows == hostileIDs.count)
  }

  @Test(arguments: Backend.allCases)
  func `hostile names of pipelines and lists are ordinary names`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let names = ["'; DROP TABLE lists; --", "\u{E9}", "e\u{301}", "a\"b", "%", " "]
    for pipeline in names {
      try store.publish(pipeline: pipeline, run: 1, asOf: 1, keep: 1) { loader in
        for list in names {
          try loader.beginList(list)
          try loader.addDocument("{\"list\":\(list.utf8.count)}", user: "a")
        }
      }
    }
    for pipeline in names {
      // The test compares bytes, because `String ==` treats both forms of é as equal.
      #expect(
        try store.listNames(pipeline: pipeline).map(\.utf8Bytes)
          == names.map(\.utf8Bytes).sorted { $0.lexicographicallyPrecedes($1) })
      for list in names {
        #expect(
          try store.listDocument(pipeline: pipeline, list: list, user: "a")
            == "{\"list\":\(list.utf8.count)}".utf8Bytes)
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func `documents round-trip byte for byte`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let documents: [StoredID: String] = [
      "spaces": " { \"b\" : 1.50 , \"a\" : 1e2 } ", "escapes": "{\"a\":\"\\u0000\\u00e9\\/\"}",
      "text": "{\"a\":\"e\u{301}\u{1F600}\"}",
      "large": "[\"" + String(repeating: "x", count: 3_000_000) + "\"]",
    ]
    try store.publishPartners(documents)
    for (user, document) in documents {
      // The test compares bytes, because the contract promises the same bytes.
      #expect(
        try store.listDocument(pipeline: "fusion", list: "partners", user: user) == document.utf8Bytes)
    }
  }

  @Test(arguments: Backend.allCases)
  func `a match is found from both sides, in id order, and counts once`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      try loader.beginMatches("matches")
      try loader.addMatch("b", "z", at: "2026-01-02")
      try loader.addMatch("a", "b", at: "2026-01-03")
      try loader.addMatch("b", "c", at: "2026-01-01")
      try loader.addMatch("c", "b", at: "2026-01-01")
      try loader.beginMatches("other")
      try loader.addMatch("b", "q", at: "2026-01-01")
    }
    #expect(
      try store.matches(pipeline: "fusion", name: "matches", user: "b") == [
        ServedMatch(other: "a", matchedAt: "2026-01-03"),
        ServedMatch(other: "c", matchedAt: "2026-01-01"),
        ServedMatch(other: "z", matchedAt: "2026-01-02"),
      ])
  }

  @Test(arguments: Backend.allCases)
  func `an error of the reading closure is rethrown`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{}"])
    #expect(throws: Failure()) { try store.read(pipeline: "fusion") { _ in throw Failure() } }
  }

  @Test(arguments: Backend.allCases)
  func `readers see the complete old generation until the load is done`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{\"run\":1}", "b": "{\"run\":1}"], run: 1, keep: 1)
    let reader = try fixture.reader()
    func expectOld(_ store: any ServingStore) throws {
      #expect(try store.generations(pipeline: "fusion").map(\.run) == [1])
      #expect(try store.partners("a") == "{\"run\":1}")
      #expect(try store.partners("b") == "{\"run\":1}")
    }
    try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { loader in
      try expectOld(reader)
      try loader.beginList("partners")
      // The list is larger than the buffer of any back end.
      let long = String(repeating: "x", count: 20_000)
      for number in 0..<500 { try loader.addDocument("{\"run\":\"\(long)\"}", user: StoredID("n\(number)")) }
      try expectOld(reader)
      try expectOld(fixture.reader())
      try expectOld(store)
      try loader.addDocument("{\"run\":2}", user: "a")
    }
    #expect(try reader.partners("a") == "{\"run\":2}")
    #expect(try reader.partners("b") == nil)
  }

  @Test(arguments: Backend.allCases)
  func `a reader keeps its generation even if the generation is dropped`(
    backend: Backend
  ) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    try store.publishPartners(["a": "{\"run\":1}"], run: 1, keep: 1)
    let reader = try fixture.reader()
    let seen = try reader.read(pipeline: "fusion") { generation in
      try store.publishPartners(["a": "{\"run\":2}"], run: 2, keep: 1)
      try store.publishPartners(["a": "{\"run\":3}"], run: 3, keep: 1)
      return try generation.document(list: "partners", user: "a")
    }
    #expect(seen == "{\"run\":1}".utf8Bytes)
    #expect(try reader.partners("a") == "{\"run\":3}")
  }

  @Test(arguments: Backend.allCases)
  func `readers never see a mixed, missing or backward generation`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let users = (0..<20).map { StoredID("u\($0)") }
    func publish(_ number: Int) throws {
      try store.publish(pipeline: "fusion", run: number, asOf: Int64(number), keep: 2) { loader in
        try loader.beginList("partners")
        for user in users { try loader.addDocument("\(number)", user: user) }
        try loader.beginMatches("matches")
        try loader.addMatch("u0", "u1", at: "\(number)")
        try loader.beginPeople("users")
        try loader.addPerson("\(number)", id: "u0")
        try loader.beginPositions("users")
        try loader.addPosition(Double(number), 13, id: "u0")
        try loader.beginCatalog("by_county")
        try loader.addEntry("\(number)", key: "Cork")
      }
    }
    try publish(1)

    let isDone = Atomic(false)
    let complaints = Mutex<[String]>([])
    let reads = Atomic(0)
    let others = try (0..<3).map { _ in try fixture.reader() } + [store]
    let group = DispatchGroup()
    for reader in others {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        var last = 0
        // After the last publish, every thread reads once more, so each thread reads at least once.
        var goesOn = true
        while goesOn {
          goesOn = !isDone.load(ordering: .acquiring)
          do {
            let found = try reader.read(pipeline: "fusion") { generation -> Set<String> in
              var found: Set = ["\(generation.summary.number)", "\(generation.summary.run)"]
              for user in users {
                let document = try generation.document(list: "partners", user: user)
                found.insert(document.map { String(decoding: $0, as: UTF8.self) } ?? "missing")
              }
              let match = try generation.matches(name: "matches", user: "u1").first
              found.insert(match?.matchedAt ?? "missing")
              let person = try generation.person(entity: "users", id: "u0")
              found.insert(person.map { String(decoding: $0, as: UTF8.self) } ?? "missing")
              let position = try generation.position(entity: "users", id: "u0")
              found.insert(position.map { "\(Int($0.latitude))" } ?? "missing")
              let entry = try generation.entries(catalog: "by_county", key: "Cork", 0..<1).first
              found.insert(entry.map { String(decoding: $0, as: UTF8.self) } ?? "missing")
              return found
            }
            guard let only = found?.first, found?.count == 1, let number = Int(only), number >= last else {
              complaints.withLock { $0.append("saw \(found ?? []) after \(last)") }
              return
            }
            last = number
            reads.wrappingAdd(1, ordering: .relaxed)
          } catch {
            complaints.withLock { $0.append("\(error)") }
            return
          }
        }
        if last != 51 { complaints.withLock { $0.append("ended at \(last)") } }
      }
    }
    defer { isDone.store(true, ordering: .releasing) }
    for number in 2...51 { try publish(number) }
    isDone.store(true, ordering: .releasing)
    group.wait()
    #expect(complaints.withLock { $0 } == [])
    #expect(reads.load(ordering: .relaxed) >= others.count)
  }
}
