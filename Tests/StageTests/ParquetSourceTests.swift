import Foundation
import Testing
import TestSupport

/// Reads Fusion's exports from Parquet files and from queries with DuckDB's command line.
@Suite(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
struct ParquetSourceTests {
  private let directory: ScratchDirectory
  /// The exports of `SmallFusion`.
  private let exports: String

  init() throws {
    directory = try ScratchDirectory()
    exports = try SmallFusion.exports.get().path
  }

  /// Writes the result of `query` to the Parquet file `name` and returns its path.
  @discardableResult
  private func parquet(_ query: String, _ name: String) throws -> String {
    _ = try DuckDBTool.rows("COPY (\(query)) TO '\(directory(name))' (FORMAT parquet)")
    return directory(name)
  }

  /// Returns a query for the people's documents. The position is a struct, as in the documents.
  private func people(_ location: String) -> String {
    func field(_ name: String, _ kind: String) -> String { "f ->> '$.\(name).\(kind)'" }
    let texts = ["fullName", "businessField", "subfield", "company", "bio", "role"].map {
      "\(field($0, "stringValue")) AS \($0)"
    }
    return """
      SELECT string_split(name, '/')[-1] AS id, \(texts.joined(separator: ", ")),
        CAST(\(field("experience", "integerValue")) AS INTEGER) AS experience,
        CAST(\(field("deleted", "booleanValue")) AS BOOLEAN) AS deleted,
        CAST(\(field("createdAt", "timestampValue")) AS TIMESTAMPTZ) AS "createdAt",
        CAST(\(field("updatedAt", "timestampValue")) AS TIMESTAMPTZ) AS "updatedAt", \(location)
      FROM (
        SELECT d.name AS name, d.fields AS f
        FROM (SELECT unnest(documents) AS d FROM read_json(
          '\(exports)/users.json', columns = {documents: 'STRUCT(name VARCHAR, fields JSON)[]'},
          maximum_object_size = 100000000)))
      """
  }

  private static let latitude = "CAST(f ->> '$.location.geoPointValue.latitude' AS DOUBLE)"
  private static let longitude = "CAST(f ->> '$.location.geoPointValue.longitude' AS DOUBLE)"
  private static let location = "{'latitude': \(latitude), 'longitude': \(longitude)} AS location"

  private func run(_ settings: [String]) throws -> Program.Finished {
    let set = settings.flatMap { ["--set", $0] }
    return try Program.run(
      "nightjar-ingest",
      [FusionRun.pipelineFile, "--run-dir", directory("run"), "--as-of", FusionRun.newestSwipe, "--quiet"]
        + set)
  }

  private func users(_ path: String, format: String = "parquet") -> String {
    "entities.users.source={ path: \"\(path)\", format: \(format) }"
  }

  private func swipes(_ source: String) -> String { "interactions.swipes.source={ \(source) }" }

  /// Expects the same columns as in a run over JSON and CSV.
  private func expectSame(_ ended: Program.Finished) throws {
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let whole = try SmallFusion.run.get()
    let difference = try DirectoryContents(of: directory("run/snapshot"))
      .differences(from: DirectoryContents(of: whole.path + "/snapshot"))
    #expect(difference == ["manifest.json"])
    let manifests = [try json(directory("run/snapshot/manifest.json")), try whole.manifest("snapshot")]
    #expect(Self.counts(manifests[0]) == Self.counts(manifests[1]))
  }

  /// Returns the counts without the ends of files, because only text files have line breaks.
  private static func counts(_ manifest: [String: Any]) -> NSDictionary {
    var counts = manifest.object("counts")
    counts["sources"] = counts.object("sources").mapValues { source in
      (source as? [String: Any] ?? [:]).filter { $0.key != "files" }
    }
    return NSDictionary(dictionary: counts)
  }

  @Test func `Fusion's exports as Parquet, with a struct for the position, give the same snapshot`() throws {
    let users = users(try parquet(people(Self.location), "users.parquet"))
    // The bundled times have milliseconds, which a timestamp keeps.
    let query = """
      SELECT swiper_id, target_id, direction, CAST(swiped_at AS TIMESTAMPTZ) AS swiped_at
      FROM read_csv('\(exports)/swipes.csv', all_varchar = true)
      """
    let swipes = try swipes("path: \(parquet(query, "swipes.parquet")), format: parquet")
    try expectSame(try run([users, swipes]))
    // The manifest contains the digests of the files.
    let inputs = try #require(try json(directory("run/snapshot/manifest.json"))["inputs"] as? [[String: Any]])
    for input in inputs {
      let path = try #require(input["path"] as? String)
      let sum = try Program.run("/usr/bin/sha256sum", [path])
      #expect(sum.output == "\(input["sha256"] ?? "")  \(path)\n")
    }
    #expect(inputs.count == 2)
  }

  @Test func `a folder of Parquet files is read in the order of names`() throws {
    let count = try SmallFusion.exports.get().documents().count
    for (piece, range) in [(0, "<= 50"), (1, "BETWEEN 51 AND \(count - 1)"), (2, ">= \(count)")] {
      let rows =
        "SELECT * EXCLUDE row FROM (SELECT *, row_number() OVER () AS row FROM (\(people(Self.location))))"
      try FileManager.default.createDirectory(atPath: directory("users"), withIntermediateDirectories: true)
      try parquet(rows + " WHERE row \(range)", "users/part-\(piece).parquet")
    }
    try directory.write("", to: "users/_SUCCESS")
    try expectSame(try run([users(directory("users")), swipes("path: \(exports)/swipes.csv")]))
  }

  @Test func `a query over a CSV file gives the same snapshot`() throws {
    let query = "FROM read_csv('\(exports)/swipes.csv', all_varchar = true)"
    let settings = [
      "entities.users.source.path=\(exports)/users.json", swipes("format: duckdb, query: \"\(query)\""),
    ]
    try expectSame(try run(settings))
  }

  @Test func `a query reads a table of another database`() throws {
    let database = directory("app.duckdb")
    let program = try #require(DuckDBTool.program)
    let made = try Program.run(
      program,
      ["-batch", database, "CREATE TABLE s AS FROM read_csv('\(exports)/swipes.csv', all_varchar = true)"])
    try #require(made.ending == .status(0), "\(made.errors)")
    let settings = [
      "entities.users.source.path=\(exports)/users.json",
      swipes("path: \(database), format: duckdb, query: FROM s"),
    ]
    try expectSame(try run(settings))
  }

  // MARK: Errors

  private func expectRefusal(_ ended: Program.Finished, status: Int32, says: [String]) {
    #expect(ended.ending == .status(status) && ended.output == "", "\(ended.errors)")
    for text in says { #expect(ended.errors.contains(text), "it does not say \(text): \(ended.errors)") }
    #expect(!directory.exists("run/snapshot"))
  }

  @Test(arguments: [0, 3, 4, 100, -1, -4, -9]) func `a truncated Parquet file gives status 65`(length: Int)
    throws
  {
    let path = try parquet(people(Self.location), "users.parquet")
    let whole = try Data(contentsOf: URL(filePath: path))
    try directory.write(length < 0 ? whole.dropLast(-length) : whole.prefix(length), to: "users.parquet")
    expectRefusal(
      try run([users(path), swipes("path: \(exports)/swipes.csv")]), status: 65, says: ["users.parquet"])
  }

  @Test func `a Parquet file with a damaged page gives status 65`() throws {
    let path = try parquet(people(Self.location), "users.parquet")
    var damaged = try Data(contentsOf: URL(filePath: path))
    for index in 4..<min(damaged.count / 2, 20_000) { damaged[index] ^= 0xA5 }
    try directory.write(damaged, to: "users.parquet")
    expectRefusal(
      try run([users(path), swipes("path: \(exports)/swipes.csv")]), status: 65, says: ["users.parquet"])
  }

  /// The missing value -999 is an integer, a double and a decimal. Times within one millisecond differ only
  /// in their finer digits and are not in row order.
  @Test(arguments: ["parquet", "duckdb"])
  func `missing numbers and finer digits mean the same as in text`(format: String) throws {
    let people = try parquet(
      """
      SELECT * FROM (VALUES ('a', -999, -999::DOUBLE, -999::DECIMAL(9, 2)), ('b', 5, 5.5, 5), ('c', 1, 2, 3),
        ('d', 1, 2, 3)) rows (id, i, d, m)
      """, "people.parquet")
    let likes = try parquet(
      """
      SELECT 'a' AS f, t, ('2025-01-01 00:00:00.00000' || digit)::TIMESTAMP AS "at", 1 AS v
      FROM (VALUES ('d', '9'), ('b', '1'), ('c', '2')) rows (t, digit)
      """, "likes.parquet")
    func source(_ path: String) -> String {
      format == "parquet" ? "path: \(path)" : "format: duckdb, query: \"SELECT * FROM '\(path)'\""
    }
    let pipeline = try directory.write(
      """
      pipeline: p
      as_of: newest
      entities:
        people:
          source: { \(source(people)), missing: [-999] }
          id: id
          attributes: { i: { type: number }, d: { type: number }, m: { type: number } }
          expect: { missing_at_most: { i: 25 %, d: 25 %, m: 25 % }, range: { i: [1, 5], d: [2, 5.5], m: [3, 5] } }
      interactions:
        likes: { source: { \(source(likes)) }, user: f, candidate: t, at: at, value: { from: v, map: { 1: 1 } } }

      """, to: "p.yaml")
    let ended = try Program.run("nightjar-ingest", [pipeline, "--run-dir", directory("finer"), "--quiet"])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    // The file has a header of 128 bytes. Each number has 4 bytes.
    let column = try directory.bytes("finer/snapshot/interactions/likes/candidate.npy").dropFirst(128)
    #expect(Array(column) == [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0])
  }

  @Test func `a missing column gives status 65 and names the existing ones`() throws {
    let path = try parquet(people("\(Self.latitude) AS lat, \(Self.longitude) AS lon"), "users.parquet")
    expectRefusal(
      try run([users(path), swipes("path: \(exports)/swipes.csv")]), status: 65,
      says: ["users.parquet", "'location.latitude'", "lat, lon"])
  }

  @Test(arguments: ["FROM nowhere", "SELEKT 1", "SELECT 1/0 AS swiper_id, error('stop')"])
  func `a failing query gives status 65 with DuckDB's message`(query: String) throws {
    let settings = [
      "entities.users.source.path=\(exports)/users.json", swipes("format: duckdb, query: \"\(query)\""),
    ]
    let ended = try run(settings)
    expectRefusal(ended, status: 65, says: ["query"])
  }

  @Test func `a missing Parquet file gives status 66`() throws {
    expectRefusal(
      try run([users(directory("none.parquet")), swipes("path: \(exports)/swipes.csv")]), status: 66,
      says: ["none.parquet"])
  }

  @Test(arguments: ["/nonexistent", "no-such-duckdb"])
  func `a missing DuckDB gives status 69 and advice`(program: String) throws {
    let path = try parquet(people(Self.location), "users.parquet")
    let nightjar = Program.products + "/"
    let commands = [
      ["nightjar-ingest", FusionRun.pipelineFile, "--run-dir", directory("run")],
      ["nightjar", "run", FusionRun.pipelineFile, "--work", directory("var")],
      ["nightjar", "check", FusionRun.pipelineFile],
    ]
    for command in commands {
      let ended = try Program.run(
        "/usr/bin/env",
        ["NIGHTJAR_DUCKDB=" + program, nightjar + command[0]] + command.dropFirst()
          + ["--set", users(path), "--set", swipes("path: \(exports)/swipes.csv")])
      #expect(ended.ending == .status(69), "\(ended.errors)")
      #expect(ended.errors.contains("pip install duckdb-cli") && ended.errors.contains("NIGHTJAR_DUCKDB"))
    }
    #expect(!directory.exists("run/snapshot") && !directory.exists("var/fusion/latest"))
  }
}
