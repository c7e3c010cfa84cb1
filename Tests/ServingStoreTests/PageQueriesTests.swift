import Concurrency
import Foundation
import Geohash
import GRDB
import Testing
import TestSupport

@testable import ServingStore

/// Runs the queries that the how-to pages show.
struct PageQueriesTests {
  /// Returns the statements of the page's code block that begins with `head`.
  private func statements(_ head: String, of page: String) throws -> [String] {
    let text = try String(contentsOfFile: "docs/how-to/\(page).md", encoding: .utf8)
    let block = try #require(text.components(separatedBy: "```").first { $0.hasPrefix(head) })
    let code = block.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("--") }.joined(separator: "\n")
    return code.split(separator: ";\n").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      .map { $0.hasSuffix(";") ? String($0.dropLast()) : $0 }.filter { !$0.isEmpty }
  }

  private static let list = """
    {"user":"u0917","recommendations":[{"rank":1,"candidate":"u1821","score":0.5,"distance_km":3.1,"reasons":[]}],\
    "shortfall":null}
    """

  /// Places near Dublin, on the whole globe and at its edges.
  private static let positions: [Coordinate] = {
    var generator = SplitMix64(seed: 11)
    var positions = [
      (53.35, -6.27), (0, 180), (0, -180), (0, 179.99), (90, 0), (-90, 5), (89.9, -170), (60, -179.9),
    ]
    for _ in 0..<400 {
      positions.append((.random(in: 53...54, using: &generator), .random(in: -7 ... -6, using: &generator)))
      positions.append((.random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator)))
      positions.append((.random(in: -2...2, using: &generator), .random(in: 178...180, using: &generator)))
    }
    return positions.compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }
  }()

  private func id(_ number: Int) -> StoredID { number == 0 ? "dog00419" : StoredID("p\(number)") }

  /// Publishes twelve generations for each pipeline that the pages query. The last generation is
  /// served.
  private func fill(_ store: any ServingStore) throws {
    for run in 1...12 {
      try store.publish(pipeline: "fusion", run: run, asOf: 1, keep: 2) { loader in
        try loader.beginList("partners")
        try loader.addDocument(Self.list, user: "u0917")
        try loader.beginMatches("matches")
        try loader.addMatch("u0917", "u4", at: "2026-11-20T23:58:12Z")
        try loader.beginPeople("users")
        try loader.addPerson("{\"role\":\"investor\"}", id: "u1821")
      }
      try store.publish(pipeline: "madra", run: run, asOf: 1, keep: 2) { loader in
        try loader.beginPositions("dogs")
        for (number, position) in Self.positions.enumerated() where run > 10 {
          try loader.addPosition(
            position, cell: Geohash(position, precision: 6), id: id(number).utf8.span)
        }
        try loader.beginBuckets("dogs")
        for cell in ["gc6zzz", "gc7x20", "gc7zzz", "gc8000"] {
          try loader.addBucket("\"\(cell)\"", cell: cell)
        }
        try loader.beginCatalog("dogs_by_county")
        for rank in 1...25 { try loader.addEntry("{\"rank\":\(rank)}", key: "Cork") }
      }
    }
  }

  private static let circles: [(latitude: Double, longitude: Double, radius: Double)] = [
    (53.35, -6.26, 25), (53.35, -6.26, 0.5), (0, 180, 50), (0, -179.99, 150), (89, 100, 200), (-90, 0, 3_000),
    (90, 0, 500), (10, 170, 1_500), (-10, -6.26, 9_000), (20, -100, 15_000), (53.35, -6.26, 20_100),
  ]

  private func expected(_ circle: (latitude: Double, longitude: Double, radius: Double)) throws -> [StoredID]
  {
    let center = try #require(Coordinate(latitude: circle.latitude, longitude: circle.longitude))
    return [ServedPosition](
      Self.positions.enumerated().map { (id($0.offset), $0.element) }, around: center, within: circle.radius
    ).map(\.id)
  }

  private func inBox() -> Set<StoredID> {
    Set(
      Self.positions.enumerated().filter {
        (53.2...53.6).contains($0.element.latitude) && (-6.5 ... -6.1).contains($0.element.longitude)
      }.map { id($0.offset) })
  }

  private static let answers: [[String]] = [
    [list], ["1|u1821|0.5|3.1"], ["u4|2026-11-20T23:58:12Z"], ["{\"role\":\"investor\"}"],
    ["53.35|-6.27|gc7x92"], ["gc7x20|\"gc7x20\"", "gc7zzz|\"gc7zzz\""], (1...20).map { "{\"rank\":\($0)}" },
  ]

  @Test func `answer in SQLite`() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/serving.sqlite"
    try fill(StoreAddress(sqlitePath: path).open(for: .publishing))
    let common =
      try statements("sql\n-- What an app reads", of: "serve-from-sqlite")
      + statements("sql\n-- One position", of: "serve-from-sqlite")
    let places = try statements("sql\n-- Places", of: "serve-from-sqlite")
    try #require(common.count == Self.answers.count && places.count == 2)
    try DatabaseQueue(path: path).read { database in
      for (statement, answer) in zip(common, Self.answers) {
        let rows = try Row.fetchAll(database, sql: statement)
        #expect(
          rows.map { row in row.databaseValues.map(Self.text).joined(separator: "|") } == answer,
          "\(statement)")
      }
      let box: StatementArguments = ["south": 53.2, "north": 53.6, "west": -6.5, "east": -6.1]
      #expect(
        Set(try String.fetchAll(database, sql: places[0], arguments: box).map { StoredID($0) }) == inBox())
      for circle in Self.circles {
        let arguments: StatementArguments = [
          "latitude": circle.latitude, "longitude": circle.longitude, "radius_km": circle.radius,
        ]
        let found = try String.fetchAll(database, sql: places[1], arguments: arguments).map { StoredID($0) }
        #expect(try Set(found) == Set(expected(circle)), "\(circle)")
        #expect(found.count == Set(found).count)
        // The query plan must use the R*Tree.
        let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + places[1], arguments: arguments)
          .map { $0["detail"] as String }
        #expect(plan.contains { $0.contains("position_boxes VIRTUAL TABLE INDEX 2:") }, "\(plan)")
      }
    }
  }

  private static func text(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: ""
    case .int64(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .blob(let value): String(decoding: value, as: UTF8.self)
    }
  }

  @Test(.enabled(if: PostgreSQLServer.isAvailable)) func `answer in PostgreSQL`() throws {
    let uri = try PostgreSQLServer.database()
    let address = try StoreAddress(parsing: uri, relativeTo: "")
    try fill(address.open(for: .publishing))
    let connection = try PostgreSQLConnection(uri: uri, address: address)
    let common =
      try statements("sql\n-- What an app reads", of: "serve-from-postgresql")
      + statements("sql\n-- One position", of: "serve-from-postgresql")
    let places = try statements("sql\n-- Places", of: "serve-from-postgresql")
    try #require(common.count == Self.answers.count && places.count == 2)
    for (statement, answer) in zip(common, Self.answers) {
      let rows = try connection.rows(statement).map { row in
        row.map { String(decoding: $0 ?? [], as: UTF8.self) }.joined(separator: "|")
      }
      #expect(rows == answer, "\(statement)")
    }
    func rows(_ statement: String, _ values: [String: Double]) throws -> [StoredID] {
      let bound = values.reduce(statement) { $0.replacingOccurrences(of: ":\($1.key)", with: "\($1.value)") }
      return try connection.rows(bound).map { StoredID(utf8: $0[0] ?? []) }
    }
    #expect(
      Set(try rows(places[0], ["south": 53.2, "north": 53.6, "west": -6.5, "east": -6.1])) == inBox())
    for circle in Self.circles {
      let found = try rows(
        places[1], ["latitude": circle.latitude, "longitude": circle.longitude, "radius_km": circle.radius])
      #expect(try Set(found) == Set(expected(circle)), "\(circle)")
      #expect(found.count == Set(found).count)
    }
  }

  @Test(.enabled(if: PostgreSQLServer.hasPostGIS, "PostGIS is not installed"), arguments: [true, false])
  func `answer with PostGIS in any schema, installed before or after the store`(isFirst: Bool) throws {
    let uri = try PostgreSQLServer.database()
    let address = try StoreAddress(parsing: uri, relativeTo: "")
    let extending = "CREATE SCHEMA \"g I s\"; CREATE EXTENSION postgis SCHEMA \"g I s\""
    if isFirst { _ = try PostgreSQLServer.run(extending, in: uri) }
    try fill(address.open(for: .publishing))
    if !isFirst {
      _ = try PostgreSQLServer.run(extending, in: uri)
      _ = try address.open(for: .publishing)
    }
    let statement = try #require(statements("sql\n-- PostGIS", of: "serve-from-postgresql").first)
    for circle in Self.circles where circle.radius < 20_000 {
      let values = ["latitude": circle.latitude, "longitude": circle.longitude, "radius_km": circle.radius]
      let bound = values.reduce(statement) { $0.replacingOccurrences(of: ":\($1.key)", with: "\($1.value)") }
      let found = try PostgreSQLServer.run("SET search_path = public, \"g I s\"; " + bound, in: uri)
        .split(separator: "\n").map { StoredID(String($0)) }
      #expect(try Set(found) == Set(expected(circle)), "\(circle)")
    }
  }

  @Test(.enabled(if: RedisServer.isAvailable)) func `answer in Redis`() throws {
    let fixture = try RedisFixture()
    try fill(fixture.store())
    let page = try String(contentsOfFile: "docs/how-to/serve-from-redis.md", encoding: .utf8)
    // The commands with their arguments, as the shell passes them: without quotation marks, and
    // with the number of the current generation.
    let commands = page.matches(of: /(?m)^(?:generation=\$\()?redis ([A-Z].*?)\)?$/).map { line in
      line.1.replacing("$generation", with: "12").split(separator: " ").map {
        $0.trimmingCharacters(in: ["'", "\""])
      }
    }
    let near = try expected((53.35, -6.26, 25)).map(\.text)
    let answers: [String] = [
      "12", Self.list, ">u4\n2026-11-20T23:58:12Z", "{\"role\":\"investor\"}", "12",
      "{\"latitude\":53.35,\"longitude\":-6.27,\"geohash\":\"gc7x92\"}", "\"gc7x20\"",
      (1...20).map { "{\"rank\":\($0)}" }.joined(separator: "\n"), near.joined(separator: "\n"),
      Self.positions.enumerated().filter { !RedisPlaces.takes($0.element) }.map { id($0.offset).text }
        .sorted().joined(separator: "\n"),
    ]
    try #require(commands.count == answers.count)
    for (command, answer) in zip(commands, answers) {
      var found = try RedisServer.run(
        command, database: fixture.endpoint.database, port: Int(fixture.endpoint.port))
      let lines = found.split(separator: "\n")
      if command.contains("WITHDIST") {
        // The distances are omitted, because the server computes them in its own way.
        found = lines.enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined(
          separator: "\n")
      }
      if command[0] == "SMEMBERS" { found = lines.sorted().joined(separator: "\n") }
      #expect(found == answer, "\(command)")
    }
  }
}
