import Foundation
import Ranking
import Testing

@testable import Evaluation

/// Compares properties of lists other than hits with values computed by hand.
@Suite struct ListProfileTests {
  /// Three users and four candidates. The second candidate is first on two lists. The first
  /// candidate is second on one list.
  private static func profile(_ isCandidate: [Bool] = [true, true, false, true]) -> ListProfile {
    ListProfile(
      ByHand.lists([[1, 0], [1], []]), isCandidate: isCandidate, decidedOnBy: [0, 3, 1, 0], isOneKind: false)
  }

  @Test func `novelty is the mean information of an entry, smoothed by one`() throws {
    // All three users decided on the second candidate, so the novelty of its two entries is -log2(4 / 4) = 0.
    // No user decided on the first candidate, so the novelty of its entry is -log2(1 / 4) = 2.
    #expect(try abs(#require(Self.profile().novelty) - 2.0 / 3) < 1e-15)
    let one = ListProfile(ByHand.lists([[0]]), isCandidate: [true], decidedOnBy: [0], isOneKind: false)
    #expect(one.novelty == 1)
  }

  @Test func `entries, loads and empty lists are counted`() {
    let profile = Self.profile()
    #expect(profile.places == 3 && profile.largestLoad == 2 && profile.emptyLists == 1)
  }

  @Test func `exposure covers eligible candidates and listed candidates`() throws {
    let spread = try #require(Self.profile().exposure)
    #expect(spread.sorted == [0, 1 / log2(3.0), 2] && spread.neverShown == 1)
    // Candidates on lists count even if they are not eligible.
    let shown = try #require(Self.profile([false, true, false, true]).exposure)
    #expect(shown.sorted == [0, 1 / log2(3.0), 2])
    #expect(Self.profile([true, true, true, true]).exposure?.neverShown == 2)
  }

  @Test func `an entry is reciprocal if the candidate's list contains the user`() {
    let lists = ByHand.lists([[1, 2], [0], [1]])
    let people = ListProfile(
      lists, isCandidate: [true, true, true], decidedOnBy: [0, 0, 0], isOneKind: true)
    // Users 0 and 1 list each other, in two of four entries.
    #expect(people.listedBothWays == 0.5)
    let things = ListProfile(
      lists, isCandidate: [true, true, true], decidedOnBy: [0, 0, 0], isOneKind: false)
    #expect(things.listedBothWays == nil)
  }

  @Test func `without lists there is nothing to report`() {
    let none = ListProfile(
      ByHand.lists([[], []]), isCandidate: [false, false], decidedOnBy: [0, 0], isOneKind: true)
    #expect(none.exposure == nil && none.novelty == nil && none.listedBothWays == nil)
    #expect(none.distances == [] && none.largestLoad == 0 && none.places == 0 && none.emptyLists == 2)
    let nobody = ListProfile(MethodLists(), isCandidate: [], decidedOnBy: [], isOneKind: true)
    #expect(nobody.exposure == nil && nobody.emptyLists == 0)
  }

  @Test(
    arguments: [
      (Array(0...10), [1, 5, 9]), ([0, 1, 2, 3], [0, 2, 3]), ([7], [7, 7, 7]), ([4, 2], [2, 4, 4]),
    ] as [([Int], [Double])])
  func `distance quantiles use the nearest rank and known values`(_ distances: [Int], _ expected: [Double]) {
    var lists = MethodLists()
    lists.append(distances.reversed().map { ($0, Double($0)) } + [(candidate: 11, distance: Double.nan)])
    let profile = ListProfile(
      lists, isCandidate: Array(repeating: true, count: 12), decidedOnBy: Array(repeating: 0, count: 12),
      isOneKind: false)
    #expect(profile.distances == expected)
    #expect(profile.places == distances.count + 1)
  }
}

/// Counts the pairs that matched after the cut and appear on lists.
@Suite struct LaterMatchesTests {
  @Test func `a pair counts once if one side lists the other, and twice if both do`() {
    let lists = ByHand.lists([[1, 2], [0], []])
    let found = LaterMatches(pairs: [[0, 1], [0, 2], [1, 2]], isMatch: []).found(in: lists)
    #expect(found.onOne == 2 && found.onBoth == 1)
    // Only the second person's list contains the other person.
    let back = LaterMatches(pairs: [[0, 1]], isMatch: []).found(in: ByHand.lists([[], [0]]))
    #expect(back.onOne == 1 && back.onBoth == 0)
    let none = LaterMatches(pairs: [], isMatch: []).found(in: lists)
    #expect(none.onOne == 0 && none.onBoth == 0)
  }
}

/// Tests each metric under its name in `metrics.json`.
@Suite struct MetricTests {
  /// Places 2 and 4 are hits, and four candidates are relevant.
  @Test(
    arguments: [
      (.precision, 2, 0.5), (.precision, 8, 0.25), (.recall, 2, 0.25), (.recall, 8, 0.5),
      (.cappedRecall, 2, 0.5), (.cappedRecall, 8, 0.5), (.map, 4, 0.25), (.map, 2, 0.25), (.mrr, 1, 0),
      (.mrr, 4, 0.5), (.hitRate, 1, 0), (.hitRate, 2, 1),
      (.ndcg, 2, 1 / log2(3) / (1 + 1 / log2(3))),
    ] as [(Metric.Formula, Int, Double)])
  func `a value equals a calculation by hand`(_ formula: Metric.Formula, _ k: Int, _ expected: Double) {
    let list = JudgedList(hits: [false, true, false, true], relevant: 4)
    #expect(abs(Metric(kind: formula, k: k).value(of: list) - expected) < 1e-15)
  }

  @Test func `every formula has a metric at every length`() {
    let all = Metric.all(at: [1, 10])
    #expect(all.count == 14 && all.prefix(7).allSatisfy { $0.k == 1 })
    #expect(all.map(\.name).contains("capped_recall@10") && all[0].name == "precision@1")
    #expect(Metric(kind: .precision, k: 3).definition == "hits in the first 3 places / 3")
    #expect(Metric(kind: .recall, k: 3).definition == "hits in the first 3 places / relevant candidates")
    #expect(
      Metric(kind: .cappedRecall, k: 3).definition == "hits in the first 3 places / min(relevant, 3)")
  }

  @Test func `a user's likes are looked up in the user's own list`() {
    let judged = ByHand.lists([[1], [2, 1]]).judged(1, relevant: [1, 5])
    #expect(judged.hits == [false, true] && judged.relevant == 2)
  }
}
