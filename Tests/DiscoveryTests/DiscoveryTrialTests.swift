import Columns
import Concurrency
import Files
import LeastSquares
import RunSchemas
import StageFixture
import TestSupport
import Testing
import Text

@testable import Discovery

struct DiscoveryTrialTests {
  init() throws { try LinearAlgebraLibrary.load() }

  /// Entities from small exports. The interactions of a trial come from rows of the test.
  private static func entities(
    people: String, items: String, settings: String = "", itemSettings: String = ""
  ) throws -> (people: EntityTable, items: EntityTable) {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1960, 2100]
        entities:
          people: { source: { path: people.csv }, id: id\(settings) }
          items: { source: { path: items.csv }, id: id\(itemSettings) }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: user, entity: people }
            candidate: { from: item, entity: items }
            at: { from: at, unit: seconds }
            value: like
        """,
      files: [
        "people.csv": people, "items.csv": items,
        "likes.csv": "user,item,at,like\n\(firstID(people)),\(firstID(items)),90,1\n",
      ])
    try fixture.ingest()
    let snapshot = try fixture.snapshot()
    return (try #require(snapshot.entities["people"]), try #require(snapshot.entities["items"]))
  }

  private static func firstID(_ rows: String) -> String {
    rows.split(separator: "\n").dropFirst().first.map { String($0.prefix { $0 != "," }) } ?? ""
  }

  private static func ids(_ letter: String, _ count: Int) -> String {
    "id\n" + (0..<count).map { "\(letter)\($0)\n" }.joined()
  }

  private static func task(
    _ rows: [(user: Int, candidate: Int, at: Int, value: Double)], cut: InnerCut = .eachUser, users: Int,
    items: Int, isAmongThemselves: Bool = false
  ) throws -> DiscoveryTask {
    let entities = try entities(people: ids("p", users), items: ids("c", items))
    return DiscoveryTask(
      try LikesByHand.table(rows, users: users, candidates: items), cut, users: entities.people,
      candidates: entities.items, usesLaterProfiles: false, radius: nil,
      isAmongThemselves: isAmongThemselves, seed: 1)
  }

  /// The first user decides on 0 and 1 up to the cut at 10. Later decisions on these, a later like that
  /// becomes a pass, and a like after the end at 20 do not count.
  private static let rows: [(user: Int, candidate: Int, at: Int, value: Double)] = [
    (0, 0, 1, 1), (0, 1, 2, -1), (0, 2, 11, 1), (0, 1, 12, 1), (0, 3, 13, 1), (0, 3, 14, -1),
    (0, 4, 30, 1), (1, 0, 12, 1), (1, 3, 11, 1), (2, 0, 5, 1), (3, 0, 10, 1), (3, 1, 20, 1),
  ]

  private static func trial(_ isAmongThemselves: Bool = false) throws -> DiscoveryTrial {
    DiscoveryTrial(
      try task(rows, users: 4, items: 5, isAmongThemselves: isAmongThemselves),
      InnerCut.Window(cuts: [10, 10, 10, 10], end: 20), usesItems: false, threads: 1)
  }

  @Test func `the compared users are those with a new like between the cut and the end`() throws {
    let tests = try Self.trial().tests
    #expect(tests.map(\.user) == [0, 1, 3])
    #expect(tests.map(\.likes) == [[2], [0, 3], [1]])
    #expect(tests.map(\.excluded) == [[0, 1], [], [0]])
  }

  @Test func `if users and candidates are the same people, a list does not contain its user`() throws {
    let tests = try Self.trial(true).tests
    #expect(tests.map(\.user) == [0, 1, 3])
    #expect(tests.map(\.excluded) == [[0, 1], [1], [0, 3]])
    #expect(tests.map(\.likes) == [[2], [0, 3], [1]])
  }

  /// Up to the cut, three users like candidate 0, so it is first. The others are in the order of rows.
  @Test func `the gain of a list by popularity equals a calculation by hand`() throws {
    let gains = try Self.trial().gains([DiscoverySettings()], threads: 1)
    let ideal = 1 + 1 / 1.584962500721156
    let second = (1 + 1 / 2.321928094887362) / ideal
    #expect(gains.count == 3 && gains.allSatisfy { $0.count == 1 })
    let found: [Double] = gains.flatMap { $0 }
    for (found, expected) in zip(found, [1.0, second, 1.0]) {
      #expect(abs(found - expected) < 1e-12)
    }
  }

  @Test func `a list has ten places, and so has the ideal list`() throws {
    // The user likes the candidates in the first twelve places, or only the candidates in places 10 and 11.
    let rows = (0..<12).map { (user: 0, candidate: $0, at: 11, value: 1.0) }
    let late = [(user: 1, candidate: 9, at: 11, value: 1.0), (user: 1, candidate: 10, at: 12, value: 1.0)]
    let trial = DiscoveryTrial(
      try Self.task(rows + late, users: 2, items: 12), InnerCut.Window(cuts: [10, 10], end: 20),
      usesItems: false, threads: 1)
    let gains = trial.gains([DiscoverySettings()], threads: 1).flatMap { $0 }
    #expect(gains.count == 2)
    #expect(abs(gains[0] - 1) < 1e-12)
    #expect(abs(gains[1] - (1 / 3.459431618637297) / (1 + 1 / 1.584962500721156)) < 1e-12)
  }

  /// The people and items before the cut at 10 seconds. One user and the nearest item are created later.
  /// `i0` is about 111 km from `p0`, `i1` is at the same place, and `i2` and `p1` have no position.
  @Test(
    arguments: [
      (nil, [[1 / 1.584962500721156, 1], [0.5, 0.5]]), (50, [[1, 1], [0, 0]]),
      (120, [[1 / 1.584962500721156, 1], [0, 0]]),
    ] as [(Double?, [[Double]])])
  func `a trial has the distances, the radius and the entities of its cut`(
    radius: Double?, expected: [[Double]]
  ) throws {
    let position =
      ", created: { from: created, unit: seconds }, position: { latitude: lat, longitude: lon }"
    let entities = try Self.entities(
      people: "id,created,lat,lon\np0,1,50,8\np1,1,,\np2,15,50,8\n",
      items: "id,created,lat,lon\nh,15,50,8\ni0,1,51,8\ni1,1,50,8\ni2,1,,\n", settings: position,
      itemSettings: position)
    let table = try LikesByHand.table(
      [(0, 2, 20_000, 1), (1, 3, 20_000, 1), (2, 1, 20_000, 1)], users: 3, candidates: 4)
    let task = DiscoveryTask(
      table, .time, users: entities.people, candidates: entities.items, usesLaterProfiles: false,
      radius: radius, isAmongThemselves: false, seed: 1)
    #expect(task.hasPositions)
    var near = DiscoverySettings()
    near.distance = 1
    for cut in [InnerCut.time, .eachUser] {
      let trial = DiscoveryTrial(
        DiscoveryTask(
          table, cut, users: entities.people, candidates: entities.items, usesLaterProfiles: false,
          radius: radius, isAmongThemselves: false, seed: 1),
        InnerCut.Window(cuts: [10_000, 10_000, 10_000], end: 30_000), usesItems: false, threads: 1)
      #expect(trial.tests.map(\.user) == [0, 1])
      let gains = trial.gains([DiscoverySettings(), near], threads: 1)
      #expect(gains.count == 2)
      for (found, expected) in zip(gains.flatMap { $0 }, expected.flatMap { $0 }) {
        #expect(abs(found - expected) < 1e-12)
      }
    }
  }

  /// With 60,000 candidates, a trial compares only 200 users.
  @Test(arguments: [200, 201])
  func `with many candidates, two hundred users are drawn by hash`(users: Int) throws {
    let rows = (0..<users).map { (user: $0, candidate: $0, at: 11, value: 1.0) }
    let trial = DiscoveryTrial(
      try Self.task(rows, users: users, items: 60_000),
      InnerCut.Window(cuts: [Int64](repeating: 10, count: users), end: 20), usesItems: false, threads: 2)
    let byHash = (0..<users).sorted {
      Mix64.pair(UInt64($0), 0, seed: 1) < Mix64.pair(UInt64($1), 0, seed: 1)
    }
    #expect(trial.tests.map(\.user).sorted() == byHash.prefix(200).sorted())
  }

  // MARK: - The choice

  @Test func `with few users, the defaults remain and nothing is compared`() throws {
    let task = try Self.task(Self.rows, users: 4, items: 5)
    let choice = DiscoveryChoice(task, threads: 1)
    #expect(choice.users == 4 && choice.settings == DiscoverySettings())
    #expect(choice.before.isNaN && choice.after.isNaN)
    #expect(DiscoveryChoice.trend(of: task, threads: 1) == .tooFewUsers(4))
  }

  /// Each user likes candidate 0, then candidate 1. Every setting finds the second like in the first place.
  @Test(arguments: [29, 30])
  func `thirty users with later likes are enough for a choice`(users: Int) throws {
    let rows = (0..<users).flatMap { user in
      [(user: user, candidate: 0, at: 1, value: 1.0), (user: user, candidate: 1, at: 2, value: 1.0)]
    }
    let task = try Self.task(rows, users: users, items: 3)
    let (choice, trend) = (DiscoveryChoice(task, threads: 1), DiscoveryChoice.trend(of: task, threads: 1))
    #expect(choice.users == users)
    if users < 30 {
      #expect(choice.before.isNaN && trend == .tooFewUsers(29))
      #expect(choice.settings == DiscoverySettings())
    } else {
      #expect(choice.before == 1 && choice.after == 1 && trend == .noneIsBetter)
      // Of equally good weights of the popularity, the first one is chosen.
      var expected = DiscoverySettings()
      expected.popularity = 0.01
      #expect(choice.settings == expected)
    }
  }

  @Test(
    arguments: [
      ([1, 1, 1], true), ([0, 0], false), ([-1, -1], false), ([1, -1], false),
      // The mean is 2 and its standard error is 1. A gain of exactly two standard errors is not clear.
      ([3, 1], false), ([3, 1.5], true), ([3, 0.5], false), ([-3, -1.5], false),
      // The mean is 1, and its standard error is √(2 / 6).
      ([2, 0, 1], false), ([2, 0.5, 1.25], true),
    ] as [([Double], Bool)])
  func `a gain is clear if it exceeds two standard errors`(_ differences: [Double], _ isClear: Bool) {
    #expect(DiscoveryChoice.isClear(differences) == isClear)
  }

  @Test func `the tried values equal the documented values`() {
    let days: [Int64] = [3, 7, 14, 30, 90, 180, 365]
    #expect(DiscoveryChoice.halfLives.compactMap { $0 } == days.map { $0 * 86_400_000 })
    #expect(DiscoveryChoice.halfPlaces.compactMap { $0 } == [5, 10, 20, 50])
    #expect(DiscoveryChoice.popularities == [0.01, 0.03, 0.1, 0.3, 1, 3])
    #expect(DiscoveryChoice.exponents == [0.25, 0.5, 1, 1.5, 2])
    #expect(DiscoveryChoice.leastUsers == 30 && DiscoveryChoice.leastGain == 2)
  }
}
