package import Files

/// The morning report: one page about a run, which shows whether the run can be trusted.
///
/// The module reads only a run's files. It does not depend on `Models`, `Ranking` or `Evaluation`. A report
/// therefore shows what a run recorded, and computes no results of its own. A page never contains an id.
///
/// ```
/// OUT/<pipeline>.html        the page, which is self-contained
/// OUT/<pipeline>/            the charts as SVG, and their numbers as CSV
/// ```
package enum Report {
  /// Writes the report of a run.
  ///
  /// - Parameters:
  ///   - run: The run that the report is about.
  ///   - previous: The complete run before `run`, for the changes.
  ///   - later: Newer runs that did not complete, oldest first.
  ///   - directory: The directory that receives the page and its files.
  ///   - access: The permissions of the files; `nil` for the default permissions.
  /// - Returns: The path of the page.
  /// - Throws: `FileError` if a file of the run cannot be read, or the report cannot be written.
  package static func write(
    _ run: ReportedRun, previous: EarlierRun, later: [UnfinishedRun], to directory: String,
    _ access: FileAccess? = nil
  ) throws -> String {
    try PageWriter(directory: directory, access: access).write(
      page(run, previous: previous, later: later), to: run.name + ".html", figures: run.name)
  }

  /// Writes a page that names the newest failure of a pipeline without a complete run.
  ///
  /// - Parameters:
  ///   - failed: The incomplete runs of the pipeline, oldest first; not empty.
  ///   - name: The name of the pipeline.
  ///   - directory: The directory that receives the page.
  ///   - tool: The name and version of the program.
  ///   - access: The permissions of the files; `nil` for the default permissions.
  /// - Returns: The path of the page.
  /// - Throws: `FileError` if the page cannot be written.
  package static func write(
    _ failed: [UnfinishedRun], of name: String, to directory: String, tool: String,
    _ access: FileAccess? = nil
  ) throws(FileError) -> String {
    let check = Page.Check(unfinished: failed, after: nil)
    let page = Page(
      title: name, kind: "Morning report", subtitle: "No complete run", mark: .bad,
      question: "Can this run be trusted?", answer: "No", verdict: check.reservation.capitalized + ".",
      answers: [
        Page.Answer(
          id: "steps", mark: .bad, question: "What should you do?", answer: "One thing",
          sentences: [check.step])
      ],
      checks: [check], hasContents: false, sections: [], footer: "Made by \(tool).")
    return try PageWriter(directory: directory, access: access).write(
      page, to: name + ".html", figures: name)
  }

  private static func page(_ run: ReportedRun, previous: EarlierRun, later: [UnfinishedRun]) throws -> Page {
    let verdict = try RunVerdict(run, previous: previous, later: later)
    return Page(
      title: run.name, kind: "Morning report",
      subtitle:
        "\(run.record.map { "Run \(.count($0.number)), as of" as Words } ?? "As of") \(run.snapshot.asOf.inWords)",
      mark: verdict.mark, question: "Can this run be trusted?", answer: verdict.answer,
      verdict: verdict.sentence, answers: [verdict.changes, verdict.steps], checks: verdict.checks,
      sections: [
        .changes(run, since: previous), .data(run), .funnel(run), .quality(run), .slices(run),
        .calibration(run), .exposure(run), try .taste(run), try .map(run), try .examples(run), .caveats(run),
        .run(run), .definitions(run),
      ].compactMap(\.self),
      footer:
        "Made by \(run.snapshot.tool). The data describe people, so this page shows no ids and no exact positions."
    )
  }
}
