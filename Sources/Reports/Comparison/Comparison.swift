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
  /// - Throws: `FileError`.
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
        Section(id: "settings", title: "Differences between the pipeline files", blocks: [settings(pair)]),
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

/// Two runs and their titles in a comparison.
struct RunPair: Sendable {
  let one: ReportedRun
  let other: ReportedRun

  init(_ one: ReportedRun, _ other: ReportedRun) { (self.one, self.other) = (one, other) }

  private var isOnePipeline: Bool { one.name == other.name }

  /// The line above the title.
  var kind: String { isOnePipeline ? "Two runs of \(one.name)" : "Two runs" }

  /// The titles of the runs in headings.
  var titles: (String, String) {
    isOnePipeline
      ? (one.title, other.title) : ("\(one.name), \(one.title)", "\(other.name), \(other.title)")
  }

  /// The labels of the runs in file names.
  var labels: (String, String) {
    func label(_ run: ReportedRun) -> String { run.record.map { String($0.number) } ?? "by-hand" }
    return (label(one), isOnePipeline ? label(other) : "\(other.name.fileName)-\(label(other))")
  }

  /// The pairs of rankings with the same name that both runs evaluated.
  var judged: [(JudgedRanking, JudgedRanking)] {
    one.judged.compactMap { ranking in
      other.judged.first { $0.name == ranking.name }.map { (ranking, $0) }
    }
  }

  /// Whether the exports of both runs have the same digests.
  var haveSameInputs: Bool {
    func digests(_ run: ReportedRun) -> [String] { run.snapshot.inputs.map(\.sha256).sorted() }
    return digests(one) == digests(other)
  }

  /// Whether both runs read at least one export, and their exports have the same digests.
  var readSameExports: Bool { !one.snapshot.inputs.isEmpty && haveSameInputs }

  /// Whether both runs were evaluated with the same later interactions.
  var haveSameTest: Bool {
    haveSameInputs && one.snapshot.asOf == other.snapshot.asOf
      && one.metrics?["split"]?["groups"] == other.metrics?["split"]?["groups"]
  }

  var answer: String { haveSameTest ? "Yes" : "With care" }

  var verdict: Words {
    if haveSameTest {
      return """
        Both runs read the same exports and were evaluated on the same later interactions, so only the settings cause \
        differences. If the intervals of a metric overlap, other data may show no difference.
        """
    }
    if haveSameInputs {
      return "Both runs read the same exports, but they were not evaluated on the same later interactions."
    }
    return "The runs read different exports, so a difference can be due to the data, the settings or chance."
  }
}
