import GRDB
import Geohash
import Testing

@testable import ServingStore

/// The contract of every back end for counting what the served generation really holds.
@Suite struct `Contract of counting` {
  private static let ids: [StoredID] = ["u1", "u2", "u3", "u4"]

  private static func publish(_ store: any ServingStore, run: Int) throws {
    try store.publish(pipeline: "fusion", run: run, asOf: 1, note: GenerationNote(), keep: 2) { loader in
      try loader.beginList("partners")
      for id in ids { try loader.addDocument("{\"n\":1}", user: id) }
      try loader.beginList("nobody")
      try loader.beginMatches("matches")
      for id in ids.dropFirst() { try loader.addMatch("u1", id, at: "2026-01-01") }
      try loader.addMatch("u2", "u1", at: "2026-01-02")
      try loader.beginCatalog("best")
      for key in ["Cork", "Galway"] {
        for number in 0..<3 {
          let (key, entry) = (Array(key.utf8), Array("{\"candidate\":\"u\(number)\"}".utf8))
          try loader.add(.entry(key: key.span, json: entry.span))
        }
      }
      try loader.beginPeople("users")
      for id in ids { try loader.addPerson("{}", id: id) }
      try loader.beginPositions("users")
      let place = try #require(Coordinate(latitude: 53, longitude: -6))
      for id in ids.prefix(3) {
        try loader.add(.position(id: id.utf8.span, place, cell: Geohash(place, precision: 5)))
      }
    }
  }

  /// Removes a row of the served generation 2 behind the store's back.
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
        case .buckets: break
        }
      }
    default: Issue.record("another back end")
    }
  }

  @Test(arguments: Backend.allCases, [TableKind.list, .matches, .catalog, .people, .positions])
  func `counts equal the record until a row is lost`(backend: Backend, kind: TableKind) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    #expect(try store.heldTables(of: "fusion") == nil)
    for run in 1...2 { try Self.publish(store, run: run) }
    let record = try #require(try store.currentGeneration(pipeline: "fusion")).tables
    #expect(record.rows == 4 + 4 + 6 + 4 + 3)
    #expect(try store.heldTables(of: "fusion") == record)
    try Self.lose(kind, from: store)
    let held = try #require(try store.heldTables(of: "fusion"))
    #expect(held.rows < record.rows)
    #expect(held[kind] != record[kind])
  }
}
