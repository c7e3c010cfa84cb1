import Glibc

/// A place on the sphere as a vector of length 1 from its centre, x towards (0, 0), z towards the north pole.
///
/// Between such vectors runs the chord, whose length decides the distance along the sphere: nothing is special about
/// poles and the antimeridian, and comparing takes no trigonometry. For bounds; distances themselves come from
/// ``DistanceOrigin``. Each component is within 1e-15 of the real one, a chord within 4e-15.
public struct UnitVector: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public var z: Double

  public init(_ coordinate: Coordinate) {
    let cosine = GreatCircle.cosine(ofLatitude: coordinate.latitude)
    let radians = coordinate.longitude * GreatCircle.radiansPerDegree
    x = cosine * cos(radians)
    y = cosine * sin(radians)
    z = GreatCircle.sine(ofLatitude: coordinate.latitude)
  }

  /// The square of the chord to the point (`x`, `y`, `z`), from 0 to 4.
  @inline(__always)
  public func squaredChord(toX x: Double, y: Double, z: Double) -> Double {
    let (dx, dy, dz) = (self.x - x, self.y - y, self.z - z)
    return dx * dx + dy * dy + dz * dz
  }
}

/// What a chord of the unit sphere says about the distance along the sphere, rounded outwards.
///
/// The angle over a chord c is 2 asin(c/2) = c + c³/24 + 3c⁵/640 + 5c⁷/7168 + ..., where every term is positive: cut off,
/// the series is a lower bound. Its slope and those of the upper bounds are below 2.3, so the error of a chord moves a
/// bound by less than 1e-14 radians, 6e-11 km; computed distances are within 2e-11 km of the real ones. `margin` covers
/// both many times over.
public enum ChordBounds {
  /// One micrometre, in kilometres.
  static let margin = 1e-9

  /// What every computed distance over a chord is at least.
  ///
  /// - Parameter squared: The square of the chord's length, or anything that is not greater.
  /// - Returns: Kilometres, not negative; NaN for NaN.
  @inline(__always)
  public static func leastKilometers(squaredChord squared: Double) -> Double {
    let series = 1 + squared * (1.0 / 24 + squared * (3.0 / 640 + squared * (5.0 / 7168)))
    let bound = GreatCircle.earthRadiusInKilometers * (squared.squareRoot() * series) - margin
    return bound < 0 ? 0 : bound
  }

  /// What every computed distance over a chord is at most.
  ///
  /// Up to a chord of 1 the series ends with the term that takes in the rest there, as what is left out grows faster
  /// than c⁷. The angle is convex in the chord, so that beyond 1 it lies under the line from (1, π/3) to (2, π).
  ///
  /// - Parameter squared: The square of the chord's length, or anything that is not less.
  /// - Returns: Kilometres; NaN for NaN.
  @inline(__always)
  public static func mostKilometers(squaredChord squared: Double) -> Double {
    let chord = squared.squareRoot()
    let series = chord * (1 + squared * (1.0 / 24 + squared * (3.0 / 640 + squared * 0.000_843_385)))
    let line = 1.047_197_551_2 + (chord - 1) * 2.094_395_102_4
    return GreatCircle.earthRadiusInKilometers * (chord <= 1 ? series : line) + margin
  }
}

/// A radius as chords: decides for most points whether they are inside or outside, without computing their distance.
public struct ChordRadius: Sendable {
  /// Up to this squared chord the computed distance is certainly within the radius.
  public let surelyWithin: Double
  /// From this one on it certainly is not.
  public let surelyBeyond: Double

  /// - Parameter radius: Kilometres; any number that is not negative.
  public init(radiusInKilometers radius: Double) {
    guard radius < GreatCircle.halfCircumferenceInKilometers - 0.001 else {
      // Near the antipode chords do not decide, or there is no beyond. Squared chords are at most 4 plus a rounding error.
      surelyWithin = radius > GreatCircle.halfCircumferenceInKilometers + 0.001 ? 5 : -1
      surelyBeyond = 5
      return
    }
    // An error of a chord or a distance is under 1e-14; a longer chord is a longer distance by at least as much.
    let chord = 2 * sin(radius / GreatCircle.earthRadiusInKilometers / 2)
    let slack = 1e-13
    surelyWithin = chord > slack ? (chord - slack) * (chord - slack) : -1
    surelyBeyond = (chord + slack) * (chord + slack)
  }
}

/// A box with edges along the axes around points on the sphere, in the space of ``UnitVector``.
public struct VectorBox: Hashable, Sendable {
  public var low = UnitVector(x: .infinity, y: .infinity, z: .infinity)
  public var high = UnitVector(x: -.infinity, y: -.infinity, z: -.infinity)

  /// The box around nothing: infinitely far away.
  public init() {}

  public var isEmpty: Bool { low.x > high.x }

  public mutating func formUnion(_ point: UnitVector) {
    low = UnitVector(x: min(low.x, point.x), y: min(low.y, point.y), z: min(low.z, point.z))
    high = UnitVector(x: max(high.x, point.x), y: max(high.y, point.y), z: max(high.z, point.z))
  }

  public mutating func formUnion(_ other: VectorBox) {
    guard !other.isEmpty else { return }
    formUnion(other.low)
    formUnion(other.high)
  }

  /// The square of the distance through space to the nearest point of the box; 0 inside.
  @inline(__always)
  public func leastSquaredChord(to point: UnitVector) -> Double {
    let dx = max(low.x - point.x, point.x - high.x, 0)
    let dy = max(low.y - point.y, point.y - high.y, 0)
    let dz = max(low.z - point.z, point.z - high.z, 0)
    return dx * dx + dy * dy + dz * dz
  }

  /// The square of the distance through space to the farthest corner of the box, but at most 4, which no chord exceeds
  /// by more than rounding.
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
