/// A rectangle in latitude and longitude, edges included.
///
/// `west` may be greater than `east`: the box then crosses the antimeridian, as in RFC 7946, section 5.2.
/// Boxes of geohashes never cross the antimeridian.
public struct BoundingBox: Hashable, Sendable {
  /// The latitude of the southern edge in degrees, in [-90, 90].
  public let south: Double
  /// The longitude of the western edge in degrees, in [-180, 180].
  public let west: Double
  /// The latitude of the northern edge in degrees, in [-90, 90], not less than `south`.
  public let north: Double
  /// The longitude of the eastern edge in degrees, in [-180, 180].
  public let east: Double

  /// Creates a box, or returns `nil` if an angle is NaN or out of its range, or `south` is greater than
  /// `north`.
  ///
  /// - Parameters:
  ///   - south: Degrees, in [-90, 90].
  ///   - west: Degrees, in [-180, 180].
  ///   - north: Degrees, in [-90, 90].
  ///   - east: Degrees, in [-180, 180]; less than `west` for a box across the antimeridian.
  public init?(south: Double, west: Double, north: Double, east: Double) {
    guard abs(south) <= 90, abs(north) <= 90, abs(west) <= 180, abs(east) <= 180, south <= north else {
      return nil
    }
    self.init(uncheckedSouth: south, west: west, north: north, east: east)
  }

  init(uncheckedSouth south: Double, west: Double, north: Double, east: Double) {
    self.south = south + 0.0
    self.west = west + 0.0
    self.north = north + 0.0
    self.east = east + 0.0
  }

  /// The angle from the western to the eastern edge in degrees, in [0, 360].
  public var longitudeSpan: Double {
    west <= east ? east - west : (180 - west) + (180 + east)
  }

  /// Half of the height in degrees: the largest difference in latitude between the center and a point of the
  /// box.
  public var halfLatitudeSpan: Double { (north - south) / 2 }

  /// Half of the width in degrees.
  public var halfLongitudeSpan: Double { longitudeSpan / 2 }

  /// The center of the box.
  public var center: Coordinate {
    let longitude = west + halfLongitudeSpan
    return Coordinate(unchecked: south + halfLatitudeSpan, longitude > 180 ? longitude - 360 : longitude)
  }

  /// Returns whether the point is in the box or on its edge.
  ///
  /// Longitudes 180 and -180 are equal, and a pole has every longitude. To test whether a point belongs to a
  /// geohash, where each edge belongs to one cell, use `Geohash(point, precision:) == geohash`.
  public func contains(_ point: Coordinate) -> Bool {
    south <= point.latitude && point.latitude <= north
      && (longitudeGap(to: point.longitude) == 0 || abs(point.latitude) == 90)
  }

  /// Returns the angle in degrees between a meridian and the nearest meridian of the box, in [0, 180]; 0
  /// inside.
  func longitudeGap(to longitude: Double) -> Double {
    let isBetween =
      west <= east ? west <= longitude && longitude <= east : longitude >= west || longitude <= east
    if isBetween { return 0 }
    return min(GreatCircle.longitudeGap(longitude, west), GreatCircle.longitudeGap(longitude, east))
  }
}
