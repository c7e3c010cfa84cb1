package import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The comparison of two runs, for example of two days, or of two models on the same exports.
package enum Comparison {
  /// Writes the page `PIPELINE/compare-ONE-OTHER.html`.
  ///
  /// - Parameters:
  ///   - one: The run on the left.
  ///   - other: The run on the right. The page shows changes from `one` to `other`.
  ///   - directory: The directory of the reports.
  ///   - access: The permissions of the files; `nil` for the default permissions.
  /// - Returns: The path of the page.
  /// - Throws: `FileError` if a file cannot be read or written.
  package static func write(
    _ one: ReportedRun, _ other: ReportedRun, to directory: String, _ access: FileAccess? = nil
  ) throws -> String {
    let pair = RunPair(one, other)
    let name = "compare-\(pair.labels.0)-\(pair.labels.1)"
    try Directories.create(directory, access)
    return try PageWriter(directory: "\(directory)/\(one.name)", access: access).write(
      try page(pair), to: name + ".html", figures: name)
  }

  private static func page(_ pair: RunPair) throws -> Page {
    let judged = pair.judged
    let verdicts = (
      try RunVerdict(pair.one, previous: .none, later: []),
      try RunVerdict(pair.other, previous: .none, later: [])
    )
    return Page(
      title: "\(pair.titles.0) and \(pair.titles.1)", kind: pair.kind,
      subtitle: "as of \(pair.one.snapshot.asOf.inWords) and \(pair.other.snapshot.asOf.inWords)",
      mark: pair.haveSameTest ? .good : .attention, question: "Can the runs be compared?",
      answer: pair.answer,
      verdict: pair.verdict, checks: [],
      sections: [
        Section(
          id: "verdicts", title: "The verdict on each run",
          blocks: [
            .list([
              "\(pair.titles.0): \(verdicts.0.sentence)", "\(pair.titles.1): \(verdicts.1.sentence)",
            ])
          ]),
        Section(
          id: "figures", title: "Main figures",
          blocks: [.table(Drift(from: pair.one, to: pair.other, titles: pair.titles).table)]),
        Section(
          id: "quality", title: "How good the lists would have been",
          blocks: judged.isEmpty
            ? [.note("No list was evaluated in both runs.")]
            : judged.flatMap { JudgedPair(one: $0, other: $1, titles: pair.titles).blocks }),
        Section(id: "settings", title: "Differences between the settings", blocks: [settings(pair)]),
      ],
      footer: "Made by \(pair.other.snapshot.tool).")
  }

  /// The maximum number of settings to list.
  private static let mostSettings = 60

  private static func settings(_ pair: RunPair) -> Block {
    let all = SettingDifference.all(pair.one.snapshot.configuration, pair.other.snapshot.configuration)
    if all.isEmpty { return .paragraph("Both runs used the same settings.") }
    let shown = all.prefix(mostSettings)
    let rest: Words =
      shown.count < all.count ? " (the first \(.count(shown.count)) of \(.count(all.count)))" : ""
    var table = Table(
      "Settings that differ\(rest)", [.text("Setting"), .text(pair.titles.0), .text(pair.titles.1)])
    for difference in shown {
      table.add(
        "\(code: difference.name)", difference.one.map { "\(code: $0)" } ?? .none,
        difference.other.map { "\(code: $0)" } ?? .none)
    }
    return .table(table)
  }
}
