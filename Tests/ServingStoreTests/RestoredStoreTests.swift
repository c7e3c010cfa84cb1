import Foundation
import GRDB
import Testing
import TestSupport

@testable import ServingStore

/// Opening a damaged store for publishing, or the next publication, repairs it.
struct RestoredStoreTests {
  private static let views = [
    "served_lists", "recommendations", "served_matches", "served_people", "served_positions",
    "served_buckets", "served_catalogs",
  ]

  private func publish(_ store: any ServingStore, run: Int) throws {
    try store.publish(pipeline: "fusion", run: run, asOf: 1, keep: 2) { loader in
      try loader.beginList("partners")
      try loader.addDocument("{\"run\":\(run)}", user: "a")
      try loader.beginPositions("dogs")
      try loader.addPosition(53.35, -6.26, id: "d")
    }
  }

  // MARK: - SQLite

  private func sqlite(_ scratch: ScratchDirectory) throws -> StoreAddress {
    let address = StoreAddress(sqlitePath: scratch.path + "/serving.sqlite")
    try publish(address.open(for: .publishing), run: 1)
    return address
  }

  private func change(_ scratch: ScratchDirectory, _ sql: String) throws {
    var configuration = Configuration()
    // As in the SQLite shell, foreign keys are off.
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: scratch.path + "/serving.sqlite", configuration: configuration)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func objects(_ scratch: ScratchDirectory) throws -> [String] {
    try DatabaseQueue(path: scratch.path + "/serving.sqlite").read { database in
      try String.fetchAll(
        database, sql: "SELECT type || name || sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1")
    }
  }

  @Test(
    arguments: [
      "DROP INDEX matches_by_other", "DROP TRIGGER position_added", "DROP TABLE buckets",
      "DROP TRIGGER position_removed; CREATE TRIGGER position_removed AFTER DELETE ON lists BEGIN SELECT 1; END",
      "DROP VIEW served_people; CREATE VIEW served_people AS SELECT 1 AS id", "DROP TABLE position_boxes",
    ] + views.map { "DROP VIEW \($0)" })
  func `dropped and changed objects of SQLite are created again`(damage: String) throws {
    let scratch = try ScratchDirectory()
    let address = try sqlite(scratch)
    let whole = try objects(scratch)
    try change(scratch, damage)
    #expect(try objects(scratch) != whole)
    let store = try address.open(for: .publishing)
    #expect(try objects(scratch) == whole)
    try publish(store, run: 2)
    #expect(try store.listDocument(pipeline: "fusion", list: "partners", user: "a") != nil)
  }

  /// Without its record, the generation's rows would have the keys of the next generation.
  @Test(arguments: [
    "DELETE FROM generations", "DELETE FROM generations; DELETE FROM served", "DELETE FROM contents",
    "DELETE FROM contents WHERE kind = 'list'", "DELETE FROM served",
    "DROP TRIGGER position_removed; DELETE FROM positions",
  ])
  func `lost records of SQLite do not prevent a publication`(damage: String) throws {
    let scratch = try ScratchDirectory()
    let address = try sqlite(scratch)
    try change(scratch, damage)
    try publish(address.open(for: .publishing), run: 2)
    let store = try address.open(for: .reading)
    let served = try #require(try store.currentGeneration(pipeline: "fusion"))
    #expect(served.number == 2 && served.run == 2)
    #expect(try store.heldTables(of: "fusion") == served.tables)
    // No row belongs to a table without a record, so an erasure finds all rows.
    try DatabaseQueue(path: scratch.path + "/serving.sqlite").read { database in
      for table in TableKind.allCases.map(\.table) {
        let orphans = try Int.fetchOne(
          database,
          sql: "SELECT count(*) FROM \(table) WHERE content_id NOT IN (SELECT content_id FROM contents)")
        #expect(orphans == 0, "\(table)")
      }
      #expect(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
    }
  }

  @Test func `a rehearsal finds a damaged page of SQLite, but accepts a changed row`() throws {
    let scratch = try ScratchDirectory()
    let address = try sqlite(scratch)
    try change(scratch, "PRAGMA ignore_check_constraints = ON; UPDATE lists SET document = 'x'")
    try address.rehearse(pipeline: "fusion")
    let root = try DatabaseQueue(path: scratch.path + "/serving.sqlite").read { database in
      try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'lists'")
    }
    try change(scratch, "PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forUpdating: URL(filePath: scratch.path + "/serving.sqlite"))
    let page = try #require(root)
    try file.seek(toOffset: UInt64((page - 1) * SQLiteSchema.pageSize))
    try file.write(contentsOf: Data(repeating: 0xA5, count: SQLiteSchema.pageSize))
    try file.close()
    let error = try #require(throws: ServingStoreError.self) { try address.rehearse(pipeline: "fusion") }
    #expect(error.code == .corrupt && error.nextStep == SQLiteSchema.restoration)
  }

  // MARK: - PostgreSQL

  @Test(.enabled(if: PostgreSQLServer.isAvailable))
  func `dropped views, indexes and functions of PostgreSQL are created again`() throws {
    let uri = try PostgreSQLServer.database()
    let address = try StoreAddress(parsing: uri, relativeTo: "")
    try publish(address.open(for: .publishing), run: 1)
    let found = """
      SELECT string_agg(definition, ';' ORDER BY definition) FROM (
        SELECT viewname || definition FROM pg_views WHERE schemaname = 'nightjar'
        UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'nightjar'
        UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
          WHERE pronamespace = 'nightjar'::regnamespace) AS found (definition)
      """
    let whole = try PostgreSQLServer.run(found, in: uri)
    #expect(Set(PostgreSQLSchema.derived.map(\.name)).isSuperset(of: Self.views))
    for (name, creation) in PostgreSQLSchema.derived {
      let kind = try #require(creation.split(separator: " ").dropFirst().first)
      _ = try PostgreSQLServer.run("DROP \(kind) nightjar.\(name) CASCADE", in: uri)
      #expect(try PostgreSQLServer.run(found, in: uri) != whole, "\(name)")
      try address.rehearse(pipeline: "fusion")
      #expect(try PostgreSQLServer.run(found, in: uri) != whole, "a rehearsal changes nothing")
      _ = try address.open(for: .publishing)
      #expect(try PostgreSQLServer.run(found, in: uri) == whole, "\(name)")
    }
  }
}
