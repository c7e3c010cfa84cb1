extension DistanceOrigin {
  /// Returns the great-circle distance in kilometers to the nearest point of a box; 0 inside.
  ///
  /// ``BoundingBox/minimumDistanceInKilometers(to:)`` describes the error.
  ///
  /// - Complexity: O(1).
  public func minimumDistanceInKilometers(to box: BoundingBox) -> Double {
    Self.distance(
      to: box, latitude: coordinate.latitude, longitude: coordinate.longitude, cosine: cosineOfLatitude,
      sine: sineOfLatitude)
  }

  /// Returns the great-circle distance in kilometers to the farthest point of a box.
  ///
  /// Every great circle through a point also passes through its antipode. The result is therefore half of the
  /// circumference minus the distance from the antipode to the box.
  /// ``BoundingBox/maximumDistanceInKilometers(to:)`` describes the error.
  ///
  /// - Complexity: O(1).
  public func maximumDistanceInKilometers(to box: BoundingBox) -> Double {
    let antipode = coordinate.antipode
    return GreatCircle.halfCircumferenceInKilometers
      - Self.distance(
        to: box, latitude: antipode.latitude, longitude: antipode.longitude, cosine: cosineOfLatitude,
        sine: -sineOfLatitude)
  }

  /// Returns the distance in kilometers to a box from the point at `latitude` and `longitude`. `cosine` and
  /// `sine` are the cosine and the sine of the latitude.
  ///
  /// At every latitude, the point with the smallest difference in longitude is nearest. If the meridian of
  /// the point crosses the box, this difference is 0 and only the latitudes differ. Otherwise the nearest
  /// point lies on the nearer of the two meridian edges.
  ///
  /// Along a meridian, the cosine of the distance is a cosine wave of the latitude. Up to 90° of longitude
  /// away, its crest lies between the poles, and the nearest point is at the crest, clamped to the edge.
  /// Farther away, its trough lies between the poles, so one of the two ends of the edge is nearest.
  private static func distance(
    to box: BoundingBox, latitude: Double, longitude: Double, cosine: Double, sine: Double
  ) -> Double {
    let gap = box.longitudeGap(to: longitude)
    if gap == 0 {
      let degrees = max(box.south - latitude, latitude - box.north, 0)
      return degrees * GreatCircle.radiansPerDegree * GreatCircle.earthRadiusInKilometers
    }
    func distance(toLatitude other: Double) -> Double {
      GreatCircle.earthRadiusInKilometers
        * GreatCircle.centralAngle(
          latitudes: latitude, other, longitudeGap: gap,
          cosineProduct: cosine * GreatCircle.cosine(ofLatitude: other))
    }
    if gap <= 90 {
      let crest = GreatCircle.nearestLatitude(sine: sine, cosine: cosine, longitudeGap: gap)
      return distance(toLatitude: min(max(crest, box.south), box.north))
    }
    return min(distance(toLatitude: box.south), distance(toLatitude: box.north))
  }
}
