import Foundation
import Synchronization
import Testing
import TestSupport

@testable import ServingStore

/// A failed publication must leave the served generation unchanged and remove all of its own rows,
/// whenever it fails.
@Suite(.enabled(if: RedisServer.isAvailable)) struct `The Redis store after a failure` {
  private static let long = String(repeating: "x", count: 20_000)

  /// Loads a list of `count` documents with 20 kB each. A hundred documents need several batches.
  private static func load(_ loader: GenerationLoader, _ count: Int) throws {
    try loader.beginList("partners")
    for number in 0..<count { try loader.addDocument("\"\(long)\"", user: StoredID("n\(number)")) }
  }

  @Test func `keeps its contents if memory runs out`() throws {
    let fixture = try RedisFixture(serverWith: "--maxmemory 4mb --maxmemory-policy noeviction")
    let store = try fixture.store()
    try store.publishPartners(["a": "1"])
    let before = try fixture.keys()
    let failure = fixture.code {
      try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { try Self.load($0, 1_000) }
    }
    #expect(failure == .full)
    #expect(try fixture.keys() == before)
    #expect(try store.partners("a") == "1")
    #expect(try store.publishPartners(["a": "2"]).number == 2)
  }

  @Test func `rejects a server that evicts keys`() throws {
    let fixture = try RedisFixture(serverWith: "--maxmemory 100mb --maxmemory-policy allkeys-lru")
    #expect(fixture.code { try fixture.store().publishPartners(["a": "1"]) } == .refused)
    #expect(try fixture.keys() == [])
    try fixture.redis("CONFIG", "SET", "maxmemory-policy", "noeviction")
    #expect(try fixture.store().publishPartners(["a": "1"]).number == 1)
  }

  /// Only the lock has an expiry, so a volatile policy evicts no rows. Without a memory limit, no policy
  /// evicts keys. If the server rejects INFO, its policy is unknown.
  @Test(arguments: [
    "--maxmemory 100mb --maxmemory-policy volatile-lru", "--maxmemory 0 --maxmemory-policy allkeys-lru",
    "--rename-command INFO HIDDEN",
  ])
  func `accepts a server that evicts no rows, or that rejects INFO`(options: String) throws {
    let fixture = try RedisFixture(serverWith: options)
    #expect(try fixture.store().publishPartners(["a": "1"]).number == 1)
  }

  @Test func `keeps no keys of a failed load`() throws {
    let fixture = try RedisFixture()
    let store = try fixture.store()
    try store.publishPartners(["a": "1"])
    let before = try fixture.keys()
    #expect(throws: Failure()) {
      try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { loader in
        try Self.load(loader, 100)
        #expect(try !fixture.rows(of: 2).isEmpty)
        throw Failure()
      }
    }
    #expect(try fixture.keys() == before)
  }

  @Test(arguments: [0, 100]) func `reports a duplicate row for its table, not for a later row`(others: Int)
    throws
  {
    let store = try RedisFixture().store()
    let error = #expect(throws: ServingStoreError.self) {
      try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
        try loader.beginList("first")
        for user in ["a", "a"] as [StoredID] { try loader.addDocument("1", user: user) }
        // None of these calls throws an error, although the server has already replied.
        try Self.load(loader, others)
      }
    }
    #expect(error?.code == .refused)
    #expect(error?.found == "list 'first' contains an id or a pair twice")
  }

  @Test func `cleans up after a killed loader with the next publish`() throws {
    let fixture = try RedisFixture()
    let store = try fixture.store()
    try store.publishPartners(["a": "1"])
    // This is the state after a publisher was killed. Its lock has expired.
    try fixture.redis("SET", "nightjar:{fusion}:loading", "2")
    try fixture.redis("SET", "nightjar:{fusion}:2:list:partners:old", "2")
    try fixture.redis("HSET", "nightjar:{fusion}:2:matches:matches:old", ">a", "2")
    #expect(try store.publishPartners(["b": "2"], run: 2).number == 2)
    #expect(try fixture.rows(of: 2) == ["nightjar:{fusion}:2:list:partners:b"])
    #expect(try fixture.redis("EXISTS", "nightjar:{fusion}:loading") == "0")
    // If the loading mark names a kept generation, nothing is removed.
    try fixture.redis("SET", "nightjar:{fusion}:loading", "2")
    try store.publishPartners(["b": "3"], run: 3)
    #expect(try fixture.rows(of: 2).count == 1)
  }

  @Test func `serves the first publisher's generation if a second one does not get the lock`() throws {
    let fixture = try RedisFixture()
    let second = try fixture.store(busyTimeout: .milliseconds(50))
    try fixture.store().publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try Self.load(loader, 1)
      #expect(fixture.code { try second.publishPartners(["a": "2"]) } == .busy)
      #expect(fixture.code { try second.serve(generation: 1, of: "fusion") } == .busy)
      #expect(fixture.code { try fixture.address.rehearse(pipeline: "fusion") } == .busy)
      // Another pipeline has another lock.
      try second.publishPartners(["a": "2"], pipeline: "rovers")
    }
    #expect(try second.publishPartners(["a": "2"], run: 2).number == 2)
  }

  @Test(arguments: [1, 100]) func `serves the former generation if the lock is lost`(documents: Int) throws {
    let fixture = try RedisFixture()
    let store = try fixture.store()
    try store.publishPartners(["a": "1"])
    let failure = fixture.code {
      try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { loader in
        try Self.load(loader, documents)
        try fixture.redis("DEL", "nightjar:{fusion}:lock")
        try Self.addMore(loader)
      }
    }
    #expect(failure == .busy)
    #expect(try store.partners("a") == "1")
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [1])
    #expect(try store.publishPartners(["b": "3"], run: 3).number == 2)
    #expect(try fixture.rows(of: 2) == ["nightjar:{fusion}:2:list:partners:b"])
  }

  /// Meanwhile, other stores are loaded.
  @Test func `renews the lock before the switch, and finds that it is lost`() throws {
    let fixture = try RedisFixture()
    let store = try fixture.store()
    var isFound = false
    let failure = fixture.code {
      try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
        try Self.load(loader, 1)
        loader.beforeServing = { keepAlive in
          try fixture.redis("PEXPIRE", "nightjar:{fusion}:lock", "9000")
          try keepAlive()
          let left = Int(try fixture.redis("PTTL", "nightjar:{fusion}:lock")) ?? 0
          #expect((20_000...30_000).contains(left))
          try fixture.redis("DEL", "nightjar:{fusion}:lock")
          isFound = (try? keepAlive()) == nil
        }
      }
    }
    #expect(failure == .busy && isFound)
    #expect(try fixture.redis("EXISTS", "nightjar:{fusion}:current") == "0")
  }

  private static func addMore(_ loader: GenerationLoader) throws {
    for number in 0..<50 { try loader.addDocument("\"\(long)\"", user: StoredID("m\(number)")) }
  }

  @Test func `protects the next generation from a publisher that was suspended for long`() throws {
    let fixture = try RedisFixture()
    let store = try fixture.store()
    let failure = fixture.code {
      try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
        try Self.load(loader, 100)
        // The publisher's lock expires. Another publisher then starts to load a generation with the
        // same number.
        try fixture.redis("DEL", "nightjar:{fusion}:lock")
        try fixture.store().publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { other in
          try other.beginList("partners")
          try other.addDocument("2", user: "a")
          #expect(try fixture.rows(of: 1) == [])
          try? Self.addMore(loader)
          #expect(try fixture.rows(of: 1) == [])
        }
      }
    }
    #expect(failure == .busy)
    #expect(try fixture.rows(of: 1) == ["nightjar:{fusion}:1:list:partners:a"])
    #expect(try store.partners("a") == "2")
    #expect(try store.generations(pipeline: "fusion").map(\.run) == [2])
  }

  @Test func `keeps its contents if the connection is lost, and reconnects`() throws {
    let fixture = try RedisFixture(serverWith: "")
    let store = try fixture.store()
    try store.publishPartners(["a": "1"])
    let before = try fixture.keys()
    let failure = fixture.code {
      try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { loader in
        try Self.load(loader, 100)
        try fixture.redis("CLIENT", "KILL", "TYPE", "normal")
        try Self.addMore(loader)
      }
    }
    #expect(failure == .lost)
    #expect(try fixture.keys() == before)
    // The store also reconnects if the server closed its cached connection.
    #expect(try store.partners("a") == "1")
    try fixture.redis("CLIENT", "KILL", "TYPE", "normal")
    #expect(try store.partners("a") == "1")
  }

  @Test(arguments: [true, false])
  func `asks whether the switch was done if its reply is lost`(isDone: Bool) throws {
    let fixture = try RedisFixture(serverWith: "")
    let lock = try RedisLock(
      RedisKeys(pipeline: "fusion"), fixture.connection(), fixture.address, timeout: .zero,
      reconnect: fixture.connection)
    let publication = RedisPublication(lock: lock, run: 1, asOf: 1, note: GenerationNote(), grace: .zero)
    let entry = RedisGenerationEntry(run: 1, asOf: 1, note: GenerationNote(), tables: GenerationTables())
    if isDone { try publication.serve(1, entry, retiring: []) }
    let token = try fixture.redis("GET", "nightjar:{fusion}:lock")
    // The connection is lost before the reply arrives. The switch either happened before or never
    // happens.
    try fixture.redis("CLIENT", "KILL", "TYPE", "normal")
    if isDone {
      try publication.serve(1, entry, retiring: [])
    } else {
      #expect(fixture.code { try publication.serve(1, entry, retiring: []) } == .lost)
    }
    #expect(try fixture.redis("EXISTS", "nightjar:{fusion}:current") == (isDone ? "1" : "0"))
    // Commands with the former token that are still queued on the server must have no effect.
    #expect(try fixture.redis("EXISTS", "nightjar:{fusion}:lock") == "1")
    #expect(try fixture.redis("GET", "nightjar:{fusion}:lock") != token)
    lock.release()
    #expect(try fixture.redis("EXISTS", "nightjar:{fusion}:lock") == "0")
    #expect(fixture.code { try publication.serve(2, entry, retiring: []) } == .busy)
    #expect(try fixture.redis("GET", "nightjar:{fusion}:current") == (isDone ? "1" : ""))
  }

  /// Commands of another client that change loaded rows before the switch.
  @Test(arguments: [
    ["APPEND", "nightjar:{fusion}:1:list:partners:u0", "!"], ["DEL", "nightjar:{fusion}:1:list:partners:u0"],
    ["HSET", "nightjar:{fusion}:1:matches:matches:u0", ">v0", "1999"],
    ["HDEL", "nightjar:{fusion}:1:matches:matches:v0", "<u0"],
    ["HSET", "nightjar:{fusion}:1:positions:dogs", "d0", "{\"latitude\":1,\"longitude\":2}"],
    ["ZREM", "nightjar:{fusion}:1:geo:dogs", "d0"], ["SREM", "nightjar:{fusion}:1:outside:dogs", "d1"],
    ["LSET", "nightjar:{fusion}:1:catalog:counties:Cork", "0", "2"],
    ["SET", "nightjar:{fusion}:1:buckets:dogs:gc7x3r", "[]"],
  ])
  func `detects a row that differs from the loaded one`(harm: [String]) throws {
    let fixture = try RedisFixture()
    let other = try fixture.connection()
    let code = fixture.code {
      try fixture.store().publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
        try loader.beginPositions("dogs")
        try loader.addPosition(53.35, -6.26, id: "d0")
        try loader.addPosition(89, -6.26, id: "d1")
        try loader.beginBuckets("dogs")
        try loader.addBucket("{}", cell: "gc7x3r")
        try loader.beginCatalog("counties")
        try loader.addEntry("1", key: "Cork")
        try loader.beginMatches("matches")
        try loader.addMatch("u0", "v0", at: "2026")
        try loader.beginList("partners")
        // The rows fill more than two batches, so earlier rows are already on the server when the
        // last row is added.
        for number in 0..<2_500 { try loader.addDocument("\(number)", user: StoredID("u\(number)")) }
        var command = RedisCommand()
        for word in harm { command.append(word) }
        #expect(try other.run(command) != .integer(-1))
      }
    }
    #expect(code == .refused)
    #expect(try fixture.redis("EXISTS", "nightjar:{fusion}:current") == "0")
  }
}
