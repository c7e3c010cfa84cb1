import RunSchemas
import Testing
import Text

@testable import Reports

/// The report of interactions that are all likes, such as follows and visits. There is no AUC, so nDCG decides.
@Suite struct LikesAloneTests {
  /// A ranking whose later interactions are 100 likes. As in an evaluation of likes alone, the figures of
  /// order have no users and no mean.
  private static func ranking(
    verdict: String = "useful", gain: JSONValue = Found.estimate(0.3, users: 50, 0.25...0.34),
    tests: [JSONValue] = [Found.test("random", "ndcg@10", difference: 0.2, p: 0.001)],
    slices: [JSONValue] = [], passes: Int = 0
  ) -> JSONValue {
    let none = Found.estimate(nil, users: 0)
    return Found.ranking(
      area: none, gain: gain, otherArea: none, areaDifference: none, verdict: verdict, tests: tests,
      calibration: [
        "decisions": 100, "brier": .number(0.2),
        "bins": .array([["decisions": 100, "mean_prediction": .number(0.5), "liked": 1]]),
      ],
      more: [
        "decisions": ["likes": 100, "passes": .integer(passes)], "slices": ["city": .array(slices)],
      ])
  }

  private static func run(_ figures: JSONValue) throws -> ReportedRun {
    var world = try RunByHand()
    world.judged = ["near": figures]
    return try world.run()
  }

  private static func quality(_ figures: JSONValue) throws -> Page.Check {
    let verdict = try RunVerdict(run(figures), previous: .none, later: [])
    return try #require(verdict.checks.first { (check: Page.Check) in check.title == "Quality" })
  }

  @Test func `the quality is nDCG beside random lists`() throws {
    let check = try Self.quality(Self.ranking())
    #expect(check.mark == .good && check.figure.shown == "nDCG@10 0.300")
    #expect(check.meaning.shown == "95 % interval 0.250 to 0.340, over 50 users; random lists have 0.100")
  }

  @Test func `lists like random ones are alarming, and a better method is named`() throws {
    #expect(try Self.quality(Self.ranking(verdict: "nothing_learned")).mark == .bad)
    let tests = [Found.test("popular", "ndcg@10", difference: -0.2, p: 0.001)]
    let run = try Self.run(Self.ranking(verdict: "beaten", tests: tests))
    let verdict = try RunVerdict(run, previous: .none, later: [])
    #expect(verdict.mark == .attention)
    #expect(
      verdict.sentence.shown.contains(
        "than random lists do, but the lists of ‘most popular first’ contain more"))
  }

  @Test(arguments: [(9, Page.Mark.unknown), (10, .good)])
  func `nine users are too few`(_ users: Int, _ mark: Page.Mark) throws {
    let check = try Self.quality(Self.ranking(gain: Found.estimate(0.3, users: users, 0.25...0.34)))
    #expect(check.mark == mark)
    if users < 10 { #expect(check.meaning.shown == "fewer than 10 users liked a candidate after the cut") }
  }

  @Test func `no chart, column or claim is about order`() throws {
    let slice: JSONValue = [
      "slice": "Cork", "users": 50, "auc": Found.estimate(nil, users: 0),
      "ndcg@10": Found.estimate(0.2, users: 50, 0.1...0.3),
    ]
    let run = try Self.run(Self.ranking(slices: [slice]))
    let sections = [
      Section.quality(run), Section.slices(run), Section.calibration(run), Section.caveats(run),
    ].compactMap { $0 }
    #expect(sections.count >= 3)
    let lines = sections.flatMap(\.shown)
    let areas = lines.filter { $0.contains("AUC") }
    #expect(areas.count == 1 && areas.allSatisfy { $0.contains("AUC cannot be computed") }, "\(areas)")
    #expect(lines.contains("Cork | 50 | 0.200 (0.100 to 0.300)"))
    #expect(lines.contains { $0.hasPrefix("This ranking has no calibration. Every later interaction") })
    let charts = sections.flatMap { $0.blocks.charts }
    #expect(charts.count == 2 && charts.allSatisfy { !$0.data.rows.isEmpty })
  }

  @Test func `a comparison of two runs charts nDCG`() throws {
    let (one, other) = (Found.judged(Self.ranking()), Found.judged(Self.ranking()))
    let pair = JudgedPair(one: one, other: other, titles: ("run 1", "run 2"))
    let chart = try #require(pair.blocks.charts.first)
    #expect(chart.title.shown.contains("nDCG@10") && chart.data.rows.count == 4)
  }

  /// This is the negative control: with one pass, the same sections are about AUC.
  @Test func `with one later pass, the sections about order return`() throws {
    let run = try Self.run(Self.ranking(passes: 1))
    #expect(try Self.quality(Self.ranking(passes: 1)).mark == .unknown)
    #expect(!Section.quality(run).shown.contains { $0.contains("AUC cannot be computed") })
  }
}
