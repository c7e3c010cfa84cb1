internal import Files
internal import PipelineFile
internal import RunSchemas
package import Text

/// A stored evaluation in a printable form: human-readable tables, `metrics.json`, or comma-separated values.
package struct EvaluationText: Sendable {
  let document: JSONValue
  /// The pipeline file at the time of the evaluation.
  let pipeline: Pipeline
  /// The text of `metrics.json`.
  private let json: String

  /// Reads the evaluation of the run in the directory `run`.
  ///
  /// - Throws: `FileError` if the run has no evaluation, or if the evaluation is damaged; `PipelineFileError`
  ///   if this version of the program does not support the run's pipeline file.
  package init(of run: String) throws {
    let directory = run + "/" + EvaluateStage.name
    guard Directories.exists(directory) else {
      throw FileError(
        .find, directory, reason: "the run has no evaluation",
        advice: "To evaluate the run, omit --show.")
    }
    let manifest = try Manifest(of: directory)
    pipeline = try Pipeline(of: manifest, file: directory + "/manifest.json")
    document = try JSONValue(contentsOf: directory + "/metrics.json")
    let file = try MappedFile(checking: directory + "/metrics.json")
    json = String(decoding: unsafe file.bytes.withUnsafeBytes { unsafe Array($0) }.dropLast(), as: UTF8.self)
  }

  init(_ document: JSONValue, _ pipeline: Pipeline) {
    (self.document, self.pipeline) = (document, pipeline)
    json = String(decoding: document.pretty.dropLast(), as: UTF8.self)
  }

  /// The name of the evaluated pipeline.
  package var pipelineName: String { pipeline.name }

  /// The evaluated rankings, sorted by name.
  var rankings: [JudgedRanking] {
    pipeline.rankings.compactMap { ranking in
      document["rankings"]?[ranking.name].map { JudgedRanking(name: ranking.name, figures: $0) }
    }
  }

  /// Returns the lines of the evaluation in `format`. JSON is a single element.
  package func lines(_ format: ResultFormat) -> [String] {
    switch format {
    case .json: [json]
    case .csv: csv.rows
    case .text(let width):
      Array(
        (rankings.map { lines($0, width) } + publishedLists(width)).joined(separator: [""]))
    }
  }

  private func lines(_ ranking: JudgedRanking, _ width: Int?) -> [String] {
    let tables = EvaluationTables(
      ranking: ranking, definitions: document["definitions"] ?? .null, width: width)
    let verdict = ["", "  verdict: " + ranking.verdictSentence]
    return heading(ranking) + tables.lines + verdict
  }

  /// Returns the tables about the lists that an earlier run published, one table per ranking; empty if the
  /// evaluation covers no published lists.
  private func publishedLists(_ width: Int?) -> [[String]] {
    guard let previous = document["previous"] else { return [] }
    return pipeline.rankings.compactMap { ranking in
      guard let judged = previous["rankings"]?[ranking.name] else { return nil }
      let likes = (judged["likes"]?.integerValue ?? 0).counted("like")
      let users = (judged["users_with_likes"]?.integerValue ?? 0).counted("user")
      let withoutList = (judged["users_with_likes_without_list"]?.integerValue ?? 0).grouped
      let figures: JSONValue = [
        "methods": ["published": ["finding": judged["finding"] ?? .null]],
        "method_order": .array(["published"]),
      ]
      let table = EvaluationTables(
        ranking: JudgedRanking(name: ranking.name, figures: figures), definitions: .null, width: width)
      let heading = [
        "\(ranking.name): the lists published as of \(previous["as_of"]?.stringValue ?? "-"), compared with later likes",
        "  \(likes) by \(users), \(withoutList) of them without a list",
      ]
      var overlap: [String] = []
      if let value = judged["rank_biased_overlap"], value != .null {
        overlap = [
          "  churn: the lists of both runs have a rank-biased overlap of \(Estimate(value).text(3)); 1 means no change"
        ]
      }
      return heading + table.finding.lines(width: width) + overlap
    }
  }

  static func percent(_ part: Int, of whole: Int) -> String {
    (100 * Double(part) / Double(whole)).fixed(0) + " %"
  }
}
