import RunSchemas
import Testing

@testable import Evaluation

/// Tests the exact thresholds at which the result of a comparison changes.
@Suite struct HeadlineTests {
  private static func difference(
    mean: Double?, adjustedP: Double?, cluster: Interval? = nil
  ) -> DeclaredTests.TestedDifference {
    DeclaredTests.TestedDifference(
      method: .random, metric: "auc",
      difference: UserTask.Estimate(users: 10, mean: mean, interval: nil, clusterInterval: cluster),
      comparison: PairedComparison([], []), adjustedPValue: adjustedP)
  }

  @Test(
    arguments: [
      (0.1, 0.0499, nil, 1), (0.1, 0.05, nil, 0), (0.1, nil, nil, 0), (-0.1, 0.01, nil, -1),
      (0, 0.01, nil, 0), (nil, 0.01, nil, 0), (0.1, 0.01, Interval(low: 0, high: 0.2), 0),
      (0.1, 0.01, Interval(low: 0.001, high: 0.2), 1), (-0.1, 0.01, Interval(low: -0.2, high: 0), 0),
      (-0.1, 0.01, Interval(low: -0.2, high: -0.001), -1),
    ] as [(Double?, Double?, Interval?, Int)])
  func `a difference is significant if the corrected test and the clusters agree`(
    _ mean: Double?, _ p: Double?, _ cluster: Interval?, _ sign: Int
  ) {
    #expect(Self.difference(mean: mean, adjustedP: p, cluster: cluster).sign == sign)
  }

  @Test func `the family is three tests per other method, at the longest length`() throws {
    let areas = [[0.5, 0.6, 0.8], [0.5, 0.6, 0.8], [0.4, 0.6, 0.5], [0.1, 0.2, 0.15]]
    let evaluation = try ByHand.evaluation(
      [.pipeline, .createml, .likeRate, .random], areas: areas, gains: areas,
      isPipelinesOwn: [false, true, false, false], at: [1, 3])
    let rows = DeclaredTests(evaluation).rows
    #expect(rows.map(\.method) == [.likeRate, .likeRate, .likeRate, .random, .random, .random])
    #expect(rows.map(\.metric) == ["ndcg@3", "recall@3", "auc", "ndcg@3", "recall@3", "auc"])
    #expect(rows[2].difference.mean == evaluation.ordering.difference(0, 2, metric: 0).mean)
    let values = try rows.map { try #require($0.comparison.pValue) }
    #expect(rows.map(\.adjustedPValue) == holmAdjusted(values).map { $0 })
    // The family has six tests, so Holm multiplies the smallest p value by six.
    let least = try #require(values.min())
    #expect(try #require(rows[5].adjustedPValue) == min(1, 6 * least))
  }

  @Test func `one user has no test and no p value`() throws {
    let evaluation = try ByHand.evaluation([.pipeline, .random], areas: [[0.9], [0.1]])
    #expect(DeclaredTests(evaluation).rows.allSatisfy { $0.adjustedPValue == nil && $0.sign == 0 })
  }
}

/// Tests the exact thresholds at which the verdict changes.
@Suite struct VerdictTests {
  private static func verdict(
    _ areas: [[Double]], gains: [[Double]]? = nil, clusters: [Int]? = nil
  ) throws -> JudgedVerdict {
    let methods: [Method] = [.pipeline, .likeRate]
    let evaluation = try ByHand.evaluation(
      Array(methods.prefix(areas.count)), areas: areas, gains: gains, clusters: clusters)
    return JudgedVerdict(evaluation, DeclaredTests(evaluation))
  }

  private static func alike(_ value: Double, _ users: Int = 12) -> [Double] {
    Array(repeating: value, count: users)
  }

  @Test func `nine users are too few, and ten are enough`() throws {
    #expect(try Self.verdict([Self.alike(0.9, 9)]) == .tooFewUsers)
    #expect(try Self.verdict([Self.alike(0.9, 10)]) == .useful)
    #expect(try Self.verdict([[]]) == .tooFewUsers)
  }

  @Test func `an interval that includes 0.5 shows no learning`() throws {
    #expect(try Self.verdict([Self.alike(0.5)]) == .nothingLearned)
    #expect(try Self.verdict([Self.alike(0.501)]) == .useful)
    #expect(try Self.verdict([Self.alike(0.1)]) == .nothingLearned)
  }

  /// One cluster of five has the wrong order. More than 2.5 % of bootstrap draws consist mostly of
  /// this cluster.
  @Test func `the wider interval counts, by clusters or by users`() throws {
    let clusters = (0..<50).map { $0 / 10 }
    let areas = clusters.map { $0 == 0 ? 0.0 : 1 }
    #expect(try Self.verdict([areas]) == .useful)
    #expect(try Self.verdict([areas], clusters: clusters) == .nothingLearned)
    // If all clusters have nearly the same mean, the verdict is the same with and without clusters.
    let mixed = (0..<50).map { $0 % 10 == 0 ? 0.0 : 1 }
    #expect(try Self.verdict([mixed], clusters: clusters) == .useful)
  }

  @Test func `another method beats the pipeline by better ordering, not by better finding`() throws {
    let own = (0..<12).map { 0.7 + 0.01 * Double($0 % 3) }
    let better = own.map { $0 + 0.2 }
    #expect(try Self.verdict([own, better]) == .beaten)
    #expect(try Self.verdict([better, own]) == .useful)
    #expect(try Self.verdict([own, own], gains: [own, better]) == .useful)
  }

  private static func verdictOfLikes(
    _ gains: [[Double]], _ methods: [Method] = [.pipeline, .popular, .random], clusters: [Int]? = nil
  ) throws -> JudgedVerdict {
    // The areas would give another verdict, but without a pass there are none to compare.
    let evaluation = try ByHand.evaluation(
      methods, areas: gains.map { _ in [] }, gains: gains, clusters: clusters, later: [[(0, true)]])
    return JudgedVerdict(evaluation, DeclaredTests(evaluation))
  }

  @Test func `likes alone are judged by nDCG against random lists`() throws {
    let (none, little, much) = (Self.alike(0), Self.alike(0.01), Self.alike(0.3))
    #expect(try Self.verdictOfLikes([much, little, none]) == .useful)
    #expect(try Self.verdictOfLikes([little, none, none]) == .useful)
    #expect(try Self.verdictOfLikes([none, none, none]) == .nothingLearned)
    #expect(try Self.verdictOfLikes([little, little, much]) == .nothingLearned)
    #expect(
      try Self.verdictOfLikes([Self.alike(0.3, 9), Self.alike(0, 9), Self.alike(0, 9)]) == .tooFewUsers)
    #expect(try Self.verdictOfLikes([Self.alike(0.3, 10), Self.alike(0, 10), Self.alike(0, 10)]) == .useful)
  }

  @Test func `popularity beats lists of likes alone if popularity finds more`() throws {
    let own = (0..<12).map { 0.3 + 0.01 * Double($0 % 3) }
    let better = own.map { $0 + 0.2 }
    #expect(try Self.verdictOfLikes([own, better, Self.alike(0)]) == .beaten)
    #expect(try Self.verdictOfLikes([better, own, Self.alike(0)]) == .useful)
  }

  /// One cluster of five finds less than random lists.
  @Test func `the wider interval counts for likes alone too`() throws {
    let clusters = (0..<50).map { $0 / 10 }
    let gains = [clusters.map { $0 == 0 ? 0.0 : 1 }, Self.alike(0.5, 50)]
    #expect(try Self.verdictOfLikes(gains, [.pipeline, .random]) == .useful)
    #expect(try Self.verdictOfLikes(gains, [.pipeline, .random], clusters: clusters) == .nothingLearned)
  }

  private static func verdictOfMatches(
    _ matches: [[Double]], own: [[Double]], _ methods: [Method] = [.pipeline, .oneSided]
  ) throws -> JudgedVerdict {
    let evaluation = try ByHand.evaluation(methods, areas: own, matchAreas: matches)
    return JudgedVerdict(evaluation, DeclaredTests(evaluation))
  }

  @Test func `the mutual order is judged by matches, not by own likes`() throws {
    let (low, high) = (
      (0..<12).map { 0.6 + 0.01 * Double($0 % 3) }, (0..<12).map { 0.8 + 0.01 * Double($0 % 3) }
    )
    #expect(try Self.verdictOfMatches([high, low], own: [low, high]) == .useful)
    #expect(try Self.verdictOfMatches([low, high], own: [high, low]) == .beaten)
    #expect(try Self.verdictOfMatches([Self.alike(0.5), low], own: [high, low]) == .nothingLearned)
    #expect(
      try Self.verdictOfMatches([Self.alike(0.8, 9), Self.alike(0.6, 9)], own: [high, low]) == .tooFewUsers)
    #expect(
      try Self.verdictOfMatches([Self.alike(0.8, 10), Self.alike(0.6, 10)], own: [high, low]) == .useful)
    // Without later matches, nothing is known about the mutual order.
    let none = try ByHand.evaluation([.pipeline, .oneSided], areas: [high, low])
    #expect(JudgedVerdict(none, DeclaredTests(none)) == .tooFewUsers)
    // Another order is judged by own likes, even if its users match.
    #expect(try Self.verdictOfMatches([high, low], own: [low, high], [.pipeline, .popular]) == .beaten)
  }

  @Test func `the mutual order has one more test per method`() throws {
    let areas = [Self.alike(0.6), Self.alike(0.7)]
    let mutual = try ByHand.evaluation([.pipeline, .oneSided], areas: areas, at: [3], matchAreas: areas)
    #expect(DeclaredTests(mutual).rows.map(\.metric) == ["ndcg@3", "recall@3", "auc", "match_auc"])
    let other = try ByHand.evaluation([.pipeline, .popular], areas: areas, at: [3], matchAreas: areas)
    #expect(DeclaredTests(other).rows.map(\.metric) == ["ndcg@3", "recall@3", "auc"])
  }
}
