internal import CommandLine
package import Files
internal import Foundation
internal import Glibc
internal import PipelineFile
internal import RunSchemas
package import System
package import Text

/// The metrics of a run that succeeded or failed, for the textfile collector of the Prometheus node exporter.
package struct RunMetrics {
  private let file: String
  private let pipeline: Pipeline

  init(_ file: String, _ pipeline: Pipeline) {
    (self.file, self.pipeline) = (file, pipeline)
  }

  /// Writes the metrics of a run, and replaces the file atomically. After a failed run, the time of the last
  /// success stays in the file.
  ///
  /// - Parameters:
  ///   - record: The record of the run.
  ///   - moment: The time at which the run ended.
  ///   - status: The exit status of the run.
  ///   - directory: The run directory.
  /// - Throws: `FileError` if the file cannot be written, or if a manifest or the metrics of the evaluation
  ///   cannot be read.
  func write(
    _ record: RunRecord, at moment: Instant, status: ExitStatus, directory: String
  ) throws(FileError) {
    let now = moment.inSeconds
    var text = PrometheusText(pipeline: pipeline.name)
    text.add("run_finished_timestamp_seconds", "The time when the last run ended.", now)
    text.add("run_status", "The exit status of the last run; 0 means success.", Double(status.rawValue))
    text.add("run_number", "The number of the last run.", Double(record.run))
    let isWell = record.complete && (status == .complete || status == .unchanged)
    if let success = isWell ? now : formerSuccess(until: now) {
      text.add("last_success_timestamp_seconds", "The time when the last successful run ended.", success)
    }
    text.add(
      "stage_duration_seconds", "The duration of each stage of the last run in seconds.",
      record.stages.map { ([("stage", $0.stage)], $0.seconds) })
    text.add(
      "stage_peak_memory_bytes", "The peak memory of each stage of the last run in bytes.",
      record.stages.compactMap { stage in
        stage.peakMemory.map { ([("stage", stage.stage)], Double($0)) }
      })
    try addRows(to: &text, directory, now)
    try addLists(to: &text, directory)
    try addQuality(to: &text, directory)
    let reports = record.published?.storeReports ?? []
    text.add(
      "served_generation", "The generation that the last run published to each store.",
      reports.map { report in
        ([("store", report["store"]?.stringValue ?? "")], Double(report["generation"]?.integerValue ?? 0))
      })
    try Self.removeLeftovers(of: file)
    try Directories.replace(file, with: Array(text.text.utf8))
  }

  /// Removes temporary files that killed runs left behind. No process uses these files, because only one run
  /// of the pipeline at a time writes the metrics.
  private static func removeLeftovers(of file: String) throws(FileError) {
    let name = String(file.split(separator: "/").last ?? "")
    let parent = Directories.parent(of: file)
    for other in try Directories.names(in: parent)
    where other.hasPrefix(name + ".") && other.hasSuffix(".partial")
      && Int(other.dropFirst(name.count + 1).dropLast(8)) != nil
    {
      try Directories.remove("\(parent)/\(other)")
    }
  }

  /// Checks that the file can be written, so that a run does not fail at its end.
  ///
  /// - Throws: `FileError` with `create`.
  package static func check(_ file: String) throws(FileError) {
    // A device is rejected, because replacing it would turn it into a regular file.
    var status = stat()
    guard unsafe stat(file, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(
        .create, file, reason: "it is not a regular file",
        advice: "Choose a regular file or a new path.")
    }
    let parent = Directories.parent(of: file)
    guard unsafe access(parent, W_OK | X_OK) == 0 else {
      throw FileError(
        .create, file, reason: "its directory is missing or not writable",
        advice: "Create the directory or make it writable, or choose another file.")
    }
  }

  /// Records in an existing file that a run failed before it had a number. If the file cannot be read, for
  /// example because it does not exist, the method returns without an error.
  package static func noteFailure(_ status: ExitStatus, at now: Instant, in file: String) throws(FileError) {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return }
    let values = [
      "nightjar_run_status{": "\(status.rawValue)",
      "nightjar_run_finished_timestamp_seconds{": "\(now.inSeconds)",
    ]
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let value = values.first(where: { line.hasPrefix($0.key) })?.value,
        let name = line.split(separator: " ").first
      else { return String(line) }
      return "\(name) \(value)"
    }
    try Directories.replace(file, with: Array(lines.joined(separator: "\n").utf8))
  }

  private func manifest(_ stage: Stage, _ directory: String) throws(FileError) -> Manifest? {
    let path = directory + "/" + stage.directory
    return Directories.exists(path) ? try Manifest(of: path) : nil
  }

  private func addRows(
    to text: inout PrometheusText, _ directory: String, _ now: Double
  ) throws(FileError) {
    guard let snapshot = try manifest(.ingest, directory) else { return }
    text.add(
      "as_of_timestamp_seconds", "The as-of time of the last run.", snapshot.asOf.inSeconds)
    let newest = NewestRows(snapshot, pipeline)
    text.add(
      "data_age_seconds",
      "The age of the newest interaction in seconds; without interactions, the age of the newest row.",
      now - (newest.interaction ?? newest.row ?? snapshot.asOf).inSeconds)
    text.add(
      "newest_row_timestamp_seconds", "The time of the newest row of each source.",
      newest.sources.map { ([("source", $0.name)], $0.at.inSeconds) })
    let sources = (snapshot.counts["sources"]?.members ?? [:]).sorted { $0.key < $1.key }
    text.add(
      "rows", "Rows of each source by outcome. The outcome 'read' counts all rows.",
      sources.flatMap { name, source in
        source.members.sorted { $0.key < $1.key }.compactMap { outcome, count in
          let rows = RuleOutcome(rawValue: outcome).map { $0.rows(in: source).values.reduce(0, +) }
          return (rows ?? count.integerValue).map {
            ([("source", name), ("outcome", outcome)], Double($0))
          }
        }
      })
    func byRule(_ outcome: RuleOutcome) -> [(labels: [(String, String)], value: Double)] {
      sources.flatMap { name, source in
        outcome.rows(in: source).sorted { $0.key < $1.key }.map { rule, count in
          ([("source", name), ("rule", rule)], Double(count))
        }
      }
    }
    text.add("rejected_rows", "Rejected rows of each source by rule.", byRule(.rejected))
    text.add(
      "dangling_rows", "Dangling rows of each source by rule. They refer to a row that was not kept.",
      byRule(.dangling))
    text.add(
      "not_allowed_rows", "Rows of each source that record an action that is not allowed, by rule.",
      byRule(.notAllowed))
  }

  private func addLists(to text: inout PrometheusText, _ directory: String) throws(FileError) {
    guard let rankings = try manifest(.rank, directory) else { return }
    let lists = (rankings.counts["lists"]?.members ?? [:]).sorted { $0.key < $1.key }
    text.add(
      "lists", "Users of each ranking by kind of list: full, short or empty.",
      lists.flatMap { name, list in
        let users = list["users"]
        let (full, empty) = (
          users?["full_lists"]?.integerValue ?? 0, users?["empty_lists"]?.integerValue ?? 0
        )
        let short = (users?["short_lists"]?.integerValue ?? 0) - empty
        return [("full", full), ("short", short), ("empty", empty)].map {
          ([("list", name), ("kind", $0.0)], Double($0.1))
        }
      })
    // The report has the same limit on this share. The share is absent if empty lists are normal.
    text.add(
      "empty_lists_ratio", "The share of users with an empty list.",
      pipeline.rankings.filter { !$0.listsGivenCandidates }.compactMap {
        ranking -> (labels: [(String, String)], value: Double)? in
        guard let users = rankings.counts["lists"]?[ranking.name]?["users"],
          let total = users["total"]?.integerValue, total > 0
        else { return nil }
        let empty = users["empty_lists"]?.integerValue ?? 0
        return ([("list", ranking.name)], Double(empty) / Double(total))
      })
    text.add(
      "shortfalls", "Users with short lists, by reason.",
      lists.flatMap { name, list in
        (list["users"]?["shortfall"]?.members ?? [:]).sorted { $0.key < $1.key }.map { reason, count in
          ([("list", name), ("reason", reason)], Double(count.integerValue ?? 0))
        }
      })
    text.add(
      "matches", "The number of matches, by list of matches.",
      (rankings.counts["matches"]?.members ?? [:]).sorted { $0.key < $1.key }.map { name, count in
        ([("name", name)], Double(count.integerValue ?? 0))
      })
    let shown = (rankings.counts["shown"]?.members ?? [:]).sorted { $0.key < $1.key }
    func samples(_ key: String) -> [(labels: [(String, String)], value: Double)] {
      shown.compactMap { name, figures in figures[key]?.numberValue.map { ([("list", name)], $0) } }
    }
    text.add(
      "candidates_shown_ratio", "The share of candidates that are on at least one list.",
      samples("coverage"))
    text.add(
      "exposure_gini", "The Gini coefficient of the exposure of candidates; 0 is equal exposure.",
      samples("gini"))
  }

  private func addQuality(to text: inout PrometheusText, _ directory: String) throws(FileError) {
    guard let rankings = try RunQuality(of: directory)?.rankings else { return }
    typealias Sample = (labels: [(String, String)], value: Double)
    func samples(_ figure: RunQuality.Figure?, _ labels: [(String, String)]) -> [Sample] {
      guard let figure else { return [] }
      let ends = figure.interval.map { [("low", $0.low), ("high", $0.high)] } ?? []
      return ([("mean", figure.mean)] + ends).map { (labels + [("statistic", $0.0)], $0.1) }
    }
    text.add(
      "quality", "Quality of the lists in the evaluation of the last run: mean and 95 % interval.",
      rankings.flatMap { ranking in
        samples(ranking.ordering, [("list", ranking.name), ("metric", "auc")])
          + samples(ranking.finding, [("list", ranking.name), ("metric", "ndcg")])
          + samples(ranking.matching, [("list", ranking.name), ("metric", "match_auc")])
      })
    text.add(
      "quality_difference",
      "Difference between the lists and another method: mean and 95 % interval. The difference is in nDCG or, for a mutual order, in the AUC of matches.",
      rankings.flatMap { ranking in
        ranking.differences.sorted { $0.key < $1.key }.flatMap { method, difference in
          samples(difference, [("list", ranking.name), ("method", method)])
        }
      })
  }

  /// Returns the time of this pipeline's last success, from the existing file. The result is `nil` if the
  /// file contains no such time, or if the time is in the future.
  private func formerSuccess(until now: Double) -> Double? {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
    let start = "nightjar_last_success_timestamp_seconds{pipeline=\"\(pipeline.name)\"} "
    return text.split(separator: "\n").first { $0.hasPrefix(start) }.flatMap {
      // A time in the future came from a wrong clock.
      Double($0.dropFirst(start.count)).flatMap { $0 <= now ? $0 : nil }
    }
  }
}

extension Instant {
  fileprivate var inSeconds: Double { Double(milliseconds) / 1_000 }
}
