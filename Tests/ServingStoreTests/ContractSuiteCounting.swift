import GRDB
import Geohash
import Testing

@testable import ServingStore

/// Every back end must count the rows that the served generation really contains.
@Suite struct `Contract of counting` {
  private static let ids: [StoredID] = ["u1", "u2", "u3", "u4"]

  private static func load(_ loader: GenerationLoader) throws {
    try loader.beginList("partners")
    for id in ids { try loader.addDocument("{\"n\":1}", user: id) }
    try loader.beginList("empty")
    try loader.beginMatches("matches")
    for id in ids.dropFirst() { try loader.addMatch("u1", id, at: "2026-01-01") }
    try loader.addMatch("u2", "u1", at: "2026-01-02")
    try loader.addMatch("u3", "u4", at: "")
    try loader.beginCatalog("best")
    for key in ["Cork", "Galway"] {
      for number in 0..<3 {
        let (key, entry) = (Array(key.utf8), Array("{\"candidate\":\"u\(number)\"}".utf8))
        try loader.add(.entry(key: key.span, json: entry.span))
      }
    }
    try loader.beginPeople("users")
    for id in ids { try loader.addPerson("{}", id: id) }
    try loader.beginBuckets("users")
    try loader.addDocument("{\"entities\":4}", user: "gc7x0")
    try loader.beginPositions("users")
    // Redis stores the last position separately, because its GEO commands reject it.
    for (id, (latitude, longitude)) in zip(ids, [(53.1, -6.1), (53.2, 1.0 / 3), (89, 7)]) {
      let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
      try loader.add(.position(id: id.utf8.span, place, cell: Geohash(place, precision: 5)))
    }
  }

  private static func publish(_ store: any ServingStore, run: Int) throws {
    try store.publish(
      pipeline: "fusion", run: run, asOf: 1, note: GenerationNote(), keep: 2, Self.load)
  }

  /// Removes a row of the served generation 2 directly in the database.
  private static func lose(_ kind: TableKind, from store: any ServingStore) throws {
    switch store {
    case let store as SQLiteServingStore:
      let (table, key) = (kind.table, kind.layout.columns[0])
      try store.pool.write {
        try $0.execute(
          sql: """
            DELETE FROM \(table) WHERE content_id = (SELECT max(content_id) FROM \(table))
              AND \(key) = (SELECT max(\(key)) FROM \(table))
            """)
      }
    case let store as PostgreSQLServingStore:
      _ = try store.withConnection {
        try $0.rows(
          """
          DELETE FROM nightjar.\(kind.table) WHERE ctid = (SELECT ctid FROM nightjar.\(kind.table)
            ORDER BY content_id DESC LIMIT 1)
          """)
      }
    case let store as RedisServingStore:
      let keys = RedisKeys(pipeline: "fusion")
      try store.withConnection { connection in
        switch kind {
        case .list: _ = try connection.run("DEL", keys.rows(of: 2, .list, "partners") + "u1".utf8)
        case .matches:
          _ = try connection.run("DEL", keys.rows(of: 2, .matches, "matches") + "u1".utf8)
        case .catalog: _ = try connection.run("LPOP", keys.rows(of: 2, .catalog, "best") + "Cork".utf8)
        case .people: _ = try connection.run("DEL", keys.rows(of: 2, .people, "users") + "u1".utf8)
        case .positions: _ = try connection.run("HDEL", keys.positions(of: 2, "users"), Array("u1".utf8))
        case .buckets: _ = try connection.run("DEL", keys.rows(of: 2, .buckets, "users") + "gc7x0".utf8)
        }
      }
    default: Issue.record("another back end")
    }
  }

  /// A change to rows of generation 2 that does not change their number.
  struct Change: CustomTestStringConvertible {
    let kind: TableKind
    /// The SQL assignment for the rows with the first key.
    let sql: String
    let redis: @Sendable (RedisKeys) -> RedisCommand

    var testDescription: String { sql }

    func make(in store: any ServingStore) throws {
      let key = kind.layout.columns[0]
      func statement(_ table: String) -> String {
        "UPDATE \(table) SET \(sql) WHERE content_id = (SELECT max(content_id) FROM \(table)) "
          + "AND \(key) = (SELECT min(\(key)) FROM \(table))"
      }
      switch store {
      case let store as SQLiteServingStore:
        try store.pool.write {
          try $0.execute(sql: statement(kind.table))
          try #require($0.changesCount > 0)
        }
      case let store as PostgreSQLServingStore:
        let changed = try store.withConnection {
          try $0.rows(statement("nightjar.\(kind.table)") + " RETURNING 1")
        }
        try #require(!changed.isEmpty)
      case let store as RedisServingStore:
        let command = redis(RedisKeys(pipeline: "fusion"))
        _ = try store.withConnection { try $0.run(command) }
      default: Issue.record("another back end")
      }
    }
  }

  private static let changes = [
    Change(kind: .list, sql: "document = '{}'") {
      RedisCommand("SET", $0.rows(of: 2, .list, "partners") + "u1".utf8, Array("{}".utf8))
    },
    Change(kind: .list, sql: "user_id = 'zz'") {
      let list = $0.rows(of: 2, .list, "partners")
      return RedisCommand("RENAME", list + "u1".utf8, list + "zz".utf8)
    },
    Change(kind: .matches, sql: "matched_at = '2027-01-01'") {
      RedisCommand(
        "HSET", $0.rows(of: 2, .matches, "matches") + "u1".utf8, Array(">u3".utf8), Array("2027".utf8))
    },
    // This assignment changes only the side of the match that is named second.
    Change(kind: .matches, sql: "other_user_id = other_user_id || 'z'") {
      RedisCommand(
        "HSET", $0.rows(of: 2, .matches, "matches") + "u3".utf8, Array("<u1".utf8), Array("2027".utf8))
    },
    Change(kind: .people, sql: "attributes = '{\"a\":1}'") {
      RedisCommand("SET", $0.rows(of: 2, .people, "users") + "u1".utf8, Array("{\"a\":1}".utf8))
    },
    Change(kind: .buckets, sql: "bucket = '{}'") {
      RedisCommand("SET", $0.rows(of: 2, .buckets, "users") + "gc7x0".utf8, Array("{}".utf8))
    },
    Change(kind: .catalog, sql: "entry = '{}'") {
      RedisCommand(
        "LSET", $0.rows(of: 2, .catalog, "best") + "Cork".utf8, Array("1".utf8), Array("{}".utf8))
    },
    Change(kind: .catalog, sql: "rank = rank + 10") {
      let key = $0.rows(of: 2, .catalog, "best") + "Cork".utf8
      return RedisCommand("LMOVE", key, key, Array("LEFT".utf8), Array("RIGHT".utf8))
    },
    Change(kind: .catalog, sql: "rank = -rank") {
      RedisCommand(
        "LSET", $0.rows(of: 2, .catalog, "best") + "Cork".utf8, Array("-1".utf8), Array("{}".utf8))
    },
    Change(kind: .positions, sql: "longitude = longitude + 1e-13") {
      RedisCommand(
        "HSET", $0.positions(of: 2, "users"), Array("u1".utf8),
        Array("{\"latitude\":53.1,\"longitude\":-6.2,\"geohash\":\"gc7pm\"}".utf8))
    },
    Change(kind: .positions, sql: "geohash = 'gc7x1'") {
      RedisCommand("ZREM", $0.places(of: 2, "users"), Array("u1".utf8))
    },
  ]

  /// Changes to the data of generation 2 for searches, to keys, and to the sides of matches. Backends without
  /// such data have no changes.
  private static let searchDamages: [(backend: Backend, words: [String])] = {
    let sqlite = [
      "DELETE FROM position_boxes", "DELETE FROM position_boxes WHERE position_id = 4",
      "UPDATE position_boxes SET south = 80, north = 80",
      "UPDATE position_boxes SET west = -100, east = -100",
      "UPDATE position_boxes SET first_content = 1, last_content = 1",
    ]
    let redis = [
      ["DEL", "geo:users"], ["SET", "geo:users", "x"], ["ZREM", "geo:users", "u1"],
      ["GEOADD", "geo:users", "100", "53.1", "u1"], ["GEOADD", "geo:users", "-6.0999", "53.1", "u1"],
      ["GEOADD", "geo:users", "1", "2", "zz"], ["DEL", "outside:users"], ["SADD", "outside:users", "u1"],
      ["SET", "outside:users", "x"], ["SET", "positions:users", "x"],
      ["HSET", "matches:matches:u1", "<zz", "2026-01-01"], ["SET", "matches:matches:u1", "x"],
      ["SET", "catalog:best:Cork", "x"],
    ]
    let all = sqlite.map { (backend: Backend.sqlite, words: [$0]) }
    return Backend.allCases.contains(.redis)
      ? all + redis.map { (backend: Backend.redis, words: $0) } : all
  }()

  @Test(arguments: searchDamages)
  func `a digest reveals damaged data for searches, and the next generation has none`(
    backend: Backend, words: [String]
  ) throws {
    let fixture = try backend.makeFixture()
    defer { withExtendedLifetime(fixture) {} }
    let store = try fixture.publisher()
    for run in 1...2 { try Self.publish(store, run: run) }
    let whole = try #require(try store.heldDigest(of: "fusion"))
    switch store {
    case let store as SQLiteServingStore: try store.pool.write { try $0.execute(sql: words[0]) }
    case let store as RedisServingStore:
      let key = RedisKeys(pipeline: "fusion").rows(of: 2) + words[1].utf8
      try store.withConnection { connection in
        if words[0] == "SET" { _ = try connection.run("DEL", key) }
        var command = RedisCommand(words[0], key)
        for word in words.dropFirst(2) { command.append(word) }
        _ = try connection.run(command)
      }
    default: Issue.record("another back end")
    }
    #expect(try store.heldDigest(of: "fusion") != whole)
    try Self.publish(store, run: 3)
    #expect(try store.heldDigest(of: "fusion") == whole)
  }

  @Test(arguments: Backend.allCases, TableKind.allCases)
  func `counts equal the record until a row is lost`(backend: Backend, kind: TableKind) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    #expect(try store.heldTables(of: "fusion") == nil)
    for run in 1...2 { try Self.publish(store, run: run) }
    let record = try #require(try store.currentGeneration(pipeline: "fusion")).tables
    #expect(record.rows == 4 + 5 + 6 + 4 + 1 + 3)
    #expect(try store.heldTables(of: "fusion") == record)
    try Self.lose(kind, from: store)
    let held = try #require(try store.heldTables(of: "fusion"))
    #expect(held.rows < record.rows)
    #expect(held[kind] != record[kind])
  }

  @Test(arguments: Backend.allCases, changes)
  func `digests are equal until a row is changed`(backend: Backend, change: Change) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    #expect(try store.heldDigest(of: "fusion") == nil)
    let sink = DigestSink()
    try Self.load(GenerationLoader(sink, fixture.address))
    for run in 1...2 {
      try Self.publish(store, run: run)
      #expect(try store.heldDigest(of: "fusion") == sink.digest)
    }
    let held = try store.heldTables(of: "fusion")
    try change.make(in: store)
    #expect(try store.heldTables(of: "fusion") == held)
    #expect(try store.heldDigest(of: "fusion") != sink.digest)
  }
}
