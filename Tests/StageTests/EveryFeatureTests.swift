import Columns
import Foundation
import RunSchemas
import Testing
import TestSupport

/// Runs the programs for a product whose model has every feature and whose people have attributes
/// of every type.
@Suite struct EveryFeatureTests {
  private let directory: ScratchDirectory

  private static let pipeline = """
    pipeline: every
    as_of: newest
    plausible: [1970, 2100]
    privacy: { snap_positions_to: 6 }
    entities:
      people:
        source: { path: people.jsonl }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes:
          field: { type: category }
          years: { type: number }
          bio: { type: text }
          gone: { type: flag }
          hobbies: { type: tags }
          born: { type: date }
    interactions:
      swipes: { source: { path: swipes.csv }, user: a, candidate: b, at: at, value: value }
      waves: { source: { path: waves.csv }, user: a, candidate: b, at: at, value: value }
    model:
      learns_from: swipes
      features:
        - category: field
        - number: years
        - number: { from: years, bins: 3 }
        - position
        - distance
        - distance: { log: true }
        - number: { from: years, log: true }
        - difference: { user: years, candidate: years, log: true }
        - geohash: { precision: 5 }
        - same: field
        - difference: years
        - difference: { user: born, candidate: born, signed: true }
        - overlap: hobbies
        - tags: hobbies
        - text: { from: bio, dimensions: 4 }
        - age: born
        - received_like_rate
        - received_like_rate: { of: waves, smoothing: 1, adjusted: false }
        - popularity
        - popularity: { half_life: 30d }
        - activity
        - recency
    rankings:
      near: { users: people, candidates: people, exclude: [self, gone], minimum_score: -100, top: 5 }
    publish:
      store: "sqlite:serving.sqlite"
      attributes: { people: [field, hobbies, born] }

    """

  init() throws {
    directory = try ScratchDirectory()
    try directory.write(Self.pipeline, to: "every.yaml")
    var people = ""
    for number in 0..<12 {
      let tags = ["[]", "[\"chess\"]", "[\"go\",\"chess\"]", "\"tea; \\\"é;\""][number % 4]
      let born = number % 5 == 0 ? "null" : "\"19\(70 + number)-05-01\(number == 7 ? "T12:00:00Z" : "")\""
      let years = number % 6 == 5 ? "null" : "\(number)"
      people += """
        {"id":"p\(10 + number)","lat":\(50 + number % 3),"lon":\(8 + number % 2),"field":"f\(number % 3)",\
        "years":\(years),"bio":"word\(number % 4) and more","hobbies":\(tags),"born":\(born)}

        """
    }
    try directory.write(people, to: "people.jsonl")
    var swipes = "a,b,at,value\n"
    for index in 0..<60 where index % 12 != (index * 5 + index / 12) % 12 {
      let candidate = (index * 5 + index / 12) % 12
      let value = (index + index / 12) % 3 == 0 ? 1 : -1
      swipes += "p\(10 + index % 12),p\(10 + candidate),\(1_000_000_000_000 + index),\(value)\n"
    }
    try directory.write(swipes, to: "swipes.csv")
    try directory.write("a,b,at,value\np10,p11,5,1\np12,p11,6,-1\n", to: "waves.csv")
  }

  private func nightjar(_ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", arguments + ["--work", directory("var")])
  }

  @Test func `a run with every feature has reasons and explanations for all of them`() throws {
    let ended = try nightjar("run", directory("every.yaml"))
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let lists = try String(
      contentsOfFile: directory("var/every/latest/rankings/near/part-00000.jsonl"), encoding: .utf8)
    for secret in ["received_like_rate", "popularity", "trend", "activity", "recency", "geohash"] {
      #expect(!lists.contains(secret), "\(secret) is published")
    }
    #expect(lists.contains("\"feature\":"))
    #expect(lists.contains("same_field="))
    let explained = try nightjar(
      "explain", directory("every.yaml"), "--user", "p13", "--candidate", "p12")
    try #require(explained.ending == .status(0), "\(explained.errors)")
    for feature in [
      "field=f2", "years=low", "years=<3", "latitude=", "distance_km=", "geohash=u1", "same_field=no",
      "difference_years=", "difference_born=", "overlap_hobbies=little", "hobbies=go", "bio", "age_born=",
      "log_years=", "log_distance_km=", "log_difference_years=", "received_like_rate=",
      "received_like_rate_waves=", "popularity=", "trend=", "activity=", "recency=",
    ] {
      #expect(explained.output.contains(feature), "\(feature) is not in \(explained.output)")
    }
    let shown = try nightjar("show", directory("every.yaml"), "--user", "p12")
    #expect(
      shown.ending == .status(0) && shown.output.contains("chess, go"), "\(shown.output) \(shown.errors)")
  }

  @Test(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
  func `tags and dates are lists and times in Parquet, and round-trip`() throws {
    try #require(try nightjar("run", directory("every.yaml")).ending == .status(0))
    let exported = try nightjar("export", directory("every.yaml"), "--parquet", directory("out"))
    try #require(exported.ending == .status(0), "\(exported.errors)")
    let file = directory("out/snapshot/people.parquet")
    let types = try DuckDBTool.rows(
      "SELECT column_name AS c0, column_type AS c1 FROM (DESCRIBE FROM '\(file)') WHERE column_name IN ('hobbies', 'born') ORDER BY 1"
    )
    #expect(types == [["born", "TIMESTAMP WITH TIME ZONE"], ["hobbies", "VARCHAR[]"]])
    let rows = try DuckDBTool.rows(
      "SET TimeZone='UTC'; SELECT id AS c0, to_json(hobbies)::VARCHAR AS c1, born::VARCHAR AS c2 FROM '\(file)' ORDER BY id LIMIT 8"
    )
    #expect(rows[0] == ["p10", nil, nil])
    #expect(rows[1] == ["p11", #"["chess"]"#, "1971-05-01 00:00:00+00"])
    #expect(rows[2] == ["p12", #"["chess","go"]"#, "1972-05-01 00:00:00+00"])
    #expect(rows[3] == ["p13", #"[" \"é","tea"]"#, "1973-05-01 00:00:00+00"])
    #expect(rows[7] == ["p17", #"[" \"é","tea"]"#, "1977-05-01 12:00:00+00"])

    // The exported table is the export of the next run.
    try directory.write(
      Self.pipeline.replacing("path: people.jsonl", with: "path: out/snapshot/people.parquet")
        .replacing("lat, longitude: lon", with: "latitude, longitude: longitude"), to: "again.yaml")
    let again = try Program.run(
      "nightjar-ingest", [directory("again.yaml"), "--run-dir", directory("again"), "--quiet"])
    try #require(again.ending == .status(0), "\(again.errors)")
    let schema = EntitySchema(
      name: "people", hasPosition: false, attributes: ["hobbies": .tags, "born": .date])
    let tables = try [directory("var/every/runs/1"), directory("again")].map {
      try EntityTable($0 + "/snapshot/entities/people", schema)
    }
    let columns = tables.map { table in
      (0..<table.count).map { row in
        (table.tags["hobbies"]?.strings(row) ?? []) + ["\(table.dates["born"]?[row] ?? 0)"]
      }
    }
    #expect(columns[0] == columns[1] && columns[0].count == 12)
  }
}
