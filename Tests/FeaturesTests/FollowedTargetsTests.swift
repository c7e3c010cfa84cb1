import Columns
import Concurrency
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features

/// Whether a user follows an organizer. A learning row uses the follows at its own time, and a
/// prediction uses the current ones.
struct FollowedTargetsTests {
  /// People who follow each other, and their gigs, which other people attend.
  private static func fixture(
    follows: String, visits: String, model: String = "visits", latest: Bool = true
  ) throws -> StageFixture {
    let fixture = try StageFixture(
      yaml: """
        pipeline: gigs
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          gigs: { source: { path: gigs.csv }, id: id, owner: { from: by, entity: people, optional: true } }
        interactions:
          follows:
            source: { path: follows.csv }
            user: { from: by, entity: people }
            candidate: { from: whom, entity: people }
            at: at
            value: { from: what, map: { y: 1, n: taken_back }, latest: \(latest) }
          visits:
            source: { path: visits.csv }
            user: { from: by, entity: people }
            candidate: { from: gig, entity: gigs }
            at: at
            value: value
        model: { learns_from: \(model), features: [follows: follows], prior: everybody }
        """,
      files: [
        "people.csv": "id\na\nb\nc\n", "gigs.csv": "id,by\ng1,b\ng2,c\ng3,\n",
        "follows.csv": "by,whom,what,at\n" + follows, "visits.csv": "by,gig,at,value\n" + visits,
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 100))
    return fixture
  }

  private static func space(_ fixture: StageFixture) throws -> FeatureSpace {
    FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, try fixture.snapshot())
  }

  private static func value(_ space: FeatureSpace, _ user: Int, _ candidate: Int, learning: Int? = nil)
    -> Double
  {
    var row = [-1.0]
    space.fill(&row, user: user, candidate: candidate, distance: .nan, learningFrom: learning)
    return row[0]
  }

  private static func isEqual(_ left: [Double], _ right: [Double]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }
  }

  private static let follows = "a,b,y,10\na,b,n,30\na,b,y,50\na,c,y,20\na,c,n,70\nb,c,y,100\n"

  /// User a visits b's gig at each of these times. User a also visits c's gig once, and a gig
  /// without an owner once.
  private static let visits =
    [5, 10, 11, 30, 31, 50, 60].map { "a,g1,\($0),1\n" }.joined() + "a,g2,61,1\na,g3,62,1\nb,g2,99,0\n"

  @Test(arguments: [true, false])
  func `a learning row includes only earlier events`(latest: Bool) throws {
    let fixture = try Self.fixture(follows: Self.follows, visits: Self.visits, latest: latest)
    let space = try Self.space(fixture)
    #expect(space.columns == ["follows_owner"])
    let table = try #require(try fixture.snapshot().interactions["visits"])
    // At 61, a follows c. This follow ends later.
    let expected: [Double] = [0, 0, 1, 1, 0, 0, 1, 1, .nan, 0]
    let rows = (0..<table.count).map {
      Self.value(space, Int(table.user.elements[$0]), Int(table.candidate[$0]), learning: $0)
    }
    #expect(Self.isEqual(rows, expected), "\(rows)")
    var block = LearningBlock(LearningBlockSource(space, table))
    block.read(table.range(ofUser: 0), of: 0)
    #expect(Self.isEqual(Array(block.values.prefix(block.count)), Array(expected.prefix(9))))
  }

  @Test func `a prediction includes the current follows`() throws {
    let space = try Self.space(Self.fixture(follows: Self.follows, visits: Self.visits))
    let values = (0..<3).map { user in (0..<3).map { Self.value(space, user, $0) } }
    for (found, expected) in zip(values, [[1, 0, .nan], [0, 1, .nan], [0, 0, .nan]]) {
      #expect(Self.isEqual(found, expected), "\(values)")
    }
  }

  @Test func `between people, the candidate is the followed person`() throws {
    let fixture = try Self.fixture(follows: Self.follows, visits: "a,g1,1,1\n", model: "follows")
    let space = try Self.space(fixture)
    #expect(space.columns == ["follows_candidate"])
    #expect((0..<3).map { Self.value(space, 0, $0) } == [0, 1, 0])
  }

  /// Compares many random follows, unfollows and visits at equal times with a naive implementation
  /// based on sets.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `random actions give the values of a naive implementation`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let people = ["a", "b", "c"]
    var log: [(by: Int, whom: Int, isLike: Bool, at: Int)] = []
    for _ in 0..<60 {
      let by = Int.random(in: 0..<3, using: &random)
      let whom = (by + Int.random(in: 1...2, using: &random)) % 3
      log.append((by, whom, Bool.random(using: &random), Int.random(in: 0...40, using: &random)))
    }
    let visits = (0..<80).map { _ in
      (
        by: Int.random(in: 0..<3, using: &random), gig: Int.random(in: 0..<2, using: &random),
        at: Int.random(in: 0...45, using: &random)
      )
    }
    let fixture = try Self.fixture(
      follows: log.map { "\(people[$0.by]),\(people[$0.whom]),\($0.isLike ? "y" : "n"),\($0.at)\n" }.joined(),
      visits: visits.map { "\(people[$0.by]),g\($0.gig + 1),\($0.at),1\n" }.joined())
    let space = try Self.space(fixture)
    /// If two rows have the same time, the later row of the file counts.
    func follows(_ user: Int, _ other: Int, until limit: Int) -> Bool {
      let deeds = log.filter { $0.by == user && $0.whom == other && $0.at <= limit }
      let newest = deeds.map(\.at).max()
      return deeds.last { $0.at == newest }?.isLike ?? false
    }
    let table = try #require(try fixture.snapshot().interactions["visits"])
    #expect(table.count == 80)
    for row in 0..<table.count {
      let (user, gig, at) = (Int(table.user.elements[row]), Int(table.candidate[row]), Int(table.at[row]))
      let expected = follows(user, gig + 1, until: at - 1)
      #expect(Self.value(space, user, gig, learning: row) == (expected ? 1 : 0))
      #expect(Self.value(space, user, gig) == (follows(user, gig + 1, until: 100) ? 1 : 0))
    }
  }

  /// Compares weekdays in UTC with Foundation's calendar, including times before 1970 and both ends
  /// of a day.
  @Test func `weekdays equal the calendar's`() throws {
    let moments = [
      "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "1969-12-28", "1900-03-01", "1600-02-29T12:00:00Z",
      "2024-02-29", "2026-11-15T23:59:59.999Z", "2026-11-16T00:00:00Z", "1969-12-25T00:00:00Z",
      "1969-12-24T23:59:59.999Z", "0001-01-01",
    ]
    let fixture = try StageFixture(
      yaml: """
        pipeline: days
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          days: { source: { path: days.csv }, id: id, attributes: { day: { type: date } } }
        interactions:
          visits:
            source: { path: visits.csv }
            user: { from: a, entity: people }
            candidate: { from: b, entity: days }
            at: at
            value: value
        model: { learns_from: visits, features: [weekday: day], prior: everybody }
        """,
      files: [
        "people.csv": "id\na\n", "visits.csv": "a,b,at,value\na,d10,0,1\n",
        "days.csv": "id,day\n" + moments.enumerated().map { "d\($0 + 10),\($1)\n" }.joined() + "d99,\n",
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1))
    let space = FeatureSpace(
      try #require(fixture.pipeline.model), fixture.pipeline, try fixture.snapshot())
    let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    #expect(Set(space.columns) == Set(names.map { "weekday_day=" + $0 }))
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    let dates = try #require(try fixture.snapshot().entities["days"]?.dates["day"])
    for day in moments.indices {
      var row = [Double](repeating: -1, count: 7)
      space.fill(&row, user: 0, candidate: day, distance: .nan, learningFrom: nil)
      let date = Date(timeIntervalSince1970: Double(dates[day]) / 1000)
      let name = names[calendar.component(.weekday, from: date) - 1]
      #expect(row == space.columns.map { $0 == "weekday_day=" + name ? 1 : 0 }, "\(moments[day])")
    }
    var missing = [Double](repeating: -1, count: 7)
    space.fill(&missing, user: 0, candidate: moments.count, distance: .nan, learningFrom: nil)
    #expect(missing.allSatisfy { $0.isNaN })
  }
}
