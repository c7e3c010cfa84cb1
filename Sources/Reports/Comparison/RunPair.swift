internal import Files
internal import RunSchemas
internal import Text

/// Two runs and their titles in a comparison.
struct RunPair: Sendable {
  let one: ReportedRun
  let other: ReportedRun

  init(_ one: ReportedRun, _ other: ReportedRun) { (self.one, self.other) = (one, other) }

  private var isOnePipeline: Bool { one.name == other.name }

  /// The line above the title.
  var kind: String { isOnePipeline ? "Two runs of \(one.name)" : "Two runs" }

  /// The titles of the runs in headings. They include the pipelines if the pipelines differ.
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

  /// Whether both runs read at least one export, and the exports of both runs have the same digests.
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
        Both runs read the same exports and were evaluated on the same later interactions. Differences therefore come only \
        from the settings or the version of Nightjar. If the intervals of a metric overlap, other data may show no difference.
        """
    }
    if haveSameInputs {
      return "Both runs read the same exports, but they were not evaluated on the same later interactions."
    }
    return "The runs read different exports, so a difference can be due to the data, the settings or chance."
  }
}
