import Columns
import DuckDB
import Files
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import TestSupport
import Testing
import Text

@testable import Parquet

/// Exports a run with every kind of column and list in this process. DuckDB reads the export.
@Suite(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
struct ExportedRunTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    seed: 7
    privacy: { snap_positions_to: 12 }
    entities:
      owners: { source: { path: owners.csv }, id: id }
      people:
        source: { path: people.csv }
        id: id
        created: born
        position: { latitude: lat, longitude: lng }
        attributes:
          field: { type: category }
          age: { type: number }
          gone: { type: flag }
          bio: { type: text }
          likes: { type: tags, separator: ; }
          seen: { type: date }
          word: { type: category, optional: true }
      dogs:
        source: { path: dogs.csv }
        id: id
        owner: { from: of, entity: owners }
        position: { latitude: lat, longitude: lng }
        attributes: { county: { type: category }, price: { type: number } }
    interactions: { swipes: { source: { path: swipes.csv }, user: { from: a, entity: people }, candidate: { from: b, entity: people }, at: at, value: v } }
    model: { learns_from: swipes, features: [{ number: age }, { category: field }] }
    rankings:
      near: { users: people, candidates: people, order_by: distance, top: 2 }
      best: { users: people, candidates: people, top: 3 }
      by_field: { users: people, candidates: people, order_by: distance, per: field, top: 2 }
      matches: { mutual: swipes }
      shelter: { catalog: dogs, by: county, order_by: [price asc] }
    """

  private static let files = [
    "owners.csv": "id\no1\n\"o,2\"\n",
    "people.csv": """
    id,born,lat,lng,field,age,gone,bio,likes,seen,word
    u1,1000,53.1,-8.1,art,20.5,true,"a ""quote"", and a comma",chess;two words,2001-02-03,
    u2,2000,53.2,-8.2,art,30,,,,,w
    u3,3000,,,sport,,false,é 🦉,zoo,2001-02-04,
    u4,4000,53.3,-8.3,sport,40,,null,chess,,w

    """,
    "dogs.csv":
      "id,of,lat,lng,county,price\nd1,o1,53,-8,Cork,9\nd2,\"o,2\",53,-8,Kerry,1\nd3,o1,53,-8,Cork,5\n",
    "swipes.csv": """
    a,b,at,v
    u1,u2,10000,1
    u2,u1,11000,1
    u1,u3,12000,-1
    u3,u1,13000,1
    u1,u4,14000,0.25
    u2,u4,15000,1

    """,
  ]

  /// A run and the folder that contains its exports.
  private struct Exported {
    let run: StageFixture
    let manifests: [String: Manifest]
    var output: String { run.directory + "/out" }

    init() throws {
      run = try StageFixture(yaml: ExportedRunTests.yaml, files: ExportedRunTests.files)
      manifests = try run.runStages()
    }

    @discardableResult
    func export(force: Bool = false, number: Int? = 3, to directory: String? = nil) throws -> Manifest {
      try ParquetExport.write(
        run.run, of: run.pipeline, to: directory ?? output, force: force, number: number, threads: 2,
        tool: "test")
    }

    func rows(_ query: String) throws -> [[String?]] {
      try DuckDBTool.rows("SET TimeZone='UTC'; " + query, in: output)
    }
  }

  @Test func `entities, interactions, lists, matches, catalogs and models equal the run's`() throws {
    let exported = try Exported()
    let manifest = try exported.export()
    let text = { (columns: [String]) in
      columns.enumerated().map { "\($1)::VARCHAR AS c\($0)" }.joined(separator: ", ")
    }
    let people = try exported.rows(
      "SELECT \(text(["id", "created", "(latitude > 53)", "field", "age", "gone", "bio", "likes", "seen", "word"])) "
        + "FROM 'snapshot/people.parquet'")
    #expect(
      people == [
        [
          "u1", "1970-01-01 00:00:01+00", "true", "art", "20.5", "true", "a \"quote\", and a comma",
          "[chess, two words]", "2001-02-03 00:00:00+00", nil,
        ],
        ["u2", "1970-01-01 00:00:02+00", "true", "art", "30.0", "false", nil, nil, nil, "w"],
        [
          "u3", "1970-01-01 00:00:03+00", nil, "sport", nil, "false", "é 🦉", "[zoo]",
          "2001-02-04 00:00:00+00", nil,
        ],
        ["u4", "1970-01-01 00:00:04+00", "true", "sport", "40.0", "false", "null", "[chess]", nil, "w"],
      ])
    #expect(
      try exported.rows("SELECT \(text(["id", "owner_id", "county"])) FROM 'snapshot/dogs.parquet'")
        == [["d1", "o1", "Cork"], ["d2", "o,2", "Kerry"], ["d3", "o1", "Cork"]])
    #expect(
      try exported.rows(
        "SELECT \(text(["user_id", "candidate_id", "epoch_ms(\"at\")", "value"])) FROM 'snapshot/swipes.parquet'"
      )
        == [
          ["u1", "u2", "10000", "1.0"], ["u1", "u3", "12000", "-1.0"], ["u1", "u4", "14000", "0.25"],
          ["u2", "u1", "11000", "1.0"], ["u2", "u4", "15000", "1.0"], ["u3", "u1", "13000", "1.0"],
        ])
    #expect(
      try exported.rows(
        "SELECT \(text(["user_id", "other_user_id", "epoch_ms(matched_at)"])) FROM 'rankings/matches.parquet'"
      )
        == [["u1", "u2", "11000"]])
    #expect(
      try exported.rows("SELECT \(text(["key", "rank", "candidate_id"])) FROM 'rankings/shelter.parquet'")
        == [["Cork", "1", "d3"], ["Cork", "2", "d1"], ["Kerry", "1", "d2"]])

    for name in ["near", "best"] {
      let expected = try exported.run.list(name).flatMap { line -> [[String?]] in
        line.recommendations.map {
          [line.user, String($0.rank), $0.candidate, $0.score?.description, $0.distance_km?.description]
        }
      }
      let found = try exported.rows(
        "SELECT \(text(["user_id", "rank", "candidate_id", "score", "distance_km"])) FROM 'rankings/\(name).parquet'"
      )
      #expect(found == expected && !expected.isEmpty, "\(name)")
    }
    let words = try exported.rows(
      "SELECT DISTINCT word::VARCHAR AS c0 FROM 'rankings/by_field.parquet' WHERE user_id = 'u1' ORDER BY 1")
    #expect(words == [["art"], ["sport"]])

    let models = try exported.run.models()
    let ids = ["u1", "u2", "u3", "u4"]
    var terms: [[String?]] = []
    for (user, id) in ids.enumerated() {
      guard let model = models[user], model.observations > 0 else { continue }
      let end = [String(model.observations), model.base.description, model.intercept.description]
      terms.append([id, "(intercept)", model.intercept.description, nil] + end)
      for term in model.terms {
        terms.append(
          [id, models.columns.strings[Int(term.column)], term.coefficient.description, term.mean.description]
            + end)
      }
    }
    #expect(
      try exported.rows(
        "SELECT \(text(["user_id", "\"column\"", "coefficient", "learning_mean", "observations", "base", "intercept"])) "
          + "FROM 'models.parquet'") == terms && terms.count > 3)

    #expect(manifest.stage == "parquet" && manifest.pipeline == "p" && manifest.counts["run"] == 3)
    #expect(manifest.asOf == exported.manifests["rankings"]?.asOf && manifest.seed == 7)
    #expect(manifest.parents == exported.manifests.mapValues(\.digest))
    let counts = Dictionary(uniqueKeysWithValues: manifest.outputs.map { ($0.path, $0.rows) })
    #expect(counts["snapshot/people.parquet"] == 4 && counts["snapshot/swipes.parquet"] == 6)
    #expect(counts["models.parquet"] == terms.count && counts["rankings/shelter.parquet"] == 3)
    #expect(try Manifest(of: exported.output).digest == manifest.digest)
  }

  @Test func `an export replaces only an earlier export, and only with force`() throws {
    let exported = try Exported()
    try exported.export()
    let refused = try #require(throws: FileError.self) { try exported.export() }
    #expect(refused.operation == .create && "\(refused)".contains("--force"), "\(refused)")
    let again = try exported.export(force: true, number: nil)
    #expect(again.counts["run"] == nil)

    let empty = exported.run.directory + "/empty"
    try Directories.create(empty)
    #expect(throws: FileError.self) { try exported.export(to: empty) }
    try exported.export(force: true, to: empty)

    let other = exported.run.directory + "/other"
    try Directories.create(other)
    try Directories.replace(other + "/notes.txt", with: Array("mine".utf8))
    let kept = try #require(throws: FileError.self) { try exported.export(force: true, to: other) }
    #expect("\(kept)".contains("--force replaces only an earlier export"), "\(kept)")
    #expect(try Directories.names(in: other) == ["notes.txt"])
    #expect(throws: FileError.self) { try exported.export(force: true, to: exported.run.run + "/rankings") }
    #expect(throws: FileError.self) { try exported.export(to: "/") }
  }

  @Test func `an export removes directories of killed exports, but none of running exports`() throws {
    let exported = try Exported()
    let parent = exported.run.directory
    let left = try Program.run("/bin/sh", ["-c", "echo $$"])
    let dead = try #require(Int(left.output.filter(\.isNumber)))
    let running = ProcessInfo.processInfo.processIdentifier
    for name in [
      ".out.\(dead).partial", ".out.1.partial", ".out.x.partial", ".outer.\(dead).partial", ".out.\(dead)",
    ] {
      try Directories.create("\(parent)/\(name)")
    }
    try exported.export()
    let names = try Directories.names(in: parent).filter { $0.hasPrefix(".") }.sorted()
    #expect(names == [".out.\(dead)", ".out.1.partial", ".out.x.partial", ".outer.\(dead).partial"].sorted())
    #expect(!names.contains(".out.\(running).partial"))
  }

  @Test(arguments: ["near", "by_field", "shelter"])
  func `damaged lists are not exported`(name: String) throws {
    let exported = try Exported()
    let file = "rankings/\(name)/part-00000.jsonl"
    var bytes = Array(try exported.run.bytes(file))
    try #require(!bytes.isEmpty)
    bytes[bytes.count / 2] ^= 1
    try Directories.replace(exported.run.run + "/" + file, with: bytes)
    let damaged = try #require(throws: FileError.self) { try exported.export() }
    #expect(damaged.operation == .read && damaged.path.hasSuffix(file), "\(damaged)")
    try Directories.replace(exported.run.run + "/" + file, with: Array(bytes.dropLast()))
    #expect(throws: FileError.self) { try exported.export() }
    #expect(!Directories.exists(exported.output))
  }

  @Test func `a run of another pipeline is rejected`() throws {
    let exported = try Exported()
    let other = try Pipeline(
      yaml: Self.yaml.replacing("pipeline: p", with: "pipeline: q"), file: exported.run.directory + "/q.yaml")
    let refused = try #require(throws: FileError.self) {
      try ParquetExport.write(
        exported.run.run, of: other, to: exported.output, force: false, number: nil, threads: 1, tool: "test")
    }
    #expect("\(refused)".contains("'p'") && "\(refused)".contains("'q'"), "\(refused)")
    #expect(!Directories.exists(exported.output))
  }

  // MARK: - Rows

  @Test func `texts of any length with any bytes are exported unchanged and in order`() throws {
    let scratch = try ScratchDirectory()
    let texts = [
      "", "\"", "\"\"", "a\nb", "a\r\nb", ",", "NULL", "\u{0}x", String(repeating: "\"", count: 300_000),
    ]
    let count = try ParquetFile(path: scratch("t.parquet"), threads: 2).write(
      [ParquetColumn("t", .text), ParquetColumn("n", .integer)], longestTexts: 300_000
    ) { rows in
      for round in 0..<3 {
        for (place, text) in texts.enumerated() {
          rows.append(text)
          rows.append(Int64(round * texts.count + place))
          try rows.endRow()
        }
      }
    }
    #expect(count == 3 * texts.count)
    let found = try DuckDBTool.rows(
      "SELECT strlen(t)::VARCHAR AS c0, md5(t) AS c1 FROM '\(scratch("t.parquet"))' ORDER BY n")
    #expect(found.count == count)
    for (place, row) in found.enumerated() {
      #expect(row.first == String(texts[place % texts.count].utf8.count), "\(place)")
    }
    #expect(Set(found.map { $0.last }).count == texts.count)
  }

  @Test(arguments: [0.1, -0.0, .leastNonzeroMagnitude, 1.7976931348623157e308, .infinity, 1 / 3, .nan])
  func `numbers keep their bits`(number: Double) throws {
    let scratch = try ScratchDirectory()
    _ = try ParquetFile(path: scratch("n.parquet"), threads: 1).write(
      [ParquetColumn("a", .number), ParquetColumn("A", .flag)], longestTexts: 0
    ) { rows in
      rows.append(number)
      rows.append(number > 0)
      try rows.endRow()
    }
    let found = try DuckDBTool.rows(
      "SELECT a::VARCHAR AS c0, \"A_1\"::VARCHAR AS c1 FROM '\(scratch("n.parquet"))'")
    #expect(found.first?.first == (number.isNaN ? nil : number.isInfinite ? "inf" : number.description))
    #expect(found.first?.last == String(number > 0))
  }
}
