import Columns
import RunSchemas
import Testing

@testable import Evaluation

/// Compares the metrics of later matches with values computed by hand.
@Suite struct MatchingTests {
  /// The labels of the decisions after 10 among four users.
  private static func labels(
    _ rows: [(user: Int, candidate: Int, at: Int, value: Double)], likedFrom: Double? = nil
  ) throws -> [Bool?] {
    let table = try ByHand.interactions(rows, users: 4, candidates: 4, likedFrom: likedFrom)
    let all = (0..<4).map { UInt32($0) }
    let decisions = LaterDecisions(
      table, isTest: table.at.elements.map { $0 > 10 }, users: all, candidates: all, userCount: 4,
      omitsDecided: true)
    return LaterMatches.labels(of: decisions, answers: table, keptRows: Array(0..<4))
  }

  @Test func `a decision is a match if the latest decisions of both are likes`() throws {
    let found = try Self.labels([
      (0, 1, 11, 1), (1, 0, 12, 1),  // Both like after the cut.
      (0, 2, 11, 1), (2, 0, 3, 1),  // The answer is before the cut, so it is no later decision itself.
      (0, 3, 11, 1), (3, 0, 12, 1), (3, 0, 13, -1),  // The latest answer is a pass.
      (1, 2, 11, -1), (2, 1, 5, 1),  // The decision is a pass.
      (1, 3, 11, 1),  // No answer.
      (2, 3, 11, 1), (3, 2, 4, 1), (3, 2, 5, .nan),  // The answer was taken back.
    ])
    #expect(
      found == [
        true, true, false,  // User 0 decides on the users 1, 2 and 3.
        true, false, nil,  // User 1 decides on the users 0, 2 and 3.
        nil,  // User 2 decides on user 3.
        false,  // User 3 decides on user 0.
      ])
  }

  @Test func `the least like counts on both sides`() throws {
    let rows = [(0, 1, 11, 4.0), (1, 0, 12, 4.0), (2, 3, 11, 4.0), (3, 2, 12, 3.5)]
    #expect(try Self.labels(rows, likedFrom: 4) == [true, true, false, false])
    #expect(try Self.labels(rows, likedFrom: 4.5) == [false, false, false, false])
  }

  @Test func `answers have the row numbers of the whole snapshot`() throws {
    // The first user did not exist at the cut.
    let table = try ByHand.interactions(
      [(1, 2, 11, 1), (2, 1, 12, 1), (1, 3, 11, 1), (0, 1, 12, 1)], users: 4, candidates: 4)
    let rows: [UInt32] = [.max, 0, 1, 2]
    let decisions = LaterDecisions(
      table, isTest: table.at.elements.map { _ in true }, users: rows, candidates: rows, userCount: 3,
      omitsDecided: false)
    #expect(LaterMatches.labels(of: decisions, answers: table, keptRows: [1, 2, 3]) == [true, nil, true])
  }

  @Test func `a decision that is left out counts as one without an answer`() {
    let decisions = ByHand.decisions([[(0, true), (1, false)], [], [(1, true)]])
    var matches = LaterMatches(pairs: [], isMatch: [true, nil, false])
    matches.leaveOut(from: decisions) { user in { user == 0 && $0 == 0 } }
    #expect(matches.isMatch == [nil, nil, false])
    matches.leaveOut(from: decisions) { user in { user == 2 && $0 == 1 } }
    #expect(matches.isMatch == [nil, nil, nil])
  }

  @Test func `matching covers users with a match and another answered decision`() {
    // The score is the number of the candidate.
    let decisions = ByHand.decisions([
      [(0, true), (1, false), (2, true), (3, true)],  // Candidate 3 did not answer.
      [(1, true), (2, true)],  // Only matches.
      [(0, true), (3, false)],  // No match.
      [(1, true), (2, true), (3, false)],  // The match with 2 is above 1 and below 3.
    ])
    let labels: [Bool?] = [
      true, false, false, nil, true, true, false, false, false, true, false,
    ]
    func outcome(_ method: Method, _ score: @escaping @Sendable (Int) -> Double) -> MethodOutcome {
      MethodOutcome(
        method,
        GivenRanker(given: [[], [], [], []], score: { _, candidate in (score(candidate), nil) }), decisions,
        scale: nil, threads: 1)
    }
    let tasks = JudgedTasks(
      decisions: decisions,
      outcomes: [
        outcome(.pipeline) { -Double($0) }, outcome(.popular) { Double($0) }, outcome(.random) { _ in 1 },
      ],
      clusterOfUser: nil, samples: 10, seed: 1)
    let matching = tasks.matching(labels)
    #expect(matching.users == [0, 3] && matching.metrics == ["match_auc", "match_at_1"])
    #expect(
      matching.values == [
        [[1, 0.5], [1, 0]],  // Lowest number first.
        [[0, 0.5], [0, 0]],  // Highest number first.
        [[0.5, 0.5], [1.0 / 3, 1.0 / 3]],  // All equal: the first place is shared.
      ])
  }

  /// The first user has no match, and five clusters are just enough for an interval by clusters.
  @Test func `only clusters of users with a match and another answered decision count`() {
    let users: [[(candidate: UInt32, isLike: Bool)]] = Array(
      repeating: [(0, true), (1, true), (2, true)], count: 6)
    let decisions = ByHand.decisions(users)
    let labels: [Bool?] = (0..<18).map { index in
      let (user, candidate) = (index / 3, index % 3)
      return user > 0 && candidate == user % 3
    }
    let outcome = MethodOutcome(
      .pipeline,
      GivenRanker(given: users.map { _ in [] }, score: { _, candidate in (Double(candidate), nil) }),
      decisions, scale: nil, threads: 1)
    func matching(_ clusters: [Int]?) -> UserTask {
      JudgedTasks(
        decisions: decisions, outcomes: [outcome], clusterOfUser: clusters, samples: 50, seed: 3
      ).matching(labels)
    }
    // A match with candidate 0, 1 or 2 is above none, one or both of the other candidates.
    let areas = [0.5, 1, 0, 0.5, 1]
    let alone = UserTask(
      users: Array(1...5), metrics: ["match_auc", "match_at_1"], values: [[areas, [0, 1, 0, 0, 1]]],
      clusters: Array(0..<5), samples: 50, seed: 3)
    let found = matching([7, 9, 8, 6, 5, 4])
    #expect(found.users == alone.users && found.values == alone.values)
    for metric in 0..<2 {
      let estimate = found.estimate(method: 0, metric: metric)
      #expect(estimate == alone.estimate(method: 0, metric: metric))
      #expect(estimate.clusterInterval != nil)
    }
    // Two of the users share a cluster, so there are only four, and the first user's cluster does not count.
    #expect(matching([7, 9, 9, 6, 5, 4]).estimate(method: 0, metric: 0).clusterInterval == nil)
    #expect(matching(nil).estimate(method: 0, metric: 0).clusterInterval == nil)
  }
}
