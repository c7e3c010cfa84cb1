import GRDB
import Testing
import TestSupport

@testable import ServingStore

/// Earlier versions of Nightjar called a catalog a directory. The current version reads such stores
/// unchanged and upgrades them when it opens them for publishing. Their generations can still be
/// served, and people can be erased from them.
struct DirectoryUpgradeTests {
  /// Returns the SQL of schema version 1, in which catalogs are called directories.
  static func version1(_ creation: String) -> String {
    creation.replacing("catalogs", with: "directories").replacing("catalog", with: "directory")
      .replacing("user_version = 2", with: "user_version = 1")
      .replacing("store VALUES (2)", with: "store VALUES (1)")
      .replacing("UPDATE nightjar.store SET version = 2;", with: "")
  }

  private let dogs = ["a", "b", "c"].map { "{\"candidate\":\"\($0)\"}" }

  private func rows(_ schema: String) -> String {
    """
    INSERT INTO \(schema)generations (pipeline, number, run, as_of_ms, note) VALUES ('fusion', 1, 1, 1, '{}');
    INSERT INTO \(schema)served VALUES ('fusion', 1);
    INSERT INTO \(schema)contents (pipeline, generation, kind, name, row_count) VALUES
      ('fusion', 1, 'list', 'partners', 1), ('fusion', 1, 'directory', 'by_county', 3);
    INSERT INTO \(schema)lists VALUES (1, 'u', '{}');
    INSERT INTO \(schema)directories (content_id, key, rank, entry) VALUES
      (2, 'Cork', 1, '\(dogs[0])'), (2, 'Cork', 2, '\(dogs[1])'), (2, 'Kerry', 1, '\(dogs[2])');
    """
  }

  private func entries(_ store: any ServingStore, _ key: StoredID = "Cork") throws -> [String] {
    let found = try store.read(pipeline: "fusion") {
      try $0.entries(catalog: "by_county", key: key, 0..<9)
    }
    return try #require(found).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads the store before the upgrade.
  private func checkOld(_ address: StoreAddress) throws {
    let store = try address.open(for: .reading)
    #expect(try entries(store) == Array(dogs[..<2]))
    #expect(try entries(store, "Kerry") == [dogs[2]])
    #expect(try entries(store, "Clare") == [])
    let tables = try #require(try store.currentGeneration(pipeline: "fusion")).tables
    #expect(tables.catalogs == [NamedCount(name: "by_county", rows: 3)])
    #expect(try ids(store) == ["a", "b", "c"])
  }

  /// Returns the ids in the catalogs of the first generation.
  private func ids(_ store: any ServingStore) throws -> Set<StoredID> {
    var ids: Set<StoredID> = []
    try store.visitIDs(in: 1, of: "fusion") { role, id in
      if role == .entry(catalog: "by_county") { ids.insert(id) }
    }
    return ids
  }

  private let erased = ErasedPeople(
    ["dogs": ["a"]], lists: [:], matches: [:], catalogs: ["by_county": "dogs"])

  /// Runs an erasure as a dry run, which must not upgrade the store.
  private func checkDryRun(_ address: StoreAddress) throws {
    let store = try address.open(for: .dryRun)
    #expect(try store.erase(erased, of: "fusion", ErasureOptions(isDryRun: true)).entries == 1)
    #expect(throws: ServingStoreError.self) { try store.erase(erased, of: "fusion", ErasureOptions()) }
    try checkOld(address)
  }

  /// Publishes, serves the old generation again, and erases a person from it.
  private func goOn(_ address: StoreAddress) throws {
    let store = try address.open(for: .publishing)
    #expect(try entries(store) == Array(dogs[..<2]))
    try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 2) { loader in
      try loader.beginCatalog("by_county")
      try loader.addEntry("2", key: "Cork")
    }
    #expect(try entries(store) == ["2"])
    try store.serve(generation: 1, of: "fusion")
    #expect(try entries(store) == Array(dogs[..<2]))
    #expect(try ids(store) == ["a", "b", "c"])
    #expect(try store.erase(erased, of: "fusion", ErasureOptions(isDryRun: true)).entries == 1)
    #expect(try entries(store) == Array(dogs[..<2]))
    #expect(try store.erase(erased, of: "fusion", ErasureOptions()).entries == 1)
    for store in [store, try address.open(for: .reading)] {
      #expect(try entries(store) == [dogs[1]])
      #expect(try ids(store) == ["b", "c"])
      let tables = try #require(try store.currentGeneration(pipeline: "fusion")).tables
      #expect(tables.catalogs == [NamedCount(name: "by_county", rows: 2)])
    }
  }

  /// Returns the queries of apps that use the new or the earlier view.
  private func questions(_ schema: String) -> [String] {
    [("served_catalogs", "catalog"), ("served_directories", "directory")].map { view, column in
      "SELECT entry FROM \(schema)\(view) WHERE pipeline = 'fusion' AND \(column) = 'by_county' AND key = 'Cork' "
        + "AND rank <= 20 ORDER BY rank"
    }
  }

  @Test func `SQLite stores upgrade directories to catalogs`() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/serving.sqlite"
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: Self.version1(SQLiteSchema.creation) + rows("")) }
    try queue.close()
    let address = StoreAddress(sqlitePath: path)
    try checkOld(address)
    try checkDryRun(address)
    let version = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    #expect(version == 1)
    try goOn(address)
    // The second opening has nothing to upgrade.
    _ = try address.open(for: .publishing)
    let sql =
      questions("") + [
        "SELECT count(*) FROM sqlite_master WHERE name = 'directories'", "PRAGMA user_version",
        "PRAGMA integrity_check", "SELECT count(*) FROM pragma_foreign_key_check",
      ]
    let found = try DatabaseQueue(path: path).read { database in
      try sql.map { try String.fetchAll(database, sql: $0) }
    }
    #expect(found == [[dogs[1]], [dogs[1]], ["0"], ["2"], ["ok"], ["0"]])
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable)) func `PostgreSQL stores upgrade directories to catalogs`()
    throws
  {
    let uri = try PostgreSQLServer.database()
    let address = try StoreAddress(parsing: uri, relativeTo: "")
    let creation = Self.version1(PostgreSQLSchema.creation)
    _ = try PostgreSQLServer.run("CREATE SCHEMA nightjar; " + creation + rows("nightjar."), in: uri)
    try checkOld(address)
    try checkDryRun(address)
    #expect(try PostgreSQLServer.run("SELECT version FROM nightjar.store", in: uri) == "1\n")
    try goOn(address)
    _ = try address.open(for: .publishing)
    for question in questions("nightjar.") {
      #expect(try PostgreSQLServer.run(question, in: uri) == dogs[1] + "\n")
    }
    let left = "SELECT to_regclass('nightjar.directories') IS NULL, version FROM nightjar.store"
    #expect(try PostgreSQLServer.run(left, in: uri).hasPrefix("t"))
    #expect(try PostgreSQLServer.run("SELECT version FROM nightjar.store", in: uri) == "2\n")
  }

  /// The names of a generation's keys never change. The keys of an earlier version's generation therefore
  /// contain the word "directory" until the generation is removed.
  @Test(.enabled(if: RedisServer.isAvailable)) func `Redis stores upgrade directories to catalogs`() throws {
    let fixture = try RedisFixture()
    try fixture.redis(
      "HSET", "nightjar:{fusion}:generations", "1",
      "{\"as_of_ms\":1,\"note\":{\"overridden\":[]},\"run\":1,\"tables\":{\"directories\":"
        + "[{\"name\":\"by_county\",\"rows\":3}],\"lists\":[{\"name\":\"partners\",\"rows\":1}]}}")
    try fixture.redis("SET", "nightjar:{fusion}:current", "1")
    try fixture.redis("SET", "nightjar:{fusion}:1:list:partners:u", "{}")
    try fixture.redis("RPUSH", "nightjar:{fusion}:1:directory:by_county:Cork", dogs[0], dogs[1])
    try fixture.redis("RPUSH", "nightjar:{fusion}:1:directory:by_county:Kerry", dogs[2])
    try checkOld(fixture.address)
    try checkDryRun(fixture.address)
    try goOn(fixture.address)
    #expect(try fixture.rows(of: 2) == ["nightjar:{fusion}:2:catalog:by_county:Cork"])
    // The first publish drops the old generation, and the next publish removes its keys.
    for run in [3, 4, 5] {
      try fixture.store(grace: .zero).publish(pipeline: "fusion", run: run, asOf: 1, keep: 1) {
        try $0.beginList("partners")
      }
    }
    #expect(try fixture.rows(of: 1) == [])
  }
}
