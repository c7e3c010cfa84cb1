import Files
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Evaluation

/// A small pipeline with swipes between people `p0`, `p1`, and so on. Each person has a city.
enum SmallWorld {
  static func fixture(people: [String], swipes: [String], evaluation: String, extra: String = "") throws
    -> StageFixture
  {
    try StageFixture(
      yaml: """
        pipeline: small
        as_of: newest
        plausible: [1, 9999]
        seed: 3
        entities:
          users:
            source: { path: users.csv, format: csv }
            id: id
            created: created
            updated: updated
            position: { latitude: lat, longitude: lon }
            attributes: { city: { type: category }, field: { type: category }, gone: { type: flag } }
        interactions:
          swipes:
            source: { path: swipes.csv, format: csv }
            user: who
            candidate: whom
            at: at
            value: { from: way, map: { r: 1, l: -1 } }
        model:
          learns_from: swipes
          features: [{ category: field }, distance]
        rankings:
          near: { users: users, candidates: users, exclude: [self, interacted, vetoed, gone], top: 3, within_km: 500 }
        evaluation: \(evaluation)
        \(extra)
        """,
      files: [
        "users.csv": "id,created,updated,lat,lon,city,field,gone\n" + people.joined(separator: "\n") + "\n",
        "swipes.csv": "who,whom,at,way\n" + swipes.joined(separator: "\n") + "\n",
      ])
  }

  static func split(_ fixture: StageFixture) throws -> TimeSplit {
    try fixture.runStages()
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["swipes"])
    let users = try #require(snapshot.entities["users"])
    let settings = try #require(fixture.pipeline.evaluation)
    return TimeSplit(table, users: users, entity: "users", settings, end: snapshot.manifest.asOf)
  }
}

struct TimeSplitTests {
  private let people = (0..<4).map { "p\($0),1,1,50,8,\($0 < 2 ? "Cork" : "Galway"),Art," }

  /// The people of Cork swipe at 10, 20, ..., 100. The people of Galway swipe at 1000, 2000, ..., 5000.
  private var swipes: [String] {
    (1...10).map { "p\($0 % 2),p2,\($0 * 10),r" } + (1...5).map { "p\(2 + $0 % 2),p0,\($0 * 1000),l" }
  }

  @Test func `one moment cuts all groups`() throws {
    let split = try SmallWorld.split(
      SmallWorld.fixture(people: people, swipes: swipes, evaluation: "{ cut: 0.8 }"))
    // 12 of 15 swipes are for learning: all of Cork's and the first two of Galway's.
    #expect(split.groups == [TimeSplit.Group(name: "", cut: 2000, learning: 12, test: 3)])
    #expect(split.asOf == Instant(milliseconds: 2000))
    #expect(split.isTest.count { $0 } == 3)
  }

  @Test func `within a category, each group has its own moment`() throws {
    let split = try SmallWorld.split(
      SmallWorld.fixture(people: people, swipes: swipes, evaluation: "{ cut: 0.7, within: city }"))
    #expect(
      split.groups == [
        TimeSplit.Group(name: "Cork", cut: 70, learning: 7, test: 3),
        TimeSplit.Group(name: "Galway", cut: 3000, learning: 3, test: 2),
      ])
    #expect(split.cut(ofEntity: "users", row: 0) == 70)
    #expect(split.cut(ofEntity: "users", row: 3) == 3000)
    // Rows without a group have the earliest cut.
    #expect(split.cut(ofEntity: "dogs", row: 0) == 70)
  }

  /// A group with one swipe cannot be divided in the required proportion. Its people are still
  /// evaluated.
  @Test func `a group too small to cut is tested as of the earliest cut`() throws {
    let people = self.people + ["p9,1,1,50,8,Sligo,Art,"]
    let split = try SmallWorld.split(
      SmallWorld.fixture(
        people: people, swipes: swipes + ["p9,p0,55,r"], evaluation: "{ cut: 0.7, within: city }"))
    #expect(split.groups[2] == TimeSplit.Group(name: "Sligo", cut: nil, learning: 0, test: 1))
    #expect(split.cut(ofEntity: "users", row: 4) == 70)
    #expect(split.cut(ofEntity: "dogs", row: 0) == 70)
  }

  @Test func `values with different bytes are separate groups, even if they look alike`() throws {
    let people = [
      "a,1,1,50,8,(missing),Art,", "b,1,1,50,8,,Art,", "c,1,1,50,8,\u{E9},Art,", "d,1,1,50,8,e\u{301},Art,",
    ]
    let split = try SmallWorld.split(
      SmallWorld.fixture(
        people: people, swipes: ["a,b,1,r", "b,a,2,r"], evaluation: "{ cut: 0.5, within: city }"))
    #expect(split.groups.count == 4)
    #expect(Set(split.groupOfUser).count == 4)
  }

  /// The speed-dating pipeline uses this rule: the first 0.7 n of n dates are for learning.
  @Test func `a share of n moments is the integer part of share times n`() throws {
    let fixture = try SmallWorld.fixture(people: people, swipes: swipes, evaluation: "{ cut: 0.5 }")
    try fixture.runStages()
    let users = try #require(fixture.snapshot().entities["users"])
    var settings = try #require(fixture.pipeline.evaluation)
    for count in 1...60 {
      let table = try ByHand.interactions((1...count).map { (0, 1, $0, 1) }, users: 4, candidates: 4)
      for share in [0.1, 0.3, 0.5, 0.7, 0.8, 0.9] {
        settings.cut = .share(share)
        let split = TimeSplit(
          table, users: users, entity: "users", settings, end: Instant(milliseconds: 1000))
        let tenths = Int((share * 10).rounded())
        #expect(split.groups[0].learning == count * tenths / 10, "\(share) of \(count)")
      }
    }
  }

  @Test func `interactions at the same moment are on the same side of the cut`() throws {
    let same = (0..<4).map { "p0,p\($0 == 0 ? 1 : $0),50,r" }
    let late = ["p0,p1,60,r"]
    let split = try SmallWorld.split(
      SmallWorld.fixture(people: people, swipes: same + late, evaluation: "{ cut: 0.5 }"))
    #expect(split.groups == [TimeSplit.Group(name: "", cut: nil, learning: 0, test: 5)])
    let half = try SmallWorld.split(
      SmallWorld.fixture(people: people, swipes: same + late, evaluation: "{ cut: 0.8 }"))
    #expect(half.groups[0] == TimeSplit.Group(name: "", cut: 50, learning: 4, test: 1))
  }

  @Test func `a date cuts all groups`() throws {
    let split = try SmallWorld.split(
      SmallWorld.fixture(
        people: people,
        swipes: [
          "p0,p1,2026-01-31T23:59:59Z,r", "p0,p2,2026-02-01T00:00:00Z,r", "p2,p0,2026-02-02T00:00:00Z,l",
        ],
        evaluation: "{ cut: 2026-02-01, within: [city] }"))
    #expect(split.groups.map(\.learning) == [2, 0])
    #expect(split.groups.map(\.test) == [0, 1])
  }

  /// The users a and b are in group 0, and c is in group 1.
  @Test(
    arguments: [
      // Group 0 is cut at 20, and group 1 at 200. The candidate of all rows after 20 is tested in group 0.
      (
        [(0, 3, 10), (1, 3, 20), (0, 4, 30), (1, 4, 40), (2, 4, 100), (2, 4, 200), (2, 3, 300), (2, 3, 400)],
        0.5
      ),
      // The groups have different candidates.
      (
        [(0, 3, 10), (1, 3, 20), (0, 3, 30), (1, 3, 40), (2, 4, 100), (2, 4, 200), (2, 4, 300), (2, 4, 400)],
        0
      ),
      // The groups share a candidate, but only group 1 is tested on it.
      (
        [(0, 4, 10), (1, 4, 20), (0, 3, 30), (1, 3, 40), (2, 4, 100), (2, 4, 200), (2, 4, 300), (2, 4, 400)],
        0
      ),
      // Both groups have one cut.
      ([(0, 3, 10), (1, 3, 20), (0, 4, 30), (1, 4, 40), (2, 4, 10), (2, 4, 20), (2, 3, 30), (2, 3, 40)], 0),
    ] as [([(Int, Int, Int)], Double)])
  func `a learning interaction leaks if it is later than the cut of a group tested on its candidate`(
    rows: [(Int, Int, Int)], share: Double
  ) throws {
    let people = (0..<5).map { "p\($0),1,1,50,8,\($0 == 2 ? "x" : "y"),Art," }
    let swipes = rows.map { "p\($0.0),p\($0.1),\($0.2),r" }
    func fixture(_ within: String) throws -> StageFixture {
      try SmallWorld.fixture(people: people, swipes: swipes, evaluation: "{ cut: 0.5\(within) }")
    }
    let groups = try fixture(", within: city")
    #expect(try SmallWorld.split(groups).leakingShare == share)
    let (metrics, text) = try groups.evaluate()
    #expect(metrics["split"]?["leaking_share"]?.numberValue == share)
    let isReported = metrics["split"]?["leaks"]?.elements.contains("groups_share_candidates") == true
    #expect(isReported == (share > 0) && text.contains("of another group") == isReported)
    #expect(try SmallWorld.split(fixture("")).leakingShare == 0)
  }

  /// Each user is a group with two interactions with candidate 3, and the second one is tested. The first user's
  /// cut is at 1000, the second user's at 10, and the third user's at 100.
  @Test func `of three groups, the earliest cut of another group decides`() throws {
    let people = (0..<4).map { "p\($0),1,1,50,8,\($0 == 3 ? "" : "city \($0)"),Art," }
    let fixture = try SmallWorld.fixture(
      people: people, swipes: ["p0,p3,1,r"], evaluation: "{ cut: 0.5, within: city }")
    try fixture.ingest()
    let users = try #require(try fixture.snapshot().entities["users"])
    let settings = try #require(fixture.pipeline.evaluation)
    func share(_ rows: [(user: Int, candidate: Int, at: Int, value: Double)]) throws -> Double {
      let table = try ByHand.interactions(rows, users: 4, candidates: 4)
      return TimeSplit(
        table, users: users, entity: "users", settings, end: Instant(milliseconds: 5000)
      ).leakingShare
    }
    let rows: [(user: Int, candidate: Int, at: Int, value: Double)] = [
      (0, 3, 1000, 1), (0, 3, 2000, 1), (1, 3, 10, 1), (1, 3, 20, 1), (2, 3, 100, 1), (2, 3, 200, 1),
    ]
    // The first and the third user learn from an interaction after the second user's cut.
    #expect(try share(rows) == 2.0 / 3)
    // If the second user is tested on another candidate, only the first user's interaction leaks.
    var apart = rows
    apart[3].candidate = 2
    #expect(try share(apart) == 1.0 / 3)
    #expect(try share([]) == 0)
  }

  @Test func `leave-last warns about a leak`() throws {
    let fixture = try SmallWorld.fixture(people: people, swipes: swipes, evaluation: "{ leave_last: 2 }")
    let split = try SmallWorld.split(fixture)
    #expect(split.groups[0].test == 8)
    let (metrics, text) = try fixture.evaluate()
    #expect(metrics["split"]?["leaks"] == .array(["leave_last"]))
    #expect(text.contains("happened after the tested interactions"))
  }
}
