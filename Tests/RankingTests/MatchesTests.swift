import Concurrency
import Ranking
import RunSchemas
import StageFixture
import Testing
import Text

/// Tests which pairs match and since when.
struct MatchesTests {
  struct History: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The rows `who,whom,at,way` without the header.
    var swipes: [String]
    /// The time since which `a` and `b` match, in milliseconds since 1970. `nil` if they do not
    /// match.
    var since: Int?
  }

  @Test(arguments: [
    History(testDescription: "one way", swipes: ["a,b,1,right"], since: nil),
    History(testDescription: "both ways", swipes: ["a,b,1,right", "b,a,5,right"], since: 5),
    History(
      testDescription: "the first to like is the larger id", swipes: ["b,a,1,right", "a,b,7,right"], since: 7),
    History(testDescription: "one passed", swipes: ["a,b,1,right", "b,a,5,left"], since: nil),
    History(
      testDescription: "changed to a like", swipes: ["a,b,1,right", "b,a,5,left", "b,a,9,right"], since: 9),
    History(
      testDescription: "changed to a pass", swipes: ["a,b,1,right", "b,a,5,right", "a,b,9,left"], since: nil),
    History(
      testDescription: "liked again: mutual since the first time",
      swipes: ["a,b,1,right", "b,a,5,right", "a,b,9,right"], since: 5),
    History(
      testDescription: "broken and mended",
      swipes: ["a,b,1,right", "b,a,5,right", "a,b,7,left", "a,b,9,right"], since: 9),
    History(
      testDescription: "equal times: the later in the file is the latest",
      swipes: ["a,b,1,right", "b,a,5,left", "b,a,5,right"], since: 5),
    History(
      testDescription: "equal times, the other way round",
      swipes: ["a,b,1,right", "b,a,5,right", "b,a,5,left"], since: nil),
    History(
      testDescription: "rows not in the order of time",
      swipes: ["b,a,9,right", "a,b,1,right", "b,a,5,left"], since: 9),
  ])
  func `matches follow the latest swipes`(_ history: History) throws {
    let users = "id,field,experience,latitude,longitude,deleted\na,,,,,\nb,,,,,\n"
    let swipes = "who,whom,at,way\n" + history.swipes.joined(separator: "\n") + "\n"
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[{ number: experience }]", ranking: "    top: 3"),
      files: ["users.csv": users, "swipes.csv": swipes])
    try fixture.runStages()
    let expected = history.since.map { [["a", "b", "1970-01-01T00:00:00.00\($0)Z"]] } ?? []
    #expect(try fixture.rows("rankings/matches.csv") == expected)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `matches of a random world equal a search through all swipes`(seed: UInt64) throws {
    let world = RandomExport(seed: seed, people: 30, swipes: 700)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[{ number: experience }]", ranking: "    top: 3"), files: world.files
    )
    try fixture.runStages()
    func latest(_ user: Int, _ candidate: Int) -> RandomExport.Swipe? {
      world.swipes.enumerated().filter { $0.element.user == user && $0.element.candidate == candidate }
        .max { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }?.element
    }
    var expected: [[String]] = []
    for first in world.people.indices {
      for second in world.people.indices where first < second {
        if let there = latest(first, second), let back = latest(second, first), there.value > 0,
          back.value > 0
        {
          expected.append([world.people[first].id, world.people[second].id])
        }
      }
    }
    #expect(!expected.isEmpty)
    #expect(try fixture.rows("rankings/matches.csv").map { Array($0.prefix(2)) } == expected)
  }

  /// The people fill two buckets of the search, and the third bucket contains only a few people.
  @Test func `matches of many people equal a dictionary's, on one thread and on three`() throws {
    var random = SplitMix64(seed: 7)
    let people = 2051
    var swipes: [(user: Int, candidate: Int, at: Int, isLike: Bool)] = []
    for at in 0..<60_000 {
      // People only swipe on people with close numbers, so pairs occur often. Many pairs match, and
      // some people change their decision.
      let user = Int.random(in: 0..<people, using: &random)
      let candidate = (user + Int.random(in: 1...25, using: &random)) % people
      let isReturned = Int.random(in: 0..<2, using: &random) == 0
      swipes.append(
        (
          isReturned ? candidate : user, isReturned ? user : candidate, at,
          Int.random(in: 0..<3, using: &random) > 0
        ))
    }
    let users =
      "id,field,experience,latitude,longitude,deleted\n"
      + (0..<people).map { "u\(10_000 + $0),,,,,\n" }.joined()
    let rows = swipes.map {
      "u\(10_000 + $0.user),u\(10_000 + $0.candidate),\($0.at),\($0.isLike ? "right" : "left")\n"
    }
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[{ number: experience }]", ranking: "    top: 3"),
      files: ["users.csv": users, "swipes.csv": "who,whom,at,way\n" + rows.joined()])
    try fixture.runStages()
    let table = try #require(try fixture.snapshot().interactions["swipes"])

    var since: [[Int]: Int] = [:]
    for swipe in swipes {
      let pair = [swipe.user, swipe.candidate]
      since[pair] = swipe.isLike ? since[pair] ?? swipe.at : nil
    }
    let expected = since.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { pair -> [Int]? in
      guard pair[0] < pair[1], let there = since[pair], let back = since[[pair[1], pair[0]]] else {
        return nil
      }
      return pair + [max(there, back)]
    }
    #expect(expected.count > 1000)
    for threads in [1, 3] {
      let found = table.matches(threads: threads)
      #expect(found.map { [Int($0.first), Int($0.second), Int($0.since.milliseconds)] } == expected)
    }
  }
}
