import PipelineFile
import Search
import Testing
import Text

@testable import Ranking

/// The counts of users and candidates that each rule removes.
@Suite struct FunnelTests {
  private static func ranking() throws -> Pipeline.Ranking {
    try Pipeline(
      yaml: """
        pipeline: p
        entities: { people: { source: { path: people.csv }, id: id } }
        rankings: { list: { users: people, candidates: people, exclude: [self], order_by: distance, top: 2 } }
        """, file: "p.yaml"
    ).rankings[0]
  }

  private static func result(
    _ scores: [Double?], _ shortfall: Shortfall?, inReach: Int, excluded: Int, below: Int = 0, beyond: Int = 0
  ) -> SearchResult {
    var counts = SearchCounts(exclusions: 1)
    (counts.inReach, counts.excluded, counts.listed) = (inReach, [excluded], scores.count)
    (counts.notAboveMinimum, counts.beyondTop) = (below, beyond)
    let best = scores.enumerated().map { Recommendation(candidate: $0, score: $1, distance: 1) }
    return SearchResult(best: best, shortfall: shortfall, counts: counts)
  }

  /// The lists of five users. The third user is not in the sample, the fourth has two lists, and the search
  /// did not count for the fifth.
  private static var users: [(lists: UserLists, isCounted: Bool)] {
    let full = result([0.5], nil, inReach: 3, excluded: 1, beyond: 1)
    let empty = result([], .noneInRadius, inReach: 1, excluded: 1)
    let short = result([nil], .noneLeft, inReach: 9, excluded: 4, below: 4)
    let below = result([], .noneAboveMinimum, inReach: 2, excluded: 0, below: 2)
    let scored = result([0.25], nil, inReach: 1, excluded: 0)
    var two = UserLists([below, scored], exclusions: 1)
    two.repeated = 1
    let uncounted = SearchResult(
      best: [Recommendation(candidate: 0, score: nil, distance: 1)], shortfall: nil, counts: nil)
    return [
      (UserLists([full], exclusions: 1), true), (UserLists([empty], exclusions: 1), true),
      (UserLists([short], exclusions: 1), false), (two, true), (UserLists([uncounted], exclusions: 1), true),
    ]
  }

  private static let expected: JSONValue = [
    "users": [
      "total": 5, "full_lists": 2, "short_lists": 3, "empty_lists": 1, "ranked_by_score": 2,
      "shortfall": ["none_in_radius": 1, "none_left": 1, "none_above_minimum": 1],
    ],
    // The pairs are five candidates for each of three counted users, and one candidate on both lists.
    "candidates": [
      "counted_users": 3, "pairs": 16, "out_of_reach": 9, "excluded": ["self": 2], "not_above_minimum": 2,
      "beyond_top": 1, "listed": 2,
    ],
  ]

  @Test(arguments: 0...5)
  func `a funnel counts all users, in any number of parts`(split: Int) throws {
    let ranking = try Self.ranking()
    var (first, second) = (Funnel(ranking), Funnel(ranking))
    for (place, user) in Self.users.enumerated() {
      if place < split {
        first.add(user.lists, candidates: 5, isCounted: user.isCounted)
      } else {
        second.add(user.lists, candidates: 5, isCounted: user.isCounted)
      }
    }
    first += second
    #expect(first.json == Self.expected, "\(first.json)")
  }

  @Test func `a funnel without users has only zeros`() throws {
    let expected: JSONValue = [
      "users": [
        "total": 0, "full_lists": 0, "short_lists": 0, "empty_lists": 0, "ranked_by_score": 0,
        "shortfall": [:],
      ],
      "candidates": [
        "counted_users": 0, "pairs": 0, "out_of_reach": 0, "excluded": ["self": 0], "not_above_minimum": 0,
        "beyond_top": 0, "listed": 0,
      ],
    ]
    #expect(Funnel(try Self.ranking()).json == expected)
  }
}
