import GRDB
import Testing
import TestSupport

@testable import ServingStore

/// Every back end skips tables of an unknown kind, and reports a damaged record of a generation.
@Suite struct `Contract of damaged records` {
  /// Runs the statements or the command for the fixture's back end. The SQL applies to SQLite, and `postgres`
  /// to PostgreSQL.
  private static func change(
    _ fixture: ContractFixture, sqlite: String, postgres: String, redis: [String]
  ) throws {
    switch fixture.address.backend {
    case .sqlite(let path):
      try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sqlite) }
    case .postgresql(let uri): _ = try PostgreSQLServer.run(postgres, in: uri)
    case .redis(let endpoint):
      _ = try RedisServer.run(redis, database: endpoint.database, port: Int(endpoint.port))
    }
  }

  @Test(arguments: Backend.allCases)
  func `a table of an unknown kind is skipped`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    try fixture.publisher().publishPartners(["a": "{}", "b": "{}"])
    let table =
      "INTO contents (pipeline, generation, kind, name, row_count) VALUES ('fusion', 1, 'later', 'x', 7)"
    try Self.change(
      fixture, sqlite: "PRAGMA ignore_check_constraints = ON; INSERT \(table)",
      postgres: """
        SET search_path = nightjar; ALTER TABLE contents DROP CONSTRAINT contents_kind_check; INSERT \(table)
        """,
      redis: [
        "HSET", "nightjar:{fusion}:generations", "1",
        "{\"as_of_ms\":1,\"note\":{\"overridden\":[]},\"run\":1,\"tables\":"
          + "{\"later\":[{\"name\":\"x\",\"rows\":7}],\"lists\":[{\"name\":\"partners\",\"rows\":2}]}}",
      ])
    let store = try fixture.reader()
    #expect(try store.partners("a") == "{}")
    let generation = try #require(try store.generations(pipeline: "fusion").first)
    #expect(generation.isServed && generation.tables.rows == 2)
    #expect(try store.heldTables(of: "fusion") == generation.tables)
    let people = ErasedPeople(["users": ["a"]], lists: [:], matches: [:])
    #expect(try fixture.publisher().erase(people, of: "fusion", ErasureOptions()).lists == 1)
    #expect(try fixture.publisher().publishPartners(["a": "{}"]).number == 2)
  }

  @Test(arguments: Backend.allCases, ["run", "as_of_ms"])
  func `a damaged record is reported`(backend: Backend, column: String) throws {
    let fixture = try backend.makeFixture()
    try fixture.publisher().publishPartners(["a": "{}"])
    try Self.change(
      fixture,
      // The table is created again, because a strict table accepts only integers.
      sqlite: """
        PRAGMA foreign_keys = OFF;
        CREATE TABLE copy AS SELECT * FROM generations;
        UPDATE copy SET \(column) = 'x';
        DROP TABLE generations;
        CREATE TABLE generations AS SELECT * FROM copy;
        """,
      postgres: """
        ALTER TABLE nightjar.generations ALTER \(column) DROP NOT NULL;
        UPDATE nightjar.generations SET \(column) = NULL;
        """,
      redis: [
        "HSET", "nightjar:{fusion}:generations", "1",
        "{\"as_of_ms\":1,\"note\":{\"overridden\":[]},\"run\":1,\"tables\":{}}"
          .replacing("\"\(column)\":1", with: "\"\(column)\":\"x\""),
      ])
    let store = try fixture.reader()
    for body in [
      { _ = try store.partners("a") }, { _ = try store.generations(pipeline: "fusion") },
      { _ = try store.heldTables(of: "fusion") },
    ] as [() throws -> Void] {
      let error = #expect(throws: ServingStoreError.self, performing: body)
      #expect(error?.code == .corrupt)
    }
  }
}
