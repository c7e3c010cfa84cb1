extension BoundingBox {
  /// Returns the great-circle distance in kilometers from a point to the nearest point of the box; 0 inside.
  ///
  /// The result is correct for boxes of any size, at the poles and across the antimeridian. The error is a
  /// few nanometers in either direction, as for ``Coordinate/distanceInKilometers(to:)``. Subtract a margin
  /// if the result must be a lower bound.
  ///
  /// For distances from one point to many boxes, use ``DistanceOrigin``, which returns bit-identical
  /// distances.
  public func minimumDistanceInKilometers(to point: Coordinate) -> Double {
    DistanceOrigin(point).minimumDistanceInKilometers(to: self)
  }

  /// Returns the great-circle distance in kilometers from a point to the farthest point of the box.
  ///
  /// The error is a few nanometers in either direction.
  public func maximumDistanceInKilometers(to point: Coordinate) -> Double {
    DistanceOrigin(point).maximumDistanceInKilometers(to: self)
  }

  /// The great-circle distance in kilometers between opposite corners.
  ///
  /// In the box of a geohash, no two points are farther apart. In other boxes, two corners on the same
  /// parallel can be farther apart, for example in a wide and low box near a pole.
  public var diagonalInKilometers: Double {
    let cosineProduct = GreatCircle.cosine(ofLatitude: south) * GreatCircle.cosine(ofLatitude: north)
    return GreatCircle.earthRadiusInKilometers
      * GreatCircle.centralAngle(
        latitudes: south, north, longitudeGap: min(longitudeSpan, 360 - longitudeSpan),
        cosineProduct: cosineProduct)
  }
}
