import Testing
import TestSupport

@testable import ServingStore

/// A publication is retried only after a lost connection.
struct ReconnectingTests {
  private func publish(to address: StoreAddress, _ cut: () throws -> Void) throws -> (
    tries: Int, number: Int?
  ) {
    var tries = 0
    let published = try address.reconnecting {
      tries += 1
      return try address.open(for: .publishing).publish(pipeline: "fusion", run: 7, asOf: 1, keep: 1) {
        loader in
        try loader.beginList("partners")
        for number in 0..<2_000 { try loader.addDocument("{}", user: StoredID("a\(number)")) }
        if tries == 1 { try cut() }
        for number in 0..<2_000 { try loader.addDocument("{}", user: StoredID("b\(number)")) }
      }
    }
    return (tries, published.number)
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable)) func `a lost connection to PostgreSQL is opened again`()
    throws
  {
    let uri = try PostgreSQLServer.database()
    let address = try StoreAddress(parsing: uri, relativeTo: "")
    let found = try publish(to: address) {
      _ = try PostgreSQLServer.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """, in: uri)
    }
    #expect(found == (2, 1))
    #expect(try PostgreSQLServer.run("SELECT count(*) FROM nightjar.lists", in: uri) == "4000\n")
  }

  @Test(.enabled(if: RedisServer.isAvailable)) func `a lost connection to Redis is opened again`() throws {
    let fixture = try RedisFixture(serverWith: "")
    let found = try publish(to: fixture.address) { try fixture.redis("CLIENT", "KILL", "TYPE", "normal") }
    #expect(found == (2, 1))
    #expect(try fixture.rows(of: 1).count == 4_000)
  }

  @Test(arguments: [ServingStoreError.Code.refused, .busy, .full, .cannotOpen, .unreachable, .readOnly])
  func `other failures are not retried`(code: ServingStoreError.Code) throws {
    let address = StoreAddress(sqlitePath: "nowhere")
    var tries = 0
    #expect(throws: ServingStoreError.self) {
      try address.reconnecting {
        tries += 1
        throw ServingStoreError(code, address: "", found: "", nextStep: "")
      }
    }
    #expect(tries == 1)
  }

  @Test func `there are at most three attempts`() throws {
    let address = StoreAddress(sqlitePath: "nowhere")
    var tries = 0
    let error = #expect(throws: ServingStoreError.self) {
      try address.reconnecting {
        tries += 1
        throw ServingStoreError(.lost, address: "", found: "", nextStep: "")
      }
    }
    #expect(tries == 3 && error?.code == .lost)
  }
}
