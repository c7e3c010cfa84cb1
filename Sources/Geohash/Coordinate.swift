/// A position on the globe: WGS 84 latitude and longitude in degrees, north and east positive.
///
/// Every value is valid: latitude in [-90, 90], longitude in [-180, 180], never NaN. Longitudes 180 and -180
/// denote the same meridian, but they are different values and belong to different geohashes.
public struct Coordinate: Hashable, Sendable {
  /// Degrees north of the equator, in [-90, 90]; never -0.0.
  public let latitude: Double
  /// Degrees east of Greenwich, in [-180, 180]; never -0.0.
  public let longitude: Double

  /// Creates a position, or returns `nil` if an angle is NaN, infinite or out of its range.
  ///
  /// Longitudes are not wrapped, because 181 is more likely a mistake in the data than a place. A negative
  /// zero becomes 0.0, so that equal positions have equal bytes.
  ///
  /// - Parameters:
  ///   - latitude: Degrees north, in [-90, 90].
  ///   - longitude: Degrees east, in [-180, 180].
  public init?(latitude: Double, longitude: Double) {
    // A comparison with NaN is false, so these checks also reject NaN and infinity.
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.init(unchecked: latitude, longitude)
  }

  /// Creates a position from angles that are in range by construction.
  init(unchecked latitude: Double, _ longitude: Double) {
    assert(
      abs(latitude) <= 90 && abs(longitude) <= 180, "(\(latitude), \(longitude)) is not a position on Earth")
    self.latitude = latitude + 0.0
    self.longitude = longitude + 0.0
  }

  /// The point on the opposite side of the Earth.
  ///
  /// Its longitude is rounded if `longitude` is not a multiple of 2⁻⁴⁵ degrees (0.000 000 003 m).
  public var antipode: Coordinate {
    Coordinate(unchecked: -latitude, longitude > 0 ? longitude - 180 : longitude + 180)
  }
}
