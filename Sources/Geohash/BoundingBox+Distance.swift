extension BoundingBox {
  /// The great-circle distance in kilometres from a point to the nearest point of the box; 0 inside.
  ///
  /// Right for boxes of any size, at the poles and across the antimeridian. The error equals the error of
  /// ``Coordinate/distanceInKilometers(to:)``, some nanometers in either direction: subtract a little where the result must be a
  /// lower bound (coverings take 1 µm).
  ///
  /// For many boxes from one point use ``DistanceOrigin``, which gives the same bits.
  public func minimumDistanceInKilometers(to point: Coordinate) -> Double {
    DistanceOrigin(point).minimumDistanceInKilometers(to: self)
  }

  /// The great-circle distance in kilometres from a point to the farthest point of the box.
  ///
  /// The error is some nanometres in either direction, as above.
  public func maximumDistanceInKilometers(to point: Coordinate) -> Double {
    DistanceOrigin(point).maximumDistanceInKilometers(to: self)
  }

  /// The great-circle distance in kilometres between opposite corners.
  ///
  /// In a geohash's box no two points are farther apart; in boxes wider than they are high that come near a
  /// pole, two corners of one parallel can be.
  public var diagonalInKilometers: Double {
    let cosineProduct = GreatCircle.cosine(ofLatitude: south) * GreatCircle.cosine(ofLatitude: north)
    return GreatCircle.earthRadiusInKilometers
      * GreatCircle.centralAngle(
        latitudes: south, north, longitudeGap: min(longitudeSpan, 360 - longitudeSpan),
        cosineProduct: cosineProduct)
  }
}
