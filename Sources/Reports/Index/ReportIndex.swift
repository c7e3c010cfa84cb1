internal import Files
internal import PipelineFile

/// The index page of all reports: the pipelines, their kept runs, and the trends of their main figures.
package enum ReportIndex {
  /// Writes `index.html`, which links to the reports in the same directory.
  ///
  /// - Parameters:
  ///   - entries: The pipelines, in display order.
  ///   - directory: The directory of the reports.
  ///   - tool: The name and version of the program.
  /// - Returns: The path of the page.
  /// - Throws: `FileError`.
  package static func write(
    _ entries: [PipelineRuns], to directory: String, tool: String
  ) throws -> String {
    try PageWriter(directory: directory).write(
      try page(entries, in: directory, tool: tool), to: "index.html", figures: "index")
  }

  private static func page(_ entries: [PipelineRuns], in directory: String, tool: String) throws -> Page {
    let all = try entries.map { try $0.verdicts() }
    let verdicts = all.map(\.last)
    let mark = verdicts.compactMap { $0?.mark }.max() ?? .unknown
    let troubled = verdicts.count { ($0?.mark ?? .unknown) > .unknown }
    let checks = zip(entries, verdicts).map { entry, verdict in
      Page.Check(
        mark: verdict?.mark ?? .unknown,
        title: entry.runs.last?.record.map { "Run \($0.number)" } ?? "No run",
        figure: link(entry, in: directory),
        meaning: entry.runs.last.map { "as of \($0.snapshot.asOf.inWords)" }
          ?? "no readable complete run")
    }
    return Page(
      title: "All pipelines", kind: "Morning reports", subtitle: "\(entries.count, "pipeline")", mark: mark,
      question: "Does any pipeline need attention?",
      answer: troubled > 0 ? "Yes" : mark == .good ? "No" : "Unknown",
      verdict: troubled > 0
        ? "\(.count(troubled)) of \(entries.count, "pipeline") need attention."
        : entries.isEmpty ? "No pipeline has a run yet." : "No pipeline needs attention.",
      checks: checks,
      sections: zip(entries, all).map { entry, verdicts in section(entry, verdicts, in: directory) },
      footer:
        "Made by \(tool). The page of each run uses the same rules to decide whether the run can be trusted."
    )
  }

  private static func link(_ entry: PipelineRuns, in directory: String) -> Words {
    let name = entry.name + ".html"
    return Directories.exists(directory + "/" + name)
      ? "\(entry.name, to: name.asAddress)" : Words(data: entry.name)
  }

  private static func section(_ entry: PipelineRuns, _ verdicts: [RunVerdict], in directory: String)
    -> Section
  {
    var blocks: [Block] = []
    if let verdict = verdicts.last {
      blocks.append(.paragraph("\(link(entry, in: directory)): \(verdict.sentence)"))
    }
    if !entry.unreadable.isEmpty {
      blocks.append(
        .note(
          "This list omits \(entry.unreadable.count, "run") that this version of the program cannot read."))
    }
    if entry.runs.count > 1 { blocks += [.figure(Trend(entry).figure)] }
    if !entry.runs.isEmpty { blocks.append(.table(runs(entry, verdicts))) }
    return Section(id: "pipeline-" + entry.name.fileName, title: entry.name, blocks: blocks)
  }

  private static func runs(_ entry: PipelineRuns, _ verdicts: [RunVerdict]) -> Table {
    var table = Table(
      "Complete runs of \(entry.name), newest first",
      [
        .text("Run"), .text("As of"), .number("Rows read"), .number("Rejected"), .number("Served"),
        .number("Full lists"),
        .number("nDCG"), .number("AUC"), .text("Trusted"),
      ])
    for (run, verdict) in Array(zip(entry.runs, verdicts)).reversed() {
      let figures = RunFigures(run)
      table.add(
        run.record.map { .init(.count($0.number)) } ?? .none, .init(run.snapshot.asOf.inWords),
        .init(.count(figures.read)), .init(figures.rejected.map(Figure.share)),
        .init(figures.served.map(Figure.share)), .init(figures.full.map(Figure.share)),
        .init(figures.finding.map(Figure.metric)),
        .init(figures.ordering.map(Figure.metric)), .init(data: verdict.answer))
    }
    return table
  }
}

extension PipelineRuns {
  /// The verdict of each run, compared with the run before it.
  fileprivate func verdicts() throws -> [RunVerdict] {
    try runs.indices.map { index in
      try RunVerdict(
        runs[index], previous: index > 0 ? runs[index - 1] : nil,
        later: index == runs.count - 1 ? unfinished : [])
    }
  }
}

extension String {
  /// The text as a relative URL, with reserved characters percent-encoded.
  fileprivate var asAddress: String {
    utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      let isPlain =
        character.isASCII && (character.isLetter || character.isNumber) || "-_.".contains(character)
      return isPlain
        ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
