import StageFixture
import Testing

/// `liked_from` is the smallest value of a like. Smaller values are passes, and the latest
/// interaction decides.
@Suite struct LikedFromTests {
  /// One person's decisions about another person, and their effects.
  struct History: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The values and their times, in the order of the file.
    var rows: [(value: Double, at: Int)]
    var isLike = false
    var isPass = false
    /// The time at which the current like began.
    var since = 0
  }

  private static let fromFour = [
    History(testDescription: "the least like", rows: [(4, 1)], isLike: true, since: 1),
    History(testDescription: "just below it", rows: [(4.0.nextDown, 1)], isPass: true),
    History(testDescription: "just above it", rows: [(4.0.nextUp, 1)], isLike: true, since: 1),
    History(testDescription: "far below, and above 0", rows: [(1, 1)], isPass: true),
    History(testDescription: "0", rows: [(0, 1)], isPass: true),
    History(testDescription: "came down by the least", rows: [(4, 1), (4.0.nextDown, 2)], isPass: true),
    History(testDescription: "came up", rows: [(1, 1), (4, 2)], isLike: true, since: 2),
    History(testDescription: "came down, written before", rows: [(3, 2), (5, 1)], isPass: true),
    History(testDescription: "came up, written before", rows: [(4, 2), (3, 1)], isLike: true, since: 2),
    History(testDescription: "down, at one moment", rows: [(5, 3), (3, 3)], isPass: true),
    History(testDescription: "up, at one moment", rows: [(3, 3), (5, 3)], isLike: true, since: 3),
    History(testDescription: "liked twice", rows: [(4, 1), (5, 2)], isLike: true, since: 1),
    History(testDescription: "liked again", rows: [(4, 1), (2, 2), (4, 3)], isLike: true, since: 3),
    History(testDescription: "passed again", rows: [(2, 1), (4, 2), (2, 3)], isPass: true),
  ]

  private static let fromZero = [
    History(testDescription: "0 is the least like", rows: [(0, 1)], isLike: true, since: 1),
    History(testDescription: "just below 0", rows: [((0.0).nextDown, 1)], isPass: true),
  ]

  /// Without `liked_from`, a value of 0 is neither a like nor a pass.
  private static let unsaid = [
    History(testDescription: "0", rows: [(0, 1)]),
    History(testDescription: "the least above 0", rows: [(0.0.nextUp, 1)], isLike: true, since: 1),
    History(testDescription: "the least below 0", rows: [(0.0.nextDown, 1)], isPass: true),
    History(testDescription: "liked, then 0", rows: [(1, 1), (0, 2)]),
    History(testDescription: "passed, then 0", rows: [(-1, 1), (0, 2)]),
  ]

  private static func yaml(_ likedFrom: String) -> String {
    """
    pipeline: rated
    as_of: newest
    plausible: [1, 9999]
    entities:
      people: { source: { path: people.csv }, id: id, created: since }
    interactions:
      rates:
        source: { path: rates.csv }
        user: by
        candidate: whom
        at: at
        value: { from: stars, range: [-10, 10]\(likedFrom) }
    rankings:
      everybody: { users: people, candidates: people, exclude: [vetoed], order_by: newest, top: 1000 }
      waiting: { users: people, candidates: people, pending: rates, order_by: newest, top: 1000 }
      liked: { users: people, candidates: people, among: rates, order_by: newest, top: 1000 }
      matches: { mutual: rates }
    """
  }

  @Test(arguments: [
    (", liked_from: 4", fromFour), (", liked_from: 0", fromZero), ("", unsaid),
  ])
  func `liked_from decides vetoes, likes, waiting people and matches`(
    likedFrom: String, histories: [History]
  ) throws {
    // Each history occurs twice: from `a` to `b`, and from `c` to `d`. `b` decides nothing, and `d`
    // has already liked `c`.
    var people = "id,since\n"
    var rates = "by,whom,stars,at\n"
    for (number, history) in histories.enumerated() {
      for role in ["a", "b", "c", "d"] { people += "\(role)\(10 + number),0\n" }
      for (by, whom) in [("a", "b"), ("c", "d")] {
        for row in history.rows {
          rates += "\(by)\(10 + number),\(whom)\(10 + number),\(row.value),\(row.at)\n"
        }
      }
      rates += "d\(10 + number),c\(10 + number),10,0\n"
    }
    let fixture = try StageFixture(
      yaml: Self.yaml(likedFrom), files: ["people.csv": people, "rates.csv": rates])
    try fixture.runStages()
    func list(_ name: String) throws -> [String: Set<String>] {
      let lines = try fixture.list(name).map { ($0.user, Set($0.recommendations.map(\.candidate))) }
      return Dictionary(uniqueKeysWithValues: lines)
    }
    let (everybody, waiting, liked) = (try list("everybody"), try list("waiting"), try list("liked"))
    #expect(everybody.count == 4 * histories.count)
    for (number, history) in histories.enumerated() {
      let (a, b) = ("a\(10 + number)", "b\(10 + number)")
      let count = 4 * histories.count
      #expect(everybody[b]?.contains(a) == !history.isPass, "\(history.testDescription)")
      #expect(everybody[b]?.count == (history.isPass ? count - 1 : count), "\(history.testDescription)")
      #expect(everybody[a]?.count == count, "a pass does not change the list of the person who passed")
      #expect(waiting[b] == (history.isLike ? [a] : []), "\(history.testDescription)")
      #expect(waiting[a] == [], "\(history.testDescription)")
      #expect(liked[a] == (history.isLike ? [b] : []), "\(history.testDescription)")
      // `d` has already answered `c`, so `c` does not wait for an answer.
      #expect(waiting["d\(10 + number)"] == [], "\(history.testDescription)")
    }
    let matches = histories.enumerated().compactMap { number, history in
      history.isLike
        ? ["c\(10 + number)", "d\(10 + number)", "1970-01-01T00:00:00.00\(history.since)Z"] : nil
    }
    #expect(try fixture.rows("rankings/matches.csv") == matches)
    #expect(!matches.isEmpty)
  }
}
