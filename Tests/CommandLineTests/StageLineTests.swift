import Files
import PipelineFile
import RunSchemas
import Testing
import Text

@testable import CommandLine

/// The line that each stage prints at its end, for given counts.
@Suite struct StageLineTests {
  private func words(_ counts: JSONValue) throws -> String {
    let pipeline = try Pipeline(
      yaml: """
        pipeline: small
        entities:
          users: { source: { path: all.csv, where: { kind: user } }, id: id }
          dogs: { source: { path: all.csv, where: { kind: dog } }, id: id }

        """, file: "small.yaml")
    let manifest = Manifest(
      tool: "test", stage: "snapshot", pipeline: "small", configuration: .null,
      asOf: Instant(milliseconds: 0), seed: 0, counts: counts)
    return Stage.ingest.line(manifest, pipeline, seconds: 1.5).split { " \n".contains($0) }.joined(
      separator: " ")
  }

  @Test(
    arguments: [
      (["users": ["kept": 7], "dogs": ["kept": 1]], "none rejected"),
      (["users": ["kept": 7, "merged": 0, "left_out_by_all": 0], "dogs": ["kept": 1]], "none rejected"),
      (
        [
          "users": ["kept": 7, "rejected": ["a": 2, "b": 3]], "dogs": ["kept": 1, "rejected": ["a": 4]],
        ],
        "9 rejected by 2 rules"
      ),
      (
        [
          "users": ["kept": 7, "dangling": ["a": 2], "not_allowed": ["c": 1]],
          "dogs": ["kept": 1, "dangling": ["a": 1, "b": 3], "rejected": [:]],
        ],
        "none rejected, 6 dangling, 1 not allowed"
      ),
      (
        ["users": ["kept": 7, "merged": 2, "later": 1], "dogs": ["kept": 1, "merged": 3]],
        "none rejected, 5 merged, 1 later"
      ),
      // Two entities read the same export.
      (
        ["users": ["kept": 7, "left_out_by_all": 7], "dogs": ["kept": 1, "left_out_by_all": 7]],
        "none rejected, 7 without a source"
      ),
    ] as [(JSONValue, String)])
  func `losses are listed only if there are any`(sources: JSONValue, lost: String) throws {
    let line = try words(["sources": sources])
    #expect(line.hasPrefix("ingest 1.5 s ") && line.contains("7 users") && line.contains("1 dogs"), "\(line)")
    #expect(line.hasSuffix(" \(lost)"), "\(line)")
  }

  @Test(arguments: [
    (0, "0 later interactions", "0 interactions"), (1, "1 later interaction", "1 interaction"),
    (1_000, "1 000 later interactions", "1 000 interactions"),
  ])
  func `the line of evaluate counts the interactions`(count: Int, later: String, learning: String) throws {
    let pipeline = try Pipeline(
      yaml: "pipeline: small\nentities: { users: { source: { path: all.csv }, id: id } }\n",
      file: "small.yaml")
    let manifest = Manifest(
      tool: "test", stage: "evaluation", pipeline: "small", configuration: .null,
      asOf: Instant(milliseconds: 0), seed: 0,
      counts: ["test": .integer(count), "learning": .integer(count)])
    let words = Stage.evaluate.line(manifest, pipeline, seconds: 1).split { " \n".contains($0) }
    #expect(words.joined(separator: " ") == "evaluate 1.0 s tested on \(later) learned from \(learning)")
  }

  @Test func `the line of publish says whether the store's rows changed`() {
    func words(_ report: JSONValue, seconds: Double = 2) -> String {
      Stage.line(published: report, seconds: seconds).split { " \n".contains($0) }.joined(separator: " ")
    }
    let report: [String: JSONValue] = [
      "generation": 3, "store": "sqlite:a/b.sqlite", "kept": 2, "loaded": 3000,
    ]
    #expect(
      words(.object(report.merging(["unchanged": .boolean(false)]) { $1 }))
        == "publish 2.0 s generation 3 in a/b.sqlite, 2 kept, 1 500 rows/s")
    #expect(
      words(.object(report.merging(["unchanged": .boolean(true)]) { $1 }))
        == "publish 2.0 s unchanged: generation 3 in a/b.sqlite")
    #expect(words(.object(report), seconds: 0) == "publish 0.0 s generation 3 in a/b.sqlite, 2 kept")
  }
}
