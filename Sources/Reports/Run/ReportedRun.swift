internal import Foundation
internal import PipelineFile
package import Tables

/// A run as its files tell it: all that a report is made of.
package struct ReportedRun: Sendable {
  /// The run directory.
  package let directory: String
  /// What `run.json` says; `nil` for a directory whose stages were run by hand.
  package let record: RunFacts?
  /// The pipeline file as it was when the run was made.
  let pipeline: Pipeline
  let snapshot: Manifest
  let index: Manifest
  let rankings: Manifest
  /// `nil` of a pipeline without a model.
  let models: Manifest?
  /// Everything that an evaluation found; `nil` where there was none.
  let metrics: JSONValue?

  /// Of a run, what no stage directory says.
  package struct RunFacts: Sendable {
    package var number: Int
    package var started: Instant?
    /// The generations that stores serve since, by store.
    package var generations: [(store: String, generation: Int)]

    package init(number: Int, started: Instant?, generations: [(store: String, generation: Int)]) {
      (self.number, self.started, self.generations) = (number, started, generations)
    }
  }

  /// Reads the run in `directory`.
  ///
  /// - Throws: `FileError` where the run has no lists yet, or cannot be read; `PipelineFileError` where its pipeline file is
  ///   of another version of the program.
  package init(_ directory: String, record: RunFacts?) throws {
    self.directory = directory
    self.record = record
    snapshot = try Manifest(of: directory + "/snapshot")
    index = try Manifest(of: directory + "/index")
    rankings = try Manifest(of: directory + "/rankings")
    // What the stages were made by, and not what the file says by now.
    pipeline = try Pipeline(
      yaml: String(decoding: snapshot.configuration.pretty, as: UTF8.self),
      file: directory + "/snapshot/manifest.json")
    let models = directory + "/models"
    self.models = Directories.exists(models) ? try Manifest(of: models) : nil
    metrics = try Self.metrics(directory + "/evaluation")
  }

  package var name: String { snapshot.pipeline }

  /// What the run is called where several are told apart.
  var title: String { record.map { "run \($0.number)" } ?? "a run by hand" }

  private static func metrics(_ directory: String) throws(FileError) -> JSONValue? {
    guard Directories.exists(directory) else { return nil }
    return try JSONValue(contentsOf: directory + "/metrics.json")
  }
}

extension JSONValue {
  /// The value in the file at `path`.
  init(contentsOf path: String) throws(FileError) {
    do {
      self = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: URL(filePath: path)))
    } catch {
      throw FileError(.read, path, reason: "it is missing, or no JSON (\(error.localizedDescription))")
    }
  }
}

extension ReportedRun {
  /// The configuration by which the run was made, in twelve digits.
  var configurationDigest: String { String(SHA256.digest(of: snapshot.configuration.pretty).prefix(12)) }

  /// Counts of the snapshot's sources, in the order of the pipeline file's kinds.
  var sources: [SourceCounts] {
    pipeline.sourceNames.compactMap { name in
      snapshot.counts["sources"]?[name].map { SourceCounts(name: name, counts: $0) }
    }
  }

  /// What became of everybody's lists, by ranking.
  var lists: [ListCounts] {
    pipeline.rankings.compactMap { ranking in
      rankings.counts["lists"]?[ranking.name].map { ListCounts(ranking: ranking, counts: $0) }
    }
  }

  /// What fit counted of the model by which a ranking is ordered; `nil` without one.
  func fit(of ranking: Pipeline.Ranking) -> JSONValue? {
    guard let counts = models?.counts else { return nil }
    return counts["by_name"].map { $0[ranking.model ?? ""] } ?? counts
  }

  /// How many users have the model by which a ranking is ordered.
  func models(of ranking: Pipeline.Ranking) -> Int? { fit(of: ranking)?["models"]?.integerValue }

  /// Rankings that were judged, in the order of their names.
  var judged: [JudgedRanking] {
    pipeline.rankings.compactMap { ranking in
      metrics?["rankings"]?[ranking.name].map { JudgedRanking(name: ranking.name, figures: $0) }
    }
  }
}

/// What became of the rows of one source.
struct SourceCounts: Sendable {
  let name: String
  private let counts: JSONValue

  init(name: String, counts: JSONValue) { (self.name, self.counts) = (name, counts) }

  subscript(outcome: String) -> Int { counts[outcome]?.integerValue ?? 0 }

  var read: Int { self["read"] }
  var kept: Int { self["kept"] }
  var rejected: Int { rules.reduce(0) { $0 + $1.rows } }

  /// Most rows first.
  var rules: [(rule: String, rows: Int)] {
    (counts["rejected"]?.members ?? [:]).map { ($0.key, $0.value.integerValue ?? 0) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// Everything else that became of rows, where there were any.
  var others: [(outcome: String, rows: Int)] {
    counts.members.compactMap { outcome, count in
      guard let rows = count.integerValue, rows > 0, !["read", "kept"].contains(outcome) else { return nil }
      return (outcome, rows)
    }.sorted { $0.outcome < $1.outcome }
  }

  /// Fields that the pipeline file names and no record had.
  var absentFields: [String] { (counts["absent_fields"]?.elements ?? []).compactMap(\.stringValue) }
}

/// What became of the lists of one ranking.
struct ListCounts: Sendable {
  let ranking: Pipeline.Ranking
  private let counts: JSONValue

  init(ranking: Pipeline.Ranking, counts: JSONValue) { (self.ranking, self.counts) = (ranking, counts) }

  private func users(_ key: String) -> Int { counts["users"]?[key]?.integerValue ?? 0 }
  private func pairs(_ key: String) -> Int { counts["candidates"]?[key]?.integerValue ?? 0 }

  var users: Int { users("total") }
  var full: Int { users("full_lists") }
  var empty: Int { users("empty_lists") }
  var short: Int { users("short_lists") - empty }
  var scored: Int { users("ranked_by_score") }

  /// Reasons why lists are short, most frequent first.
  var shortfalls: [(reason: String, lists: Int)] {
    (counts["users"]?["shortfall"]?.members ?? [:]).map { ($0.key, $0.value.integerValue ?? 0) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// Users whose pairs were counted one by one.
  var countedUsers: Int { pairs("counted_users") }

  /// Pairs of a user and a candidate by what kept the candidate off the list, in the order of the rules.
  var lost: [(rule: String, pairs: Int)] {
    let excluded = (counts["candidates"]?["excluded"]?.members ?? [:]).sorted { $0.key < $1.key }
      .map { ($0.key, $0.value.integerValue ?? 0) }
    return [("out_of_reach", pairs("out_of_reach"))] + excluded
      + [("not_above_minimum", pairs("not_above_minimum")), ("beyond_top", pairs("beyond_top"))]
  }

  var allPairs: Int { pairs("pairs") }
  var listedPairs: Int { pairs("listed") }
}
