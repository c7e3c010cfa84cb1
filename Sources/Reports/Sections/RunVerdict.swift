internal import Files
internal import PipelineFile
internal import RunSchemas

/// The verdict on a run. One sentence states whether the run can be trusted, and figures support the
/// sentence.
struct RunVerdict {
  let mark: Page.Mark
  let sentence: Words
  let checks: [Page.Check]
  /// The changes since the previous complete run.
  let changes: Page.Answer
  /// The steps for the reader, most urgent first.
  let steps: Page.Answer

  /// Derives the verdict from the figures of the run.
  ///
  /// - Parameters:
  ///   - run: The run to judge.
  ///   - previous: The complete run before `run`.
  ///   - later: Newer runs that did not complete.
  /// - Throws: `FileError` if the snapshot cannot be read.
  init(_ run: ReportedRun, previous: EarlierRun, later: [UnfinishedRun]) throws(FileError) {
    let quality = Self.quality(run)
    let changes = RunChanges(from: previous, to: run)
    var others = [Self.data(run), Self.lists(run)]
    if let freshness = try Freshness(run), freshness.isOld { others.append(freshness.check) }
    if !later.isEmpty { others.append(Page.Check(unfinished: later, after: run)) }
    checks = [quality?.check].compactMap(\.self) + others
    self.changes = changes.answer
    let all = checks + [changes.check]
    mark = all.map(\.mark).max() ?? .unknown
    let reservations = all.filter { $0.mark > .unknown && !$0.reservation.isEmpty }
    let conclusion = quality?.sentence ?? "Nightjar found no fault in the data and the lists"
    if let quality {
      sentence =
        quality.sentence.capitalized
        + (reservations.isEmpty
          ? "."
          : (quality.check.mark > .unknown ? ". Also, " : ", but ")
            + reservations.map(\.reservation).joinedAsSentence + ".")
    } else {
      sentence =
        (reservations.isEmpty ? conclusion : reservations.map(\.reservation).joinedAsSentence).capitalized
        + "."
    }
    let urgent = all.enumerated().filter { !$0.element.step.isEmpty && $0.element.mark > .good }
      .sorted { ($1.element.mark, $0.offset) < ($0.element.mark, $1.offset) }
    steps = Page.Answer(
      id: "steps", mark: urgent.isEmpty ? .good : mark, question: "What should you do?",
      answer: urgent.isEmpty ? "Nothing" : urgent.count == 1 ? "One thing" : "\(urgent.count) things",
      sentences: urgent.isEmpty ? ["No figure of this run needs your attention."] : urgent.map(\.element.step)
    )
  }

  /// The short answer to the question 'Can this run be trusted?'.
  var answer: String {
    switch mark {
    case .good: "Yes"
    case .unknown: "Unknown"
    case .attention: "With reservations"
    case .bad: "No"
    }
  }

  // MARK: Data

  /// The share of rejected rows above which a source needs attention. If half of the source's limit on
  /// rejected rows is smaller, the half applies instead.
  static let manyRejects = 0.05

  private static func data(_ run: ReportedRun) -> Page.Check {
    let sources = run.sources
    let (read, rejected) = (sources.reduce(0) { $0 + $1.read }, sources.reduce(0) { $0 + $1.rejected })
    guard let share = Figure.share(rejected, of: read) else {
      return Page.Check(
        mark: .bad, title: "Rows rejected", figure: "no rows", meaning: "the exports contain no rows",
        reservation: "the exports contain no rows",
        step: "Check that the pipeline file names the right exports, and that the app wrote them.")
    }
    // The limits apply to each source separately.
    let isNotable = sources.contains { source in
      let read = run.pipeline.sources.first { $0.name == source.name }
      guard source.read > 0, let read else { return true }
      let limits = run.pipeline.rowLimits(of: read.source)
      let rejected = source.share(.rejected)
      return rejected > min(manyRejects, limits.rejected / 2)
        || source.share(.dangling) > limits.dangling / 2
    }
    let rules = Set(sources.flatMap { $0.rules(.rejected).map(\.rule) }).count
    let others: [Words] = [RuleOutcome.dangling, .notAllowed].compactMap { outcome in
      let rows = sources.reduce(0) { $0 + $1.rows(outcome) }
      return rows == 0 ? nil : "\(.count(rows)) \(outcome.words)"
    }
    return Page.Check(
      mark: isNotable ? .attention : .good, title: "Rows rejected", figure: Words(share),
      meaning: (["\(.count(rejected)) of \(read, "row"), by \(rules, "rule")"] + others).joined(
        separator: "; "),
      reservation: "a source is empty or has many rejected or dangling rows",
      step: "See \("the rows of each source", to: "#data"), and inform the team that writes the exports.")
  }

  // MARK: Lists

  /// The share of users with an empty list above which a ranking needs attention. The alert on
  /// empty lists in `pipelines/schedule/alerts.yaml` has the same limit.
  static let manyEmpty = 0.2

  private static func lists(_ run: ReportedRun) -> Page.Check {
    let lists = run.lists.filter { !$0.ranking.listsGivenCandidates }
    guard let worst = lists.min(by: { $0.shareServed < $1.shareServed }) else {
      let isWithoutLists = run.lists.isEmpty
      return Page.Check(
        mark: .good, title: "Lists", figure: isWithoutLists ? "none" : "not judged",
        meaning: isWithoutLists
          ? "this pipeline has no rankings for users"
          : "lists of pending or chosen candidates can be empty in a good night")
    }
    let step: Words = "Find out \("why lists are empty", to: "#funnel")."
    guard worst.users > 0 else {
      return Page.Check(
        mark: .bad, title: "Users served", figure: "no users", meaning: "no user is eligible for lists",
        reservation: "no user is eligible for lists", step: step)
    }
    let empty = Double(worst.empty) / Double(worst.users)
    let mark: Page.Mark = empty == 1 ? .bad : empty > manyEmpty ? .attention : .good
    let which: Words =
      lists.count > 1 ? " of \(worst.ranking.name), the ranking that serves the smallest share," : ""
    return Page.Check(
      mark: mark, title: "Users served", figure: .init(.share(worst.shareServed)),
      meaning:
        "\(.count(worst.users - worst.empty)) of \(worst.users, "user")\(which) have at least one candidate, and \(.count(worst.full)) have a full list",
      reservation: mark == .bad
        ? "all lists are empty" : "over \(.limit(manyEmpty)) of users have an empty list", step: step)
  }
}

extension [Words] {
  /// The elements as a part of a sentence, such as `a, b and c`.
  var joinedAsSentence: Words {
    guard count > 1, let last else { return joined(separator: "") }
    return Array(dropLast()).joined(separator: ", ") + " and " + last
  }
}
