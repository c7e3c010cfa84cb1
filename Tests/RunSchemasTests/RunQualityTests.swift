import Files
import Testing
import TestSupport
import Text

@testable import RunSchemas

/// Tests the two lines that a run prints about its evaluation.
@Suite struct RunQualityTests {
  private static func method(_ title: String, auc: JSONValue, ndcg: JSONValue) -> JSONValue {
    ["title": .string(title), "ordering": ["auc": auc], "finding": ["ndcg@3": ndcg, "ndcg@10": ndcg]]
  }

  private static func estimate(_ mean: Double, _ low: Double, _ high: Double) -> JSONValue {
    ["users": 500, "mean": .number(mean), "interval": .array([.number(low), .number(high)])]
  }

  private static func quality(difference: JSONValue) -> RunQuality {
    RunQuality([
      "rankings": [
        "near": [
          "method_order": .array(["pipeline", "popular", "random"].map { .string($0) }),
          "methods": [
            "pipeline": method("pipeline", auc: estimate(0.7, 0.65, 0.75), ndcg: estimate(0.125, 0.1, 0.15)),
            "popular": method("like rate", auc: estimate(0.6, 0.5, 0.7), ndcg: estimate(0.11, 0.09, 0.13)),
            "random": method("chance", auc: estimate(0.5, 0.4, 0.6), ndcg: estimate(0.02, 0.01, 0.03)),
          ],
          "tests": .array([
            ["method": "popular", "metric": "ndcg@10"], ["method": "random", "metric": "ndcg@10"],
          ]),
          "differences": ["popular": ["ndcg@10": difference]],
        ]
      ]
    ])
  }

  @Test(arguments: [
    (0.015, 0.001, 0.029, "the pipeline is better (difference 0.015 [0.001, 0.029])"),
    (0.015, -0.001, 0.031, "no significant difference (difference 0.015 [-0.001, 0.031])"),
    (0.015, 0, 0.03, "no significant difference (difference 0.015 [0.000, 0.030])"),
    (-0.02, -0.03, -0.01, "the pipeline is worse (difference -0.020 [-0.030, -0.010])"),
  ])
  func `the interval decides the comparison`(_ mean: Double, _ low: Double, _ high: Double, verdict: String) {
    #expect(
      Self.quality(difference: Self.estimate(mean, low, high)).lines == [
        "near: AUC 0.700 [0.650, 0.750], nDCG@10 0.125 [0.100, 0.150]",
        "best other method by nDCG@10: like rate, 0.110; " + verdict,
      ])
  }

  @Test func `the best other method has the highest mean, and the pipeline does not count`() throws {
    let methods: JSONValue = [
      "pipeline": ["finding": ["ndcg@10": ["mean": .number(0.2)]]],
      "popular": ["finding": ["ndcg@10": ["mean": .number(0.1)]]],
      "random": ["finding": ["ndcg@10": ["mean": .number(0.15)]]],
      "same": ["finding": ["ndcg@10": ["mean": .number(0.9)]]],
    ]
    let figures: JSONValue = [
      "method_order": .array(["pipeline", "popular", "random", "same"]), "methods": methods,
      "tests": .array([["method": "popular"], ["method": "random"]]),
      "differences": [
        "popular": ["ndcg@10": ["mean": .number(0.1)]], "same": ["ndcg@10": ["mean": 0]],
        "random": ["ndcg@10": ["users": 9]],
      ],
    ]
    let quality = RunQuality(["rankings": ["b": figures, "a": figures, "c": figures]])
    #expect(quality.rankings.map(\.name) == ["a", "b", "c"])
    let ranking = try #require(quality.rankings.first)
    #expect(ranking.baseline?.method == "random" && ranking.baseline?.difference == nil)
    #expect(ranking.differences.mapValues(\.mean) == ["popular": 0.1] && ranking.ordering == nil)
    #expect(
      quality.lines.prefix(2) == [
        "a: nDCG@10 0.200", "best other method by nDCG@10: random, 0.150; no interval for the difference",
      ])
  }

  @Test func `a run without an evaluation has no quality, and a damaged evaluation is an error`() throws {
    let scratch = try ScratchDirectory()
    #expect(try RunQuality(of: scratch.path) == nil)
    try scratch.write("{", to: "evaluation/metrics.json")
    let error = #expect(throws: FileError.self) { try RunQuality(of: scratch.path) }
    #expect(error?.operation == .read && error?.path == scratch("evaluation/metrics.json"))
  }

  @Test func `without an interval there is no verdict`() {
    let lines = Self.quality(difference: ["users": 3, "mean": .number(0.1)]).lines
    #expect(
      lines.last
        == "best other method by nDCG@10: like rate, 0.110; no interval for the difference (difference 0.100)"
    )
    #expect(RunQuality(["rankings": ["near": [:]]]).lines == ["near: no users with later likes"])
    #expect(RunQuality([:]).lines == [])
  }
}
