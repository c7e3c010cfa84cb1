internal import RunSchemas
import Testing
import Text

@testable import Reports

/// The table that compares the pipeline with other methods.
@Suite struct MethodTableTests {
  @Test func `the longest length is the largest number`() {
    #expect(MethodTable(Found.judged(Found.ranking())).finding == "ndcg@10")
  }

  @Test(arguments: [(9, "–"), (10, "0.700 (0.650 to 0.740)")])
  func `a mean of fewer than ten users is not shown`(_ users: Int, _ shown: String) {
    let table = MethodTable(
      Found.judged(Found.ranking(area: Found.estimate(0.7, users: users, 0.65...0.74)))
    ).table
    #expect(table.rows[0].map(\.shown)[3] == shown)
  }

  @Test(
    arguments: [
      (9, 0.1...0.3, "–"), (10, 0.1...0.3, "*+0.200* (+0.100 to +0.300)"),
      (10, 0.0...0.4, "+0.200 (0.000 to +0.400)"), (10, -0.4...(-0.1), "*+0.200* (-0.400 to -0.100)"),
      (10, -0.4...0.0, "+0.200 (-0.400 to 0.000)"),
    ] as [(Int, ClosedRange<Double>, String)])
  func `a difference is highlighted if its interval excludes 0`(
    _ users: Int, _ interval: ClosedRange<Double>, _ shown: String
  ) {
    let methods = MethodTable(
      Found.judged(Found.ranking(areaDifference: Found.estimate(0.2, users: users, interval))))
    #expect(methods.table.rows[1].map(\.shown)[4] == shown)
    #expect(methods.chart("auc").data.rows.count == (users < 10 ? 0 : 1))
    #expect(methods.chart("auc").table.rows.count == (users < 10 ? 0 : 1))
  }

  @Test(
    arguments: [
      (0.1...0.3, "the pipeline is better"), (0.0...0.3, "no significant difference"),
      (-0.3...0.0, "no significant difference"),
      (-0.3...(-0.1), "the method is better"),
    ] as [(ClosedRange<Double>, String)])
  func `a chart shows a winner if an interval is on one side of 0`(
    _ interval: ClosedRange<Double>, _ reported: String
  ) {
    let methods = MethodTable(
      Found.judged(Found.ranking(areaDifference: Found.estimate(0.2, interval))))
    #expect(methods.chart("auc").data.rows[0][4] == .string(reported))
  }

  /// Nearest first is the order of the pipeline itself, so no test compares the two.
  @Test func `a method that equals the pipeline has no difference`() {
    var figures = Found.ranking().members
    figures["method_order"] = .array(["pipeline", "nearest", "random"])
    figures["differences"] = ["random": ["auc": Found.estimate(0.2, 0.1...0.3)]]
    let rows = MethodTable(Found.judged(.object(figures))).table.rows
    #expect(rows.map { $0.map(\.shown)[4] } == ["–", "same as the pipeline", "*+0.200* (+0.100 to +0.300)"])
  }

  @Test func `tests and metrics of fewer than ten users are not shown`() {
    func methods(_ users: Int) -> MethodTable {
      MethodTable(
        Found.judged(
          Found.ranking(
            otherGain: Found.estimate(0.1, users: users),
            tests: [Found.test("random", "auc", difference: 0.2, p: 0.0004, users: users)])))
    }
    #expect(methods(9).tests.rows.isEmpty)
    #expect(methods(10).tests.shown == ["random order | AUC | +0.200 | < 0.001 | 0.50 | 10"])
    #expect(methods(9).everyMetric.map { $0.shown[1] } == ["random order | –", "random order | –"])
    #expect(methods(10).everyMetric.map { $0.shown[1] } == ["random order | 0.100", "random order | 0.100"])
  }

  @Test func `tests are described in words by their sign`() {
    let tests = [
      Found.test("random", "auc", difference: 0.2, p: 0.01),
      Found.test("nearest", "auc", difference: -0.2, p: 0.01),
      Found.test("like_rate", "auc", difference: -0.2, p: 0.5),
    ]
    let methods = MethodTable(Found.judged(Found.ranking(tests: tests)))
    #expect(
      methods.conclusion("auc").shown
        == "the pipeline is better than random order; worse than nearest first; not significantly different from highest share of likes first."
    )
    #expect(methods.conclusion("ndcg@10").shown == "no other method was evaluated.")
  }

  @Test(arguments: [(9, 9, false), (10, 9, true), (9, 10, true)])
  func `fewer than ten users have no section`(_ finders: Int, _ orderers: Int, _ isReported: Bool) throws {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(
        area: Found.estimate(0.7, users: orderers), gain: Found.estimate(0.3, users: finders))
    ]
    let lines = try Section.quality(world.run()).shown
    #expect(lines.contains { $0.hasPrefix("Fewer than 10 users liked a candidate") } == !isReported)
    #expect(lines.contains { $0.hasPrefix("random order | ") } == isReported)
  }
}
