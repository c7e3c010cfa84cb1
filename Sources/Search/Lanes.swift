internal import CLanes

/// A SIMD vector of eight single-precision numbers. It has one lane for each child of a node, or for each
/// candidate in a quarter of a block.
///
/// The code uses explicit SIMD vectors, because the compiler vectorizes a loop only if it can remove all
/// safety checks. Swift compiles `+`, `-`, `*`, and `|` and `&` of masks to single instructions. Swift
/// computes square roots one by one and needs seven instructions for a maximum, so `CLanes` implements both.
package typealias Lanes = SIMD8<Float>

extension Lanes {
  /// Returns the vector of the numbers that `number` returns for each lane.
  ///
  /// A loop that sets the lanes one by one would store and reload the vector each time.
  @inline(__always)
  static func each(_ number: (_ lane: Int) -> Float) -> Lanes {
    Lanes(number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7))
  }

  /// Returns the lane-wise maximum; in a lane with NaN, the second number.
  @inline(__always)
  static func greater(_ first: Lanes, _ second: Lanes) -> Lanes { lanes_greater(first, second) }

  /// Returns the lane-wise distance from `value` to an interval: 0 inside the interval, NaN if `value` is
  /// NaN.
  @inline(__always)
  static func outside(_ value: Float, _ low: Lanes, _ high: Lanes) -> Lanes {
    greater(Lanes.zero, greater(low - value, value - high))
  }

  /// Returns the lane-wise distance from `value` to the farther end of an interval.
  @inline(__always)
  static func farther(_ value: Float, _ low: Lanes, _ high: Lanes) -> Lanes {
    greater(value - low, high - value)
  }

  /// Selects, in each lane, the first number if `mask` is set, else the second.
  @inline(__always)
  static func choose(_ mask: LaneMask, _ first: Lanes, _ second: Lanes) -> Lanes {
    lanes_choose(mask.storage, first, second)
  }

  @inline(__always)
  var roots: Lanes { lanes_square_root(self) }

  /// The maximum of all lanes. No lane may be NaN.
  @inline(__always)
  var greatest: Float { lanes_greatest(self) }

  /// Lower bounds on the natural logarithms of the numbers. The numbers must be positive and not subnormal. A
  /// bound is at most 0.0598 below the logarithm.
  ///
  /// Between two neighboring powers of two, the graph of log₂ x is at most 0.0861 above its chord. Apart from
  /// a factor and a constant, the bit pattern of a number, read as an integer, is the value of this chord.
  /// The rounding errors are less than 3e-5.
  @inline(__always)
  var leastLogarithms: Lanes { lanes_line_logarithm(self) - Float(3e-5) }

  /// Upper bounds on the natural logarithms of the numbers, under the same conditions. A bound is at most
  /// 0.0598 above the logarithm.
  @inline(__always)
  var greatestLogarithms: Lanes { lanes_line_logarithm(self) + Float(0.059_66 + 3e-5) }

  @inline(__always)
  var isNaN: LaneMask { LaneMask(storage: lanes_is_nan(self)) }

  @inline(__always)
  static func < (left: Lanes, right: Lanes) -> LaneMask { LaneMask(storage: lanes_is_less(left, right)) }

  @inline(__always)
  static func < (left: Lanes, right: Float) -> LaneMask { left < Lanes(repeating: right) }

  @inline(__always)
  static func > (left: Lanes, right: Float) -> LaneMask { Lanes(repeating: right) < left }
}

/// A Boolean for each lane.
struct LaneMask {
  fileprivate let storage: SIMD8<Int32>

  @inline(__always)
  fileprivate init(storage: SIMD8<Int32>) { self.storage = storage }

  /// Creates the mask from the lowest eight bits of `bits`; the lowest bit is the first lane.
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
