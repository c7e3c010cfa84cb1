import Concurrency
import Testing

@testable import Models

/// Computes the mean and the standard deviation of a column part by part.
struct RunningMomentsTests {
  /// Computes the deviation in two passes over all values.
  private func deviation(_ values: [Double]) -> Double {
    let known = values.filter { !$0.isNaN }
    let mean = known.reduce(0, +) / Double(known.count)
    return (known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(known.count)).squareRoot()
  }

  @Test func `missing values do not count`() {
    var moments = RunningMoments()
    moments.add([1, 2, .nan, 3, 4], 0..<5)
    #expect(moments.count == 4 && moments.mean == 2.5)
    #expect(moments.deviation == 1.25.squareRoot())
    moments.add([.nan], 0..<1)
    #expect(moments.count == 4 && moments.mean == 2.5)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `parts of any size give the result of one pass`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let values = (0..<200).map { _ in
      Int.random(in: 0..<10, using: &random) == 0 ? .nan : 50 + Double.random(in: -3...3, using: &random)
    }
    var moments = RunningMoments()
    var start = 0
    while start < values.count {
      let end = min(values.count, start + Int.random(in: 1...40, using: &random))
      moments.add(values, start..<end)
      start = end
    }
    // Each of several hundred operations has a rounding error of 1.1e-16 of numbers around 50.
    #expect(abs(moments.deviation - deviation(values)) < 1e-12)
  }

  @Test(arguments: [(0, 5), (2, 5), (5, 5)])
  func `a column of ones and zeros has the moments of its values`(_ ones: Int, _ count: Int) {
    let values = (0..<count).map { $0 < ones ? 1.0 : 0 }
    let moments = RunningMoments(ones: ones, of: count)
    #expect(moments.mean == Double(ones) / Double(count))
    #expect(abs(moments.deviation - deviation(values)) < 1e-15)
  }

  @Test(arguments: [(0, 1e-100, false), (0, 1.1e-100, true), (1, 0.9e-10, false), (1, 1.1e-10, true)])
  func `only a deviation above the minimum counts`(mean: Double, spread: Double, isKnown: Bool) {
    var moments = RunningMoments()
    moments.add([mean - spread, mean + spread], 0..<2)
    #expect((moments.deviation > 0) == isKnown)
  }

  @Test func `a column that varies only by rounding has no deviation`() {
    var moments = RunningMoments()
    moments.add([0.1 + 0.2, 0.3, 0.3], 0..<3)
    #expect(moments.deviation == 0)
  }
}
