import Concurrency
import Foundation
import Testing

@testable import Evaluation

@Suite struct PairedComparisonTests {
  /// Two-sided tails from the incomplete beta function with 40 digits (mpmath 1.3). The computation
  /// subtracts logarithms of the gamma function and loses digits as the degrees of freedom grow.
  /// The error is below 1e-11 under a thousand degrees and 7e-10 at a million.
  @Test(arguments: [
    (0.0, 5.0, 1.0),
    (1.0, 1.0, 0.5),
    (2.0, 10.0, 0.073388034770740366),
    (12.706204736432095, 1.0, 0.049999999998991306),
    (1.96, 1e6, 0.049996067585269791),
    (-3.5, 29.0, 0.0015244463146546053),
    (40.0, 200.0, 2.2487396535202507e-97),
    (0.001, 231.0, 0.99920297861424486),
  ])
  func `tails of Student's t equal reference values`(t: Double, degrees: Double, expected: Double) {
    let tail = StudentT.twoSidedTail(t, degrees: degrees)
    #expect(abs(tail - expected) <= max(1e-11, 1e-15 * degrees) * expected, "\(tail)")
  }

  @Test func `differences cover users with both values`() throws {
    let comparison = PairedComparison([0.5, nil, 0.9, 0.7, 0.1], [0.4, 0.3, 0.6, nil, 0.3])
    #expect(comparison.users == 3)
    // The differences are 0.1, 0.3 and -0.2. Their squared deviations from the mean sum to 0.38 /
    // 3.
    let mean = 0.2 / 3
    let deviation = (0.19 / 3).squareRoot()
    #expect(abs(try #require(comparison.mean) - mean) < 1e-15)
    #expect(abs(try #require(comparison.standardDeviation) - deviation) < 1e-12)
    #expect(abs(try #require(comparison.effectSize) - mean / deviation) < 1e-12)
  }

  @Test func `too few users give no deviation, and equal values give no uncertainty`() {
    #expect(PairedComparison([], []).mean == nil)
    #expect(PairedComparison([1], [0]).pValue == nil)
    #expect(PairedComparison([1, 2], [1, 2]).pValue == 1)
    #expect(PairedComparison([1, 2], [0, 1]).pValue == 0)
    #expect(PairedComparison([1, 2], [0, 1]).effectSize == nil)
  }

  @Test func `p values adjusted by Holm's method equal R's`() {
    // The values come from R 4.2: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
    let adjusted = holmAdjusted([0.01, 0.04, 0.03, 0.005])
    for (found, expected) in zip(adjusted, [0.03, 0.06, 0.06, 0.02]) {
      #expect(abs(found - expected) < 1e-15)
    }
    #expect(holmAdjusted([]) == [])
    #expect(holmAdjusted([0.9, 0.8]) == [1, 1])
  }

  /// Without a difference, 5 % of worlds have a p value below 5 %.
  @Test func `p values of pure noise are uniform`() throws {
    var random = SplitMix64(seed: 3)
    var below = 0
    for _ in 0..<2000 {
      let values = (0..<12).map { _ -> Double? in
        random.nextUnit() + random.nextUnit() + random.nextUnit() - 1.5
      }
      if try #require(PairedComparison(values, values.map { _ in 0 }).pValue) < 0.05 { below += 1 }
    }
    // The expected count is 100, with a standard deviation of 9.7.
    #expect((61...139).contains(below), "\(below)")
  }
}

@Suite struct BootstrapTests {
  @Test func `the same seed gives the same draws, and another seed gives others`() throws {
    let values = (0..<50).map { Double?(Double($0 * $0 % 17)) }
    let interval = { (seed: UInt64) in
      Bootstrap(groups: Array(0..<50), samples: 200, seed: seed).interval(ofMean: values)
    }
    #expect(interval(1) == interval(1) && interval(1) != nil)
    #expect(interval(1) != interval(2))
  }

  @Test func `a mean without spread has an interval without width`() throws {
    let bootstrap = Bootstrap(groups: [0, 1, 2], samples: 50, seed: 0)
    #expect(bootstrap.interval(ofMean: [2, 2, nil]) == Interval(low: 2, high: 2))
    #expect(bootstrap.interval(ofMean: [nil, nil, nil]) == nil)
    #expect(Bootstrap(groups: [], samples: 5, seed: 0).interval(ofMean: []) == nil)
  }

  @Test func `a single sample has an interval without width`() throws {
    let values: [Double?] = [1, 2, 4, 8]
    let interval = try #require(
      Bootstrap(groups: [0, 1, 2, 3], samples: 1, seed: 3).interval(ofMean: values))
    #expect(interval.low == interval.high && (1...8).contains(interval.low))
  }

  @Test func `clusters that agree internally count as few observations`() throws {
    var random = SplitMix64(seed: 9)
    let groups = (0..<400).map { $0 / 20 }
    let byGroup = (0..<20).map { _ in random.nextUnit() }
    let values = groups.map { Double?(byGroup[$0]) }
    let alone = try #require(
      Bootstrap(groups: Array(0..<400), samples: 500, seed: 1).interval(ofMean: values))
    let together = try #require(Bootstrap(groups: groups, samples: 500, seed: 1).interval(ofMean: values))
    // The standard error is √20 = 4.5 times as large.
    #expect((3...6).contains((together.high - together.low) / (alone.high - alone.low)))
  }

  /// Of 400 intervals of 95 %, about 380 contain the true mean (standard deviation 4.4). With small samples,
  /// slightly fewer contain it.
  @Test func `intervals contain the mean with their nominal frequency`() throws {
    var random = SplitMix64(seed: 5)
    var held = 0
    for world in 0..<400 {
      let values = (0..<60).map { _ -> Double? in random.nextUnit() }
      let bootstrap = Bootstrap(groups: Array(0..<60), samples: 300, seed: UInt64(world))
      if try #require(bootstrap.interval(ofMean: values)).contains(0.5) { held += 1 }
    }
    #expect((362...394).contains(held), "\(held)")
  }
}
