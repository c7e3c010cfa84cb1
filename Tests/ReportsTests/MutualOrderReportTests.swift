import RunSchemas
import Testing
import Text

@testable import Reports

/// The report of a ranking in the mutual order. Matches decide, and a loss of own likes is no fault.
@Suite struct MutualOrderReportTests {
  private static func verdict(
    _ word: String = "useful", matches: JSONValue = Found.estimate(0.73, users: 50, 0.68...0.78),
    tests: [JSONValue] = [], passes: Int = 50
  ) throws -> RunVerdict {
    let figures = Found.ranking(
      verdict: word, tests: tests,
      more: [
        "method_order": .array(["pipeline", "one_sided", "random"]),
        "decisions": ["likes": 50, "passes": .integer(passes)],
        "methods": [
          "pipeline": [
            "finding": ["ndcg@10": Found.estimate(0.3, users: 50, 0.25...0.34)],
            "ordering": ["auc": Found.estimate(0.6, users: 50, 0.55...0.65)],
            "matching": ["match_auc": matches, "match_at_1": matches],
          ],
          "one_sided": [
            "finding": ["ndcg@10": Found.estimate(0.5, users: 50, 0.45...0.54)],
            "ordering": ["auc": Found.estimate(0.8, users: 50, 0.75...0.85)],
            "matching": ["match_auc": Found.estimate(0.6, users: 50, 0.55...0.65)],
          ],
          "random": ["finding": ["ndcg@10": Found.estimate(0.1, users: 50, 0.05...0.14)]],
        ],
      ])
    var world = try RunByHand()
    world.judged = ["near": figures]
    return try RunVerdict(world.run(), previous: .none, later: [])
  }

  private static func quality(_ verdict: RunVerdict) throws -> Page.Check {
    try #require(verdict.checks.first { (check: Page.Check) in check.title == "Quality" })
  }

  private static let lostLikes = [
    Found.test("one_sided", "ndcg@10", difference: -0.2, p: 0.001),
    Found.test("one_sided", "auc", difference: -0.2, p: 0.001),
    Found.test("one_sided", "match_auc", difference: 0.13, p: 0.001),
  ]

  @Test(arguments: [50, 0]) func `a loss of own likes is no fault`(passes: Int) throws {
    let verdict = try Self.verdict(tests: Self.lostLikes, passes: passes)
    let check = try Self.quality(verdict)
    #expect(check.mark == .good && check.figure.shown == "AUC of matches 0.730")
    #expect(check.meaning.shown == "95 % interval 0.680 to 0.780, over 50 users; 0.5 is chance")
    #expect(
      verdict.sentence.shown.contains(
        "scores put later matches above other decisions more often than chance does, and no other method is better"
      ))
  }

  @Test func `a method that ranks matches higher is named`() throws {
    let tests = [Found.test("one_sided", "match_auc", difference: -0.1, p: 0.001)]
    let verdict = try Self.verdict("beaten", tests: tests)
    #expect(try Self.quality(verdict).mark == .attention)
    #expect(verdict.sentence.shown.contains("but less often than ‘own scores alone’"))
  }

  @Test func `without matches the quality is unknown`() throws {
    let check = try Self.quality(
      Self.verdict("too_few_users", matches: Found.estimate(nil, users: 0)))
    #expect(check.mark == .unknown)
    #expect(check.meaning.shown == "0 users had both a match and another answered decision after the cut")
  }
}
