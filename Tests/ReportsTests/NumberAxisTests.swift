import Concurrency
import TestSupport
import Testing

@testable import Reports

/// Tests the range, the ticks and the positions of a chart's axis.
@Suite struct NumberAxisTests {
  private static func axis(
    _ values: [Double], isNice: Bool = true, isShare: Bool = false, ticks: Int = 5
  ) -> NumberAxis {
    NumberAxis(values, isNice: isNice, isShare: isShare, ticks: ticks, ends: (100, 300))
  }

  @Test(
    arguments: [
      ([0, 1], 5, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
      ([0.013, 0.094], 3, ["0.00", "0.05", "0.10"]),
      ([-0.3, 0.4], 4, ["\u{2212}0.4", "\u{2212}0.2", "0.0", "0.2", "0.4"]),
      ([0, 1944], 3, ["0", "1000", "2000"]),
      // A single value is in the middle of the axis.
      ([0], 2, ["\u{2212}0.05", "0.00", "0.05"]), ([7], 2, ["6", "7", "8"]),
      // Without numbers, an axis extends from 0 to 1.
      ([.nan, .infinity], 2, ["0.0", "0.5", "1.0"]),
    ] as [([Double], Int, [String])])
  func `ticks are round and contain all values`(_ values: [Double], _ count: Int, _ texts: [String]) {
    let axis = Self.axis(values, ticks: count)
    #expect(axis.ticks.map(axis.text) == texts)
  }

  @Test(arguments: [
    ([0, 1], ["0 %", "50 %", "100 %"]), ([0.001, 0.0025], ["0.1 %", "0.2 %", "0.3 %"]),
    // An axis of shares ends at 0 % and 100 %.
    ([0, 0], ["0 %", "5 %"]), ([1, 1], ["90 %", "95 %", "100 %"]),
    ([1.2, 1.2], ["100 %", "120 %", "140 %"]),
  ])
  func `shares are in percent`(_ values: [Double], _ texts: [String]) {
    let axis = Self.axis(values, isShare: true, ticks: 2)
    #expect(axis.ticks.map(axis.text) == texts)
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `positions on the axis are proportional to values`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let scales: [Double] = [1e-300, 1e-9, 1e-3, 1, 7, 1e6, 1e150, 1e307]
    let scale = try #require(scales.randomElement(using: &random))
    let values = (0..<Int.random(in: 1...6, using: &random)).map { _ in
      Double.random(in: -1...1, using: &random) * scale
    }
    for isNice in [true, false] {
      let axis = Self.axis(values, isNice: isNice, ticks: Int.random(in: 2...8, using: &random))
      let (low, high) = (axis.range.lowerBound, axis.range.upperBound)
      #expect(axis.place(low) == 100 && axis.place(high) == 300)
      for value in values {
        #expect(low <= value && value <= high)
        let place = 100 + 200 * ((value / 4 - low / 4) / (high / 4 - low / 4))
        #expect(abs(axis.place(value) - place) < 1e-6)
      }
      let slack = scale * 1e-9
      for tick in axis.ticks { #expect(low - slack <= tick && tick <= high + slack) }
      #expect((isNice ? 2 : 0) <= axis.ticks.count && axis.ticks.count <= 12)
      let texts = Set(axis.ticks.map { axis.text($0) })
      #expect(texts.count == axis.ticks.count || scale < 1e-8)
    }
  }

  @Test func `a value outside of the range is at the end of the axis`() {
    let axis = Self.axis([0, 1])
    #expect(axis.place(-5) == 100 && axis.place(1e308) == 300)
  }
}
