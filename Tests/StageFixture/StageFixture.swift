internal import Columns
import Evaluation
package import Files
package import Foundation
import Index
import Ingest
import Models
package import PipelineFile
import Ranking
package import RunSchemas
package import Text

/// A pipeline with small exports that runs in this process. Its directory is removed when this
/// value is released.
package final class StageFixture {
  package let directory: String
  package let pipeline: Pipeline

  /// Writes `files` and a pipeline file with the content `yaml`.
  package init(yaml: String, files: [String: String]) throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "nightjar-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for (name, text) in files {
      try text.write(toFile: directory + "/" + name, atomically: false, encoding: .utf8)
    }
    pipeline = try Pipeline(yaml: yaml, file: directory + "/pipeline.yaml")
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }

  package var run: String { directory + "/run" }

  /// Runs the stages from ingest to rank and returns their manifests by stage directory. A
  /// different pipeline can run on the same files.
  @discardableResult
  package func runStages(as other: Pipeline? = nil, threads: Int = 2, asOf: Instant? = nil) throws
    -> [String: Manifest]
  {
    let pipeline = other ?? pipeline
    try Directories.create(run)
    let clock = Instant(milliseconds: 4_000_000_000_000)
    return [
      "snapshot": try IngestStage.run(pipeline, in: run, asOf: asOf, clock: clock, tool: "test"),
      "index": try IndexStage.run(pipeline, in: run, tool: "test"),
      "models": try FitStage.run(pipeline, in: run, threads: threads, tool: "test"),
      "rankings": try RankStage.run(pipeline, in: run, threads: threads, tool: "test"),
    ]
  }

  /// Runs only ingest.
  package func ingest() throws {
    try Directories.create(run)
    let clock = Instant(milliseconds: 4_000_000_000_000)
    _ = try IngestStage.run(pipeline, in: run, asOf: nil, clock: clock, tool: "test")
  }

  /// Evaluates the run and returns `metrics.json` and the tables.
  @discardableResult
  package func evaluate(threads: Int = 2, previous: String? = nil) throws -> (
    metrics: JSONValue, text: String
  ) {
    _ = try EvaluateStage.run(
      pipeline, in: run, previous: previous, replaces: true, threads: threads, tool: "test")
    let text = try EvaluationText(of: run).lines(.text(width: nil)).joined(separator: "\n")
    return (try JSONDecoder().decode(JSONValue.self, from: bytes("evaluation/metrics.json")), text)
  }

  package func snapshot() throws -> Snapshot {
    try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema))
  }

  package func models() throws -> ModelTable {
    try ModelTable(run + "/models", columns: StringColumn(run + "/models/columns").strings)
  }

  package func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: run + "/" + path))
  }

  /// Returns the rows of a CSV file of the run, without the header.
  package func rows(_ path: String) throws -> [[String]] {
    try String(decoding: bytes(path), as: UTF8.self).split(separator: "\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }
}
