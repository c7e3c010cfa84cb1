import Foundation
import Geohash
import Testing
import TestSupport

@testable import ServingStore

/// Tests accounts that have only the rights in `docs/how-to/serve-from-redis.md`.
@Suite(.enabled(if: RedisServer.isAvailable)) struct RedisRightsTests {
  /// Returns the commands that the page grants to accounts that read and to accounts that publish.
  private func rights() throws -> (reading: [String], publishing: [String]) {
    let text = try String(contentsOfFile: "docs/how-to/serve-from-redis.md", encoding: .utf8)
    let sections = text.components(separatedBy: "\n## ")
    let section = try #require(sections.first { $0.hasPrefix("Grant the rights") })
    // The text after the second code block is omitted, because it repeats a command from that
    // block.
    let blocks = section.components(separatedBy: "```").prefix(4).joined(separator: " ")
    let parts = blocks.components(separatedBy: "An account that publishes")
    try #require(parts.count == 2)
    func commands(_ text: String) -> [String] {
      text.split { " `\n,".contains($0) }.filter { $0.hasPrefix("+") }.map(String.init)
    }
    return (commands(parts[0]), commands(parts[0]) + commands(parts[1]))
  }

  private func store(_ fixture: RedisFixture, _ user: String, _ rights: [String], access: StoreAccess) throws
    -> any ServingStore
  {
    let rules = ["reset", "on", ">secret", "~nightjar:*"] + rights
    let done = try RedisServer.run(
      ["ACL", "SETUSER", user] + rules, database: 0, port: Int(fixture.endpoint.port))
    try #require(done == "OK")
    let endpoint = RedisEndpoint(host: "127.0.0.1", port: fixture.endpoint.port, user: user)
    return try RedisServingStore(
      endpoint, access: access, busyTimeout: .seconds(5), grace: .zero,
      environment: ["REDISCLI_AUTH": "secret"])
  }

  private func publish(_ store: any ServingStore, run: Int) throws {
    try store.publish(pipeline: "fusion", run: run, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      try loader.addDocument("{}", user: "a")
      try loader.beginMatches("matches")
      try loader.addMatch("a", "b", at: "")
      try loader.beginPositions("dogs")
      try loader.addPosition(53.35, -6.26, id: "d")
      try loader.addPosition(89, -6.26, id: "n")
      try loader.beginBuckets("dogs")
      try loader.addBucket("{}", cell: "gc7x3r")
      try loader.beginCatalog("by_county")
      try loader.addEntry("{\"candidate\":\"d\"}", key: "Cork")
      if run == 0 { throw Failure() }
    }
  }

  private func readAll(_ store: any ServingStore) throws {
    let dublin = try #require(Coordinate(latitude: 53.35, longitude: -6.26))
    let found = try store.read(pipeline: "fusion") { generation in
      [
        try generation.document(list: "partners", user: "a") != nil,
        try generation.document(list: "partners", user: "nobody") == nil,
        try generation.matches(name: "matches", user: "b").count == 1,
        try generation.position(entity: "dogs", id: "n") != nil,
        try generation.positions(entity: "dogs", around: dublin, within: 1).count == 1,
        try generation.positions(entity: "dogs", around: dublin, within: 20_000).count == 2,
        try generation.entries(catalog: "by_county", key: "Cork", 0..<1).count == 1,
      ]
    }
    #expect(found == [Bool](repeating: true, count: 7))
  }

  @Test func `the page grants exactly the rights that the code lists`() throws {
    let rights = try rights()
    func granted(_ names: [String]) -> [String] { names.map { "+" + $0.lowercased() } }
    let reading = granted(RedisRights.session + RedisRights.reading.map(RedisRights.name))
    #expect(Set(rights.reading) == Set(reading) && rights.reading.count == reading.count)
    // Without INFO, the check of the eviction policy is skipped.
    let publishing = reading + granted(RedisRights.publishing.map(RedisRights.name) + ["INFO"])
    #expect(Set(rights.publishing) == Set(publishing) && rights.publishing.count == publishing.count)
  }

  @Test func `the code lists each command that it sends, and no others`() throws {
    let directory = "Sources/ServingStore/Redis"
    var sent: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: directory)
    where file != "RedisRights.swift" {
      let text = try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)
      let pattern =
        /(?:RedisCommand|run|allowed|isWritten)\(\s*"([A-Z]+)"|redis\.p?call\('([A-Z]+)'/
      for match in text.matches(of: pattern) { sent.insert(String(match.1 ?? match.2 ?? "")) }
    }
    // Every account may send AUTH. If the server rejects another of these commands, the program continues.
    let others: Set = ["AUTH", "INFO", "CONFIG", "BGSAVE", "BGREWRITEAOF"]
    let listed = RedisRights.session + (RedisRights.reading + RedisRights.publishing).map(RedisRights.name)
    #expect(sent.subtracting(others) == Set(listed))
  }

  @Test func `a rehearsal names each missing right, and changes nothing`() throws {
    let fixture = try RedisFixture(serverWith: "")
    let rights = try rights().publishing
    func rehearsal(_ user: String, _ rights: [String]) throws {
      let store = try store(fixture, user, rights, access: .rehearsal)
      try #require(store as? RedisServingStore).checkRights("fusion")
    }
    try rehearsal("all", rights)
    // Opening a connection needs SELECT, and reading the generations needs EXEC.
    for right in rights where !["+info", "+select", "+exec"].contains(right) {
      let error = #expect(throws: ServingStoreError.self) {
        try rehearsal("few", rights.filter { $0 != right })
      }
      #expect(error?.code == .readOnly && error?.nextStep == ServingStoreError.grantRights, "\(right)")
      // Without MULTI, no other right can be checked.
      #expect(right == "+multi" || error?.found.contains("lacks \(right))") == true, "\(right)")
    }
    let few = #expect(throws: ServingStoreError.self) {
      try rehearsal("few", rights.filter { !["+rpush", "+eval"].contains($0) })
    }
    #expect(few?.found == "Redis reports: NOPERM (this account lacks +eval +rpush)")
    #expect(try fixture.keys() == [])
  }

  @Test func `the documented rights suffice for publishing, and a reader can only read`() throws {
    let fixture = try RedisFixture(serverWith: "")
    let rights = try rights()
    let publisher = try store(fixture, "publisher", rights.publishing, access: .publishing)
    for run in 1...3 { try publish(publisher, run: run) }
    // The same rights suffice to clean up after a failed publication and to remove retired
    // generations.
    #expect(throws: Failure()) { try publish(publisher, run: 0) }
    try publish(publisher, run: 4)
    #expect(try fixture.redis("ZCARD", "nightjar:{fusion}:retired") == "1")
    #expect(try fixture.rows(of: 1).isEmpty)
    let reader = try store(fixture, "reader", rights.reading, access: .reading)
    try readAll(reader)
    #expect(try publisher.heldTables(of: "fusion")?.rows == 6)
    #expect(try publisher.heldDigest(of: "fusion") != nil)
    try publisher.serve(generation: 4, of: "fusion")
    let writing = try store(fixture, "reader", rights.reading, access: .publishing)
    #expect(fixture.code { try publish(writing, run: 5) } == .readOnly)
    #expect(try reader.currentGeneration(pipeline: "fusion")?.run == 4)
    var ids: Set<StoredID> = []
    try publisher.visitIDs(in: 4, of: "fusion") { _, id in ids.insert(id) }
    #expect(ids.isSuperset(of: ["a", "b", "d", "n"]))
    let people = ErasedPeople(["users": ["a"], "dogs": ["d", "n"]], lists: [:], matches: [:])
    let erasure = try publisher.erase(people, of: "fusion", ErasureOptions())
    #expect(erasure.lists > 0 && erasure.matches > 0 && erasure.positions > 0 && erasure.entries > 0)
  }
}
