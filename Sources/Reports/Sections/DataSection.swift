internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

extension Section {
  /// Lists the rows that the run read from each export, by outcome, and the rules that removed rows.
  static func data(_ run: ReportedRun) -> Section {
    let sources = run.sources
    var blocks: [Block] = []
    if sources.contains(where: { $0.read > 0 }) {
      blocks.append(
        .paragraph(
          """
          Rejected rows are broken. Dangling rows refer to a row that was not kept. Rows that are not allowed are well-formed, but \
          record an action that is not allowed, such as a user who likes themselves. A run fails if a source has more than \
          \(.limit(run.pipeline.rejectLimit)) rejected rows or \(.limit(run.pipeline.danglingLimit)) dangling rows. The pipeline \
          file can set other limits for a source. Each limit counts only one row for each of the three accounts with the most such rows.
          """))
    } else {
      blocks.append(.note("The exports contain no rows. Check that they are the right files."))
    }
    blocks.append(.table(rows(of: sources)))
    let dated = sources.filter { $0.newest != nil }
    if !dated.isEmpty { blocks.append(.table(ages(of: dated, at: run.snapshot.asOf))) }
    if sources.contains(where: { source in RuleOutcome.allCases.contains { source.rows($0) > 0 } }) {
      blocks.append(.table(rejects(sources)))
      blocks.append(
        .paragraph(
          "The file \(code: "snapshot/rejects.csv") of the run lists up to a thousand rejected rows per rule and file."
        ))
    }
    let absent = sources.flatMap { source in
      source.absentFields.map {
        "No record of \(source.name) has the field \(code: $0). Check the spelling in the pipeline file."
          as Words
      }
    }
    if !absent.isEmpty { blocks.append(.list(absent)) }
    blocks.append(.details("Input files", [.table(inputs(run))]))
    return Section(id: "data", title: "Data and rejects", blocks: blocks)
  }

  private static func rows(of sources: [ReportedSource]) -> Table {
    var table = Table(
      "Rows by outcome",
      [
        .text("Source"), .number("Read"), .number("Kept"), .number("Rejected"), .number("Dangling"),
        .number("Not allowed"), .text("Other outcomes"),
      ])
    for source in sources {
      let others = source.others.map { "\(.count($0.rows)) \(Wording.outcome($0.outcome))" as Words }
      func cell(_ outcome: RuleOutcome) -> Table.Cell {
        let rows = source.rows(outcome)
        return .init(
          Words(.count(rows)), below: Figure.share(rows, of: source.read).map { Words($0) } ?? Words())
      }
      table.add(
        .init(data: source.name), .init(.count(source.read)), .init(.count(source.kept)), cell(.rejected),
        cell(.dangling), cell(.notAllowed),
        others.isEmpty ? .none : .init(others.joined(separator: "; ")))
    }
    return table
  }

  private static func ages(of sources: [ReportedSource], at asOf: Instant) -> Table {
    var table = Table(
      "Age of the newest row of each source at the as-of time", [.text("Source"), .number("Age")])
    for source in sources {
      guard let newest = source.newest else { continue }
      let days = Double(asOf.milliseconds - newest.milliseconds) / 86_400_000
      table.add(.init(data: source.name), .init(.days(days)))
    }
    return table
  }

  private static func rejects(_ sources: [ReportedSource]) -> Table {
    var table = Table(
      "Rejected, dangling and not allowed rows by rule, most frequent rule first",
      [.text("Rule"), .text("Outcome"), .text("Source"), .number("Rows, and share of rows read")])
    let rules = sources.flatMap { source in
      RuleOutcome.allCases.flatMap { outcome in
        source.rules(outcome).map { (source, $0.rule, $0.rows, outcome) }
      }
    }
    for (source, rule, rows, outcome) in rules.sorted(by: { ($1.2, $0.1) < ($0.2, $1.1) }) {
      table.add(
        .init("\(code: rule)", below: Words(data: Wording.rule(rule))), .init(data: outcome.words),
        .init(data: source.name),
        .init(Words(.count(rows)), below: Figure.share(rows, of: source.read).map { Words($0) } ?? Words()))
    }
    return table
  }

  private static func inputs(_ run: ReportedRun) -> Table {
    var table = Table(
      "Input files in the manifest of the snapshot",
      [.text("File"), .number("Rows"), .number("Bytes"), .text("SHA-256")])
    for input in run.snapshot.inputs {
      // The report shows only the file name, because a path would reveal the directories of the machine.
      let name = input.path.split(separator: "/").last.map(String.init) ?? input.path
      table.add(
        .init(data: name), .init(input.rows.map(Figure.count)), .init(.count(input.bytes)),
        "\(code: String(input.sha256.prefix(12)))…")
    }
    return table
  }
}
