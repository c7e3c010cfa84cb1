import Concurrency
import Foundation
import Ranking
import Testing

@testable import Evaluation

@Suite struct RankingMetricsTests {
  /// The expected values are computed by hand.
  @Test func `metrics of a list with two hits equal a calculation by hand`() throws {
    let list = JudgedList(["a", "b", "c", "d"], relevant: ["b", "d", "z"])
    #expect(list.hits == [false, true, false, true])
    #expect(list.precision(at: 2) == 0.5 && list.precision(at: 4) == 0.5 && list.precision(at: 8) == 0.25)
    #expect(list.recall(at: 2) == 1.0 / 3 && list.recall(at: 8) == 2.0 / 3)
    #expect(list.cappedRecall(at: 2) == 0.5 && list.cappedRecall(at: 8) == 2.0 / 3)
    #expect(list.averagePrecision(at: 4) == (0.5 + 0.5) / 3)
    #expect(list.averagePrecision(at: 1) == 0)
    #expect(list.reciprocalRank(at: 1) == 0 && list.reciprocalRank(at: 4) == 0.5)
    #expect(list.hitRate(at: 1) == 0 && list.hitRate(at: 2) == 1)
    let ideal = 1 + 1 / log2(3.0) + 0.5
    let found = try #require(list.normalizedDiscountedGain(at: 4))
    #expect(abs(found - (1 / log2(3.0) + 1 / log2(5.0)) / ideal) < 1e-15)
  }

  @Test func `without a list nothing is found, and without relevant candidates there is no value`() {
    let empty = JudgedList([String](), relevant: ["a"])
    #expect(empty.precision(at: 3) == 0 && empty.recall(at: 3) == 0 && empty.averagePrecision(at: 3) == 0)
    #expect(empty.normalizedDiscountedGain(at: 3) == 0 && empty.reciprocalRank(at: 3) == 0)
    let aimless = JudgedList(["a"], relevant: [])
    #expect(
      aimless.precision(at: 1) == 0 && aimless.recall(at: 1) == nil && aimless.cappedRecall(at: 1) == nil)
    #expect(aimless.averagePrecision(at: 1) == nil && aimless.normalizedDiscountedGain(at: 1) == nil)
  }

  @Test func `duplicates count once`() {
    #expect(JudgedList(["a", "a", "b"], relevant: ["a"]).hits == [true, false, false])
  }

  /// Computes the metrics of random lists with sets, directly from their definitions.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `metrics equal their definitions`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let places = (0..<20).shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random))
    let relevant = Set((0..<20).shuffled(using: &random).prefix(Int.random(in: 1...8, using: &random)))
    let list = JudgedList(Array(places), relevant: relevant)
    for k in [1, 3, 10, 15] {
      let top = Array(places.prefix(k))
      let found = Double(Set(top).intersection(relevant).count)
      #expect(list.precision(at: k) == found / Double(k))
      #expect(list.recall(at: k) == found / Double(relevant.count))
      #expect(list.cappedRecall(at: k) == found / Double(min(relevant.count, k)))
      let precisions = top.indices.filter { relevant.contains(top[$0]) }.map { place in
        Double(Set(top[...place]).intersection(relevant).count) / Double(place + 1)
      }
      let average = precisions.reduce(0, +) / Double(min(relevant.count, k))
      #expect(abs(try #require(list.averagePrecision(at: k)) - average) < 1e-15)
      let first = top.firstIndex(where: relevant.contains)
      #expect(list.reciprocalRank(at: k) == first.map { 1 / Double($0 + 1) } ?? 0)
      #expect(list.hitRate(at: k) == (first == nil ? 0 : 1))
      // Every metric is in 0...1, and the best list has the value 1.
      let best = JudgedList(Array(relevant), relevant: relevant)
      #expect(best.averagePrecision(at: k) == 1 && best.cappedRecall(at: k) == 1)
      #expect(abs(try #require(best.normalizedDiscountedGain(at: k)) - 1) < 1e-15)
      #expect((0...1).contains(try #require(list.normalizedDiscountedGain(at: k))))
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `the area equals the share of pairs in the right order`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 2...40, using: &random)
    let scores = (0..<count).map { _ in Double(Int.random(in: 0...9, using: &random)) }
    let isLike = (0..<count).map { _ in random.next() % 2 == 0 }
    let area = AreaUnderCurve(scores: scores, isLike: isLike)
    var (pairs, won) = (0.0, 0.0)
    for i in 0..<count where isLike[i] {
      for j in 0..<count where !isLike[j] {
        pairs += 1
        won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0
      }
    }
    if pairs == 0 { #expect(area.value == nil) } else { #expect(area.value == won / pairs) }
  }
}

/// The mean of the areas of users, weighted by their numbers of decisions.
@Suite struct WeightedAreaTests {
  @Test func `users with more decisions have more weight, and users without an area have none`() {
    // The like has the higher score of two decisions, then the lowest score of three. Four likes without a
    // pass have no area.
    let right = AreaUnderCurve(scores: [2, 1], isLike: [true, false])
    let wrong = AreaUnderCurve(scores: [1, 2, 3], isLike: [true, false, false])
    let alone = AreaUnderCurve(scores: [1, 2, 3, 4], isLike: [true, true, true, true])
    #expect(right.value == 1 && wrong.value == 0 && alone.value == nil)
    #expect(wrong.likes == 1 && wrong.passes == 2 && alone.likes == 4 && alone.passes == 0)
    #expect(AreaUnderCurve.weightedMean([right, wrong, alone]) == 0.4)
    #expect(AreaUnderCurve.weightedMean([alone]) == nil && AreaUnderCurve.weightedMean([]) == nil)
  }
}

@Suite struct ExposureTests {
  @Test func `exposure is equal, concentrated or zero`() {
    #expect(Exposure([2, 2, 2, 2]).gini == 0 && Exposure([2, 2]).coverage == 1)
    #expect(Exposure([0, 0, 0, 5]).gini == 0.75 && Exposure([0, 0, 0, 5]).largestShare == 1)
    #expect(Exposure([0, 0, 0, 5]).neverShown == 3 && Exposure([0, 0, 0, 5]).coverage == 0.25)
    #expect(Exposure([0, 0]).gini == 0 && Exposure([0, 0]).largestShare == 0)
    #expect(Exposure([1]).gini == 0)
  }

  @Test func `ranks are discounted`() {
    let exposure = Exposure(ByHand.lists([[0, 1], [0, 2]]).exposures(candidates: 4))
    #expect(exposure.sorted == [0, 1 / log2(3.0), 1 / log2(3.0), 2])
  }

  @Test func `the Lorenz curve runs from 0 to 1, below the diagonal`() {
    #expect(Exposure([1, 3]).lorenz(steps: 4) == [0, 0.125, 0.25, 0.625, 1])
    #expect(Exposure([0, 0]).lorenz(steps: 2) == [0, 0.5, 1])
    #expect(Exposure([1, 2, 3, 4]).lorenz(steps: 4) == [0, 0.1, 0.3, 0.6, 1])
  }

  /// The Gini coefficient is 1 minus twice the area under the Lorenz curve.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `Gini agrees with the curve`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let exposure = Exposure((0..<25).map { _ in random.next() % 3 == 0 ? 0 : random.nextUnit() })
    let curve = exposure.lorenz(steps: 25)
    let area = zip(curve, curve.dropFirst()).reduce(0) { $0 + ($1.0 + $1.1) / 2 / 25 }
    #expect(abs(exposure.gini - (1 - 2 * area)) < 1e-12)
  }
}

@Suite struct RankBiasedOverlapTests {
  @Test func `equal, disjoint and empty lists have the documented overlaps`() {
    #expect(abs(rankBiasedOverlap([1, 2, 3], [1, 2, 3]) - 1) < 1e-15)
    #expect(rankBiasedOverlap([1, 2, 3], [4, 5, 6]) == 0)
    #expect(rankBiasedOverlap([Int](), []) == 1 && rankBiasedOverlap([], [1]) == 0)
  }

  /// For p = 0.5, the agreements at depths 1 to 3 are 0, 1 and 2/3.
  @Test func `a candidate on several lists of a user counts at the best place only`() {
    #expect(([1, 2, 1, 3, 2] as [UInt32]).distinctCandidates == [1, 2, 3])
    // Unknown candidates differ from all others, and keep their places.
    let lists = ([7, .max, .max, 7, 9] as [UInt32]).distinctCandidates
    #expect(lists.count == 4 && Set(lists).count == 4 && lists[0] == 7 && lists[3] == 9)
  }

  @Test func `overlap reflects a swap at the top and a new candidate`() {
    let expected = (0 * 0.5 + 1 * 0.25 + 2.0 / 3 * 0.125) * 1 + 2.0 / 3 * 0.125
    #expect(abs(rankBiasedOverlap([1, 2, 3], [2, 1, 4], persistence: 0.5) - expected) < 1e-15)
  }

  /// Implements equation 32 of Webber et al. (2010) literally with sets, for lists of different lengths.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func `overlap equals the published formula in either order of the lists`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let a = Array((0..<12).shuffled(using: &random).prefix(Int.random(in: 1...10, using: &random)))
    let b = Array((0..<12).shuffled(using: &random).prefix(Int.random(in: 1...10, using: &random)))
    let (short, long) = a.count <= b.count ? (a, b) : (b, a)
    let (s, l, p) = (short.count, long.count, 0.8)
    func x(_ d: Int) -> Double { Double(Set(short.prefix(d)).intersection(long.prefix(d)).count) }
    var sum = 0.0
    for d in 1...l { sum += x(d) / Double(d) * pow(p, Double(d)) }
    for d in s..<l { sum += x(s) * Double(d + 1 - s) / Double(s * (d + 1)) * pow(p, Double(d + 1)) }
    let expected = (1 - p) / p * sum + ((x(l) - x(s)) / Double(l) + x(s) / Double(s)) * pow(p, Double(l))
    #expect(abs(rankBiasedOverlap(a, b, persistence: p) - expected) < 1e-12)
    #expect(rankBiasedOverlap(a, b, persistence: p) == rankBiasedOverlap(b, a, persistence: p))
  }
}
