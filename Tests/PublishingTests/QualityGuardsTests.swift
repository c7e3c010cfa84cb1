import Files
import PipelineFile
import RunSchemas
import ServingStore
import System
import TestSupport
import Testing
import Text

@testable import Publishing

/// Limits on the quality of lists. A limit is exceeded only if the whole interval is beyond it.
@Suite struct QualityGuardsTests {
  private static func estimate(_ mean: Double, _ low: Double?, _ high: Double?) -> JSONValue {
    var interval = JSONValue.null
    if let low, let high { interval = .array([.number(low), .number(high)]) }
    return ["users": 50, "mean": .number(mean), "interval": interval]
  }

  private typealias Bounds = (low: Double?, high: Double?)

  private static func metrics(
    auc: Bounds = (0.6, 0.7), ndcg: Bounds = (0.1, 0.2), difference: Bounds = (-0.01, 0.01), k: Int = 10
  ) -> JSONValue {
    [
      "rankings": [
        "near": [
          "method_order": .array(["pipeline", "like_rate"].map { .string($0) }),
          "methods": [
            "pipeline": [
              "ordering": ["auc": estimate(0.65, auc.low, auc.high)],
              "finding": .object(["ndcg@\(k)": estimate(0.15, ndcg.low, ndcg.high)]),
            ], "like_rate": ["finding": .object(["ndcg@\(k)": estimate(0.15, 0.1, 0.2)])],
          ],
          "tests": .array([["method": "like_rate", "metric": "ndcg"]]),
          "differences": [
            "like_rate": .object(["ndcg@\(k)": estimate(0, difference.low, difference.high)])
          ],
        ]
      ]
    ]
  }

  private func violated(
    _ now: JSONValue, before: JSONValue? = nil, auc: Double? = nil, drop: Double? = nil,
    method: Baseline? = nil
  ) -> [String] {
    let limits = Pipeline.QualityLimits(aucAtLeast: auc, ndcgDropAtMost: drop, notWorseThan: method)
    return QualityGuards(
      limits: limits, quality: RunQuality(now), earlier: before.map { RunQuality($0) }
    ).violations.map(\.guardName)
  }

  @Test(
    arguments: [
      (0.55, 0.7, false), (0.7, 0.7, false), (0.71, 0.7, true), (1, 0.99, true), (1, nil, false),
    ] as [(Double, Double?, Bool)])
  func `AUC is too low if its whole interval is below the limit`(
    _ limit: Double, _ high: Double?, _ isViolated: Bool
  ) {
    let metrics = Self.metrics(auc: (high.map { _ in 0.6 }, high))
    #expect(violated(metrics, auc: limit) == (isViolated ? ["auc_at_least"] : []))
    #expect(violated(metrics) == [], "without a limit")
  }

  /// The AUC and the nDCG of own likes are below the limits here, because a mutual order must not use them.
  private static func mutual(matches: Bounds, difference: Bounds) -> JSONValue {
    let low = estimate(0.4, 0.3, 0.5)
    return [
      "rankings": [
        "near": [
          "method_order": .array(["pipeline", "one_sided"].map { .string($0) }),
          "methods": [
            "pipeline": [
              "ordering": ["auc": low], "finding": ["ndcg@10": low],
              "matching": ["match_auc": estimate(0.65, matches.low, matches.high)],
            ],
            "one_sided": ["finding": ["ndcg@10": estimate(0.9, 0.8, 1)], "matching": ["match_auc": low]],
          ],
          "tests": .array([["method": "one_sided", "metric": "ndcg"]]),
          "differences": [
            "one_sided": [
              "ndcg@10": estimate(-0.5, -0.6, -0.4),
              "match_auc": estimate(0, difference.low, difference.high),
            ]
          ],
        ]
      ]
    ]
  }

  @Test func `a mutual order is judged by matches`() {
    let good = Self.mutual(matches: (0.6, 0.7), difference: (0.1, 0.3))
    #expect(violated(good, auc: 0.6, method: .oneSided) == [])
    #expect(RunQuality(good).lines[1].contains("the pipeline is better"))
    #expect(RunQuality(good).lines[0].hasPrefix("near: match AUC 0.650 [0.600, 0.700], AUC 0.400"))
    // Without matches, the AUC of own likes does not count either.
    let unknown = Self.mutual(matches: (nil, nil), difference: (nil, nil))
    #expect(violated(unknown, auc: 0.6, method: .oneSided) == [])
    let bad = Self.mutual(matches: (0.4, 0.59), difference: (-0.3, -0.1))
    #expect(violated(bad, auc: 0.6, method: .oneSided) == ["auc_at_least", "not_worse_than"])
  }

  // The earlier mean is 0.15, so a drop by 20 % leads to 0.12.
  @Test(
    arguments: [
      (0.2, 0.121, false), (0.2, 0.119, true), (0, 0.149, true), (0, 0.15, false), (0, 0.151, false),
      (1, 0.001, false),
      (0.2, nil, false),
    ] as [(Double, Double?, Bool)])
  func `nDCG drops too far if its whole interval is below the allowed share of the earlier mean`(
    _ limit: Double, _ high: Double?, _ isViolated: Bool
  ) {
    let now = Self.metrics(ndcg: (high.map { _ in 0 }, high))
    #expect(
      violated(now, before: Self.metrics(), drop: limit) == (isViolated ? ["ndcg_drop_at_most"] : []))
    #expect(violated(now, drop: limit) == [], "without an earlier evaluation")
    #expect(violated(now, before: Self.metrics(k: 5), drop: limit) == [], "with another length of lists")
  }

  /// The other ranking was far better, and is named first.
  @Test func `each ranking is compared with its own earlier figure`() throws {
    let other: JSONValue = [
      "method_order": .array([.string("pipeline")]),
      "methods": ["pipeline": ["finding": ["ndcg@10": Self.estimate(0.9, 0.8, 1)]]],
    ]
    func both(_ near: JSONValue) throws -> JSONValue {
      let own = try #require(near["rankings"]?["near"])
      return ["rankings": ["a": other, "near": own]]
    }
    let before = try both(Self.metrics())
    let (kept, fallen) = (
      try both(Self.metrics(ndcg: (0, 0.121))), try both(Self.metrics(ndcg: (0, 0.119)))
    )
    #expect(violated(kept, before: before, drop: 0.2) == [])
    #expect(violated(fallen, before: before, drop: 0.2) == ["ndcg_drop_at_most"])
    let without: JSONValue = ["rankings": ["a": other]]
    #expect(violated(Self.metrics(ndcg: (0, 0.001)), before: without, drop: 0.2) == [])
  }

  @Test(arguments: [(-0.001, true), (0, false), (0.01, false), (nil, false)] as [(Double?, Bool)])
  func `lists are worse than a method if the whole difference is below zero`(
    _ high: Double?, _ isViolated: Bool
  ) {
    let metrics = Self.metrics(difference: (high.map { _ in -0.02 }, high))
    #expect(violated(metrics, method: .likeRate) == (isViolated ? ["not_worse_than"] : []))
    #expect(violated(metrics, method: .nearest) == [], "a method that was not evaluated")
  }

  @Test func `a violation states the ranking, the figure and the limit`() {
    let limits = Pipeline.QualityLimits(aucAtLeast: 0.9, ndcgDropAtMost: 0.1, notWorseThan: .likeRate)
    let now = Self.metrics(ndcg: (0.01, 0.02), difference: (-0.03, -0.01))
    let guards = QualityGuards(limits: limits, quality: RunQuality(now), earlier: RunQuality(Self.metrics()))
    #expect(
      guards.violations.map(\.found) == [
        "near has AUC 0.650 [0.600, 0.700]; the limit is 0.9",
        "near has nDCG@10 0.150 [0.010, 0.020]; the last complete run had 0.150, and the limit is a drop of 10 %",
        "near is worse than like_rate: difference 0.000 [-0.030, -0.010]",
      ])
  }

  @Test func `a run is compared with the last complete run, and needs an evaluation`() throws {
    let scratch = try ScratchDirectory()
    let run = scratch("var/small/runs/2")
    let limits = Pipeline.QualityLimits(ndcgDropAtMost: 0.2)
    let file = "p.yaml"
    try Directories.create(run)
    #expect(
      try QualityGuards(Pipeline.QualityLimits(), run: run, pipelineFile: file, requiresEvaluation: true)
        == nil)
    let missing = #expect(throws: StageFailure.self) {
      _ = try QualityGuards(limits, run: run, pipelineFile: file, requiresEvaluation: true)
    }
    #expect(missing?.exitStatus == .badPipelineFile)
    #expect(missing?.description.hasPrefix("publish.guards.ndcg_drop_at_most needs an evaluation") == true)
    let forced = try QualityGuards(limits, run: run, pipelineFile: file, requiresEvaluation: false)?
      .violations
    #expect(forced?.map(\.guardName) == ["ndcg_drop_at_most"])
    #expect(forced?.map(\.found) == ["the run has no evaluation"])
    func write(_ metrics: JSONValue, _ number: Int) throws {
      try scratch.write(metrics.pretty, to: "var/small/runs/\(number)/evaluation/metrics.json")
    }
    try write(Self.metrics(), 1)
    try write(Self.metrics(ndcg: (0.01, 0.02)), 2)
    #expect(
      try QualityGuards(limits, run: run, pipelineFile: file, requiresEvaluation: true)?.violations == [])
    try RunDirectories(work: scratch("var"), pipeline: "small").markLatest(1)
    #expect(
      try QualityGuards(limits, run: run, pipelineFile: file, requiresEvaluation: true)?.violations.map(
        \.guardName) == [
          "ndcg_drop_at_most"
        ])
  }

  @Test func `a missing evaluation names all limits and the next step`() {
    let one = Pipeline.QualityLimits(aucAtLeast: 0.5)
    let two = Pipeline.QualityLimits(aucAtLeast: 0.5, ndcgDropAtMost: 0.1)
    #expect(
      MissingEvaluation(limits: two).failure.description
        == "publish.guards.auc_at_least and publish.guards.ndcg_drop_at_most need an evaluation, but this run "
        + "is not evaluated. Add --evaluate.")
    let failure = MissingEvaluation(limits: one, run: "runs/3", pipelineFile: "p.yaml").failure
    #expect(failure.exitStatus == .badPipelineFile)
    #expect(
      failure.description
        == "publish.guards.auc_at_least needs an evaluation, but 'runs/3' has none. Run 'nightjar evaluate "
        + "p.yaml --run-dir \(ShownPath.short("runs/3"))' first, or add --evaluate to 'nightjar run'.")
  }

  @Test func `a damaged evaluation is an error, except of an earlier run`() throws {
    let scratch = try ScratchDirectory()
    let limits = Pipeline.QualityLimits(ndcgDropAtMost: 0.2)
    let file = "p.yaml"
    try scratch.write("no JSON", to: "var/small/runs/1/evaluation/metrics.json")
    try RunDirectories(work: scratch("var"), pipeline: "small").markLatest(1)
    try scratch.write(
      Self.metrics(ndcg: (0.01, 0.02)).pretty, to: "var/small/runs/2/evaluation/metrics.json")
    let guards = try QualityGuards(
      limits, run: scratch("var/small/runs/2"), pipelineFile: file, requiresEvaluation: true)
    #expect(guards?.violations == [])
    #expect(throws: FileError.self) {
      _ = try QualityGuards(
        limits, run: scratch("var/small/runs/1"), pipelineFile: file, requiresEvaluation: true)
    }
  }
}
