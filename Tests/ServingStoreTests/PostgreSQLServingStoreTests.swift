import Foundation
import Synchronization
import Testing
import TestSupport

@testable import ServingStore

/// Behavior that is specific to PostgreSQL and not part of the contract of all stores.
@Suite(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"))
struct `The PostgreSQL store` {
  private let uri: String
  private let address: StoreAddress

  init() throws {
    uri = try PostgreSQLServer.database()
    address = try StoreAddress(parsing: uri, relativeTo: "")
  }

  private func code(_ body: () throws -> Void) -> ServingStoreError.Code? {
    #expect(throws: ServingStoreError.self, performing: body)?.code
  }

  @Test func `answers an app's queries`() throws {
    let store = try address.open(for: .publishing)
    let document = """
      {"user":"u42","recommendations":[{"rank":1,"candidate":"u17","score":0.5,"distance_km":3.1,"reasons":[]},\
      {"rank":2,"candidate":"a\\u0000b","score":null,"distance_km":null,"reasons":[]}],"shortfall":null}
      """
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 3) { loader in
      try loader.beginList("partners")
      try loader.addDocument(document, user: "u42")
      try loader.addDocument("{}", user: "x' OR '1'='1")
      try loader.beginMatches("matches")
      try loader.addMatch("u17", "u42", at: "2026-11-20T23:58:12Z")
      try loader.beginPeople("users")
      try loader.addPerson("{\"field\":\"law\"}", id: "u17")
    }
    func answer(_ sql: String) throws -> String { try PostgreSQLServer.run(sql, in: uri) }
    let person = "WHERE pipeline = 'fusion' AND list = 'partners' AND user_id = 'u42'"
    #expect(try answer("SELECT document FROM nightjar.served_lists \(person)") == document + "\n")
    #expect(
      try answer("SELECT rank, candidate_id, score, distance_km FROM nightjar.recommendations \(person)")
        == "1|u17|0.5|3.1\n2|||\n")
    #expect(
      try answer(
        "SELECT other_user_id, matched_at FROM nightjar.served_matches WHERE pipeline = 'fusion' AND user_id = 'u42'"
      )
        == "u17|2026-11-20T23:58:12Z\n")
    #expect(
      try answer(
        "SELECT attributes ->> 'field' FROM nightjar.served_people WHERE entity = 'users' AND id = 'u17'")
        == "law\n")
  }

  @Test func `finds one user's list by an index`() throws {
    let store = try address.open(for: .publishing)
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 3) { loader in
      try loader.beginList("partners")
      for number in 0..<5000 { try loader.addDocument("{}", user: StoredID("u\(number)")) }
    }
    let plan = try PostgreSQLServer.run(
      """
      ANALYZE nightjar.lists; EXPLAIN SELECT document FROM nightjar.served_lists
      WHERE pipeline = 'fusion' AND list = 'partners' AND user_id = 'u42'
      """, in: uri)
    #expect(plan.contains("lists_pkey") && !plan.contains("Seq Scan on lists"))
  }

  @Test func `waits for another publisher, and then throws busy`() throws {
    let store = try address.open(for: .publishing)
    let other = try address.open(for: .publishing, busyTimeout: .milliseconds(50))
    try store.publishPartners(["a": "{\"run\":1}"], run: 1)
    try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 3) { loader in
      try loader.beginList("partners")
      #expect(code { try other.publishPartners(["a": "{}"], run: 3) } == .busy)
      #expect(code { try other.serve(generation: 1, of: "fusion") } == .busy)
      #expect(code { try address.rehearse(pipeline: "fusion") } == .busy)
      // Publishes of another pipeline do not wait.
      try other.publishPartners(["a": "{}"], pipeline: "rovers")
      try address.rehearse(pipeline: "rovers")
      try loader.addDocument("{\"run\":2}", user: "a")
    }
    #expect(try store.generations(pipeline: "fusion").map(\.run) == [2, 1])
  }

  /// An account or a database may have limits for an app's short transactions.
  @Test(arguments: ["statement_timeout", "idle_in_transaction_session_timeout"])
  func `publishes for longer than the time limits of its account, and keeps them`(limit: String) throws {
    let store = try #require(try address.open(for: .publishing) as? PostgreSQLServingStore)
    // The publication uses the same connection.
    try store.withConnection { try $0.execute("SET \(limit) = '100ms'") }
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      Thread.sleep(forTimeInterval: 0.3)
      try loader.beginList("partners")
      try loader.addDocument("{}", user: "a")
      // The statement that copies the rows is now running.
      Thread.sleep(forTimeInterval: 0.3)
    }
    let shown = try store.withConnection { try $0.rows("SHOW \(limit)") }
    #expect(shown.first?[0] == "100ms".utf8Bytes)
    #expect(try store.partners("a") == "{}")
  }

  @Test func `is complete after the loader's connection was cut, and the next publish works`() throws {
    let store = try address.open(for: .publishing)
    try store.publishPartners(["a": "{\"run\":1}"], run: 1)
    let found = code {
      try store.publish(pipeline: "fusion", run: 2, asOf: 2, keep: 1) { loader in
        try loader.beginList("partners")
        let long = String(repeating: "x", count: 2000)
        for number in 0..<20_000 {
          try loader.addDocument("{\"run\":\"\(long)\"}", user: StoredID("u\(number)"))
          if number == 1000 {
            _ = try PostgreSQLServer.run(
              """
              SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()
              """, in: uri)
          }
        }
      }
    }
    #expect(found == .lost)
    #expect(try address.open(for: .reading).partners("a") == "{\"run\":1}")
    #expect(try PostgreSQLServer.run("SELECT count(*) FROM nightjar.lists", in: uri) == "1\n")
    #expect(try store.publishPartners(["a": "{\"run\":3}"], run: 3).number == 2)
  }

  @Test func `needs only the documented privileges, and readers cannot write`() throws {
    let number = uri.split(separator: "test").last ?? "0"
    let (publisher, app) = ("publisher\(number)", "app\(number)")
    _ = try PostgreSQLServer.run(
      """
      CREATE ROLE \(publisher) LOGIN; CREATE ROLE \(app) LOGIN;
      REVOKE ALL ON SCHEMA public FROM PUBLIC;
      CREATE SCHEMA nightjar AUTHORIZATION \(publisher);
      GRANT USAGE ON SCHEMA nightjar TO \(app);
      ALTER DEFAULT PRIVILEGES FOR ROLE \(publisher) IN SCHEMA nightjar GRANT SELECT ON TABLES TO \(app);
      """, in: uri)
    let database = String(uri.split(separator: "/").last ?? "")
    func store(_ role: String, _ access: StoreAccess) throws -> any ServingStore {
      try StoreAddress(parsing: PostgreSQLServer.uri(database, user: role), relativeTo: "").open(for: access)
    }
    for run in 1...3 {
      try store(publisher, .publishing).publishPartners(["a": "{\"run\":\(run)}"], run: run, keep: 2)
    }
    try store(publisher, .publishing).serve(generation: 2, of: "fusion")
    #expect(try store(app, .reading).partners("a") == "{\"run\":2}")
    #expect(try store(app, .reading).generations(pipeline: "fusion").count == 2)
    #expect(code { try store(app, .publishing).publishPartners(["a": "{}"], run: 4) } == .readOnly)
    #expect(try store(app, .reading).partners("a") == "{\"run\":2}")
    // The privileges also suffice for the function and the views for maps.
    try store(publisher, .publishing).publish(pipeline: "fusion", run: 5, asOf: 1, keep: 2) { loader in
      try loader.beginList("partners")
      try loader.beginPositions("users")
      try loader.addPosition(53.35, -6.26, id: "d")
      try loader.beginCatalog("by_county")
      try loader.addEntry("1", key: "Cork")
    }
    let asked = """
      SELECT id FROM nightjar.positions_near('fusion', 'users', 53.35, -6.26, 1);
      SELECT entry FROM nightjar.served_catalogs WHERE key = 'Cork';
      SELECT id FROM nightjar.served_positions WHERE geohash LIKE 'gc7%'
      """
    #expect(
      try PostgreSQLServer.run(asked, in: PostgreSQLServer.uri(database, user: app)) == "d\n1\nd\n")
  }

  private func number() -> Substring { uri.split(separator: "test").last ?? "0" }

  private func account(_ role: String) throws -> StoreAddress {
    let database = String(uri.split(separator: "/").last ?? "")
    return try StoreAddress(parsing: PostgreSQLServer.uri(database, user: role), relativeTo: "")
  }

  @Test(
    arguments: [
      ("INSERT", "generations"), ("INSERT", "contents"), ("UPDATE", "contents"), ("INSERT", "served"),
      ("UPDATE", "served"), ("INSERT", "lists"), ("INSERT", "positions"), ("INSERT", "catalogs"),
      ("DELETE", "matches"), ("DELETE", "contents"), ("DELETE", "generations"),
    ])
  func `a rehearsal finds a missing right, and changes nothing`(right: String, table: String) throws {
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    let writer = "writer\(number())"
    _ = try PostgreSQLServer.run(
      """
      CREATE ROLE \(writer) LOGIN; GRANT USAGE ON SCHEMA nightjar TO \(writer);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA nightjar TO \(writer);
      """, in: uri)
    try account(writer).rehearse(pipeline: "fusion")
    _ = try PostgreSQLServer.run("REVOKE \(right) ON nightjar.\(table) FROM \(writer)", in: uri)
    #expect(code { try account(writer).rehearse(pipeline: "fusion") } == .readOnly)
    let left = "SELECT count(*), max(number) FROM nightjar.generations"
    #expect(try PostgreSQLServer.run(left, in: uri) == "1|1\n")
    #expect(try address.open(for: .publishing).publishPartners(["a": "{}"]).number == 2)
  }

  @Test func `is not created by a rehearsal`() throws {
    try address.rehearse(pipeline: "fusion")
    #expect(try PostgreSQLServer.run("SELECT to_regnamespace('nightjar') IS NULL", in: uri) == "t\n")
    _ = try PostgreSQLServer.run("CREATE SCHEMA nightjar; CREATE TABLE nightjar.lists (x int)", in: uri)
    #expect(code { try address.rehearse(pipeline: "fusion") } == .notOurs)
  }

  /// An account that publishes need not own the database or the tables.
  @Test func `names the traces that only another account can remove`() throws {
    let (owner, other) = ("owner\(number())", "other\(number())")
    _ = try PostgreSQLServer.run(
      "CREATE ROLE \(owner) LOGIN; CREATE ROLE \(other) LOGIN; CREATE SCHEMA nightjar AUTHORIZATION \(owner)",
      in: uri)
    try account(owner).open(for: .publishing).publishPartners(["a": "{}", "b": "{}", "c": "{}"])
    _ = try PostgreSQLServer.run(
      """
      GRANT USAGE ON SCHEMA nightjar TO \(other);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA nightjar TO \(other);
      """, in: uri)
    func remarks(_ role: String, _ id: StoredID) throws -> [String] {
      let people = ErasedPeople(["users": [id]], lists: [:], matches: [:])
      let erasure = try account(role).open(for: .publishing).erase(people, of: "fusion", ErasureOptions())
      #expect(erasure.lists == 1)
      return erasure.remarks.map { String($0.prefix { $0 != "," && $0 != "(" }.prefix(64)) }
    }
    let statistics = "column statistics may contain erased ids until the owner of the "
    let log = "the server's write-ahead log contains erased rows until its next"
    #expect(try remarks(owner, "a") == [statistics, log])
    #expect(try remarks(other, "b") == ["another account owns the tables", statistics, log])
    #expect(try remarks("postgres", "c") == [])
  }

  @Test func `finds a lost connection before the switch`() throws {
    let store = try address.open(for: .publishing)
    var isFound = false
    let found = code {
      try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
        try loader.beginList("partners")
        loader.beforeServing = { keepAlive in
          try keepAlive()
          _ = try PostgreSQLServer.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """, in: uri)
          isFound = (try? keepAlive()) == nil
        }
      }
    }
    #expect(found == .lost && isFound)
    #expect(try address.open(for: .reading).generations(pipeline: "fusion").isEmpty)
  }

  /// A database may still have the default of PostgreSQL before 9.1, which makes a backslash an escape.
  @Test func `is the same in a database whose texts have escapes`() throws {
    let database = String(uri.split(separator: "/").last ?? "")
    _ = try PostgreSQLServer.run(
      "ALTER DATABASE \(database) SET standard_conforming_strings = off; "
        + "ALTER DATABASE \(database) SET client_encoding = 'LATIN1'", in: uri)
    let store = try #require(try address.open(for: .publishing) as? PostgreSQLServingStore)
    try store.publishPartners([
      "\u{E9}": #"{"recommendations":[{"rank":1,"candidate":"a\u0000b"},{"rank":2,"candidate":"\\u0000"}]}"#
    ])
    #expect(try store.partners("\u{E9}")?.contains(#""a\u0000b""#) == true)
    let shown = try store.withConnection { connection in
      try ["standard_conforming_strings", "client_encoding", "application_name"].map {
        try connection.rows("SHOW \($0)").first?[0] ?? []
      }
    }
    #expect(shown.map { String(decoding: $0, as: UTF8.self) } == ["on", "UTF8", "nightjar"])
    let candidates = "SELECT rank, candidate_id FROM nightjar.recommendations ORDER BY rank"
    #expect(try PostgreSQLServer.run(candidates, in: uri) == "1|\n2|\\u0000\n")
  }

  @Test func `does not touch another application's schema`() throws {
    _ = try PostgreSQLServer.run("CREATE SCHEMA nightjar; CREATE TABLE nightjar.lists (x int)", in: uri)
    #expect(code { _ = try address.open(for: .publishing) } == .notOurs)
    #expect(code { _ = try address.open(for: .reading) } == .notOurs)
    #expect(try PostgreSQLServer.run("SELECT count(*) FROM nightjar.lists", in: uri) == "0\n")
  }

  @Test func `is not created by readers, and not read by older programs`() throws {
    #expect(code { _ = try address.open(for: .reading) } == .absent)
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    _ = try PostgreSQLServer.run("UPDATE nightjar.store SET version = 99", in: uri)
    #expect(code { _ = try address.open(for: .reading) } == .newerSchema)
  }

  @Test(arguments: ["UPDATE nightjar.store SET version = 0", "DELETE FROM nightjar.store"])
  func `without a valid version is reported as damaged`(damage: String) throws {
    try address.open(for: .publishing).publishPartners(["a": "{}"])
    _ = try PostgreSQLServer.run(damage, in: uri)
    #expect(code { _ = try address.open(for: .reading) } == .corrupt)
    #expect(code { _ = try address.open(for: .publishing) } == .corrupt)
  }

  @Test func `is created once by concurrent processes`() throws {
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        let store = try address.open(for: .publishing, busyTimeout: .seconds(60))
        try store.publishPartners(["a": "{\"run\":\(number)}"], run: number, keep: 20)
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(
      try address.open(for: .reading).generations(pipeline: "fusion").map(\.number)
        == Array((1...8).reversed()))
  }

  @Test func `reports that it is unreachable or missing, without values`() throws {
    let port = try LocalServer.freePort()
    let nobody = try StoreAddress(parsing: "postgresql://postgres@127.0.0.1:\(port)/x", relativeTo: "")
    #expect(code { _ = try nobody.open(for: .reading) } == .unreachable)
    let missing = try StoreAddress(parsing: PostgreSQLServer.uri("no_such_database"), relativeTo: "")
    #expect(code { _ = try missing.open(for: .publishing) } == .cannotOpen)
    let error = try #require(throws: ServingStoreError.self) {
      try address.open(for: .publishing).publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
        try loader.beginList("partners")
        try loader.addDocument("{}", user: "secretive")
        try loader.addDocument("{}", user: "secretive")
        try loader.beginMatches("matches")
      }
    }
    #expect(error.code == .refused)
    #expect(!error.description.contains("secretive"))
  }

  /// An app's transaction may be open during several publishes.
  @Test(arguments: ["READ COMMITTED", "REPEATABLE READ"])
  func `shows one generation per statement, and per transaction on request`(
    isolation: String
  ) throws {
    let store = try address.open(for: .publishing)
    let users = (0..<50).map { StoredID("u\($0)") }
    func publish(_ run: Int) throws {
      try store.publishPartners(
        Dictionary(uniqueKeysWithValues: users.map { ($0, "\(run)") }), run: run, keep: 1)
    }
    try publish(1)
    // Each line contains the number of lists, the number of different generations among them, and
    // the smallest generation.
    let query =
      "SELECT count(*), count(DISTINCT document::text), min(document::text) FROM nightjar.served_lists;"
    let script =
      "BEGIN ISOLATION LEVEL \(isolation);" + String(repeating: query + "SELECT pg_sleep(0.002);", count: 60)
      + "COMMIT;"
    let answers = Mutex<[String]>([])
    let group = DispatchGroup()
    for _ in 0..<3 {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        let found = (try? PostgreSQLServer.run(script, in: uri)) ?? "failed"
        answers.withLock { $0.append(found) }
      }
    }
    for run in 2...40 { try publish(run) }
    group.wait()
    for answer in answers.withLock({ $0 }) {
      let lines = answer.split(separator: "\n").filter { !$0.isEmpty }
      #expect(lines.count == 60)
      #expect(lines.allSatisfy { $0.hasPrefix("50|1|") }, "\(lines.first { !$0.hasPrefix("50|1|") } ?? "")")
      let runs = lines.compactMap { $0.split(separator: "|").last.flatMap { Int($0) } }
      #expect(runs == runs.sorted())
      if isolation == "REPEATABLE READ" { #expect(Set(runs).count == 1) }
    }
  }
}

@Suite struct `Ids as texts of PostgreSQL` {
  @Test(
    arguments: hostileIDs + ["\u{F8FF}", "\u{F8FF}0", "a\u{F8FF}", "\u{F8FF}\u{0}\u{F8FF}1", "\u{0}\u{0}"])
  func `round-trip, and contain no U+0000`(id: StoredID) {
    let text = PostgreSQLText.encoded(id)
    #expect(!text.contains(0))
    #expect(PostgreSQLText.decoded(text) == id)
    #expect(PostgreSQLText.isPlain(id.utf8.span) == (text == id.utf8))
  }

  @Test func `are distinct`() {
    let ids: [StoredID] = [
      "\u{0}", "0", "\u{F8FF}", "\u{F8FF}0", "\u{F8FF}\u{F8FF}0", "\u{F8FF}\u{0}", "\u{F8FF}1",
    ]
    #expect(Set(ids.map(PostgreSQLText.encoded)).count == ids.count)
  }
}
