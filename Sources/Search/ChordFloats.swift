package import Geohash

/// Bounds on the distances to many places at once: `ChordBounds` in single precision.
///
/// Rounding a coordinate of a unit vector changes it by at most 2⁻²⁵. A chord therefore changes by at most
/// 1.1e-7 (0.7 m), plus about 2⁻²⁴ of its length for each operation. `margin` and `relativeMargin` are more
/// than twice as large as these errors. Exact decisions use double precision.
package enum ChordFloats {
  /// The absolute margin, in kilometers, for the rounding of the end points.
  static let margin = 0.002
  /// The margin relative to the distance, in addition to `margin`.
  static let relativeMargin: Float = 0x1p-20

  private static let radius = Float(GreatCircle.earthRadiusInKilometers)

  /// Returns lower bounds on the great-circle distances in kilometers for squared chords, without the
  /// margins.
  @inline(__always)
  static func leastKilometers(squaredChords squared: Lanes) -> Lanes {
    radius * (squared.roots * series(squared, last: 5 / 7168))
  }

  /// Returns upper bounds on the great-circle distances in kilometers for squared chords, without the
  /// margins. See `ChordBounds`.
  @inline(__always)
  static func mostKilometers(squaredChords squared: Lanes) -> Lanes {
    let chord = squared.roots
    let line: Lanes = (chord - Float(1)) * Float(2.094_396) + Float(1.047_198)
    let short: Lanes = chord * series(squared, last: 0.000_844)
    return radius * Lanes.choose(chord < 1, short, line)
  }

  /// Returns 1 + x/24 + 3x²/640 + `last` x³. The first terms are the series of 2 asin(√x / 2) / √x.
  @inline(__always)
  private static func series(_ squared: Lanes, last: Float) -> Lanes {
    let third: Lanes = squared * last + Float(3.0 / 640)
    let second: Lanes = squared * third + Float(1.0 / 24)
    return squared * second + Float(1)
  }

  /// Returns a lower bound on the great-circle distance in kilometers for a squared chord, with the margins.
  /// The bound is at least 0; for NaN, it is 0.
  package static func surelyLeastKilometers(squaredChord squared: Float) -> Float {
    let series: Float = 1 + squared * (1 / 24 + squared * (3 / 640 + squared * (5 / 7168)))
    let least = radius * (squared.squareRoot() * series) * (1 - relativeMargin) - Float(margin)
    return least > 0 ? least : 0
  }

  /// Returns a limit: every place with at least this squared chord is certainly beyond the radius, despite
  /// rounding.
  package static func surelyBeyond(_ chord: ChordRadius) -> Float {
    let widened = Float(chord.surelyBeyond.squareRoot() + 4e-7)
    return widened * widened * (1 + relativeMargin)
  }

  /// Returns a limit: every place with at most this squared chord is certainly within the radius, despite
  /// rounding. The limit is negative if no place is certainly within the radius.
  package static func surelyWithin(_ chord: ChordRadius) -> Float {
    guard chord.surelyWithin >= 0 else { return -1 }
    let narrowed = Float(chord.surelyWithin.squareRoot() - 4e-7)
    return narrowed > 0 ? narrowed * narrowed * (1 - relativeMargin) : -1
  }
}

/// A unit vector in single precision.
package struct FloatVector: Sendable {
  package var x: Float
  package var y: Float
  package var z: Float

  package init(_ vector: UnitVector) {
    (x, y, z) = (Float(vector.x), Float(vector.y), Float(vector.z))
  }

  /// An unknown position, with an unknown distance to every place.
  package static let unknown = FloatVector(x: .nan, y: .nan, z: .nan)

  private init(x: Float, y: Float, z: Float) {
    (self.x, self.y, self.z) = (x, y, z)
  }
}
