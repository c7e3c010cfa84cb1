import Foundation
import Geohash
import Testing
import TestSupport

@testable import ServingStore

@Suite(.enabled(if: RedisServer.isAvailable)) struct `The Redis store's keys` {
  private let fixture: RedisFixture

  init() throws { fixture = try RedisFixture() }

  @Test func `equal the keys in the documentation, and no others remain`() throws {
    try fixture.store().publish(pipeline: "fusion", run: 7, asOf: 1_000, keep: 1) { loader in
      try loader.beginList("partners")
      try loader.addDocument("{\"n\":1}", user: "u42")
      try loader.beginMatches("matches")
      try loader.addMatch("u42", "u7", at: "2026-11-20")
      try loader.addMatch("u9", "u42", at: "")
      try loader.beginPeople("users")
      try loader.addPerson("{\"age\":30}", id: "u42")
    }
    #expect(
      try fixture.keys() == [
        "nightjar:{fusion}:1:list:partners:u42", "nightjar:{fusion}:1:matches:matches:u42",
        "nightjar:{fusion}:1:matches:matches:u7", "nightjar:{fusion}:1:matches:matches:u9",
        "nightjar:{fusion}:1:people:users:u42", "nightjar:{fusion}:current", "nightjar:{fusion}:generations",
      ])
    #expect(try fixture.redis("GET", "nightjar:{fusion}:current") == "1")
    #expect(try fixture.redis("GET", "nightjar:{fusion}:1:list:partners:u42") == "{\"n\":1}")
    #expect(try fixture.redis("GET", "nightjar:{fusion}:1:people:users:u42") == "{\"age\":30}")
    #expect(try fixture.redis("HGET", "nightjar:{fusion}:1:matches:matches:u42", ">u7") == "2026-11-20")
    #expect(try fixture.redis("HEXISTS", "nightjar:{fusion}:1:matches:matches:u42", "<u9") == "1")
    #expect(
      try fixture.redis("HGET", "nightjar:{fusion}:generations", "1")
        == """
        {"as_of_ms":1000,"note":{"overridden":[]},"run":7,"tables":{"buckets":[],"catalogs":[],\
        "lists":[{"name":"partners","rows":1}],"matches":[{"name":"matches","rows":2}],\
        "people":[{"name":"users","rows":1}],"positions":[]}}
        """)
  }

  @Test func `are read by the documented commands, even for a match with two times`() throws {
    let store = try fixture.store()
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      try loader.beginMatches("matches")
      try loader.addMatch("a", "b", at: "2026-02")
      try loader.addMatch("b", "a", at: "2026-01")
      try loader.addMatch("a", "a", at: "")
    }
    #expect(
      try store.matches(pipeline: "fusion", name: "matches", user: "a") == [
        ServedMatch(other: "a", matchedAt: nil), ServedMatch(other: "b", matchedAt: "2026-01"),
        ServedMatch(other: "b", matchedAt: "2026-02"),
      ])
  }

  @Test func `of different pipelines or tables are always different`() throws {
    let names = [
      "a", "ab", "a:b", "a%3Ab", "a%3ab", "{a}", "a{", "a}", "%7Ba%7D", "*", "a*", "?", "??", "[ab]", "[a",
      "\\", "\\a",
      "a\\", "\\*", "\r\n", "*1\r\n$4\r\nPING\r\n", "1", "1:list:a", "a}:1:list:a", "current", "lock",
    ]
    let store = try fixture.store(grace: .zero)
    // Each publish removes old generations of its own pipeline only.
    for run in 1...3 {
      for (index, pipeline) in names.enumerated() {
        try store.publish(pipeline: pipeline, run: run, asOf: 1, keep: 1) { loader in
          for (number, list) in names.enumerated() {
            try loader.beginList(list)
            for user in ["a", ":a", "a:a", "1:list:a:a"] as [StoredID] {
              try loader.addDocument("[\(run),\(index),\(number),\(user.utf8.count)]", user: user)
            }
          }
        }
      }
    }
    for (index, pipeline) in names.enumerated() {
      #expect(try store.generations(pipeline: pipeline).map(\.number) == [3])
      for (number, list) in names.enumerated() {
        for user in ["a", ":a", "a:a", "1:list:a:a"] as [StoredID] {
          #expect(
            try store.listDocument(pipeline: pipeline, list: list, user: user)
              == "[3,\(index),\(number),\(user.utf8.count)]".utf8Bytes)
        }
      }
    }
    // Each pipeline has three keys and the rows of two generations: the served one and the last
    // dropped one.
    #expect(try fixture.redis("DBSIZE") == "\(names.count * (3 + 2 * names.count * 4))")
  }

  @Test func `of dropped generations stay for the grace period and are removed afterwards`() throws {
    for run in 1...3 { try fixture.store().publishPartners(["a": "\(run)", "b": "0"], run: run, keep: 1) }
    #expect(try fixture.store().generations(pipeline: "fusion").map(\.number) == [3])
    #expect(try [1, 2, 3].map { try fixture.rows(of: $0).count } == [2, 2, 2])
    #expect(try fixture.redis("ZCARD", "nightjar:{fusion}:retired") == "2")
    // This publication drops a generation now, so even the shortest grace period keeps its keys.
    try fixture.store(grace: .zero).publishPartners(["a": "4"], run: 4, keep: 1)
    #expect(try [1, 2, 3, 4].map { try fixture.rows(of: $0).count } == [0, 0, 2, 1])
    #expect(try fixture.redis("ZRANGE", "nightjar:{fusion}:retired", "0", "-1") == "3")
  }

  @Test func `of a kept generation stay, even if the generation was retired by mistake`() throws {
    try fixture.store().publishPartners(["a": "1"], run: 1)
    try fixture.redis("ZADD", "nightjar:{fusion}:retired", "1", "1")
    try fixture.store(grace: .zero).publishPartners(["a": "2"], run: 2)
    #expect(try fixture.rows(of: 1).count == 1)
    #expect(try fixture.redis("EXISTS", "nightjar:{fusion}:retired") == "0")
  }

  @Test func `that are removed during reading are an error, not absent rows`() throws {
    let store = try fixture.store(grace: .zero)
    try store.publishPartners(["a": "1"], run: 1, keep: 1)
    let error = #expect(throws: ServingStoreError.self) {
      try store.read(pipeline: "fusion") { generation in
        try store.publishPartners(["a": "2"], run: 2, keep: 1)
        #expect(try generation.document(list: "partners", user: "a") == "1".utf8Bytes)
        #expect(try generation.document(list: "partners", user: "b") == nil)
        try store.publishPartners(["a": "3"], run: 3, keep: 1)
        _ = try generation.document(list: "partners", user: "a")
      }
    }
    #expect(error?.code == .failed)
    let matches = fixture.code {
      try store.read(pipeline: "fusion") { generation in
        for run in 4...5 { try store.publishPartners(["a": "\(run)"], run: run, keep: 1) }
        _ = try generation.matches(name: "matches", user: "a")
      }
    }
    #expect(matches == .failed)
  }

  @Test func `that are removed during any kind of reading are an error`() throws {
    let store = try fixture.store(grace: .zero)
    let place = try #require(Coordinate(latitude: 53.35, longitude: -6.26))
    let cell = try #require(Geohash("gc7x3r"))
    let reads: [(any ServedGeneration) throws -> Void] = [
      { _ = try $0.person(entity: "users", id: "a") }, { _ = try $0.position(entity: "users", id: "a") },
      { _ = try $0.positions(entity: "users", around: place, within: 1) },
      { _ = try $0.bucket(entity: "users", cell: cell) },
      { _ = try $0.entries(catalog: "best", key: "a", 0..<1) },
    ]
    for (index, read) in reads.enumerated() {
      try store.publishPartners(["a": "1"], keep: 1)
      var isRead = false
      let code = fixture.code {
        try store.read(pipeline: "fusion") { generation in
          try read(generation)
          isRead = true
          for _ in 0..<2 { try store.publishPartners(["a": "2"], keep: 1) }
          try read(generation)
        }
      }
      #expect(isRead && code == .failed, "\(index)")
    }
  }

  @Test(arguments: ["current", "generations", "loading"])
  func `that another program damaged are reported`(key: String) throws {
    let store = try fixture.store()
    try store.publishPartners(["a": "1"])
    if key == "generations" {
      try fixture.redis("HSET", "nightjar:{fusion}:generations", "1", "{\"run\":1}")
    } else {
      try fixture.redis("SET", "nightjar:{fusion}:\(key)", "2x")
    }
    if key != "loading" { #expect(fixture.code { _ = try store.partners("a") } == .corrupt) }
    #expect(fixture.code { try store.publishPartners(["a": "2"]) } == .corrupt)
  }

  @Test func `of older generations are served again by a rollback`() throws {
    let store = try fixture.store()
    for run in 1...3 { try store.publishPartners(["a": "\(run)"], run: run, keep: 2) }
    try store.serve(generation: 2, of: "fusion")
    #expect(try store.partners("a") == "2")
    #expect(try fixture.redis("GET", "nightjar:{fusion}:current") == "2")
    #expect(try store.generations(pipeline: "fusion").map(\.isServed) == [false, true])
    // The cases are a dropped generation whose keys still exist, a generation that was never
    // published, and an unknown pipeline.
    #expect(fixture.code { try store.serve(generation: 1, of: "fusion") } == .refused)
    #expect(fixture.code { try store.serve(generation: 4, of: "fusion") } == .refused)
    #expect(fixture.code { try store.serve(generation: 1, of: "rovers") } == .refused)
    #expect(try store.partners("a") == "2")
    #expect(try store.publishPartners(["a": "4"], run: 4, keep: 2).number == 4)
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [4, 3])
    let reader = try RedisServingStore(
      fixture.endpoint, access: .reading, busyTimeout: .zero, environment: [:])
    #expect(fixture.code { try reader.serve(generation: 3, of: "fusion") } == .readOnly)
  }
}
