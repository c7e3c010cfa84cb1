import Glibc

extension BoundingBox {
  /// The margin of a box around a circle, in degrees. It corresponds to about 0.1 mm on the ground, a hundred
  /// times the rounding error of the edges.
  private static let slack = 1e-9

  /// Creates a box that contains every point within `radius` of `center`, as measured by
  /// `Coordinate.distanceInKilometers(to:)`.
  ///
  /// Apart from a small margin, the edges touch the circle. If the circle contains a pole, the box spans all
  /// longitudes; otherwise it may cross the antimeridian.
  ///
  /// - Parameters:
  ///   - center: The center of the circle.
  ///   - radius: The radius in kilometers. For a radius of at least half of the circumference, the box is the
  ///     whole globe. A negative radius or NaN counts as 0.
  ///
  /// The two meridians that touch the circle determine the width of the box. Source: Jan Philip Matuschek,
  /// Finding points within a distance of a latitude/longitude using bounding coordinates, 2010, section 3.3.
  public init(around center: Coordinate, radiusInKilometers radius: Double) {
    let angle = max(0, radius.isNaN ? 0 : radius) / GreatCircle.earthRadiusInKilometers
    let height = angle * 180 / .pi + Self.slack
    let (south, north) = (center.latitude - height, center.latitude + height)
    guard south > -90, north < 90 else {
      self.init(uncheckedSouth: max(-90, south), west: -180, north: min(90, north), east: 180)
      return
    }
    let sine = sin(angle) / GreatCircle.cosine(ofLatitude: center.latitude)
    let width = (sine < 1 ? asin(sine) * 180 / .pi : 90) + Self.slack / GreatCircle.cosine(ofLatitude: north)
    guard width < 180 else {
      self.init(uncheckedSouth: south, west: -180, north: north, east: 180)
      return
    }
    let (west, east) = (center.longitude - width, center.longitude + width)
    self.init(
      uncheckedSouth: south, west: west < -180 ? west + 360 : west, north: north,
      east: east > 180 ? east - 360 : east)
  }

  /// The box split at the antimeridian: one part, or a western and an eastern part.
  public var uncrossed: [BoundingBox] {
    west <= east
      ? [self]
      : [
        BoundingBox(uncheckedSouth: south, west: west, north: north, east: 180),
        BoundingBox(uncheckedSouth: south, west: -180, north: north, east: east),
      ]
  }
}
