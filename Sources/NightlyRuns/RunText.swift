internal import CommandLine
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

/// Reports a run as human-readable lines. On a terminal, each stage has one line, which is redrawn while the
/// stage is running. Elsewhere, each stage has two lines: one when it begins, and one when it ends.
struct RunText {
  let pipeline: Pipeline
  let run: Int
  let directory: String

  func runBegan() {
    if !Console.canRedraw { Console.print("\(pipeline.name), run \(run)") }
  }

  func skipped(_ stages: [Stage]) throws {
    if stages.contains(.ingest) { printBeginning(try manifest(.ingest)) }
    Console.print("  already complete: " + stages.map(\.rawValue).joined(separator: ", "))
  }

  func began(_ stage: Stage) {
    if Console.canRedraw {
      Console.draw("  \(stage.rawValue) ...")
    } else {
      Console.print("  \(stage.rawValue.padded(to: 9)) started")
    }
  }

  func ended(_ stage: Stage, published: JSONValue?, seconds: Double) throws {
    Console.draw("")
    guard stage != .publish else {
      guard let published else { return }
      for report in published.storeReports {
        Console.print(Stage.line(published: report, seconds: seconds), indent: Stage.indent)
        for warning in Stage.warnings(published: report) { Console.print("  warning: \(warning)") }
      }
      return
    }
    let manifest = try manifest(stage)
    if stage == .ingest { printBeginning(manifest) }
    Console.print(stage.line(manifest, pipeline, seconds: seconds), indent: Stage.indent)
    if stage == .rank || stage == .evaluate { printWarnings(manifest) }
  }

  func runEnded(place: String, hasLists: Bool) throws {
    let snapshot = try manifest(.ingest)
    for outcome in RuleOutcome.allCases {
      for line in lines(outcome, snapshot) { Console.print(line, indent: 14) }
    }
    if snapshot.outputs.contains(where: { $0.path == "rejects.csv" && $0.rows != 0 }) {
      let sources = (snapshot.counts["sources"]?.members ?? [:]).values
      let isCut = sources.contains { $0["rejects_written"] != nil }
      Console.print(
        "  rejects     \(place)/snapshot/rejects.csv" + (isCut ? " (the first rows per rule and file)" : ""))
    }
    if hasLists { Console.print("  lists       \(place)/rankings") }
    Console.print("  times       \(place)/run.json")
    if let quality = try RunQuality(of: directory) {
      for (index, line) in quality.lines.enumerated() {
        Console.print((index == 0 ? "  quality     " : "              ") + line, indent: 14)
      }
    }
  }

  private func manifest(_ stage: Stage) throws -> Manifest {
    try Manifest(of: directory + "/" + stage.directory)
  }

  private func printBeginning(_ manifest: Manifest) {
    Console.print(
      Console.canRedraw
        ? "\(pipeline.name), run \(run), as of \(manifest.asOf)" : "  as of \(manifest.asOf)")
    let newest = NewestRows(manifest, pipeline).sources.map { "\($0.name) \($0.at)" }
    if !newest.isEmpty { Console.print("  newest      " + newest.joined(separator: ", "), indent: 14) }
    if pipeline.privacy.isDefault, pipeline.entities.contains(where: \.hasPosition) {
      Console.print(
        "  positions are snapped to cells of precision \(pipeline.privacy.snapPrecision), the default; "
          + "to choose another precision, set privacy.snap_positions_to")
    }
    printWarnings(manifest)
  }

  private func printWarnings(_ manifest: Manifest) {
    for warning in RunWarnings(pipeline, manifest).lines { Console.print("  warning: \(warning)") }
  }

  /// Returns one line per source: the number of rows with this outcome for each rule, the most frequent rule
  /// first.
  private func lines(_ outcome: RuleOutcome, _ snapshot: Manifest) -> [String] {
    let sources = (snapshot.counts["sources"]?.members ?? [:]).sorted { $0.key < $1.key }
    let lines = sources.compactMap { name, source -> String? in
      let rules = outcome.rows(in: source).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      if rules.isEmpty { return nil }
      return name + ": " + rules.map { "\($0.value.grouped) \($0.key)" }.joined(separator: ", ")
    }
    let label = "  " + outcome.words.padded(to: 11) + " "
    return lines.enumerated().map { ($0 == 0 ? label : String(repeating: " ", count: label.count)) + $1 }
  }
}
