/// The common origin of many distances. The terms that depend only on the origin are computed once.
///
/// Use this type in loops over many points. Every distance has the same bits as
/// ``Coordinate/distanceInKilometers(to:)``.
public struct DistanceOrigin: Sendable {
  /// The position from which distances are measured.
  public let coordinate: Coordinate
  let cosineOfLatitude: Double
  let sineOfLatitude: Double

  /// Creates an origin at `coordinate`.
  public init(_ coordinate: Coordinate) {
    self.coordinate = coordinate
    cosineOfLatitude = GreatCircle.cosine(ofLatitude: coordinate.latitude)
    sineOfLatitude = GreatCircle.sine(ofLatitude: coordinate.latitude)
  }

  /// Returns the cosine of a latitude in the form that the other functions of this type expect. Store the
  /// cosine for points that are used repeatedly.
  ///
  /// The last bits can differ from `cos(latitude * .pi / 180)`, which is less accurate near the poles.
  ///
  /// - Parameter latitude: Degrees, in [-90, 90]. NaN gives NaN.
  /// - Returns: The cosine, in [0, 1]; exactly 0 at the poles.
  public static func cosine(ofLatitude latitude: Double) -> Double {
    GreatCircle.cosine(ofLatitude: latitude)
  }

  /// Returns the distance in kilometers to a point given by its raw column values.
  ///
  /// - Parameters:
  ///   - latitude: Degrees, in [-90, 90]; not checked. NaN (a missing position) gives NaN.
  ///   - longitude: Degrees, in [-180, 180]; not checked. NaN gives NaN.
  ///   - cosine: ``cosine(ofLatitude:)`` of the same latitude.
  /// - Returns: Kilometers, with the same bits as ``Coordinate/distanceInKilometers(to:)``.
  @inline(__always)
  public func distanceInKilometers(
    toLatitude latitude: Double, longitude: Double, cosineOfLatitude cosine: Double
  ) -> Double {
    GreatCircle.earthRadiusInKilometers
      * GreatCircle.centralAngle(
        latitudes: coordinate.latitude, latitude,
        longitudeGap: GreatCircle.longitudeGap(coordinate.longitude, longitude),
        cosineProduct: cosineOfLatitude * cosine)
  }

  /// Writes the distance in kilometers to each point, in the order of the points. The columns contain the
  /// coordinates and the cosines of the latitudes.
  ///
  /// All four spans have the same length, which may be 0. The elements are the same as in
  /// ``distanceInKilometers(toLatitude:longitude:cosineOfLatitude:)``.
  ///
  /// - Parameters:
  ///   - latitudes: Degrees; NaN gives NaN.
  ///   - longitudes: Degrees; NaN gives NaN.
  ///   - cosines: ``cosine(ofLatitude:)`` of every latitude.
  ///   - distances: Receives the distances.
  /// - Complexity: O(n).
  public func writeDistancesInKilometers(
    latitudes: Span<Double>, longitudes: Span<Double>, cosinesOfLatitudes cosines: Span<Double>,
    into distances: inout MutableSpan<Double>
  ) {
    let count = distances.count
    precondition(
      latitudes.count == count && longitudes.count == count && cosines.count == count,
      "lengths differ: \(latitudes.count) latitudes, \(longitudes.count) longitudes, \(cosines.count) cosines, \(count) distances"
    )
    for index in 0..<count {
      distances[index] = distanceInKilometers(
        toLatitude: latitudes[index], longitude: longitudes[index], cosineOfLatitude: cosines[index])
    }
  }

  /// Writes the distance in kilometers to each point, in the order of the points. The columns contain the
  /// coordinates.
  ///
  /// All three spans have the same length, which may be 0. To measure the same points from several origins,
  /// store the cosines and use the other overload.
  ///
  /// - Parameters:
  ///   - latitudes: Degrees; NaN gives NaN.
  ///   - longitudes: Degrees; NaN gives NaN.
  ///   - distances: Receives the distances.
  /// - Complexity: O(n).
  public func writeDistancesInKilometers(
    latitudes: Span<Double>, longitudes: Span<Double>, into distances: inout MutableSpan<Double>
  ) {
    let count = distances.count
    precondition(
      latitudes.count == count && longitudes.count == count,
      "lengths differ: \(latitudes.count) latitudes, \(longitudes.count) longitudes, \(count) distances")
    for index in 0..<count {
      let latitude = latitudes[index]
      distances[index] = distanceInKilometers(
        toLatitude: latitude, longitude: longitudes[index],
        cosineOfLatitude: GreatCircle.cosine(ofLatitude: latitude))
    }
  }
}
