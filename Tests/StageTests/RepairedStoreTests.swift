import Foundation
import GRDB
import Testing
import TestSupport

/// The next run repairs stores that lost rows or were restored from a dump.
struct RepairedStoreTests {
  private let product: CanaryProduct
  private var run: String { product.work + "/canary/runs/1" }
  private var store: String { product.directory("serving.sqlite") }

  init() throws {
    product = try CanaryProduct()
    let ended = try product.nightjar("run")
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }

  private func change(_ sql: String) throws {
    let database = try DatabaseQueue(path: store)
    try database.write { try $0.execute(sql: sql) }
    try database.close()
  }

  private func verify() throws -> Program.Finished { try product.nightjar("verify") }

  /// Expects that the next run with the same lists publishes them again, and that the following run
  /// changes nothing.
  private func expectRepair() throws {
    let ended = try product.nightjar("run", "--exit-99-if-unchanged")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(try verify().ending == .status(0))
    let same = try product.nightjar("run", "--exit-99-if-unchanged")
    #expect(same.ending == .status(99), "\(same.errors)")
  }

  @Test(arguments: [
    "DELETE FROM people WHERE id = 'u3'", "UPDATE lists SET document = '{}'", "DELETE FROM position_boxes",
  ])
  func `a run with the same lists loads lost and changed rows again`(damage: String) throws {
    try change(damage)
    try expectRepair()
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"))
  func `a run with the same lists loads changed rows of PostgreSQL again`() throws {
    let uri = try PostgreSQLServer.database()
    try product.write(stores: [uri])
    try #require(try product.nightjar("run").ending == .status(0))
    _ = try PostgreSQLServer.run("UPDATE nightjar.lists SET document = '{}'", in: uri)
    try expectRepair()
  }

  @Test(.enabled(if: RedisServer.isAvailable, "Redis is not installed"))
  func `a run with the same lists loads changed rows of Redis again`() throws {
    let database = RedisServer.database()
    try product.write(stores: ["redis://127.0.0.1:\(try RedisServer.port())/\(database)"])
    try #require(try product.nightjar("run").ending == .status(0))
    func key(_ pattern: String) throws -> String {
      let keys = try RedisServer.run(["KEYS", pattern], database: database).split(separator: "\n")
      return String(try #require(keys.max()))
    }
    _ = try RedisServer.run(["SET", key("nightjar:*:list:*:u3"), "{}"], database: database)
    try expectRepair()
    // Each repair publishes the next generation.
    _ = try RedisServer.run(
      ["HSET", key("nightjar:*:2:matches:matches:*"), "<zz", "2024-03-01T00:00:00Z"], database: database)
    #expect(try verify().ending == .status(65))
    try expectRepair()
    _ = try RedisServer.run(["DEL", key("nightjar:*:3:geo:people")], database: database)
    #expect(try verify().ending == .status(65))
    try expectRepair()
  }

  /// An account with exactly the rights that the page grants can run every command.
  @Test(.enabled(if: RedisServer.isAvailable, "Redis is not installed"))
  func `the documented rights in Redis suffice for all commands`() throws {
    let page = try String(contentsOfFile: "docs/how-to/serve-from-redis.md", encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n## ").first { $0.hasPrefix("Grant the rights") })
    let rights = Set(section.matches(of: /\+[a-z]+/).map { String($0.0) })
    let server = try RedisServer.start("")
    defer { withExtendedLifetime(server) {} }
    let rules = ["reset", "on", "nopass", "~nightjar:*"] + rights.sorted()
    let done = try RedisServer.run(["ACL", "SETUSER", "publisher"] + rules, port: server.port)
    try #require(done == "OK")
    try product.write(stores: ["redis://publisher@127.0.0.1:\(server.port)/0"])
    func expectSuccess(_ arguments: String...) throws {
      let ended = try Program.run(
        "nightjar", arguments + [product.pipelineFile, "--work", product.work])
      #expect(ended.ending == .status(0), "\(arguments): \(ended.errors)")
    }
    try expectSuccess("doctor")
    for night in [2, 2, 3] {
      try product.write(night: night)
      try expectSuccess("run")
    }
    try expectSuccess("doctor")
    try expectSuccess("verify")
    try expectSuccess("near", "50", "8", "--radius-km", "50")
    try expectSuccess("rollback")
    try expectSuccess("erase", "--user", CanaryProduct.plain)
    try expectSuccess("verify")
    try expectSuccess("run")
  }

  /// Changes of each table that apps read. Some of them add rows that the run does not have.
  private static let damages = [
    "DELETE FROM lists WHERE user_id = 'u3'", "UPDATE lists SET document = '{}'",
    "INSERT INTO lists (content_id, user_id, document) SELECT content_id, 'zz', '{}' FROM lists LIMIT 1",
    "DELETE FROM matches WHERE user_id = (SELECT min(user_id) FROM matches)",
    "INSERT INTO matches SELECT content_id, 'zz', 'zzz', NULL FROM matches LIMIT 1",
    "DELETE FROM people WHERE id = 'u3'", "UPDATE people SET attributes = '{}' WHERE id = 'u3'",
    "INSERT INTO people SELECT content_id, 'zz', '{}' FROM people LIMIT 1",
    "DELETE FROM positions WHERE id = 'u3'", "UPDATE positions SET latitude = latitude + 1 WHERE id = 'u3'",
    "UPDATE positions SET id = 'zz' WHERE id = 'u3'", "UPDATE positions SET geohash = 'zzzz' WHERE id = 'u3'",
    "DELETE FROM position_boxes",
    "DELETE FROM buckets WHERE cell = (SELECT max(cell) FROM buckets)",
    "UPDATE buckets SET bucket = '{}' WHERE cell = (SELECT max(cell) FROM buckets)",
  ]

  @Test(arguments: damages)
  func `following the advice of verify repairs the store`(damage: String) throws {
    try change(damage)
    let found = try verify()
    #expect(found.ending == .status(65))
    let advice = try #require(found.errors.firstMatch(of: /nightjar publish (\S+) --run-dir (\S+) --force/))
    let ended = try Program.run(
      "nightjar-publish", [String(advice.1), "--run-dir", String(advice.2), "--force"])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(try verify().ending == .status(0))
  }

  @Test func `a dry run reports that lost rows would be loaded`() throws {
    let arguments = [product.pipelineFile, "--run-dir", run, "--dry-run"]
    #expect(
      try Program.run("nightjar-publish", arguments).output.contains("generation 1 contains the same rows"))
    try change("DELETE FROM lists WHERE user_id = 'u3'")
    #expect(try Program.run("nightjar-publish", arguments).output.contains("load generation 2"))
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"))
  func `a PostgreSQL database that was restored from an older dump is cleaned`() throws {
    let uri = try PostgreSQLServer.database()
    let copy = try PostgreSQLServer.database()
    func database(_ uri: String) -> String { uri.split(separator: "/").last.map(String.init) ?? "" }
    try product.write(stores: [uri])
    try expectCleaned(
      dump: {
        _ = try PostgreSQLServer.run("DROP DATABASE \(database(copy))", in: "postgres")
        _ = try PostgreSQLServer.run(
          "CREATE DATABASE \(database(copy)) TEMPLATE \(database(uri))", in: "postgres")
      },
      restore: {
        _ = try PostgreSQLServer.run("DROP DATABASE \(database(uri))", in: "postgres")
        _ = try PostgreSQLServer.run(
          "CREATE DATABASE \(database(uri)) TEMPLATE \(database(copy))", in: "postgres")
      }, content: { try PostgreSQLServer.dump(uri) })
  }

  @Test(.enabled(if: RedisServer.isAvailable, "Redis is not installed"))
  func `a Redis database that was restored from an older dump is cleaned`() throws {
    let (database, copy) = (RedisServer.database(), RedisServer.database())
    try product.write(stores: ["redis://127.0.0.1:\(try RedisServer.port())/\(database)"])
    func copyAll(from source: Int, to destination: Int) throws {
      _ = try RedisServer.run(["FLUSHDB"], database: destination)
      for key in try RedisServer.run(["KEYS", "*"], database: source).split(separator: "\n") {
        _ = try RedisServer.run(["COPY", String(key), String(key), "DB", "\(destination)"], database: source)
      }
    }
    try expectCleaned(
      dump: { try copyAll(from: database, to: copy) }, restore: { try copyAll(from: copy, to: database) },
      content: {
        let keys = try RedisServer.run(["KEYS", "*"], database: database).split(separator: "\n")
        return try keys.map { key in
          let script = """
            local kind = redis.call('TYPE', KEYS[1]).ok
            if kind == 'string' then return redis.call('GET', KEYS[1]) end
            if kind == 'hash' then return redis.call('HGETALL', KEYS[1]) end
            if kind == 'list' then return redis.call('LRANGE', KEYS[1], 0, -1) end
            if kind == 'zset' then return redis.call('ZRANGE', KEYS[1], 0, -1) end
            """
          return try "\(key) " + RedisServer.run(["EVAL", script, "1", String(key)], database: database)
        }.joined(separator: "\n")
      })
  }

  /// Runs twice, makes a dump, erases a person, runs again and restores the dump. The next run must
  /// remove the erased person.
  private func expectCleaned(
    dump: () throws -> Void, restore: () throws -> Void, content: () throws -> String
  ) throws {
    // The id has one line, because redis-cli prints each key on a line.
    let victim = CanaryProduct.plain
    #expect(try product.nightjar("run").ending == .status(0))
    try product.write(night: 2)
    #expect(try product.nightjar("run").ending == .status(0))
    try dump()
    #expect(try product.nightjar("erase", "--user", victim).ending == .status(0))
    #expect(try product.nightjar("run").ending == .status(0))
    #expect(try !content().contains(victim))
    try restore()
    #expect(try content().contains(victim))
    let ended = try product.nightjar("run")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors.contains("removed 1 erased person who reappeared in"), "\(ended.errors)")
    #expect(try !content().contains(victim))
    #expect(try product.nightjar("verify").ending == .status(0))
    let again = try product.nightjar("run")
    #expect(!again.errors.contains("reappeared"), "\(again.errors)")
  }

  /// Returns the number of rows that contain a canary, over all generations.
  private func canaries() throws -> Int {
    let database = try DatabaseQueue(path: store)
    let columns = [
      "lists": "user_id || document", "people": "id || attributes", "positions": "id",
      "matches": "user_id || other_user_id",
    ]
    return try database.read { database in
      try columns.reduce(0) { sum, column in
        try sum
          + (Int.fetchOne(
            database,
            sql: "SELECT count(*) FROM \(column.key) WHERE \(column.value) LIKE '%\(CanaryProduct.word)%'")
            ?? 0)
      }
    }
  }

  @Test func `erased people are removed from a store that was restored from an older dump`() throws {
    try product.write(night: 2)
    #expect(try product.nightjar("run").ending == .status(0))
    let dump = try Data(contentsOf: URL(filePath: store))
    for victim in CanaryProduct.victims {
      let ended = try product.nightjar("erase", "--user", victim)
      #expect(ended.ending == .status(0), "\(ended.errors)")
    }
    #expect(try product.nightjar("run").ending == .status(0))
    #expect(try canaries() == 0)
    for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + name) }
    try dump.write(to: URL(filePath: store))
    #expect(try canaries() > 0)
    let ended = try product.nightjar("run")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors.contains("removed 2 erased people who reappeared"), "\(ended.errors)")
    #expect(try canaries() == 0)
    let again = try product.nightjar("run")
    #expect(!again.errors.contains("reappeared"), "\(again.errors)")
  }
}
