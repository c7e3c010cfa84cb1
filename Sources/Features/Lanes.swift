/// Eight numbers in single precision that are worked on at once: the children of a node, or a quarter of a block.
///
/// Written out as vectors, since whether a compiler makes vectors of a loop depends on checks that it cannot always see
/// through. Only `<`, `>` and `!=` are instructions; other comparisons run one by one.
package typealias Lanes = SIMD8<Float>

extension Lanes {
  /// By lane: the greater of two numbers; the second one where either is NaN.
  @inline(__always)
  static func greater(_ first: Lanes, _ second: Lanes) -> Lanes {
    second.replacing(with: first, where: first .> second)
  }

  /// By lane: how far `value` is outside of an interval; 0 inside, and NaN where `value` is.
  @inline(__always)
  static func outside(_ value: Float, _ low: Lanes, _ high: Lanes) -> Lanes {
    let most = greater(low - value, value - high)
    return most.replacing(with: Lanes.zero, where: most .< Lanes.zero)
  }

  /// By lane: how far `value` is from the farther end of an interval.
  @inline(__always)
  static func farther(_ value: Float, _ low: Lanes, _ high: Lanes) -> Lanes {
    greater(value - low, high - value)
  }

  @inline(__always)
  var isNaN: SIMDMask<SIMD8<Int32>> { self .!= self }
}

extension SIMDMask<SIMD8<Int32>> {
  /// The lanes that are true, as bits; the first is the lowest bit.
  @inline(__always)
  var bits: UInt32 {
    SIMD8<UInt32>.zero
      .replacing(with: SIMD8<UInt32>(1, 2, 4, 8, 16, 32, 64, 128), where: self).wrappedSum()
  }
}
