import Files
import Testing
import Text

@testable import PipelineFile

/// Pipeline files in the manifests of kept runs, and the JSON form of a pipeline file.
struct KeptPipelineTests {
  private static let yaml = """
    pipeline: p
    seed: 3
    entities:
      dogs: { source: { path: d.csv }, id: id, created: c, attributes: { county: { type: category } } }
    rankings:
      board: { catalog: dogs, by: county }
      near: { users: dogs, candidates: dogs, order_by: newest }
    """

  private func manifest(_ configuration: JSONValue) -> Manifest {
    Manifest(
      tool: "t", stage: "snapshot", pipeline: "p", configuration: configuration,
      asOf: Instant(milliseconds: 0), seed: 3, counts: [:])
  }

  /// Returns the configuration in which the board has the key of an earlier version.
  private func earlier(_ configuration: JSONValue) throws -> JSONValue {
    var members = configuration.members
    var rankings = try #require(members["rankings"]).members
    var board = try #require(rankings["board"]).members
    board["directory"] = board.removeValue(forKey: "catalog")
    rankings["board"] = .object(board)
    members["rankings"] = .object(rankings)
    return .object(members)
  }

  @Test func `a kept pipeline equals the pipeline of the run, also with an earlier key`() throws {
    let now = try pipeline(Self.yaml)
    for configuration in [now.configuration, try earlier(now.configuration)] {
      var kept = try Pipeline(of: manifest(configuration), file: "p.yaml")
      #expect(kept.configuration == configuration)
      kept.configuration = now.configuration
      #expect(kept == now)
    }
    #expect(mistake(Self.yaml.replacing("catalog:", with: "directory:")) != nil)
  }

  @Test func `a kept pipeline without lists is read`() throws {
    let yaml = Self.yaml.split(separator: "\n").prefix(4).joined(separator: "\n")
    let now = try pipeline(yaml)
    #expect(try Pipeline(of: manifest(now.configuration), file: "p.yaml") == now)
  }

  @Test func `a kept pipeline that this version cannot read is an error with the manifest`() throws {
    var members = try pipeline(Self.yaml).configuration.members
    members["season"] = "summer"
    let error = try #require(
      #expect(throws: PipelineFileError.self) {
        _ = try Pipeline(of: manifest(.object(members)), file: "1/manifest.json")
      })
    #expect(error.place == "1/manifest.json" && error.advice == DecodingFault.adviceForRuns)
    #expect(error.reason == "this version cannot read its pipeline file: unknown key 'season'")
  }

  @Test(
    arguments: [
      ("5", .integer(5)), ("-5", .integer(-5)), ("0.5", .number(0.5)), ("1e3", .number(1000)), ("\"5\"", "5"),
      ("true", .boolean(true)), ("false", .boolean(false)), ("'true'", "true"), ("~", .null), ("null", .null),
      ("'null'", "null"), ("\"\"", ""), ("yes", "yes"), ("nan", "nan"), ("inf", "inf"), ("1e999", "1e999"),
      ("a text", "a text"), ("2 %", "2 %"),
    ] as [(String, JSONValue)])
  func `a plain value has its own type in a manifest, and a quoted value is a text`(
    text: String, expected: JSONValue
  ) throws {
    // Texts that mean a missing value may have any form.
    let source = "source: { path: a.csv, missing: [b, \(text)] }"
    let configuration = try pipeline("pipeline: p\nentities: { a: { \(source), id: id } }\n").configuration
    #expect(configuration["entities"]?["a"]?["source"]?["missing"] == .array(["b", expected]))
  }

  /// A test compares the reference manual with these keys.
  @Test func `the accepted keys of each mapping can be recorded`() throws {
    let recorder = KeyRecorder()
    _ = try KeyRecorder.$current.withValue(recorder) { try pipeline(Self.yaml) }
    let keys = Dictionary(recorder.mappings.map { ($0.path, $0.keys) }) { first, _ in first }
    #expect(keys["entities.dogs.attributes.county"]?.prefix(3) == ["type", "from", "optional"])
    #expect(keys["rankings.board"]?.first == "catalog" && keys["rankings.near"]?.first == "users")
    #expect(keys[""]?.prefix(2) == ["pipeline", "seed"] && keys["privacy"] == nil)
    #expect(
      recorder.mappings.allSatisfy { $0.reader.hasPrefix("PipelineFile/") && $0.reader.contains(".swift:") })
    #expect(KeyRecorder.current == nil)
  }
}
