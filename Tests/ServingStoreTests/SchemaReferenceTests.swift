import GRDB
import Testing
import TestSupport

@testable import ServingStore

/// Reads the entries of docs/reference/store-schemas.md: tables, views and keys.
private struct SchemaReference {
  struct Entry {
    /// The name in the heading.
    let name: String
    /// The text below the heading.
    let text: String

    /// Returns the columns after the word `sentence`, such as "Columns".
    private func columns(after sentence: String) -> [String] {
      text.firstRange(of: sentence).map { start in
        text[start.upperBound...].prefix { $0 != "." }.matches(of: /`([a-z_0-9]+)`/).map { String($0.1) }
      } ?? []
    }

    var sharedColumns: [String] { columns(after: "Columns: ") }

    var sqliteColumns: [String] { sharedColumns + columns(after: "SQLite also has the column ") }

    /// The type of a Redis key.
    var type: String? { text.firstMatch(of: /- Type: ([a-z ]+)/).map { String($0.1) } }
  }

  let entries: [Entry]

  init(_ page: MarkdownPage) {
    var entries: [(name: String, text: String)] = []
    for line in page.prose {
      if let heading = line.text.wholeMatch(of: /### `([^`]+)` */) {
        entries.append((String(heading.1), ""))
      } else if line.text.hasPrefix("#") {
        entries.append(("", ""))
      } else if !entries.isEmpty {
        entries[entries.count - 1].text += line.text + "\n"
      }
    }
    self.entries = entries.filter { !$0.name.isEmpty }.map { Entry(name: $0.name, text: $0.text) }
  }

  /// Returns `table.column` for each table and view of SQL stores, except entries that contain one
  /// of `phrases`.
  func columns(_ columns: (Entry) -> [String], except phrases: [String]) -> Set<String> {
    Set(
      entries.filter { entry in !phrases.contains { entry.text.contains($0) } }
        .flatMap { entry in columns(entry).map { "\(entry.name).\($0)" } })
  }

  /// Returns the entry that matches a Redis key, or `nil` if no entry or several entries match.
  func entry(ofKey key: String) -> Entry? {
    let found = entries.filter { entry in
      guard entry.type != nil else { return false }
      let (parts, values) = (entry.name.split(separator: ":"), key.split(separator: ":"))
      return parts.count == values.count
        && zip(parts, values).allSatisfy { part, value in
          part == "N" ? Int(value) != nil : part == value || part.allSatisfy(\.isUppercase)
        }
    }
    return found.count == 1 ? found[0] : nil
  }
}

/// Compares the reference page with real stores in both directions.
struct SchemaReferenceTests {
  private static let reference = Result {
    SchemaReference(try MarkdownPage("docs/reference/store-schemas.md"))
  }

  /// Returns `table.column` for each table and view of the file, except the internal tables of the
  /// R*Tree.
  private func columns(of path: String) throws -> Set<String> {
    let sql = """
      SELECT tables.name || '.' || columns.name FROM sqlite_schema AS tables
      JOIN pragma_table_xinfo(tables.name) AS columns
      WHERE tables.type IN ('table', 'view') AND tables.name NOT LIKE 'sqlite%'
        AND tables.name NOT LIKE 'position\\_boxes\\_%' ESCAPE '\\'
      """
    return try DatabaseQueue(path: path).read { Set(try String.fetchAll($0, sql: sql)) }
  }

  @Test(arguments: [false, true])
  func `the page and SQLite stores have the same columns`(isUpgraded: Bool) throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/serving.sqlite"
    if isUpgraded {
      let queue = try DatabaseQueue(path: path)
      try queue.write { try $0.execute(sql: DirectoryUpgradeTests.version1(SQLiteSchema.creation)) }
      try queue.close()
    }
    try StoreAddress(sqlitePath: path).open(for: .publishing).publishPartners(["u": "{}"])
    let described = try Self.reference.get().columns(
      \.sqliteColumns, except: ["Only PostgreSQL"] + (isUpgraded ? [] : ["Only stores that were upgraded"]))
    #expect(try columns(of: path) == described)
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable, "PostgreSQL is not installed"), arguments: [false, true])
  func `the page and PostgreSQL stores have the same columns`(isUpgraded: Bool) throws {
    let uri = try PostgreSQLServer.database()
    let hasPostGIS = PostgreSQLServer.hasPostGIS
    if hasPostGIS { _ = try PostgreSQLServer.run("CREATE EXTENSION postgis", in: uri) }
    if isUpgraded {
      let creation = DirectoryUpgradeTests.version1(PostgreSQLSchema.creation)
      _ = try PostgreSQLServer.run("CREATE SCHEMA nightjar; " + creation, in: uri)
    }
    try StoreAddress(parsing: uri, relativeTo: "").open(for: .publishing).publishPartners(["u": "{}"])
    let found = try PostgreSQLServer.run(
      "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'nightjar'",
      in: uri)
    let described = try Self.reference.get().columns(
      \.sharedColumns,
      except: ["Only SQLite"] + (isUpgraded ? [] : ["Only stores that were upgraded"])
        + (hasPostGIS ? [] : ["PostGIS"]))
    #expect(Set(found.split(separator: "\n").map(String.init)) == described)
  }

  /// Publishes a generation with each kind of table. `during` runs before the publish ends.
  private func publishAll(_ store: any ServingStore, run: Int, _ during: () throws -> Void) throws {
    try store.publish(pipeline: "fusion", run: run, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      try loader.addDocument("{}", user: "u")
      try loader.beginMatches("mutual")
      try loader.addMatch("u", "v", at: "")
      try loader.beginPeople("users")
      try loader.addPerson("{}", id: "u")
      try loader.beginPositions("users")
      try loader.addPosition(53.35, -6.26, id: "u")
      try loader.addPosition(89, 0, id: "v")
      try loader.beginBuckets("users")
      try loader.addBucket("{}", cell: "gc7x")
      try loader.beginCatalog("by_county")
      try loader.addEntry("{}", key: "Cork")
      try during()
    }
  }

  @Test(.enabled(if: RedisServer.isAvailable))
  func `the page and Redis stores have the same keys`()
    throws
  {
    let fixture = try RedisFixture()
    let store = try fixture.store()
    var types: [String: String] = [:]
    for run in 1...2 {
      func note() throws {
        for key in try fixture.keys() {
          types[key] = try fixture.redis("TYPE", key).split(separator: "\n").joined()
        }
      }
      try publishAll(store, run: run, note)
      try note()
    }
    let reference = try Self.reference.get()
    var found: Set<String> = []
    for (key, type) in types {
      #expect(key.hasPrefix("nightjar:{fusion}:"), "\(key)")
      let entry = reference.entry(ofKey: String(key.dropFirst("nightjar:{fusion}:".count)))
      #expect(entry?.type == ["zset": "sorted set"][type] ?? type, "\(key) is a \(type)")
      if let entry { found.insert(entry.name) }
    }
    #expect(found == Set(reference.entries.filter { $0.type != nil }.map(\.name)))
  }

  @Test func `a page without a column or with another key is found`() {
    let page = """
      ### `positions`

      Columns: `content_id`, `id`. SQLite also has the column `position_id`.

      ### `store`

      Only PostgreSQL has this table.

      Columns: `version`.

      ## Keys

      ### `N:list:LIST:USER`

      - Type: string
      """
    let reference = SchemaReference(MarkdownPage(path: "planted.md", text: page))
    #expect(
      reference.columns(\.sqliteColumns, except: ["Only PostgreSQL"]) == [
        "positions.content_id", "positions.id", "positions.position_id",
      ])
    #expect(
      reference.columns(\.sharedColumns, except: ["Only SQLite"]) == [
        "positions.content_id", "positions.id", "store.version",
      ])
    #expect(reference.entry(ofKey: "12:list:partners:u")?.type == "string")
    for key in ["n:list:partners:u", "12:lists:partners:u", "12:list:partners"] {
      #expect(reference.entry(ofKey: key) == nil, "\(key)")
    }
  }
}
