internal import CommandLine
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

/// Warnings for the operator of a run: settings and data that are allowed but usually mistakes.
struct RunWarnings {
  let lines: [String]

  /// Collects the warnings about the output of one stage.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - manifest: The manifest of the snapshot (missing or old data), of the rankings (empty lists), or of
  ///     the evaluation (the cut). Other manifests give no warnings.
  init(_ pipeline: Pipeline, _ manifest: Manifest) {
    lines =
      Self.sources(manifest) + Self.freshness(pipeline, manifest) + Self.lists(pipeline, manifest)
      + Self.split(manifest)
  }

  /// The maximum age of the newest interaction at the as-of time, in milliseconds. Above this age, the run
  /// prints a warning.
  private static let oldAge: Int64 = 2 * 86_400_000

  private static func freshness(_ pipeline: Pipeline, _ snapshot: Manifest) -> [String] {
    guard let newest = NewestRows(snapshot, pipeline).interaction,
      snapshot.asOf.milliseconds - newest.milliseconds > oldAge
    else { return [] }
    return [
      "the newest interaction is from \(newest), more than two days before the as-of time \(snapshot.asOf); "
        + "check that the new exports have arrived"
    ]
  }

  private static func split(_ evaluation: Manifest) -> [String] {
    guard evaluation.stage == Stage.evaluate.directory else { return [] }
    if evaluation.counts["learning"] == 0 {
      return [
        "the evaluation has no interactions to learn from, because its cut is too early; set a later 'evaluation.cut'"
      ]
    }
    if evaluation.counts["test"] == 0 {
      return [
        "the evaluation has no interactions to test on, because its cut is too late; set an earlier 'evaluation.cut'"
      ]
    }
    return []
  }

  private static func sources(_ snapshot: Manifest) -> [String] {
    var lines: [String] = []
    for (name, source) in (snapshot.counts["sources"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
      if source["read"] == 0 {
        lines.append("'\(name)' has no rows; check that its export is the right file")
      }
      if case .array(let fields) = source["absent_fields"] {
        let names = fields.compactMap { if case .string(let field) = $0 { "'\(field)'" } else { nil } }
        lines.append(
          "no record of '\(name)' has a field \(names.joined(separator: " or ")); check the spelling in the "
            + "pipeline file"
        )
      }
    }
    return lines
  }

  private static func lists(_ pipeline: Pipeline, _ rankings: Manifest) -> [String] {
    (rankings.counts["lists"]?.members ?? [:]).sorted { $0.key < $1.key }.compactMap { name, list in
      guard let ranking = pipeline.rankings.first(where: { $0.name == name }), let users = list["users"],
        let total = users["total"]?.integerValue
      else { return nil }
      if total == 0 {
        // An export without users already has a warning of its own.
        return ranking.audience.isEmpty
          ? nil : "'\(name)' matches no user; check the spelling of the words in 'for'"
      }
      guard users["empty_lists"]?.integerValue == total, !ranking.listsGivenCandidates else { return nil }
      let lists = total == 1 ? "the only list of '\(name)' is" : "all \(total.grouped) lists of '\(name)' are"
      return lists + " empty" + reason(list)
    }
  }

  /// Returns the most frequent reason why candidates are not listed, as the last part of a warning.
  private static func reason(_ list: JSONValue) -> String {
    let candidates = list["candidates"]
    let excluded = (candidates?["excluded"]?.members ?? [:]).map { ("'\($0)'", $1.integerValue ?? 0) }
    let others = [("out of reach", "out_of_reach"), ("not above 'minimum_score'", "not_above_minimum")]
      .map { ($0, candidates?[$1]?.integerValue ?? 0) }
    guard let most = (excluded + others).max(by: { ($0.1, $1.0) < ($1.1, $0.0) }), most.1 > 0 else {
      return ", because there are no candidates"
    }
    let pairs = (candidates?["pairs"]?.integerValue ?? 0).counted("pair")
    return "; the most frequent reason is \(most.0) (\(most.1.grouped) of \(pairs))"
  }
}
