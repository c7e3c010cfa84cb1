internal import PipelineFile
internal import Tables

/// Whether a run can be trusted: in one sentence, and by the few figures that it is made of.
struct RunVerdict {
  let mark: Page.Mark
  let sentence: Words
  let checks: [Page.Check]

  /// - Parameters:
  ///   - run: The run.
  ///   - later: What is known of newer runs that did not end well.
  init(_ run: ReportedRun, later: [UnfinishedRun]) {
    let quality = Self.quality(run)
    let data = Self.data(run)
    let lists = Self.lists(run)
    checks = [data, lists, quality.check] + (later.isEmpty ? [] : [Self.unfinished(later, run)])
    mark = checks.map(\.mark).max() ?? .unknown
    var reservations: [Words] = []
    if let newest = later.last { reservations.append(newest.words) }
    if data.mark > .unknown { reservations.append("\(data.figure) of the rows were rejected") }
    if lists.mark > .unknown { reservations.append("\(lists.figure) of users have a full list") }
    sentence =
      quality.sentence
      + (reservations.isEmpty ? "" : " And look here: " + reservations.joined(separator: "; ") + ".")
  }

  /// The short answer to whether the run can be trusted.
  var answer: String {
    switch mark {
    case .good: "Yes"
    case .unknown: "Not known"
    case .attention: "With reservations"
    case .bad: "No"
    }
  }

  // MARK: Data

  /// From which share of rejects on somebody should look, whatever the pipeline allows.
  static let manyRejects = 0.05

  private static func data(_ run: ReportedRun) -> Page.Check {
    let sources = run.sources
    let (read, rejected) = (sources.reduce(0) { $0 + $1.read }, sources.reduce(0) { $0 + $1.rejected })
    guard let share = Figure.share(rejected, of: read) else {
      return Page.Check(mark: .bad, title: "Data", figure: "no rows", meaning: "nothing was read at all")
    }
    // Of the worst source, as a limit is one for each.
    let worst = sources.map { $0.read == 0 ? 0 : Double($0.rejected) / Double($0.read) }.max() ?? 0
    let isEmpty = sources.contains { $0.read == 0 }
    let mark: Page.Mark =
      worst > manyRejects || worst > run.pipeline.rejectLimit / 2 || isEmpty ? .attention : .good
    let rules = Set(sources.flatMap { $0.rules.map(\.rule) }).count
    return Page.Check(
      mark: mark, title: "Rows rejected", figure: Words(share),
      meaning: "\(.count(rejected)) of \(read, "row"), by \(rules, "rule")")
  }

  // MARK: Lists

  /// Below which share of full lists, and above which of empty ones, somebody should look.
  static let fewFull = 0.5
  static let manyEmpty = 0.25

  private static func lists(_ run: ReportedRun) -> Page.Check {
    let lists = run.lists
    guard let first = lists.min(by: { $0.shareFull < $1.shareFull }) else {
      return Page.Check(
        mark: .unknown, title: "Lists", figure: "none", meaning: "this pipeline makes no lists for users")
    }
    guard first.users > 0 else {
      return Page.Check(
        mark: .bad, title: "Full lists", figure: "no users", meaning: "there is nobody to make lists for")
    }
    let empty = lists.map { $0.users == 0 ? 0 : Double($0.empty) / Double($0.users) }.max() ?? 0
    let mark: Page.Mark =
      first.full == 0 && first.empty == first.users
      ? .bad
      : first.shareFull < fewFull || empty > manyEmpty ? .attention : .good
    let which: Words = lists.count > 1 ? " of \(first.ranking.name), the list with the fewest" : ""
    return Page.Check(
      mark: mark, title: "Full lists", figure: .init(.share(first.shareFull)),
      meaning: "\(.count(first.full)) of \(first.users, "user")\(which); \(.count(first.empty)) see nobody")
  }

  // MARK: Runs that did not end well

  private static func unfinished(_ later: [UnfinishedRun], _ run: ReportedRun) -> Page.Check {
    Page.Check(
      mark: .bad, title: "Newer runs", figure: "\(.count(later.count)) not complete",
      meaning: "this page is about \(run.title), the last complete one")
  }
}

/// A newer run than the one that is told of, which did not reach its end.
package struct UnfinishedRun: Sendable {
  package var number: Int
  /// The stage that failed, and its status; `nil` where nobody knows.
  package var failure: (stage: String, status: Int32)?

  package init(number: Int, failure: (stage: String, status: Int32)?) {
    (self.number, self.failure) = (number, failure)
  }

  var words: Words {
    guard let failure else { return "run \(.count(number)) was interrupted, or goes on right now" }
    return "run \(.count(number)) failed in \(failure.stage) (status \(.count(Int(failure.status))))"
  }
}

extension ListCounts {
  /// The share of users with a full list; 0 without users.
  var shareFull: Double { users == 0 ? 0 : Double(full) / Double(users) }
}
