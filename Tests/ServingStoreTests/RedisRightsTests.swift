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
      try loader.addEntry("1", key: "Cork")
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
    let writing = try store(fixture, "reader", rights.reading, access: .publishing)
    #expect(fixture.code { try publish(writing, run: 5) } == .readOnly)
    #expect(try reader.currentGeneration(pipeline: "fusion")?.run == 4)
  }
}
