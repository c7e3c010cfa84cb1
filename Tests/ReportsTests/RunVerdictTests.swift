import Columns
import Files
import Foundation
import TestSupport
import Testing
import Text

@testable import Reports

/// Whether a run can be trusted. The tests use the exact thresholds.
@Suite struct RunVerdictTests {
  private static func verdict(
    _ world: RunByHand, previous: RunByHand? = nil, later: [UnfinishedRun] = []
  ) throws -> RunVerdict {
    try RunVerdict(
      world.run(), previous: previous.map { .read(try $0.run()) } ?? .none, later: later)
  }

  private static func check(_ title: String, _ world: RunByHand) throws -> Page.Check {
    try #require(try verdict(world).checks.first { $0.title == title })
  }

  private static func source(_ read: Int, _ rejected: Int) -> JSONValue {
    [
      "read": .integer(read), "kept": .integer(read - rejected),
      "rejected": rejected == 0 ? [:] : ["bad_time": .integer(rejected)],
    ]
  }

  @Test(
    arguments: [
      ("0.2", 100, 5, .good), ("0.2", 100, 6, .attention), ("0.02", 100, 1, .good),
      ("0.02", 100, 2, .attention), ("0.02", 0, 0, .bad),
    ] as [(String, Int, Int, Page.Mark)])
  func `more than 5 % of rejects, or more than half of the limit, needs attention`(
    _ limit: String, _ read: Int, _ rejected: Int, _ mark: Page.Mark
  ) throws {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rejectLimit: limit)
    world.sources = ["swipes": Self.source(read, rejected)]
    #expect(try Self.check("Rows rejected", world).mark == mark)
  }

  @Test func `the source with the largest share of rejects counts, and an empty source needs attention`()
    throws
  {
    var world = try RunByHand()
    world.sources = ["people": Self.source(1000, 0), "swipes": Self.source(50, 3)]
    #expect(try Self.check("Rows rejected", world).mark == .attention)
    world.sources = ["people": Self.source(1000, 0), "swipes": Self.source(0, 0)]
    let check = try Self.check("Rows rejected", world)
    #expect(check.mark == .attention && check.meaning.shown == "0 of 1 000 rows, by 0 rules")
  }

  @Test(
    arguments: [(0, .good), (20, .good), (21, .attention), (99, .attention), (100, .bad)]
      as [(Int, Page.Mark)])
  func `more than a fifth of users without candidates need attention`(_ empty: Int, _ mark: Page.Mark) throws
  {
    var world = try RunByHand()
    world.lists = ["near": RunByHand.list(users: 100, full: 0, empty: empty)]
    let check = try Self.check("Users served", world)
    #expect(check.mark == mark)
    #expect(
      check.meaning.shown
        == "\(100 - empty) of 100 users have at least one candidate, and 0 have a full list")
  }

  @Test func `the report and the alert have the same limit on empty lists`() throws {
    let alerts = try String(contentsOfFile: "pipelines/schedule/alerts.yaml", encoding: .utf8)
    #expect(alerts.contains("nightjar_empty_lists_ratio > \(RunVerdict.manyEmpty)\n"))
  }

  @Test func `the list that serves the smallest share of users counts`() throws {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rankings: ["far", "near"])
    world.lists = [
      "far": RunByHand.list(users: 100, full: 0, empty: 10),
      "near": RunByHand.list(users: 10, full: 0, empty: 9),
    ]
    let check = try Self.check("Users served", world)
    #expect(check.mark == .attention && check.figure.shown == "10.0 %")
    #expect(check.meaning.shown.contains("of near, the ranking that serves the smallest share,"))
  }

  @Test func `a list without users is wrong`() throws {
    var world = try RunByHand()
    world.lists = ["near": RunByHand.list(users: 0, full: 0, empty: 0)]
    #expect(try Self.check("Users served", world).mark == .bad)
    world.lists = ["near": RunByHand.list(users: 1, full: 1, empty: 0)]
    #expect(try Self.check("Users served", world).mark == .good)
  }

  @Test(arguments: ["pending", "among"])
  func `lists of waiting or chosen people may be empty`(key: String) throws {
    var world = try RunByHand()
    world.lists = ["near": RunByHand.list(users: 10, full: 0, empty: 10)]
    world.yaml = RunByHand.yaml(rankings: []).replacing(
      "rankings:\n",
      with:
        "rankings:\n  near: { users: people, candidates: people, top: 10, order_by: distance, exclude: [self], \(key): swipes }\n"
    )
    #expect(try Self.check("Lists", world).mark == .good)
  }

  @Test(
    arguments: [
      ("useful", 10, .good), ("useful", 9, .unknown), ("beaten", 10, .attention),
      ("nothing_learned", 10, .bad), ("too_few_users", 50, .unknown), ("no such word", 50, .unknown),
    ] as [(String, Int, Page.Mark)])
  func `an evaluation of ten users has a verdict`(_ word: String, _ users: Int, _ mark: Page.Mark) throws {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(area: Found.estimate(0.7, users: users, 0.6...0.8), verdict: word)
    ]
    let check = try Self.check("Quality", world)
    #expect(check.mark == mark)
    if users < 10 {
      #expect(check.meaning.shown == "fewer than 10 users both liked and passed after the cut")
    }
  }

  @Test func `lists that another method beats need attention, even with useful scores`() throws {
    var world = try RunByHand()
    let tests = [
      Found.test("random", "ndcg@10", difference: -0.2, p: 0.04),
      // The difference is not significant, so the sentence does not name this method.
      Found.test("nearest", "ndcg@10", difference: -0.2, p: 0.5),
      Found.test("random", "auc", difference: 0.2, p: 0.001),
    ]
    world.judged = ["near": Found.ranking(otherGain: Found.estimate(0.5), tests: tests)]
    let verdict = try Self.verdict(world)
    #expect(verdict.mark == .attention && verdict.answer == "With reservations")
    #expect(verdict.sentence.shown.contains("the lists of ‘random order’ contain more"))
  }

  @Test func `the worst ranking counts`() throws {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rankings: ["far", "near"])
    world.judged = ["far": Found.ranking(verdict: "beaten"), "near": Found.ranking()]
    let verdict = try Self.verdict(world)
    #expect(verdict.mark == .attention && verdict.sentence.shown.hasPrefix("Far: the scores put"))
  }

  @Test func `a run without an evaluation is not reported as good`() throws {
    let verdict = try Self.verdict(RunByHand())
    #expect(verdict.mark == .unknown && verdict.answer == "Unknown")
    #expect(verdict.sentence.shown.hasPrefix("The quality of the lists is unknown, because"))
    var world = try RunByHand()
    world.judged = [:]
    #expect(try Self.verdict(world).checks[0].figure.shown == "not evaluated")
  }

  @Test func `a good run is trusted, and problems are named`() throws {
    var world = try RunByHand()
    world.judged = ["near": Found.ranking()]
    let good = try Self.verdict(world)
    #expect(good.answer == "Yes" && good.sentence.shown.hasPrefix("The scores put"))
    #expect(good.sentence.shown.hasSuffix("no other method is better."))
    world.sources = ["swipes": Self.source(100, 6)]
    let rejects = try Self.verdict(world)
    #expect(
      rejects.sentence.shown.hasSuffix(", but a source is empty or has many rejected or dangling rows."))
  }

  @Test func `a newer failed run is reported first`() throws {
    var world = try RunByHand()
    world.judged = ["near": Found.ranking()]
    let one = try Self.verdict(world, later: [UnfinishedRun(number: 3, failure: ("ingest", 65))])
    #expect(one.mark == .bad && one.answer == "No")
    #expect(one.checks.last?.figure.shown == "run 3 failed in ingest (status 65)")
    let two = try Self.verdict(
      world, later: [UnfinishedRun(number: 3, failure: nil), UnfinishedRun(number: 4, failure: nil)])
    #expect(two.checks.last?.figure.shown == "run 4 was interrupted or is still running")
  }

  @Test func `a run is compared with the previous one if there is one`() throws {
    var (before, after) = (try RunByHand(), try RunByHand())
    after.judged = ["near": Found.ranking()]
    before.judged = after.judged
    #expect(try Self.verdict(after).changes.answer == "Unknown")
    let same = try Self.verdict(after, previous: before)
    #expect(same.changes.answer == "Little" && same.mark == .good)
    var changed = after
    changed.sources = ["swipes": ["read": 200, "kept": 200]]
    let verdict = try Self.verdict(changed, previous: before)
    #expect(
      verdict.mark == .attention
        && verdict.sentence.shown.hasSuffix(", but a main figure changed considerably."))
    #expect(verdict.changes.sentences.map(\.shown) == ["swipes kept: from 100 in run 2 to 200"])
    #expect(verdict.steps.sentences.map(\.shown) == ["Check that the changes are intended."])
  }

  @Test func `the same exports as before change nothing`() throws {
    var (before, after) = (try RunByHand(), try RunByHand())
    before.inputs = [FileDigest(path: "swipes.csv", bytes: 1, sha256: "ab", rows: 1)]
    after.inputs = before.inputs
    #expect(try Self.verdict(after, previous: before).changes.answer == "Nothing")
    after.inputs[0].sha256 = "cd"
    #expect(try Self.verdict(after, previous: before).changes.answer == "Little")
  }

  @Test func `the steps begin with the most urgent one`() throws {
    var world = try RunByHand()
    world.judged = ["near": Found.ranking()]
    #expect(try Self.verdict(world).steps.answer == "Nothing")
    world.sources = ["swipes": Self.source(100, 6)]
    let steps = try Self.verdict(world, later: [UnfinishedRun(number: 3, failure: ("ingest", 65))]).steps
    #expect(steps.answer == "2 things" && steps.sentences[0].shown.contains("the log of run 3"))
  }

  @Test func `a pipeline that cannot be evaluated needs no evaluation`() throws {
    var world = try RunByHand()
    world.yaml = world.yaml.replacing(
      "value: { from: way, map: { r: 1, l: -1 } }", with: "value: { from: way, range: [1, 5] }")
    let verdict = try Self.verdict(world)
    #expect(verdict.answer == "Yes" && !verdict.checks.contains { $0.title == "Quality" })
    #expect(try Section.quality(world.run()).shown[0].hasPrefix("The pipeline has nothing to evaluate"))
  }
}

/// How much a figure may change between two runs.
@Suite struct DriftTests {
  private static func drift(_ before: RunByHand, _ after: RunByHand) throws -> Drift {
    Drift(from: try before.run(), to: try after.run(), titles: ("run 1", "run 2"))
  }

  @Test(
    arguments: [
      (100, 110, false), (100, 111, true), (100, 90, false), (100, 89, true), (0, 0, false), (0, 1, true),
    ])
  func `a number may move by a tenth`(_ old: Int, _ new: Int, _ isMuch: Bool) throws {
    var (before, after) = (try RunByHand(), try RunByHand())
    before.sources = ["swipes": ["read": 200, "kept": .integer(old)]]
    after.sources = ["swipes": ["read": 200, "kept": .integer(new)]]
    let drift = try Self.drift(before, after)
    #expect(drift.changed.map(\.name) == (isMuch ? ["swipes kept"] : []))
    let change = (new > old ? "+" : "") + String(new - old)
    #expect(drift.table.shown[0] == "swipes kept | \(old) | \(new) | \(isMuch ? "*\(change)*" : change)")
  }

  @Test(
    arguments: [
      (0, 0.05, false), (0, 0.0501, true), (0.05, 0, false), (0.7, 0.6, true), (0.5, 0.5, false),
    ])
  func `a metric may move by five points`(_ old: Double, _ new: Double, _ isMuch: Bool) throws {
    var (before, after) = (try RunByHand(), try RunByHand())
    before.judged = ["near": Found.ranking(area: Found.estimate(old))]
    after.judged = ["near": Found.ranking(area: Found.estimate(new))]
    #expect(try Self.drift(before, after).changed.map(\.name) == (isMuch ? ["AUC of near"] : []))
  }

  @Test(arguments: [(50, 47, false), (50, 44, true)])
  func `a share may move by five points`(_ old: Int, _ new: Int, _ isMuch: Bool) throws {
    var (before, after) = (try RunByHand(), try RunByHand())
    before.lists = ["near": RunByHand.list(users: 100, full: 10, empty: old)]
    after.lists = ["near": RunByHand.list(users: 100, full: 10, empty: new)]
    #expect(try Self.drift(before, after).changed.map(\.name) == (isMuch ? ["users served of near"] : []))
  }

  @Test func `a metric of nine users is not a figure of a run`() throws {
    func names(_ users: Int) throws -> [String] {
      var world = try RunByHand()
      world.judged = ["near": Found.ranking(area: Found.estimate(0.7, users: users))]
      return MainFigure.all(of: try world.run()).map(\.name)
    }
    #expect(try !names(9).contains("AUC of near") && names(9).contains("nDCG@10 of near"))
    #expect(try names(10).contains("AUC of near"))
  }

  @Test func `the main figures are computed from the run's counts`() throws {
    var world = try RunByHand()
    world.sources = ["swipes": ["read": 200, "kept": 150, "rejected": ["bad_time": 20, "bad_id": 10]]]
    world.lists = ["near": RunByHand.list(users: 100, full: 20, empty: 40)]
    let figures = MainFigure.all(of: try world.run())
    #expect(
      figures.map(\.name) == [
        "swipes kept", "rows rejected", "users served of near", "full lists of near",
      ])
    #expect(figures.map(\.value) == [150, 0.15, 0.6, 0.2])
    world.lists = ["near": RunByHand.list(users: 0, full: 0, empty: 0)]
    #expect(MainFigure.all(of: try world.run()).map(\.name) == ["swipes kept", "rows rejected"])
  }

  @Test func `a changed pipeline file is named as a possible cause`() throws {
    var (before, after) = (try RunByHand(), try RunByHand())
    #expect(try Self.drift(before, after).haveSameSettings)
    after.yaml = RunByHand.yaml(rejectLimit: "0.3")
    #expect(try !Self.drift(before, after).haveSameSettings)
    before.lists = [:]
    #expect(try Self.drift(before, after).table.rows.count == 2, "only figures of both runs are compared")
  }
}

/// The age of a run's data.
@Suite struct FreshnessTests {
  private static let day: Int64 = 86_400_000

  private static func world(_ times: [Int64], from: String) throws -> RunByHand {
    var world = try RunByHand()
    world.asOfFrom = .string(from)
    world.asOf = Instant(milliseconds: 10 * day)
    try world.writeTimes(times)
    return world
  }

  @Test(
    arguments: [
      (2 * day, true, "2 days"), (2 * day - 1, false, "1 day"), (0, false, "less than a day"),
      (12 * day / 10 * 10 + day / 2, true, "12 days"),
    ] as [(Int64, Bool, String)])
  func `exports are old after two days, and ages are whole days`(_ age: Int64, _ isOld: Bool, _ text: String)
    throws
  {
    let run = try Self.world([10 * Self.day - age], from: "clock").run()
    let freshness = try #require(try Freshness(run))
    #expect(freshness.isOld == isOld && freshness.days == Double(age) / 86_400_000)
    #expect(freshness.check.figure.shown == text)
    let checks = try RunVerdict(run, previous: .none, later: []).checks
    #expect(checks.contains { $0.title == "Age of the exports" } == isOld)
  }

  @Test(arguments: [["swipes"], ["votes"], []])
  func `the newest interaction of any kind counts`(_ kinds: [String]) throws {
    var world = try Self.world(kinds.contains("swipes") ? [7 * Self.day] : [], from: "clock")
    world.yaml = world.yaml.replacing(
      "rankings:",
      with: """
          votes:
            source: { path: votes.csv }
            user: who
            candidate: whom
            at: at
            value: { from: way, map: { r: 1, l: -1 } }
        rankings:
        """)
    var directory = try StageDirectory("votes", in: world.scratch("snapshot/interactions"))
    let times: [Int64] = kinds.contains("votes") ? [2 * Self.day, 5 * Self.day] : []
    try Column.write(times, to: "at.npy", in: &directory)
    _ = try directory.complete(
      Manifest(
        tool: "", stage: "", pipeline: "", configuration: .null, asOf: world.asOf, seed: 0, counts: [:]))
    let expected: Double? = kinds == ["swipes"] ? 3 : kinds == ["votes"] ? 5 : nil
    #expect(try Freshness(world.run())?.days == expected)
  }

  @Test(
    arguments: [("given", 3), ("clock", 3), ("newest_interaction", nil), ("newest_check_in", nil)]
      as [(String, Double?)])
  func `only exports that should be new can be old`(from: String, _ days: Double?) throws {
    let times = [3 * Self.day, 7 * Self.day, 5 * Self.day]
    #expect(try Freshness(Self.world(times, from: from).run())?.days == days)
    #expect(try Freshness(Self.world([], from: from).run()) == nil)
  }
}
