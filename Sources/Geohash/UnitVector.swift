import Glibc

/// A point on the sphere as a unit vector from its center: x toward (0, 0), z toward the north pole.
///
/// The chord between two vectors determines the great-circle distance. Chords need no trigonometry and no
/// special cases at the poles and the antimeridian. Searches use chords for bounds; ``DistanceOrigin``
/// computes the distances themselves. Each component is within 1e-15 of its exact value, and each chord
/// within 4e-15.
public struct UnitVector: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public var z: Double

  /// Creates the unit vector of `coordinate`.
  public init(_ coordinate: Coordinate) {
    let cosine = GreatCircle.cosine(ofLatitude: coordinate.latitude)
    let radians = coordinate.longitude * GreatCircle.radiansPerDegree
    x = cosine * cos(radians)
    y = cosine * sin(radians)
    z = GreatCircle.sine(ofLatitude: coordinate.latitude)
  }

  /// Returns the square of the chord to the point (`x`, `y`, `z`), from 0 to 4.
  @inline(__always)
  public func squaredChord(toX x: Double, y: Double, z: Double) -> Double {
    let (dx, dy, dz) = (self.x - x, self.y - y, self.z - z)
    return dx * dx + dy * dy + dz * dz
  }
}

/// Lower and upper bounds on the great-circle distance between the ends of a chord of the unit sphere.
///
/// The angle over a chord c is 2 asin(c/2) = c + c³/24 + 3c⁵/640 + 5c⁷/7168 + .... Every term is positive, so
/// a truncated series is a lower bound. The slopes of all bounds are below 2.3, so a chord's error changes a
/// bound by less than 6e-11 km. Computed distances are within 2e-11 km of the exact ones. `margin` is far
/// greater than both errors.
public enum ChordBounds {
  /// One micrometer, in kilometers.
  static let margin = 1e-9

  /// Returns a lower bound on the computed distance between the ends of a chord.
  ///
  /// - Parameter squared: The square of the chord's length, or a lower bound on this square.
  /// - Returns: Kilometers, not negative; NaN for NaN.
  @inline(__always)
  public static func leastKilometers(squaredChord squared: Double) -> Double {
    let series = 1 + squared * (1.0 / 24 + squared * (3.0 / 640 + squared * (5.0 / 7168)))
    let bound = GreatCircle.earthRadiusInKilometers * (squared.squareRoot() * series) - margin
    return bound < 0 ? 0 : bound
  }

  /// Returns an upper bound on the computed distance between the ends of a chord.
  ///
  /// For chords up to 1, the last coefficient is increased to cover the omitted terms, which grow faster than
  /// c⁷. The angle is a convex function of the chord. For chords above 1, it therefore lies below the line
  /// from (1, π/3) to (2, π).
  ///
  /// - Parameter squared: The square of the chord's length, or an upper bound on this square.
  /// - Returns: Kilometers; NaN for NaN.
  @inline(__always)
  public static func mostKilometers(squaredChord squared: Double) -> Double {
    let chord = squared.squareRoot()
    let series = chord * (1 + squared * (1.0 / 24 + squared * (3.0 / 640 + squared * 0.000_843_385)))
    let line = 1.047_197_551_2 + (chord - 1) * 2.094_395_102_4
    return GreatCircle.earthRadiusInKilometers * (chord <= 1 ? series : line) + margin
  }
}

/// A radius, converted to limits on chords. For most points, the limits decide whether the point is within
/// the radius, without computing a distance.
public struct ChordRadius: Sendable {
  /// If the squared chord is at most this limit, the computed distance is always within the radius. The limit
  /// is negative if no chord is certain to be within the radius.
  public let surelyWithin: Double
  /// If the squared chord is at least this limit, the computed distance always exceeds the radius.
  public let surelyBeyond: Double

  /// Converts a radius to limits on chords.
  ///
  /// - Parameter radius: The radius in kilometers, at least 0.
  public init(radiusInKilometers radius: Double) {
    guard radius < GreatCircle.halfCircumferenceInKilometers - 0.001 else {
      // Chords cannot decide if the radius differs from half of the circumference by less than a meter. All
      // points are within a greater radius. Squared chords are at most 4, so the limit 5 includes all of
      // them.
      surelyWithin = radius > GreatCircle.halfCircumferenceInKilometers + 0.001 ? 5 : -1
      surelyBeyond = 5
      return
    }
    // Chords and distances have errors below 1e-14, and an increase of the chord increases the distance by at
    // least the same amount.
    let chord = 2 * sin(radius / GreatCircle.earthRadiusInKilometers / 2)
    let slack = 1e-13
    surelyWithin = chord > slack ? (chord - slack) * (chord - slack) : -1
    surelyBeyond = (chord + slack) * (chord + slack)
  }
}

/// An axis-aligned box around points on the sphere, in the space of ``UnitVector``.
public struct VectorBox: Hashable, Sendable {
  public var low = UnitVector(x: .infinity, y: .infinity, z: .infinity)
  public var high = UnitVector(x: -.infinity, y: -.infinity, z: -.infinity)

  /// Creates an empty box, which is infinitely far from every point.
  public init() {}

  /// Whether the box contains no point.
  public var isEmpty: Bool { low.x > high.x }

  /// Extends the box so that it contains `point`.
  public mutating func formUnion(_ point: UnitVector) {
    low = UnitVector(x: min(low.x, point.x), y: min(low.y, point.y), z: min(low.z, point.z))
    high = UnitVector(x: max(high.x, point.x), y: max(high.y, point.y), z: max(high.z, point.z))
  }

  /// Extends the box so that it contains `other`.
  public mutating func formUnion(_ other: VectorBox) {
    guard !other.isEmpty else { return }
    formUnion(other.low)
    formUnion(other.high)
  }

  /// Returns the square of the straight-line distance to the nearest point of the box; 0 inside.
  @inline(__always)
  public func leastSquaredChord(to point: UnitVector) -> Double {
    let dx = max(low.x - point.x, point.x - high.x, 0)
    let dy = max(low.y - point.y, point.y - high.y, 0)
    let dz = max(low.z - point.z, point.z - high.z, 0)
    return dx * dx + dy * dy + dz * dz
  }

  /// Returns the square of the chord to the farthest corner of the box. The result is at most 4, because a
  /// chord of the sphere can exceed length 2 only by rounding.
  @inline(__always)
  public func mostSquaredChord(to point: UnitVector) -> Double {
    let dx = max(high.x - point.x, point.x - low.x)
    let dy = max(high.y - point.y, point.y - low.y)
    let dz = max(high.z - point.z, point.z - low.z)
    return min(dx * dx + dy * dy + dz * dz, 4)
  }
}

extension UnitVector {
  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }
}
