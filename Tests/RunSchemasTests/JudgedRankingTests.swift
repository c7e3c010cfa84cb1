import Testing
import Text

@testable import RunSchemas

/// The evaluation of one ranking, as `metrics.json` contains it.
@Suite struct JudgedRankingTests {
  private static func ranking(_ figures: JSONValue = [:]) -> JudgedRanking {
    JudgedRanking(name: "near", figures: figures)
  }

  @Test(
    arguments: [
      (0.1, 0.049, nil, 1), (0.1, 0.05, nil, 0), (-0.1, 0.01, nil, -1), (0, 0.01, nil, 0),
      (0.1, 0.01, 0.0...0.2, 0), (0.1, 0.01, -0.2...0.0, 0), (0.1, 0.01, 0.01...0.2, 1),
      (-0.1, 0.01, -0.2...(-0.01), -1), (0.1, nil, 0.01...0.2, 0), (nil, 0.01, 0.01...0.2, 0),
    ] as [(Double?, Double?, ClosedRange<Double>?, Int)])
  func `a declared test agrees with the evaluation's own verdict`(
    _ difference: Double?, _ p: Double?, _ cluster: ClosedRange<Double>?, _ sign: Int
  ) {
    var figures: [String: JSONValue] = [
      "method": "random", "metric": "auc", "users": 7, "effect_size": .number(0.5),
    ]
    figures["difference"] = difference.map { .number($0) }
    figures["p_holm"] = p.map { .number($0) }
    figures["interval_by_cluster"] = cluster.map { .array([.number($0.lowerBound), .number($0.upperBound)]) }
    let test = DeclaredTest(.object(figures))
    #expect(test.sign == sign && test.users == 7 && test.effectSize == 0.5)
  }

  @Test(arguments: [(4, nil), (5, 5), (6, 6)] as [(Int, Int?)])
  func `five clusters are enough for resampling`(_ clusters: Int, _ reported: Int?) {
    let judged = Self.ranking(["clusters": .integer(clusters)])
    #expect(judged.clusters == reported)
    let byUser: JSONValue = ["mean": .number(0.5), "interval": .array([.number(0.4), .number(0.6)])]
    let byBoth: JSONValue = [
      "mean": .number(0.5), "interval": .array([.number(0.4), .number(0.6)]),
      "interval_by_cluster": .array([.number(0.3), .number(0.7)]),
    ]
    #expect(judged.interval(Estimate(byBoth))?.low == (reported == nil ? 0.4 : 0.3))
    // If there is no interval by clusters, the interval by users is used.
    #expect(judged.interval(Estimate(byUser))?.high == 0.6)
    #expect(Estimate(["interval": .array([.number(0.4)])]).interval == nil && Estimate(nil).users == 0)
  }

  @Test func `methods, metrics and lengths equal the evaluation's`() {
    let finding: JSONValue = [
      "ndcg@3": ["mean": .number(0.1)], "ndcg@10": ["mean": .number(0.2)], "ndcg@9": ["mean": .number(0.3)],
    ]
    let area: JSONValue = ["users": 3, "mean": .number(0.7)]
    let judged = Self.ranking([
      "method_order": .array(["pipeline", "random", "same"]), "verdict": "nothing_learned",
      "methods": [
        "pipeline": ["ordering": ["auc": area], "finding": finding], "random": ["title": "random order"],
      ],
      "differences": ["random": ["auc": ["mean": .number(0.25)]]],
      "tests": .array([["method": "random", "metric": "auc"]]),
    ])
    #expect(judged.methods == ["pipeline", "random", "same"] && judged.longest == 10)
    #expect(judged.metrics == ["ndcg@10", "ndcg@3", "ndcg@9"])
    #expect(judged.title("random") == "random order" && judged.title("same") == "same")
    #expect(judged.methods.map(judged.isPipelinesOwn) == [false, false, true])
    #expect(judged.estimate("pipeline", "auc").mean == 0.7 && judged.estimate("pipeline", "auc").users == 3)
    #expect(judged.estimate("pipeline", "ndcg@9").mean == 0.3)
    #expect(judged.difference("random", "auc").mean == 0.25 && judged.difference("same", "auc").mean == nil)
    #expect(judged.verdict == .nothingLearned && Self.ranking().verdict == .tooFewUsers)
    #expect(Self.ranking().longest == 0 && Self.ranking().metrics.isEmpty && Self.ranking().tests.isEmpty)
  }
}
