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

/// Builds tables of interactions from rows that a test lists.
enum LikesByHand {
  /// Returns interactions in the order in which ingest writes them: by user, then by time.
  static func table(
    _ rows: [(user: Int, candidate: Int, at: Int, value: Double)], users: Int, candidates: Int
  ) throws -> InteractionTable {
    let ordered = rows.enumerated().sorted {
      ($0.element.user, $0.element.at, $0.offset) < ($1.element.user, $1.element.at, $1.offset)
    }.map(\.element)
    let byCandidate = ordered.indices.sorted { (ordered[$0].candidate, $0) < (ordered[$1].candidate, $1) }
    func offsets(_ members: [Int], of count: Int) -> [UInt64] {
      var offsets = [UInt64](repeating: 0, count: count + 1)
      for member in members { offsets[member + 1] += 1 }
      for index in 0..<count { offsets[index + 1] += offsets[index] }
      return offsets
    }
    let scratch = try ScratchDirectory()
    var directory = try StageDirectory("made", in: scratch.path)
    try Column.write(ordered.map { UInt32($0.candidate) }, to: "candidate.npy", in: &directory)
    try Column.write(ordered.map { Int64($0.at) }, to: "at.npy", in: &directory)
    try Column.write(ordered.map(\.value), to: "value.npy", in: &directory)
    try Column.write(offsets(ordered.map(\.user), of: users), to: "user.offsets.npy", in: &directory)
    try Column.write(byCandidate.map { UInt32($0) }, to: "by_candidate.npy", in: &directory)
    try Column.write(
      offsets(ordered.map(\.candidate), of: candidates), to: "by_candidate.offsets.npy", in: &directory)
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "made", pipeline: "", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0, counts: [:]))
    return try InteractionTable(scratch("made"))
  }

  /// The likes of each user, newest first. The n-th like of a user has the time n.
  static func liked(_ likes: [[UInt32]], candidates: Int, times: [Int64]? = nil) -> LikedCandidates {
    LikedCandidates(
      offsets: likes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) },
      candidates: likes.flatMap { $0 }, times: times ?? likes.flatMap { $0.indices.map { Int64($0) } },
      candidateCount: candidates)
  }
}

struct DiscoverySettingsTests {
  @Test func `settings are stored by name, with the half-life in seconds`() {
    let defaults: JSONValue = [
      "half_life_seconds": .null, "half_place": .null, "popularity": .number(1), "distance": .number(0),
    ]
    #expect(DiscoverySettings().json == defaults)
    #expect(DiscoverySettings(defaults) == DiscoverySettings())
    var settings = DiscoverySettings()
    settings.halfLife = 3_000_000
    settings.halfPlace = 2.5
    settings.popularity = 0.25
    settings.distance = 0.5
    let expected: JSONValue = [
      "half_life_seconds": 3000, "half_place": .number(2.5), "popularity": .number(0.25),
      "distance": .number(0.5),
    ]
    #expect(settings.json == expected)
    #expect(DiscoverySettings(expected) == settings)
    #expect(DiscoverySettings.key == "discovery")
  }

  @Test func `an order by items alone has a tiny weight of the popularity and no other setting`() {
    let settings = DiscoverySettings.itemsAlone
    #expect(settings.popularity == 1e-6 && settings.distance == 0)
    #expect(settings.halfLife == nil && settings.halfPlace == nil)
  }

  @Test(
    arguments: [
      ("popularity", -0.5, false), ("popularity", 0, true), ("popularity", .infinity, false),
      ("distance", -0.5, false), ("distance", 0, true), ("distance", .infinity, false),
      ("half_place", 0, false), ("half_place", -1, false), ("half_place", .infinity, false),
      ("half_place", 0.5, true),
    ] as [(String, Double, Bool)])
  func `stored settings out of range are not read`(_ name: String, _ value: Double, _ isRead: Bool) {
    var members = DiscoverySettings().json.members
    members[name] = .number(value)
    #expect((DiscoverySettings(.object(members)) != nil) == isRead)
  }

  @Test(
    arguments: [
      (-1, nil), (0, nil), (1, 1000), (Int.max / 1000, Int64(Int.max / 1000) * 1000),
      (Int.max / 1000 + 1, nil),
    ] as [(Int, Int64?)])
  func `a stored half-life is at least a second and fits in milliseconds`(
    _ seconds: Int, _ milliseconds: Int64?
  ) {
    var members = DiscoverySettings().json.members
    members["half_life_seconds"] = .integer(seconds)
    let read = DiscoverySettings(.object(members))
    #expect(read?.halfLife == milliseconds)
    #expect((read == nil) == (milliseconds == nil))
  }

  @Test(arguments: ["popularity", "distance"])
  func `settings without a weight or an exponent are not read`(_ name: String) {
    var members = DiscoverySettings().json.members
    members[name] = nil
    #expect(DiscoverySettings(.object(members)) == nil)
  }

  @Test func `a weight halves with each half-life`() {
    #expect([0, 1, 2, 3].map { DiscoverySettings.half($0) } == [1, 0.5, 0.25, 0.125])
  }
}

struct DiscoveryScoreTests {
  @Test func `a score is the sum of coefficients, at least 0, plus the weighted popularity`() {
    #expect(DiscoveryScores.nearby(2, 0.5, weight: 4) == 4)
    #expect(DiscoveryScores.nearby(-1, 0.5, weight: 4) == 2)
    #expect(DiscoveryScores.nearby(2, 0.5, weight: 0) == 2)
  }

  /// Scores of the candidates 4 and 8, divided by (1 + distance) to the power of the exponent.
  @Test(
    arguments: [
      (0, 1, 3, 8), (0, 1, .nan, 8), (1, 0, 3, 1), (1, 1, 3, 2), (1, 1, 0, 8), (0.5, 1, 3, 4),
      (2, 1, 1, 2), (1, 0, .nan, 4.0 / 20_016),
    ] as [(Double, Int, Double, Double)])
  func `a score decays with the distance, and an unknown distance is half the circumference of the earth`(
    exponent: Double, candidate: Int, distance: Double, expected: Double
  ) {
    let scores = UserDiscovery(scores: [4, 8], exponent: exponent)
    #expect(abs(scores.score(candidate: candidate, distance: distance) - expected) < 1e-12)
  }

  /// Two of three users like candidate 0 or 1. The likes of candidate 0 have the times 20 and 0, and the like
  /// of candidate 1 has the time 10.
  @Test(
    arguments: [
      // The weights are 2, 1 and 0. Half an average like is 0.5, and a user has 1.5 likes on average.
      (nil, 20, [2.5 / 3, 1.5 / 3, 0.5 / 3]),
      // The weights are 1.25, 0.5 and 0, and half an average like is 1.75 / 6.
      (10, 20, [37.0 / 42, 19.0 / 42, 7.0 / 42]),
      // A like after the as-of time has the weight 1. The weights are 1.5, 1 and 0.
      (10, 10, [23.0 / 30, 17.0 / 30, 5.0 / 30]),
    ] as [(Int64?, Int64, [Double])])
  func `the popularity is a smoothed share of the weights of likes`(
    halfLife: Int64?, asOf: Int64, expected: [Double]
  ) {
    let liked = LikesByHand.liked([[0, 1], [0], []], candidates: 3, times: [20, 10, 0])
    let found = TrendingPopularity(liked, halfLife: halfLife, asOf: asOf).values
    #expect(found.count == 3)
    for (found, expected) in zip(found, expected) { #expect(abs(Double(found) - expected) < 1e-6) }
  }

  @Test func `without likes all candidates are equally popular`() {
    let liked = LikesByHand.liked([[], []], candidates: 2)
    #expect(TrendingPopularity(liked, halfLife: nil, asOf: 5).values == [1, 1])
    #expect(TrendingPopularity(liked, halfLife: 10, asOf: 5).values == [1, 1])
  }
}

struct LikedCandidatesTests {
  /// The first user's decision on candidate 0 is a pass. Candidate 1 is liked twice.
  private static let rows: [(user: Int, candidate: Int, at: Int, value: Double)] = [
    (0, 0, 1, 1), (0, 1, 2, 1), (0, 0, 3, -1), (0, 2, 4, 1), (0, 1, 5, 1), (1, 3, 6, -1), (2, 0, 7, 1),
  ]

  @Test func `the latest decision of a pair counts, and likes are ordered newest first`() throws {
    let liked = LikedCandidates(try LikesByHand.table(Self.rows, users: 4, candidates: 5))
    #expect(liked.offsets == [0, 2, 2, 3, 3])
    #expect(liked.candidates == [1, 2, 0] && liked.times == [5, 4, 7])
    #expect(liked.candidateCount == 5 && liked.userCount == 4 && liked.usersWithLikes == 2)
    #expect(liked.range(ofUser: 0) == 0..<2 && liked.range(ofUser: 2) == 2..<3)
  }

  @Test(
    arguments: [
      (0, [0, 0, 0, 0, 0], [], []), (1, [0, 1, 1, 1, 1], [0], [1]), (2, [0, 2, 2, 2, 2], [1, 0], [2, 1]),
      (3, [0, 1, 1, 1, 1], [1], [2]), (4, [0, 2, 2, 2, 2], [2, 1], [4, 2]),
      (7, [0, 2, 2, 3, 3], [1, 2, 0], [5, 4, 7]),
    ] as [(Int64, [Int], [UInt32], [Int64])])
  func `only decisions up to the cut count`(
    cut: Int64, offsets: [Int], candidates: [UInt32], times: [Int64]
  ) throws {
    let table = try LikesByHand.table(Self.rows, users: 4, candidates: 5)
    let liked = LikedCandidates(table, upTo: { _ in cut })
    #expect(liked.offsets == offsets && liked.candidates == candidates && liked.times == times)
  }

  @Test func `each user has an own cut`() throws {
    let table = try LikesByHand.table(Self.rows, users: 4, candidates: 5)
    let liked = LikedCandidates(table, upTo: { $0 == 0 ? 2 : 7 }, threads: 2)
    #expect(liked.candidates == [1, 0, 0] && liked.times == [2, 1, 7])
  }

  /// Workers collect the likes of 4096 users at a time.
  @Test func `the likes of many users are joined in the order of users`() throws {
    let users = 4099
    let table = try LikesByHand.table(
      (0..<users).map { ($0, $0 % 7, $0, $0 % 3 == 0 ? -1 : 1) }, users: users, candidates: 7)
    let liked = LikedCandidates(table, threads: 2)
    let likers = (0..<users).filter { $0 % 3 != 0 }
    #expect(liked.candidates == likers.map { UInt32($0 % 7) })
    #expect(liked.times == likers.map { Int64($0) })
    let counts = (0..<users).map { liked.range(ofUser: $0).count }
    #expect(counts == (0..<users).map { $0 % 3 == 0 ? 0 : 1 })
  }
}

struct InnerCutTests {
  /// Two users take turns in eleven interactions at 10, 20, ..., 110.
  @Test func `the cuts of one time are at four fifths, seven tenths and three fifths, latest first`() throws {
    let rows = (0..<11).map { (user: $0 % 2, candidate: 0, at: 10 * ($0 + 1), value: 1.0) }
    let windows = InnerCut.time.windows(try LikesByHand.table(rows, users: 3, candidates: 1))
    #expect(windows.map(\.cuts) == [90, 80, 70].map { [$0, $0, $0] })
    #expect(windows.map(\.end) == [110, 90, 80])
  }

  @Test func `without interactions there is no cut`() throws {
    #expect(InnerCut.time.windows(try LikesByHand.table([], users: 2, candidates: 1)).isEmpty)
  }

  @Test func `each user's cut is after four fifths of the user's interactions`() throws {
    let counts = [10, 1, 0, 2, 5, 4]
    let rows = counts.enumerated().flatMap { user, count in
      (0..<count).map { (user: user, candidate: 0, at: 100 * user + $0, value: 1.0) }
    }
    let windows = InnerCut.eachUser.windows(try LikesByHand.table(rows, users: 6, candidates: 1))
    // Of ten interactions, eight are earlier, and of one interaction none is.
    #expect(windows.map(\.cuts) == [[7, .min, .min, 300, 403, 502]])
    #expect(windows.map(\.end) == [.max])
  }
}

struct CoLikesTests {
  init() throws { try LinearAlgebraLibrary.load() }

  /// Eleven users like 0 and 1, ten like 0 and 2, five like only 1, and two like nothing.
  private static let likes: [[UInt32]] =
    ([([0, 1], 11), ([2, 0], 10), ([1], 5), ([], 2)] as [([UInt32], Int)])
    .flatMap { Array(repeating: $0.0, count: $0.1) }

  @Test func `pairs of candidates have the numbers of users who like both`() {
    let pairs = CoLikes(LikesByHand.liked(Self.likes, candidates: 4), strongest: 5, threads: 1)
    #expect(pairs.likers == [21, 16, 10, 0] && pairs.users == 26)
    // The strength of 1 for 0 is 11 / 4, and the strength of 2 for 0 is 10 / √10.
    #expect(pairs.offsets == [0, 2, 3, 4, 4])
    #expect(pairs.neighbors == [2, 1, 0, 0] && pairs.counts == [10, 11, 11, 10])
  }

  @Test func `of equally strong neighbors, the candidate with the smaller row comes first`() {
    let liked = LikesByHand.liked(Array(repeating: [2, 0, 1], count: 10), candidates: 3)
    #expect(CoLikes(liked, strongest: 2, threads: 1).neighbors == [1, 2, 0, 2, 0, 1])
    #expect(CoLikes(liked, strongest: 1, threads: 1).neighbors == [1, 0, 0])
  }

  @Test func `only the hundred newest likes of a user count`() {
    let likes = Array(repeating: (0..<101).map { UInt32($0) }, count: 10)
    let liked = LikesByHand.liked(likes, candidates: 101)
    let pairs = CoLikes(liked, strongest: 200, threads: 1)
    #expect(pairs.likers == Array(repeating: 10, count: 100) + [0])
    #expect((0...100).map { pairs.range(of: $0).count } == Array(repeating: 99, count: 100) + [0])
    // A sum covers the same number of likes.
    let items = ItemToItem(
      LikesByHand.liked(Array(repeating: [0, 1], count: 20), candidates: 120), threads: 1)
    func sum(after others: Int) -> Float {
      var sums = [Float](repeating: 0, count: 120)
      let likes = (0..<others).map { UInt32($0 + 2) } + [0]
      items.add(likes[...], halfPlace: nil, to: &sums)
      return sums[1]
    }
    #expect(sum(after: 99) == 20.0 / 320 && sum(after: 100) == 0)
  }

  /// Candidate 0 has 101 equally strong neighbors.
  @Test func `a regression has at most a hundred neighbors`() {
    let (first, second) = ((0...60).map { UInt32($0) }, (61...101).map { UInt32($0) })
    let likes = (0..<20).map { $0 < 10 ? first : [0] + second }
    let items = ItemToItem(LikesByHand.liked(likes, candidates: 102), threads: 2)
    let affecting = (0..<102).filter {
      items.targets[items.offsets[$0]..<items.offsets[$0 + 1]].contains(0)
    }
    #expect(affecting == Array(1...100))
    #expect(!items.isEmpty)
  }

  @Test func `without a pair that ten users like, there are no coefficients`() {
    #expect(ItemToItem(LikesByHand.liked(Self.likes, candidates: 4), threads: 1).isEmpty == false)
    let few = LikesByHand.liked(Array(repeating: [0, 1], count: 9), candidates: 2)
    #expect(ItemToItem(few, threads: 1).isEmpty)
  }
}

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

  @Test func `among themselves, a list does not contain its user`() throws {
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

  @Test func `the tried values are those of the documentation`() {
    let days: [Int64] = [3, 7, 14, 30, 90, 180, 365]
    #expect(DiscoveryChoice.halfLives.compactMap { $0 } == days.map { $0 * 86_400_000 })
    #expect(DiscoveryChoice.halfPlaces.compactMap { $0 } == [5, 10, 20, 50])
    #expect(DiscoveryChoice.popularities == [0.01, 0.03, 0.1, 0.3, 1, 3])
    #expect(DiscoveryChoice.exponents == [0.25, 0.5, 1, 1.5, 2])
    #expect(DiscoveryChoice.leastUsers == 30 && DiscoveryChoice.leastGain == 2)
  }
}
