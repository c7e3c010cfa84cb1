import Geohash
import GRDB
import Testing
import TestSupport

@testable import ServingStore

/// Stores of earlier versions without notes, positions, buckets and catalogs.
struct StoreUpgradeTests {
  private let oldKinds = "kind IN ('list', 'matches', 'people')"

  private func publishMore(to address: StoreAddress, run: Int) throws {
    try address.open(for: .publishing).publish(pipeline: "fusion", run: run, asOf: 1, keep: 2) { loader in
      try loader.beginList("partners")
      try loader.addDocument("{\"run\":\(run)}", user: "a")
      try loader.beginPositions("dogs")
      try loader.addPosition(53.35, -6.26, id: "d")
      try loader.beginCatalog("by_county")
      try loader.addEntry("1", key: "Cork")
    }
  }

  private func checkOld(_ store: any ServingStore) throws {
    let run = try store.currentGeneration(pipeline: "fusion")?.run
    #expect(run == 1)
    let document = try store.listDocument(pipeline: "fusion", list: "partners", user: "a")
    #expect(document == "{\"run\":0}".utf8Bytes)
    let matches = try store.matches(pipeline: "fusion", name: "matches", user: "b")
    #expect(matches == [ServedMatch(other: "a", matchedAt: nil)])
    let position = try store.read(pipeline: "fusion") { try $0.position(entity: "dogs", id: "d") }
    #expect(position == .some(nil))
  }

  private func checkNew(_ store: any ServingStore) throws {
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [2, 1])
    let position = try store.read(pipeline: "fusion") { try $0.position(entity: "dogs", id: "d") }
    #expect(position == Coordinate(latitude: 53.35, longitude: -6.26))
    let entries = try store.read(pipeline: "fusion") {
      try $0.entries(catalog: "by_county", key: "Cork", 0..<9)
    }
    #expect(entries == ["1".utf8Bytes])
    try store.serve(generation: 1, of: "fusion")
    try checkOld(store)
  }

  private func rows(_ schema: String) -> String {
    """
    INSERT INTO \(schema)generations (pipeline, number, run, as_of_ms, note) VALUES ('fusion', 1, 1, 1, '{}');
    INSERT INTO \(schema)served VALUES ('fusion', 1);
    INSERT INTO \(schema)contents (pipeline, generation, kind, name, row_count) VALUES
      ('fusion', 1, 'list', 'partners', 1), ('fusion', 1, 'matches', 'matches', 1);
    INSERT INTO \(schema)lists VALUES (1, 'a', '{"run":0}');
    INSERT INTO \(schema)matches VALUES (2, 'a', 'b', NULL);
    """
  }

  @Test(arguments: [true, false]) func `SQLite stores of earlier versions are upgraded`(hasNotes: Bool)
    throws
  {
    let directory = try ScratchDirectory()
    let path = directory.path + "/serving.sqlite"
    var creation = SQLiteSchema.creation.replacing(SQLiteSchema.places, with: "")
      .replacing("user_version = 2", with: "user_version = 1")
    let contents = try #require(
      creation.firstRange(of: "kind IN ('list', 'matches', 'people', 'positions', 'buckets', 'catalog')"))
    creation.replaceSubrange(contents, with: oldKinds)
    var rows = rows("")
    if !hasNotes {
      let note = try #require(creation.split(separator: "\n").first { $0.contains("note TEXT") })
      creation = creation.replacing(note, with: "")
      rows = rows.replacing(", note)", with: ")").replacing(", '{}')", with: ")")
    }
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: creation + rows) }
    try queue.close()
    let address = StoreAddress(sqlitePath: path)
    try checkOld(address.open(for: .reading))
    try publishMore(to: address, run: 2)
    try checkNew(address.open(for: .publishing))
    // Dropping a generation must also delete its rows, so the foreign keys must still work.
    try publishMore(to: address, run: 3)
    try publishMore(to: address, run: 4)
    let found = try DatabaseQueue(path: path).read { database in
      try [
        "SELECT count(*) FROM matches", "SELECT count(*) FROM position_boxes", "PRAGMA integrity_check",
        "SELECT count(*) FROM pragma_foreign_key_check",
      ].map { try String.fetchOne(database, sql: $0) }
    }
    #expect(found == ["0", "2", "ok", "0"])
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable))
  func `PostgreSQL stores of earlier versions are upgraded`()
    throws
  {
    let uri = try PostgreSQLServer.database()
    let address = try StoreAddress(parsing: uri, relativeTo: "")
    #expect(address.backend == .postgresql(uri: uri))
    let connection = try PostgreSQLConnection(uri: uri, address: address)
    let creation = PostgreSQLSchema.creation.replacing(PostgreSQLSchema.places, with: "")
      .replacing("store VALUES (2)", with: "store VALUES (1)")
    try #require(creation.contains(oldKinds))
    try connection.execute("CREATE SCHEMA nightjar; " + creation + rows("nightjar."))
    try checkOld(address.open(for: .reading))
    try publishMore(to: address, run: 2)
    try checkNew(address.open(for: .publishing))
  }

  @Test(.enabled(if: RedisServer.isAvailable)) func `Redis stores of earlier versions are upgraded`() throws {
    let fixture = try RedisFixture()
    for command in [
      [
        "HSET", "nightjar:{fusion}:generations", "1",
        "{\"as_of_ms\":1,\"lists\":[{\"name\":\"partners\",\"rows\":1}],\"matches\":[{\"name\":\"matches\",\"rows\":1}],"
          + "\"note\":{\"overridden\":[]},\"people\":[],\"run\":1}",
      ],
      ["SET", "nightjar:{fusion}:current", "1"],
      ["SET", "nightjar:{fusion}:1:list:partners:a", "{\"run\":0}"],
      ["HSET", "nightjar:{fusion}:1:matches:matches:b", "<a", ""],
    ] {
      _ = try RedisServer.run(command, database: fixture.endpoint.database, port: Int(fixture.endpoint.port))
    }
    let store = try fixture.store()
    try checkOld(store)
    try publishMore(to: fixture.address, run: 2)
    try checkNew(fixture.store())
  }
}
