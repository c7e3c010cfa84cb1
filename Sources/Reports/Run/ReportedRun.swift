internal import Files
internal import Foundation
internal import PipelineFile
internal import RunSchemas
package import Text

/// A run, read from its files: the input of a report.
package struct ReportedRun: Sendable {
  /// The run directory.
  package let directory: String
  /// The facts in `run.json`; `nil` if the stages were run one by one, without `nightjar run`.
  package let record: RunFacts?
  /// The pipeline file at the time of the run.
  let pipeline: Pipeline
  let snapshot: Manifest
  let index: Manifest
  let rankings: Manifest
  /// The manifest of the models; `nil` for a pipeline without a model.
  let models: Manifest?
  /// The results of the evaluation; `nil` if the run was not evaluated.
  let metrics: JSONValue?

  /// The facts about a run that no stage directory contains.
  package struct RunFacts: Sendable {
    package var number: Int
    package var started: Instant?
    /// The generation that the run published in each store.
    package var generations: [(store: String, generation: Int)]

    package init(number: Int, started: Instant?, generations: [(store: String, generation: Int)]) {
      (self.number, self.started, self.generations) = (number, started, generations)
    }
  }

  /// Reads the run in `directory`.
  ///
  /// - Throws: `FileError` if the run has no lists yet or cannot be read; `PipelineFileError` if this version
  ///   of the program does not support its pipeline file.
  package init(_ directory: String, record: RunFacts?) throws {
    self.directory = directory
    self.record = record
    snapshot = try Manifest(of: directory + "/snapshot")
    index = try Manifest(of: directory + "/index")
    rankings = try Manifest(of: directory + "/rankings")
    // The report uses the pipeline file of the stages, because the current file may differ.
    pipeline = try Pipeline(of: snapshot, file: directory + "/snapshot/manifest.json")
    let models = directory + "/models"
    self.models = Directories.exists(models) ? try Manifest(of: models) : nil
    metrics = try Self.metrics(directory + "/evaluation")
  }

  package var name: String { snapshot.pipeline }

  /// The name of the run in sentences and headings, such as `run 3`.
  var title: String { record.map { "run \($0.number)" } ?? "a manual run" }

  private static func metrics(_ directory: String) throws(FileError) -> JSONValue? {
    guard Directories.exists(directory) else { return nil }
    return try JSONValue(contentsOf: directory + "/metrics.json")
  }
}

extension ReportedRun {
  /// The first twelve digits of the digest of the run's configuration.
  var configurationDigest: String { String(SHA256.digest(of: snapshot.configuration.pretty).prefix(12)) }

  /// The counts of the snapshot's sources, in the order of the pipeline's sources.
  var sources: [ReportedSource] {
    pipeline.sourceNames.compactMap { name in
      snapshot.counts["sources"]?[name].map { ReportedSource(name: name, counts: $0) }
    }
  }

  /// The counts of all users' lists, by ranking.
  var lists: [ListCounts] {
    pipeline.rankings.compactMap { ranking in
      rankings.counts["lists"]?[ranking.name].map { ListCounts(ranking: ranking, counts: $0) }
    }
  }

  /// Returns the counts that `fit` recorded for the model `name`, or for the unnamed model if `name` is
  /// `nil`. The result is `nil` if the run has no such model.
  func fit(ofModel name: String?) -> JSONValue? {
    guard let counts = models?.counts else { return nil }
    guard let name else { return counts["method"] == nil ? nil : counts }
    return counts["by_name"]?[name]
  }

  /// Returns the number of users who have a model for `ranking`; `nil` if the ranking has no model or the
  /// number is unknown.
  func models(of ranking: Pipeline.Ranking) -> Int? {
    fit(ofModel: ranking.model)?["models"]?.integerValue
  }

  /// The evaluated rankings, sorted by name.
  var judged: [JudgedRanking] {
    pipeline.rankings.compactMap { ranking in
      metrics?["rankings"]?[ranking.name].map { JudgedRanking(name: ranking.name, figures: $0) }
    }
  }
}
