import Columns
import Concurrency
import Foundation
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features
@testable import Ranking
@testable import Search

/// The rules that the scan and the block search share: the order of recommendations, the shortfall of a list
/// and the counts. Comparisons of the two searches do not notice mistakes in them.
struct ListRulesTests {
  private static func found(_ score: Double?, _ distance: Double, _ candidate: Int = 0) -> Recommendation {
    Recommendation(candidate: candidate, score: score, distance: distance)
  }

  @Test(
    arguments: [
      (2, 1, true), (1, 2, false), (1, 1, nil), (0, -0.0, nil), (-1, -2, true), (nil, 1, nil), (1, nil, nil),
      (nil, nil, nil),
    ] as [(Double?, Double?, Bool?)])
  func `the higher score comes first`(left: Double?, right: Double?, isBefore: Bool?) {
    let (first, second) = (Self.found(left, 9), Self.found(right, 1))
    #expect(RecommendationOrder.precedesByScore(first, second) == isBefore)
    // Without different scores, the nearer candidate comes first.
    #expect(RecommendationOrder.precedesByMeasure(first, second) == isBefore ?? false)
  }

  @Test(
    arguments: [
      (1, 2, true), (2, 1, false), (1, 1, nil), (1, .nan, true), (.nan, 1, false), (.nan, .nan, nil),
    ] as [(Double, Double, Bool?)])
  func `the nearer candidate comes first, and unknown distances come last`(
    left: Double, right: Double, isBefore: Bool?
  ) {
    let (first, second) = (Self.found(3, left), Self.found(3, right))
    #expect(RecommendationOrder.precedesByDistance(first, second) == isBefore)
    #expect(RecommendationOrder.precedesByMeasure(first, second) == isBefore)
  }

  @Test func `the smaller mix breaks ties, then the smaller row`() {
    func precedes(_ left: (mix: UInt64, row: Int), _ right: (mix: UInt64, row: Int)) -> Bool {
      RecommendationOrder.precedesByMix(
        Self.found(1, 1, left.row), left.mix, Self.found(1, 1, right.row), right.mix)
    }
    #expect(precedes((1, 5), (2, 3)) && !precedes((2, 3), (1, 5)))
    #expect(precedes((7, 3), (7, 5)) && !precedes((7, 5), (7, 3)) && !precedes((7, 5), (7, 5)))
  }

  @Test func `the mix depends on the user, the candidate and the seed, in this order`() {
    let order = RecommendationOrder(userHash: 11, seed: 5)
    #expect(order.mix(22) == Mix64.pair(11, 22, seed: 5))
    #expect(order.mix(22) != RecommendationOrder(userHash: 22, seed: 5).mix(11))
    let ids = [Array("a".utf8), Array("bc".utf8)]
    #expect(StringColumn(inMemory: ids).idHashes == ids.map { Mix64.hash($0.span) })
  }

  private static func ranking(_ rules: String) throws -> Pipeline.Ranking {
    try Pipeline(
      yaml: """
        pipeline: p
        entities:
          people:
            source: { path: people.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes: { hidden: { type: flag } }
        rankings:
          list: { users: people, candidates: people, exclude: [self, hidden], order_by: distance, \(rules) }
        """, file: "p.yaml"
    ).rankings[0]
  }

  struct Example: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var listed: Int
    var inReach: Int
    var excluded: [Int]
    var interacted = 0
    var hasRadius = true
    var shortfall: Shortfall?
    var notAboveMinimum = 0
    var beyondTop = 0
  }

  @Test(arguments: [
    Example(testDescription: "full, without others", listed: 2, inReach: 5, excluded: [1, 2]),
    Example(
      testDescription: "full, with others", listed: 2, inReach: 9, excluded: [1, 2], interacted: 1,
      beyondTop: 4),
    Example(
      testDescription: "none in reach", listed: 0, inReach: 0, excluded: [0, 0], shortfall: .noneInRadius),
    Example(
      testDescription: "all in reach are excluded", listed: 0, inReach: 3, excluded: [1, 2],
      shortfall: .noneInRadius),
    Example(
      testDescription: "one of the excluded was met", listed: 0, inReach: 3, excluded: [1, 2], interacted: 1,
      shortfall: .noneLeft),
    Example(
      testDescription: "short", listed: 1, inReach: 2, excluded: [0, 1], shortfall: .noneInRadius),
    Example(
      testDescription: "short, without a radius", listed: 1, inReach: 2, excluded: [1, 0], hasRadius: false,
      shortfall: .noneLeft),
    Example(
      testDescription: "others have low scores", listed: 1, inReach: 6, excluded: [1, 1], interacted: 2,
      shortfall: .noneAboveMinimum, notAboveMinimum: 3),
    Example(
      testDescription: "others have low scores, without a radius", listed: 0, inReach: 1, excluded: [0, 0],
      hasRadius: false, shortfall: .noneAboveMinimum, notAboveMinimum: 1),
  ])
  func `the counts decide the shortfall`(example: Example) throws {
    let ranking = try Self.ranking(example.hasRadius ? "within_km: 50, top: 2" : "top: 2")
    var counts = SearchCounts(exclusions: 2)
    (counts.inReach, counts.excluded) = (example.inReach, example.excluded)
    let best = (0..<example.listed).map { Self.found(1, 1, $0) }
    let result = SearchResult(
      best: best, counts: counts, interactedInReach: example.interacted, ranking: ranking, top: ranking.top)
    #expect(result.best == best && result.shortfall == example.shortfall)
    let found = try #require(result.counts)
    #expect(found.inReach == example.inReach && found.excluded == example.excluded)
    #expect(found.listed == example.listed && found.beyondTop == example.beyondTop)
    #expect(found.notAboveMinimum == example.notAboveMinimum)
  }

  @Test func `a user without a position has an empty list with zero counts`() throws {
    let result = SearchResult.withoutPosition(try Self.ranking("within_km: 50"))
    #expect(result.best.isEmpty && result.shortfall == .noPosition)
    #expect(result.counts == SearchCounts(exclusions: 2) && result.counts?.excluded == [0, 0])
  }

  @Test func `the counts of a user are the sum over all lists, and over candidates on no list`() {
    func result(_ inReach: Int) -> SearchResult {
      var counts = SearchCounts(exclusions: 1)
      (counts.inReach, counts.excluded, counts.listed) = (inReach, [inReach - 1], 1)
      return SearchResult(best: [Self.found(1, 1)], shortfall: nil, counts: counts)
    }
    var unlisted = SearchCounts(exclusions: 1)
    (unlisted.inReach, unlisted.excluded) = (10, [10])
    let both = UserLists([result(3), result(4)], exclusions: 1, unlisted: unlisted)
    #expect(both.lists.count == 2 && both.repeated == 0)
    #expect(both.counts?.inReach == 17 && both.counts?.excluded == [15] && both.counts?.listed == 2)
    let plain = UserLists([result(3)], exclusions: 1)
    #expect(plain.counts?.inReach == 3 && plain.counts?.excluded == [2])
    #expect(UserLists([], exclusions: 3).counts == SearchCounts(exclusions: 3))
    let uncounted = SearchResult(best: [], shortfall: nil, counts: nil)
    #expect(UserLists([result(3), uncounted], exclusions: 1).counts == nil)
  }

  @Test func `a list is full when it has as many entries as its capacity`() {
    var top = TopList(capacity: 2, order: RecommendationOrder(userHash: 1, seed: 1))
    #expect(top.room == 2 && top.last == nil && top.best.isEmpty)
    let first = top.offer(Self.found(1, 1, 0), hash: 10)
    #expect(first && top.room == 1 && top.last == nil)
    let second = top.offer(Self.found(3, 1, 1), hash: 11)
    #expect(second && top.room == 0 && top.last == Self.found(1, 1, 0))
    // A worse candidate does not enter, and its exclusion is not evaluated.
    var evaluated = 0
    func isExcluded() -> Bool {
      evaluated += 1
      return true
    }
    let worse = top.offer(Self.found(0, 1, 2), hash: 12, isExcluded: isExcluded())
    #expect(!worse && evaluated == 0)
    let excluded = top.offer(Self.found(2, 1, 3), hash: 13, isExcluded: isExcluded())
    #expect(!excluded && evaluated == 1)
    #expect(top.best.map(\.candidate) == [1, 0])
    let better = top.offer(Self.found(2, 1, 4), hash: 14)
    #expect(better && top.best.map(\.candidate) == [1, 4] && top.last == Self.found(2, 1, 4))
  }

  @Test func `the newest candidates come first, and candidates without a creation time come last`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities: { notes: { source: { path: notes.csv }, id: id, created: at } }
        """, files: ["notes.csv": "id,at\na,3\nb,\nc,5\nd,5\ne,\n"])
    try fixture.ingest()
    let table = try #require(try fixture.snapshot().entities["notes"])
    let keys = CandidateKeys([.newest], of: table)
    let expected: [(Int, Int, Bool?)] = [
      (2, 0, true), (0, 2, false), (2, 3, nil), (0, 1, true), (1, 0, false), (1, 4, nil), (3, 1, true),
    ]
    for (left, right, isBefore) in expected {
      #expect(keys.precedes(row: left, right) == isBefore, "\(left) and \(right)")
      let found = keys.precedes(Self.found(nil, 9, left), Self.found(nil, 1, right))
      #expect(found == isBefore, "\(left) and \(right)")
    }
  }

  private static func blockSearch(_ recommender: Recommender) -> BlockSearch? {
    if case .block(let search) = recommender.search { search } else { nil }
  }

  /// A list by distance with room for all candidates looks at every node and block once.
  @Test(arguments: [3, 40, 300])
  func `the effort counts nodes, candidates with bounds and candidates with distances`(people: Int) throws {
    let world = try SearchWorld(seed: 41, people: people)
    var ranking = world.ranking
    (ranking.radiusInKilometers, ranking.exclusions) = (nil, [])
    (ranking.order, ranking.top) = (.distance, 1000)
    let recommender = try world.recommender(.block, ranking)
    let search = try #require(Self.blockSearch(recommender))
    var workspace = SearchWorkspace()
    for round in 1...2 {
      let result = recommender.search(user: 0, using: &workspace)
      #expect(result.best.count == people)
      let effort = workspace.effort
      #expect(effort.bounded == round * people && effort.scored == round * people)
      #expect(effort.nodes == round * search.byDistance.tree.tree.nodes.count && effort.exactBounds == 0)
    }
    #expect((search.byDistance.tree.tree.nodes.count > 0) == (people > 32))
  }

  /// The bounds hold for every chord, and they are close for short chords.
  @Test func `bounds on distances enclose the distance of a chord`() {
    for meters in [0, 1, 10, 500, 20_000, 300_000, 5_000_000, 6_371_000, 12_000_000, 20_015_000] as [Double] {
      let kilometers = meters / 1000
      let chord = 2 * sin(kilometers / GreatCircle.earthRadiusInKilometers / 2)
      let squared = Float(chord * chord)
      let least = Double(ChordFloats.surelyLeastKilometers(squaredChord: squared))
      #expect(least >= 0 && least <= kilometers, "\(kilometers)")
      if kilometers < 1000 { #expect(least > kilometers * 0.9999 - 0.01, "\(kilometers)") }
      let lanes = Lanes(repeating: squared)
      let low = Double(ChordFloats.leastKilometers(squaredChords: lanes)[3])
      let high = Double(ChordFloats.mostKilometers(squaredChords: lanes)[5])
      let slack = ChordFloats.margin + kilometers * Double(ChordFloats.relativeMargin)
      #expect(low - slack <= kilometers && kilometers <= high + slack, "\(low), \(kilometers), \(high)")
      if kilometers < 1000 {
        #expect(high - low < 0.01 + kilometers * 1e-4, "\(low), \(kilometers), \(high)")
      }
      #expect(high < kilometers * 1.25 + 0.01, "\(kilometers), \(high)")
    }
  }

  @Test(arguments: [0.001, 0.5, 35.5, 2500, 19_000])
  func `a chord is surely within or beyond a radius except within a few meters`(radius: Double) throws {
    let exact = ChordRadius(radiusInKilometers: radius)
    let (within, beyond) = (ChordFloats.surelyWithin(exact), ChordFloats.surelyBeyond(exact))
    #expect(Double(within) < exact.surelyWithin && Double(beyond) > exact.surelyBeyond)
    // A chord of 1e-6 corresponds to six meters.
    let (near, far) = (Double(max(within, 0)).squareRoot(), Double(beyond).squareRoot())
    let chord = exact.surelyBeyond.squareRoot()
    #expect(chord - near < 5e-6 && far - chord < 5e-6)
  }
}
