import StageFixture
import Testing

/// Who matches whom, and since when.
struct MatchesTests {
  struct History: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Rows of `who,whom,at,way`, without the header.
    var swipes: [String]
    /// Milliseconds since 1970 of the match of `a` and `b`, if there is one.
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
}
