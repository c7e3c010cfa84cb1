import Files
import Foundation
import PipelineFile
import StageFixture
import Testing
import Text
import Tombstones

@testable import Erasure

/// Earlier versions of Nightjar called a catalog a directory. People can still be erased from runs of these
/// versions.
@Suite struct RenamedKeysTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    entities:
      dogs:
        source: { path: dogs.jsonl }
        id: id
        created: at
        attributes:
          town: { type: category }
    rankings:
      board: { catalog: dogs, by: town }
    """

  private static func fixture(_ dogs: [String]) throws -> StageFixture {
    try StageFixture(
      yaml: yaml,
      files: [
        "dogs.jsonl": dogs.enumerated().map { "{\"id\":\"\($1)\",\"at\":\($0),\"town\":\"Cork\"}\n" }.joined()
      ])
  }

  /// Replaces each of `words` once in the manifest at `path`. Also removes the checksums, because
  /// earlier versions did not write any.
  private func rewrite(_ path: String, _ words: [(String, String)]) throws {
    var text = try String(contentsOfFile: path, encoding: .utf8)
    for (now, earlier) in words {
      let range = try #require(text.firstRange(of: now), "\(path) lacks \(now)")
      text.replaceSubrange(range, with: earlier)
    }
    text.replace(/\n *"(checksum|crc32c)" : "[0-9a-f]*",/, with: "")
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  @Test func `people can be erased from a run with the earlier key directory`() throws {
    let run = try Self.fixture(["a", "b", "c"])
    var old = run.pipeline
    let words = String(decoding: old.configuration.pretty, as: UTF8.self)
    old.configuration = try JSONDecoder().decode(
      JSONValue.self, from: Data(words.replacing("\"catalog\"", with: "\"directory\"").utf8))
    try run.runStages(as: old)
    let manifest = run.run + "/rankings/manifest.json"
    try rewrite(manifest, [("\"catalogs\"", "\"directories\"")])

    let snapshot = try Manifest(of: run.run + "/snapshot")
    #expect(snapshot.configuration["rankings"]?["board"]?["directory"] == "dogs")
    let read = try Pipeline(of: snapshot, file: run.directory + "/pipeline.yaml")
    #expect(read.catalogs == run.pipeline.catalogs && read.configuration == snapshot.configuration)

    var ids = ErasedIDs()
    ids.insert(Array("b".utf8), entity: "dogs")
    let erasure = RunErasure(ids, tombstones: .none, tool: "test")
    let erased = try #require(try erasure.erase(run.run, isDryRun: false))
    #expect(erased.counts.places == 1)
    #expect(try run.rows("rankings/board.csv") == [["Cork", "1", "c"], ["Cork", "3", "a"]])
    // The erasure does not rename any keys in the run.
    let counts = try Manifest(of: run.run + "/rankings").counts
    #expect(counts["directories"] == ["board": 2] && counts["catalogs"] == nil)
    for stage in ["snapshot", "index", "models", "rankings"] {
      #expect(try Manifest(of: "\(run.run)/\(stage)").configuration == snapshot.configuration, "\(stage)")
    }
  }
}
