internal import Tables

/// The morning report: one page about a run for whoever has to know whether to trust it.
///
/// ```
/// OUT/<pipeline>.html        the page, which needs nothing else
/// OUT/<pipeline>/            the charts as Vega-Lite specifications, and their numbers as CSV
/// ```
package enum Report {
  /// Writes the report of a run.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - later: Newer runs that did not reach their end, oldest first.
  ///   - directory: Receives the page and what lies beside it.
  /// - Returns: The path of the page.
  /// - Throws: `FileError`.
  package static func write(_ run: ReportedRun, later: [UnfinishedRun], to directory: String) throws -> String
  {
    let page = page(run, later: later)
    try Directories.create(directory)
    let path = "\(directory)/\(run.name).html"
    try Directories.replace(path, with: PageRenderer().html(page, Drawings()))
    return path
  }

  private static func page(_ run: ReportedRun, later: [UnfinishedRun]) -> Page {
    let verdict = RunVerdict(run, later: later)
    return Page(
      title: run.name, kind: "Morning report",
      subtitle:
        "\(run.record.map { "Run \(.count($0.number)), as of" as Words } ?? "As of") \(run.snapshot.asOf.inWords)",
      mark: verdict.mark, question: "Can this run be trusted?", answer: verdict.answer,
      verdict: verdict.sentence, checks: verdict.checks,
      sections: [.run(run), .data(run), .funnel(run), .headline(run), .definitions(run)],
      footer:
        "Made by \(run.snapshot.tool). People are in these data: no id and no exact position is on this page."
    )
  }
}
