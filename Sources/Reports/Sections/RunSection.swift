internal import Files
internal import PipelineFile
internal import Text

extension Section {
  /// Identifies the run: as-of time, served generation, configuration, program, and precision of positions.
  static func run(_ run: ReportedRun) -> Section {
    var table = Table("The run that this page describes", [.text("Property"), .text("Value")])
    if run.record == nil { table.add("Run", "none: the stages ran one by one") }
    table.add("As-of time", .init(Self.origin(run.snapshot.counts["as_of_from"]?.stringValue)))
    if let generations = run.record?.generations, !generations.isEmpty {
      let words = generations.map { "\(.count($0.generation)) in \(code: $0.store)" as Words }
      table.add("Generation served", .init(words.joined(separator: "; ")))
    } else {
      table.add("Generation served", "none: this run has not been published")
    }
    table.add("Configuration", "\(code: run.configurationDigest)")
    table.add("Program", .init(data: run.snapshot.tool))
    table.add(
      "Positions",
      "replaced by the centers of geohash cells of precision \(.count(run.pipeline.privacy.snapPrecision))")
    return Section(
      id: "run", title: "The run",
      blocks: [
        .table(table),
        .paragraph(
          """
          The configuration is the first twelve digits of the SHA-256 digest of the effective pipeline file, including overrides. \
          Two runs with the same digits used the same settings.
          """),
      ])
  }

  private static func origin(_ name: String?) -> Words {
    switch name {
    case "given": "set by --as-of or the pipeline file"
    case "newest_interaction": "the newest interaction"
    case "newest_check_in": "the newest check-in"
    case "newest_request": "the newest request or answer"
    default: "the machine’s clock"
    }
  }
}

extension Instant {
  /// The time in words, such as `2026-11-15 23:41 UTC`.
  var inWords: Words {
    let text = description
    guard text.count >= 16, let time = text.firstIndex(of: "T") else { return Words(data: text) }
    return Words(
      time: text[..<time] + "\u{A0}" + text[text.index(after: time)...].prefix(5) + "\u{A0}UTC", exactly: text
    )
  }
}
