import Concurrency
import Foundation
import Testing

@testable import Search

/// Each lane of a vector must behave like a single number, for any values.
struct LanesTests {
  private static let special: [Float] = [
    0, -0.0, 1, -1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e-30, 0.1,
    4,
  ]

  /// Returns eight numbers, some of them special values.
  private func some(_ random: inout SplitMix64) -> Lanes {
    Lanes.each { _ in
      Bool.random(using: &random)
        ? Self.special.randomElement(using: &random) ?? 0 : Float.random(in: -10...10, using: &random)
    }
  }

  private func bits(_ lanes: Lanes) -> [UInt32] {
    // All NaN values count as equal.
    lanes.indices.map { lanes[$0].isNaN ? Float.nan.bitPattern : lanes[$0].bitPattern }
  }

  private func bits(_ numbers: [Float]) -> [UInt32] {
    numbers.map { $0.isNaN ? Float.nan.bitPattern : $0.bitPattern }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `each lane equals a single number`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let (a, b) = (some(&random), some(&random))
      let value = a[0]
      let lanes = Array(a.indices)
      #expect(bits(Lanes.greater(a, b)) == bits(lanes.map { a[$0] > b[$0] ? a[$0] : b[$0] }))
      #expect(bits(a.roots) == bits(lanes.map { a[$0].squareRoot() }))
      #expect((a < b).bits == mask(lanes) { a[$0] < b[$0] })
      #expect((a < value).bits == mask(lanes) { a[$0] < value })
      #expect((a > value).bits == mask(lanes) { a[$0] > value })
      #expect(a.isNaN.bits == mask(lanes) { a[$0].isNaN })
      #expect(((a < b) | a.isNaN).bits == mask(lanes) { a[$0] < b[$0] || a[$0].isNaN })
      #expect(((a < b) & (b > value)).bits == mask(lanes) { a[$0] < b[$0] && b[$0] > value })
      #expect(bits(Lanes.choose(a < b, a, b)) == bits(lanes.map { a[$0] < b[$0] ? a[$0] : b[$0] }))
      let known = Lanes.choose(a.isNaN, Lanes(repeating: 3), a)
      #expect(known.greatest == lanes.map { known[$0] }.max())
    }
  }

  @Test func `bounds enclose each logarithm, and are close to it`() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<2000 {
      let numbers = Lanes.each { _ in exp(Float.random(in: -80...80, using: &random)) }
      let (least, greatest) = (numbers.leastLogarithms, numbers.greatestLogarithms)
      for lane in numbers.indices {
        let exact = log(Double(numbers[lane]))
        #expect(Double(least[lane]) <= exact && exact <= Double(greatest[lane]), "\(numbers[lane])")
        #expect(Double(greatest[lane]) - Double(least[lane]) < 0.0598)
      }
    }
  }

  private func mask(_ lanes: [Int], _ holds: (Int) -> Bool) -> UInt32 {
    lanes.reduce(0) { holds($1) ? $0 | 1 << UInt32($1) : $0 }
  }

  @Test func `a mask returns the bits from which it was created`() {
    for bits in 0..<256 as Range<UInt32> { #expect(LaneMask(bits: bits).bits == bits) }
    // Only the lowest eight bits count.
    #expect(LaneMask(bits: 0xFFFF_FF00).bits == 0)
    #expect(LaneMask(bits: 0xA5A5_A55A).bits == 0x5A)
  }

  @Test func `distances of a number from an interval equal a calculation by hand`() {
    let (low, high) = (Lanes(repeating: -1), Lanes(repeating: 2))
    for (value, outside, farther) in [(-3, 2, 5), (-1, 0, 3), (0, 0, 2), (2, 0, 3), (4.5, 2.5, 5.5)]
      as [(Float, Float, Float)]
    {
      #expect(Lanes.outside(value, low, high) == Lanes(repeating: outside))
      #expect(Lanes.farther(value, low, high) == Lanes(repeating: farther))
    }
    #expect(Lanes.outside(.nan, low, high).isNaN.bits == 0xFF)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the best candidates of a block equal a loop's`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // There are few different values, so ties occur across the quarters.
    let values = (0..<3).map { _ in Self.special.randomElement(using: &random) ?? 0 }
    let scores = InlineArray<4, Lanes> { _ in
      Lanes.each { _ in values.randomElement(using: &random) ?? 0 }
    }
    let block = BlockBounds(squaredChords: InlineArray(repeating: .zero), scores: scores)
    for lanes in [UInt32.random(in: 1 ... .max, using: &random), 0xFF00_0000, 1 << 31, 1, .max] {
      var (best, most) = (0 as UInt32, -Float.infinity)
      for lane in 0..<32 where lanes & (1 << UInt32(lane)) != 0 {
        let bound = scores[lane / 8][lane % 8]
        let score = bound.isNaN ? .infinity : bound
        if score > most { (best, most) = (0, score) }
        if score == most { best |= 1 << UInt32(lane) }
      }
      let found = block.best(of: lanes)
      #expect(found.lanes == best)
      #expect(found.score == most)
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>, [1, 7, 8, 9, 31, 32])
  func `eligible candidates are selected`(seed: UInt64, count: Int) {
    var random = SplitMix64(seed: seed)
    var (chords, scores) = (InlineArray<4, Lanes>(repeating: .zero), InlineArray<4, Lanes>(repeating: .zero))
    for quarter in 0..<4 { (chords[quarter], scores[quarter]) = (some(&random), some(&random)) }
    let (threshold, limit) = (
      Float.random(in: -5...5, using: &random), Float.random(in: -1...5, using: &random)
    )
    let chosen = BlockBounds(squaredChords: chords, scores: scores)
      .chosen(notBelow: threshold, within: limit, count: count)
    for lane in 0..<32 {
      let (chord, score) = (chords[lane / 8][lane % 8], scores[lane / 8][lane % 8])
      let isChosen = lane < count && !(score < threshold) && !(chord > limit)
      #expect((chosen >> UInt32(lane) & 1 == 1) == isChosen, "lane \(lane)")
    }
  }
}
