import Columns
import RunSchemas
import Testing

@testable import Evaluation

/// Compares `LaterDecisions` with values computed by hand.
@Suite struct LaterDecisionsTests {
  /// Three users and four candidates in the later snapshot. The cut is at 10.
  private static func decisions(
    _ rows: [(user: Int, candidate: Int, at: Int, value: Double)], users: [UInt32] = [0, 1, 2],
    candidates: [UInt32] = [0, 1, 2, 3], userCount: Int = 3, omitsDecided: Bool = true,
    likedFrom: Double? = nil
  ) throws -> LaterDecisions {
    let table = try ByHand.interactions(rows, users: 3, candidates: 4, likedFrom: likedFrom)
    return LaterDecisions(
      table, isTest: table.at.elements.map { $0 > 10 }, users: users, candidates: candidates,
      userCount: userCount, omitsDecided: omitsDecided)
  }

  @Test func `a like is a value above 0, by default`() throws {
    let found = try Self.decisions([(0, 0, 11, 0.001), (0, 1, 11, 0), (0, 2, 11, -1)])
    #expect(found.isLike == [true, false, false])
    #expect(found.counts.likes == 1 && found.counts.passes == 2)
  }

  @Test func `a given least like is a like`() throws {
    let found = try Self.decisions([(0, 0, 11, 4), (0, 1, 11, 3.99), (0, 2, 11, 5)], likedFrom: 4)
    #expect(found.isLike == [true, false, true])
  }

  @Test func `decisions are ordered by user, then by candidate`() throws {
    let found = try Self.decisions([(2, 3, 11, 1), (2, 0, 12, -1), (0, 2, 13, 1)])
    #expect(found.offsets == [0, 1, 1, 3] && found.candidates == [2, 0, 3])
    #expect(found.isLike == [true, false, true])
    #expect(found.userCount == 3 && found.range(ofUser: 2) == 1..<3)
    #expect(found.relevant(of: 2) == [3] && found.relevant(of: 1) == [])
  }

  @Test func `rows refer to the cut snapshot`() throws {
    // The first user and the first candidate did not exist at the cut, so the row numbers of the
    // others are smaller there.
    let found = try Self.decisions(
      [(0, 1, 11, 1), (1, 0, 11, 1), (1, 1, 12, 1), (2, 3, 13, -1)], users: [.max, 0, 1],
      candidates: [.max, 0, 1, 2], userCount: 2)
    #expect(found.offsets == [0, 1, 2] && found.candidates == [0, 2] && found.isLike == [true, false])
    #expect(found.counts.ofLaterUsers == 1 && found.counts.withLaterCandidates == 1)
    #expect(found.counts.interactions == 4)
  }

  @Test func `the latest decision of a pair counts`() throws {
    let found = try Self.decisions([(0, 1, 11, 1), (0, 1, 12, -1), (0, 1, 13, 1), (0, 1, 14, -1)])
    #expect(found.isLike == [false] && found.counts.notTheLatest == 3)
  }

  @Test func `earlier decisions of a user are the decisions up to the cut`() throws {
    let rows = [(0, 1, 10, 1.0), (0, 1, 11, 1.0), (1, 1, 11, 1.0)]
    let found = try Self.decisions(rows)
    #expect(found.counts.decidedBefore == 1 && found.offsets == [0, 0, 1, 1])
    let again = try Self.decisions(rows, omitsDecided: false)
    #expect(again.counts.decidedBefore == 0 && again.offsets == [0, 1, 2, 2])
  }

  @Test func `a retracted pass is not a decision, but a later pass is`() throws {
    let found = try Self.decisions([
      (0, 0, 11, -1), (0, 0, 12, .nan), (0, 1, 11, 1), (0, 1, 12, .nan), (0, 1, 13, -1), (0, 2, 11, .nan),
    ])
    #expect(found.candidates == [1] && found.isLike == [false])
    #expect(found.counts.takenBack == 5 && found.counts.notTheLatest == 0)
  }

  @Test func `without later interactions there are no decisions`() throws {
    let found = try Self.decisions([(0, 1, 10, 1)])
    #expect(found.offsets == [0, 0, 0, 0] && found.counts == LaterDecisions.Counts())
  }
}

/// The users over which an evaluation averages lists and scores.
@Suite struct JudgedTasksTests {
  /// The first user likes and passes, the second only likes, the third only passes. The fourth does
  /// nothing, and the fifth likes and passes.
  private static let decisions = ByHand.decisions([
    [(0, true), (1, false)], [(1, true)], [(0, false)], [], [(2, false), (3, true), (4, true)],
  ])

  private static func tasks(clusters: [Int]? = nil, samples: Int = 50) -> JudgedTasks {
    let own = MethodOutcome(
      .pipeline,
      GivenRanker(given: [[1, 0], [1], [0], [4], [3]], score: { _, candidate in (Double(candidate), nil) }),
      decisions, scale: nil, threads: 2)
    let other = MethodOutcome(
      .random, GivenRanker(given: [[], [], [], [], []], score: { _, _ in (1, nil) }), decisions, scale: nil,
      threads: 1)
    return JudgedTasks(
      decisions: decisions, outcomes: [own, other], clusterOfUser: clusters, samples: samples, seed: 3)
  }

  @Test func `finding covers users with a later like, with or without a list`() {
    let finding = Self.tasks().finding([
      Metric(kind: .hitRate, k: 1), Metric(kind: .recall, k: 2),
    ])
    #expect(finding.users == [0, 1, 4] && finding.metrics == ["hit_rate@1", "recall@2"])
    #expect(finding.values == [[[0, 1, 1], [1, 1, 0.5]], [[0, 0, 0], [0, 0, 0]]])
  }

  @Test func `ordering covers users with a like and a pass`() {
    let tasks = Self.tasks()
    #expect(tasks.orderers == [0, 4])
    let ordering = tasks.ordering(tasks.areas)
    // The score is the number of the candidate. User 0 liked the candidate with the lower of two numbers.
    // User 4 liked the candidates with the two highest of three numbers.
    #expect(ordering.users == [0, 4] && ordering.values == [[[0, 1]], [[0.5, 0.5]]])
    #expect(tasks.areas[0].map(\.likes) == [1, 2] && tasks.areas[0].map(\.passes) == [1, 1])
  }

  @Test func `the bootstrap does not draw clusters without test users`() {
    // Three of five clusters have a user with a later like. Three clusters are too few to estimate
    // the variance between clusters.
    let tasks = Self.tasks(clusters: [9, 8, 7, 6, 5])
    #expect(tasks.finding(Metric.all(at: [1])).estimate(method: 0, metric: 0).clusterInterval == nil)
  }
}
