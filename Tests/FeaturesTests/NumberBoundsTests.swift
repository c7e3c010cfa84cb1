import Concurrency
import Foundation
import Testing
import Text

@testable import Features

/// Tests the bounds on numbers. Models do not learn from values beyond them.
@Suite struct NumberBoundsTests {
  /// Distributions of plausible data.
  enum Shape: String, CaseIterable, Sendable {
    case uniform, normal, years, incomes, followers, prices, mostlyZero, stars

    func values(_ count: Int, seed: UInt64 = 1) -> [Double] {
      var random = SplitMix64(seed: seed)
      func unit() -> Double { max(random.nextUnit(), 1e-12) }
      func gauss() -> Double { (-2 * log(unit())).squareRoot() * cos(2 * .pi * unit()) }
      return (0..<count).map { _ in
        switch self {
        case .uniform: unit()
        case .normal: gauss()
        case .years: (unit() * 45).rounded()
        // Incomes have a log-normal distribution.
        case .incomes: exp(10 + gauss())
        // Follower counts have a Pareto distribution with a finite mean and an infinite variance.
        case .followers: pow(unit(), -1 / 1.2)
        case .prices: [9.9, 19.9, 49.9, 499][Int(unit() * 3.2)]
        case .mostlyZero: unit() < 0.9 ? 0 : exp(2 * gauss())
        case .stars: 1 + (unit() * 4).rounded()
        }
      }
    }
  }

  @Test(arguments: Shape.allCases, [200, 2000, 100_000])
  func `plausible data have very few values beyond the bounds`(shape: Shape, count: Int) throws {
    for seed in 0..<3 as Range<UInt64> {
      let values = shape.values(count, seed: seed)
      let bounds = try #require(NumberBounds(of: values))
      // A Pareto distribution has about one value in three thousand beyond the bounds. The other
      // distributions have at most one value in fifty thousand.
      #expect(bounds.beyond <= (shape == .followers ? 2 + count / 1000 : 1 + count / 10_000), "\(bounds)")
      #expect(bounds.beyond == values.count { $0 < bounds.low || $0 > bounds.high })
    }
  }

  @Test(arguments: Shape.allCases, [1e100, -1e100, 1e12])
  func `an extreme value is replaced by a bound`(shape: Shape, wild: Double) throws {
    for count in [4, 10, 49, 51, 2000] {
      let values = shape.values(count)
      let (least, most) = (try #require(values.min()), try #require(values.max()))
      try #require(least < most)
      let bounds = try #require(NumberBounds(of: values + [wild]))
      #expect(bounds.beyond >= 1, "\(count): \(bounds)")
      let slack = (most - least) / 10
      #expect((least - slack...most + slack).contains(bounds(wild)), "\(count): \(bounds)")
      let learned = bounds.withoutBeyond([wild, .nan])
      #expect(learned[0].isNaN && learned[1].isNaN)
    }
  }

  /// In the first four cases, the median is 2, and the median distance from it is 1 on both sides. The fences
  /// are therefore at the distance 9 from 2. In the fifth case, the median distance is larger on the lower
  /// side. In the next two cases, a single value is on each side. In the next four cases, a single value is
  /// on one side of the median, so the fence of the other side applies. In the other cases, all other values
  /// are equal.
  @Test(
    arguments: [
      ([0, 1, 2, 3, 11], 0...11, 0), ([0, 1, 2, 3, 11.5], 0...3, 1), ([-7, 1, 2, 3, 4], -7...4, 0),
      ([-7.5, 1, 2, 3, 4], 1...4, 1), ([-99, -98, 1, 2, 3, 4, 5], -100...10, 0), ([0, 9, 90], 0...90, 0),
      ([0, 9, 99], 0...9, 1),
      ([-4, -3, -2, 0, 0, 0, 0, 20], -4...20, 0), ([-4, -3, -2, 0, 0, 0, 0, 50], -4...0, 1),
      ([-20, 0, 0, 0, 0, 2, 3, 4], -20...4, 0), ([-50, 0, 0, 0, 0, 2, 3, 4], 0...4, 1),
      ([30, 30, 30, 60], 30...60, 0), ([30, 30, 30, 1e100], 30...30, 1), ([0, 0, 0, 9], 0...9, 0),
      ([0, 0, 0, 10], 0...0, 1), ([-400, -40, -40], -400 ... -40, 0), ([-401, -40, -40], -40 ... -40, 1),
      ([7, 1e100], 7...1e100, 0),
    ] as [([Double], ClosedRange<Double>, Int)])
  func `a value within nine times the median distance is ordinary`(
    values: [Double], range: ClosedRange<Double>, beyond: Int
  ) throws {
    let bounds = try #require(NumberBounds(of: values + [.nan]))
    #expect(bounds.low...bounds.high == range && bounds.beyond == beyond, "\(bounds)")
  }

  /// Half of the values are 0, and most of the others are 1. The fence is the square of the distance that 2% of
  /// the others exceed, and at least 9.
  @Test(
    arguments: [
      (97, [5, 24], 24, 0), (97, [5, 26], 5, 1), (97, [5, 24, 25.5], 24, 1), (146, [5, 24, 24, 26], 24, 1),
      (97, [1, 24], 1, 1),
    ] as [(Int, [Double], Double, Int)])
  func `the farthest values do not widen the fence`(ones: Int, others: [Double], high: Double, beyond: Int)
    throws
  {
    let above = [Double](repeating: 1, count: ones) + others
    let bounds = try #require(NumberBounds(of: [Double](repeating: 0, count: above.count + 1) + above))
    #expect(bounds.low == 0 && bounds.high == high && bounds.beyond == beyond, "\(bounds)")
  }

  /// In the first two cases, the median is 10, and the median distance above it is 10. The fence at 10 + 9 × 10
  /// is rounded up to two digits. Two distances have no fence.
  @Test(
    arguments: [
      ([5, 5, 10, 10, 10, 20, 20, 40], nil, 100), ([5, 5, 10, 10, 10, 20, 20, 40], 60, 60),
      ([10, 11, 12, 13, 14, 15, 30], nil, 31), ([10, 20, .nan, 6000], nil, 110), ([0, 0, 0, 5], nil, 9),
      ([0, 5800], nil, 5800), ([0, 5800], 50, 50), ([0], 3, 0),
    ] as [([Double], Double?, Double)])
  func `distances have a fence and a radius`(distances: [Double], radius: Double?, high: Double) throws {
    let bounds = try #require(NumberBounds(ofDistances: distances, within: radius))
    #expect(bounds.low == 0 && bounds.high == high, "\(bounds)")
    #expect(NumberBounds(ofDistances: [.nan], within: radius) == nil)
  }

  @Test func `the bounds of equal values are that value`() throws {
    #expect(NumberBounds(of: []) == nil && NumberBounds(of: [.nan]) == nil)
    let one = try #require(NumberBounds(of: [7, .nan]))
    #expect(one.low == 7 && one.high == 7 && one.beyond == 0)
    let equal = try #require(NumberBounds(of: [Double](repeating: -3, count: 50)))
    #expect(equal.low == -3 && equal.high == -3)
    #expect(equal(.nan).isNaN && equal(5) == -3)
  }

  @Test func `a bound is rounded outward`() throws {
    var bounds = try #require(NumberBounds(of: [0, 12.3, 15.1, 17, 20, 44.4]))
    #expect(bounds.low == 0 && bounds.high == 45 && bounds.beyond == 0)
    bounds = try #require(NumberBounds(of: [1980.2, 1990, 2000, 2001.7]))
    #expect(bounds.low == 1980 && bounds.high == 2002)
    bounds = try #require(NumberBounds(of: [-1e100, 0, 1e100]))
    #expect(bounds.low <= -1e100 && bounds.high >= 1e100 && bounds.beyond == 0)
  }

  @Test func `the manifest holds the bounds exactly`() throws {
    let bounds = NumberBounds(low: -0.1, high: 1e100 / 3)
    #expect(NumberBounds(bounds.json) == bounds)
    #expect(NumberBounds(.string("x")) == nil && NumberBounds(.array([.number(1)])) == nil)
  }
}
