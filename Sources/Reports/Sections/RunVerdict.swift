internal import Files
internal import PipelineFile
internal import RunSchemas

/// The verdict whether a run can be trusted: one sentence, and the figures behind it.
struct RunVerdict {
  let mark: Page.Mark
  let sentence: Words
  let checks: [Page.Check]

  /// - Parameters:
  ///   - run: The run.
  ///   - previous: The complete run before it; `nil` if there is none to compare with.
  ///   - later: Newer runs that did not complete.
  /// - Throws: `FileError` if the snapshot cannot be read.
  init(_ run: ReportedRun, previous: ReportedRun?, later: [UnfinishedRun]) throws(FileError) {
    let quality = Self.quality(run)
    var others = [Self.data(run), Self.lists(run)]
    if let previous { others.append(Self.drift(from: previous, to: run)) }
    if let freshness = try Freshness(run), freshness.isOld { others.append(freshness.check) }
    if !later.isEmpty { others.append(Self.unfinished(later, run)) }
    checks = [quality.check] + others
    mark = checks.map(\.mark).max() ?? .unknown
    let reservations = others.filter { $0.mark > .unknown }.map {
      "\($0.title.lowercased()) (\($0.figure))" as Words
    }
    let conclusion: Words =
      mark == .good ? "This run can be trusted: " + quality.sentence : quality.sentence.capitalized
    sentence =
      conclusion
      + (reservations.isEmpty
        ? "."
        : "; " + (quality.check.mark > .unknown ? "also check " : "but check ")
          + reservations.joined(separator: ", ") + ".")
  }

  /// The short answer to the question whether the run can be trusted.
  var answer: String {
    switch mark {
    case .good: "Yes"
    case .unknown: "Unknown"
    case .attention: "With reservations"
    case .bad: "No"
    }
  }

  // MARK: Data

  /// The share of rejects from which the report asks for attention, even if the pipeline allows it.
  static let manyRejects = 0.05

  private static func data(_ run: ReportedRun) -> Page.Check {
    let sources = run.sources
    let (read, rejected) = (sources.reduce(0) { $0 + $1.read }, sources.reduce(0) { $0 + $1.rejected })
    guard let share = Figure.share(rejected, of: read) else {
      return Page.Check(
        mark: .bad, title: "Rows rejected", figure: "no rows", meaning: "the exports contain no rows")
    }
    // The limits apply to each source.
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
        separator: "; "))
  }

  // MARK: Lists

  /// The share of users with empty lists from which the report asks for attention.
  static let manyEmpty = 0.5

  private static func lists(_ run: ReportedRun) -> Page.Check {
    // A list of pending candidates may be empty without a fault of the run.
    let lists = run.lists.filter { $0.ranking.pending == nil }
    guard let worst = lists.min(by: { $0.shareServed < $1.shareServed }) else {
      return Page.Check(
        mark: .good, title: "Lists", figure: "none", meaning: "this pipeline has no rankings for users")
    }
    guard worst.users > 0 else {
      return Page.Check(
        mark: .bad, title: "Users served", figure: "no users", meaning: "no user is eligible for lists")
    }
    let mark: Page.Mark =
      worst.empty == worst.users ? .bad : 1 - worst.shareServed > manyEmpty ? .attention : .good
    let which: Words =
      lists.count > 1 ? " of \(worst.ranking.name), the ranking that serves the smallest share," : ""
    return Page.Check(
      mark: mark, title: "Users served", figure: .init(.share(worst.shareServed)),
      meaning:
        "\(.count(worst.users - worst.empty)) of \(worst.users, "user")\(which) have at least one candidate, \(.count(worst.full)) have a full list"
    )
  }

  // MARK: Changes

  private static func drift(from previous: ReportedRun, to run: ReportedRun) -> Page.Check {
    let changed = Drift(from: previous, to: run, titles: (previous.title, run.title)).changed
    return Page.Check(
      mark: changed.isEmpty ? .good : .attention, title: "Change since \(previous.title)",
      figure: changed.isEmpty ? "small" : "large",
      meaning: changed.isEmpty
        ? "no main figure changed by more than a tenth or 5 points"
        : changed.prefix(3).map { Words(data: $0) }.joined(separator: ", ")
          + (changed.count > 3 ? " and \(.count(changed.count - 3)) others" : ""))
  }

  // MARK: Incomplete runs

  private static func unfinished(_ later: [UnfinishedRun], _ run: ReportedRun) -> Page.Check {
    Page.Check(
      mark: .bad, title: "Newer runs",
      figure: later.count == 1 ? later[0].words : "\(.count(later.count)) incomplete",
      meaning: "this page describes \(run.title), the last complete run before")
  }
}

/// An incomplete run after the reported one.
package struct UnfinishedRun: Sendable {
  package var number: Int
  /// The stage that failed, and its exit status; `nil` if unknown.
  package var failure: (stage: String, status: Int32)?

  package init(number: Int, failure: (stage: String, status: Int32)?) {
    (self.number, self.failure) = (number, failure)
  }

  var words: Words {
    guard let failure else { return "run \(.count(number)) was interrupted or is still running" }
    return "run \(.count(number)) failed in \(failure.stage) (status \(.count(Int(failure.status))))"
  }
}
