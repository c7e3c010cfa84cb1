package import Files
package import PipelineFile
package import RunSchemas
package import Text

extension Stage {
  /// Returns the closing lines of a stage that wrote `manifest`: the duration, the output, and the rows that
  /// are not in the output.
  package func line(_ manifest: Manifest, _ pipeline: Pipeline, seconds: Double) -> String {
    let (out, lost) = summary(manifest.counts, pipeline)
    return line(out, lost, seconds: seconds)
  }

  /// Returns the closing lines of the stage. The first line contains the duration and the first line of
  /// `out`. The other lines of `out` follow, and then the lines of `lost`.
  package func line(_ out: String, _ lost: String = "", seconds: Double) -> String {
    let lines = (out + (lost.isEmpty ? "" : "\n" + lost)).split(separator: "\n").map(String.init)
    let first = "  " + rawValue.padded(to: 9) + (seconds.fixed(1) + " s").leftPadded(to: 9) + "  "
    return lines.enumerated().map { index, line in
      (index == 0 ? first : String(repeating: " ", count: Self.indent)) + line
    }.joined(separator: "\n")
  }

  /// The width of the text to the left of a stage's output, in columns of the terminal.
  package static let indent = 22

  private func summary(_ counts: JSONValue, _ pipeline: Pipeline) -> (String, String) {
    switch self {
    case .ingest: Self.ingest(counts, pipeline)
    case .index: (Self.index(counts, pipeline), "")
    case .fit: FitSummary.text(counts)
    case .rank: Self.rank(counts, pipeline)
    case .evaluate:
      (
        "tested on " + (counts["test"]?.integerValue ?? 0).counted("later interaction"),
        "learned from " + (counts["learning"]?.integerValue ?? 0).counted("interaction")
      )
    case .publish: ("", "")
    }
  }

  private static func ingest(_ counts: JSONValue, _ pipeline: Pipeline) -> (String, String) {
    let names = pipeline.sourceNames
    let sources = names.compactMap { name in counts["sources"]?[name].map { (name, $0) } }
    let kept = sources.map { "\(($0.1["kept"]?.integerValue ?? 0).grouped) \($0.0)" }
    var lost: [String] = []
    for outcome in RuleOutcome.allCases {
      let rules = sources.reduce(into: [:] as [String: Int]) { rules, source in
        rules.merge(outcome.rows(in: source.1), uniquingKeysWith: +)
      }
      let rows = rules.values.reduce(0, +)
      if rows > 0 {
        let byRules = outcome == .rejected ? " by \(rules.count.counted("rule"))" : ""
        lost.append("\(rows.grouped) \(outcome.words)\(byRules)")
      } else if outcome == .rejected {
        lost.append("none rejected")
      }
    }
    let others = [
      ("merged", "merged"), ("later", "later"), ("ignored", "ignored"), ("erased", "erased"),
    ]
    for (outcome, words) in others {
      let count = sources.reduce(0) { $0 + ($1.1[outcome]?.integerValue ?? 0) }
      if count > 0 { lost.append("\(count.grouped) \(words)") }
    }
    // This code counts the rows that no source reads. All sources of an export have the same count, so each
    // export is counted once.
    var exports: [Pipeline.Source] = []
    let ofNone = pipeline.sources.reduce(0) { sum, named in
      guard !exports.contains(where: { $0.isSameExport(as: named.source) }),
        let count = counts["sources"]?[named.name]?["left_out_by_all"]?.integerValue
      else { return sum }
      exports.append(named.source)
      return sum + count
    }
    if ofNone > 0 { lost.append("\(ofNone.grouped) without a source") }
    return (kept.joined(separator: ", "), lost.joined(separator: ", "))
  }

  private static func index(_ counts: JSONValue, _ pipeline: Pipeline) -> String {
    let precision = counts["precision"]?.integerValue ?? 0
    let parts = (counts["entities"]?.members ?? [:]).sorted { $0.key < $1.key }.map { name, count in
      "\((count["positioned"]?.integerValue ?? 0).grouped) \(name) in "
        + (count["cells"]?.integerValue ?? 0).counted("cell")
    }
    return parts.isEmpty ? "no positions" : parts.joined(separator: ", ") + " of precision \(precision)"
  }

  private static func rank(_ counts: JSONValue, _ pipeline: Pipeline) -> (String, String) {
    let lists = pipeline.rankings.compactMap { ranking -> String? in
      guard let users = counts["lists"]?[ranking.name]?["users"] else { return nil }
      if let per = ranking.per {
        let empty = users["empty_lists"]?.integerValue ?? 0
        let some = ((users["total"]?.integerValue ?? 0) - empty).counted("user")
        return "\(ranking.name): \(some) with lists per \(per), \(empty.grouped) without"
      }
      let full = (users["full_lists"]?.integerValue ?? 0).counted("list")
      return
        "\(ranking.name): \(full) of \(ranking.top), \((users["short_lists"]?.integerValue ?? 0).grouped) short"
    }
    let matches = pipeline.matches.compactMap { list in
      counts["matches"]?[list.name]?.integerValue.map { "\($0.grouped) \(list.name)" }
    }
    let catalogs = pipeline.catalogs.compactMap { list in
      CatalogCounts.entries(in: counts)[list.name]?.integerValue.map { "\($0.grouped) \(list.name)" }
    }
    return (lists.joined(separator: "\n"), (catalogs + matches).joined(separator: ", "))
  }
}

extension Stage {
  /// Returns the line about the generation that a store serves now. `report` is the output of `nightjar
  /// publish` for this store.
  package static func line(published report: JSONValue, seconds: Double) -> String {
    let generation = report["generation"]?.integerValue ?? 0
    let store = report["store"].flatMap { if case .string(let text) = $0 { text } else { nil } } ?? ""
    // For an SQLite store, the line shows only the path.
    let place = store.hasPrefix("sqlite:") ? String(store.dropFirst("sqlite:".count)) : store
    let isUnchanged = report["unchanged"] == .boolean(true)
    var details = "\((report["kept"]?.integerValue ?? 0).grouped) kept"
    if let rows = report["loaded"]?.integerValue, seconds > 0 {
      details += ", \(Int(Double(rows) / seconds).grouped) rows/s"
    }
    return Stage.publish.line(
      isUnchanged
        ? "unchanged: generation \(generation) in \(place)"
        : "generation \(generation) in \(place), \(details)",
      seconds: seconds)
  }

  /// Returns a warning for each guard that would reject the lists if the store did not already serve them.
  package static func warnings(published report: JSONValue) -> [String] {
    (report["tolerated_guards"]?.elements ?? []).compactMap(\.stringValue).map {
      "\($0). The guard rejects only new lists, and \(report["store"]?.stringValue ?? "") already serves "
        + "these lists. To serve earlier lists, run 'nightjar rollback'."
    }
  }
}
