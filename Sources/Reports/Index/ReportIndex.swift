package import Files
internal import PipelineFile

/// The index page of all reports: the pipelines, their kept runs, and the trends of their main figures.
package enum ReportIndex {
  /// Writes the feed of the runs, and `index.html`, which links to the reports in the same directory.
  ///
  /// - Parameters:
  ///   - entries: The pipelines, in display order.
  ///   - directory: The directory of the reports.
  ///   - tool: The name and version of the program.
  ///   - access: The permissions of the files; `nil` for the default permissions.
  /// - Returns: The path of the page.
  /// - Throws: `FileError` if a file cannot be read or written.
  package static func write(
    _ entries: [PipelineRuns], to directory: String, tool: String, _ access: FileAccess? = nil
  ) throws -> String {
    let verdicts = try entries.map { try $0.verdicts() }
    let feed = ReportFeed(
      try zip(entries, verdicts).map { ($0, try $0.withoutFailures($1)) }, tool: tool)
    try feed.write(to: directory, access)
    let page = page(
      entries, verdicts, feed: feed.isEmpty ? nil : ReportFeed.name, in: directory, tool: tool)
    return try PageWriter(directory: directory, access: access).write(
      page, to: "index.html", figures: "index")
  }

  private static func page(
    _ entries: [PipelineRuns], _ all: [[RunVerdict]], feed: String?, in directory: String, tool: String
  ) -> Page {
    let marks = zip(entries, all).map { $1.last?.mark ?? ($0.unfinished.isEmpty ? .unknown : .bad) }
    func names(_ isWanted: (Page.Mark) -> Bool) -> [Words] {
      zip(entries, marks).filter { isWanted($1) }.map { Words(data: $0.0.name) }
    }
    let troubled = names { $0 > .unknown }
    let unknown = names { $0 == .unknown }
    let checks = zip(zip(entries, marks), all).map { pipeline, verdicts in
      let (entry, mark) = pipeline
      return Page.Check(
        mark: mark,
        title: entry.runs.last?.record.map { "Run \($0.number)" } ?? "No run",
        figure: "\(entry.name, to: entry.address(in: directory))",
        meaning: zip(entry.runs, verdicts).map { "\($0.snapshot.asOf.inWords). \($1.sentence)" as Words }.last
          ?? entry.failure ?? "No complete run can be read.")
    }
    return Page(
      title: "All pipelines", kind: "Morning reports", subtitle: "\(entries.count, "pipeline")",
      mark: marks.max() ?? .unknown,
      question: "Does any pipeline need attention?",
      answer: troubled.isEmpty ? "No" : "Yes",
      verdict: troubled.isEmpty
        ? entries.isEmpty
          ? "No pipeline has a run yet."
          : unknown.isEmpty
            ? "The last run of each pipeline can be trusted."
            : "The quality of \(unknown.joinedAsSentence) is unknown."
        : "\(troubled.joinedAsSentence) \(troubled.count == 1 ? "needs" : "need") attention.",
      checks: checks, hasContents: false, feed: feed,
      sections: zip(entries, all).map { entry, verdicts in section(entry, verdicts) },
      footer:
        "Made by \(tool). This page and the reports use the same rules to decide whether a run can be trusted."
    )
  }

  private static func section(_ entry: PipelineRuns, _ verdicts: [RunVerdict]) -> Section {
    var blocks: [Block] = []
    if !entry.unreadable.isEmpty {
      blocks.append(
        .note(
          "This list omits \(entry.unreadable.count, "run") that this version of the program cannot read."))
    }
    let table = runs(entry, verdicts)
    switch entry.runs.count {
    case 0: if let failure = entry.failure { blocks.append(.note(failure)) }
    case 1: blocks.append(.table(table))
    default: blocks.append(.figure(Trend(entry: entry, table: table).figure))
    }
    return Section(id: entry.anchor, title: entry.name, blocks: blocks)
  }

  private static func runs(_ entry: PipelineRuns, _ verdicts: [RunVerdict]) -> Table {
    var table = Table(
      "Complete runs, newest first",
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
  /// The newest failure as a sentence; `nil` without a failure.
  fileprivate var failure: Words? {
    unfinished.isEmpty
      ? nil : Page.Check(unfinished: unfinished, after: runs.last).reservation.capitalized + "."
  }

  /// Returns the verdict on each run. The changes in a verdict are relative to the previous run.
  fileprivate func verdicts() throws -> [RunVerdict] {
    try runs.indices.map { try verdict(on: $0, later: $0 == runs.count - 1 ? unfinished : []) }
  }

  /// Returns `verdicts`, with a last verdict that omits the later failures. The feed has an entry for each
  /// failure, so a failure does not change the entry of the last complete run.
  fileprivate func withoutFailures(_ verdicts: [RunVerdict]) throws -> [RunVerdict] {
    guard !unfinished.isEmpty, let last = runs.indices.last else { return verdicts }
    return verdicts.dropLast() + [try verdict(on: last, later: [])]
  }

  private func verdict(on index: Int, later: [UnfinishedRun]) throws -> RunVerdict {
    try RunVerdict(
      runs[index], previous: index > 0 ? .read(runs[index - 1]) : .none, later: later)
  }
}

extension String {
  /// The text as a relative URL, with reserved characters percent-encoded.
  var asAddress: String {
    utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      let isPlain =
        character.isASCII && (character.isLetter || character.isNumber) || "-_.".contains(character)
      return isPlain
        ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
