internal import CLanes

/// Eight single-precision numbers that are processed at once: the children of a node, or a quarter of a block.
///
/// The code uses explicit vectors, because the compiler vectorizes a loop only if it can remove all checks. Swift's `+`, `-`,
/// `*`, and `|` and `&` of masks are single instructions. Square roots are computed one by one, and a maximum takes seven
/// instructions in place of one, so these come from `CLanes`.
package typealias Lanes = SIMD8<Float>

extension Lanes {
  /// The number that `number` gives for each lane.
  ///
  /// Not a loop that sets one lane after the other: each would wait for the vector to be written to memory and read again,
  /// which took three quarters of the time of looking codes up.
  @inline(__always)
  static func each(_ number: (_ lane: Int) -> Float) -> Lanes {
    Lanes(number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7))
  }

  /// By lane: the greater of two numbers; the second one where either is NaN.
  @inline(__always)
  static func greater(_ first: Lanes, _ second: Lanes) -> Lanes { lanes_greater(first, second) }

  /// By lane: how far `value` is outside of an interval; 0 inside, and NaN where `value` is.
  @inline(__always)
  static func outside(_ value: Float, _ low: Lanes, _ high: Lanes) -> Lanes {
    greater(Lanes.zero, greater(low - value, value - high))
  }

  /// By lane: how far `value` is from the farther end of an interval.
  @inline(__always)
  static func farther(_ value: Float, _ low: Lanes, _ high: Lanes) -> Lanes {
    greater(value - low, high - value)
  }

  /// By lane: the first number where `mask` is set, else the second.
  @inline(__always)
  static func choose(_ mask: LaneMask, _ first: Lanes, _ second: Lanes) -> Lanes {
    lanes_choose(mask.storage, first, second)
  }

  @inline(__always)
  var roots: Lanes { lanes_square_root(self) }

  /// The maximum of all lanes. No lane may be NaN.
  @inline(__always)
  var greatest: Float { lanes_greatest(self) }

  @inline(__always)
  var isNaN: LaneMask { LaneMask(storage: lanes_is_nan(self)) }

  @inline(__always)
  static func < (left: Lanes, right: Lanes) -> LaneMask { LaneMask(storage: lanes_is_less(left, right)) }

  @inline(__always)
  static func < (left: Lanes, right: Float) -> LaneMask { left < Lanes(repeating: right) }

  @inline(__always)
  static func > (left: Lanes, right: Float) -> LaneMask { Lanes(repeating: right) < left }
}

/// Where something holds, lane by lane.
struct LaneMask {
  fileprivate let storage: SIMD8<Int32>

  @inline(__always)
  fileprivate init(storage: SIMD8<Int32>) { self.storage = storage }

  /// The lanes with a 1 bit among the lowest eight bits; the first lane is the lowest bit.
  @inline(__always)
  init(bits: UInt32) { storage = lanes_mask_of(bits) }

  @inline(__always)
  var bits: UInt32 { lanes_bits(storage) }

  @inline(__always)
  static func | (left: LaneMask, right: LaneMask) -> LaneMask {
    LaneMask(storage: left.storage | right.storage)
  }

  @inline(__always)
  static func & (left: LaneMask, right: LaneMask) -> LaneMask {
    LaneMask(storage: left.storage & right.storage)
  }
}
