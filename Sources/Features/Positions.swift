package import Geohash
package import Tables

/// Where the entities of one kind are, ready for many distances.
package struct Positions: Sendable {
  private let latitudes: [Double]
  private let longitudes: [Double]
  private let cosines: [Double]

  package init(_ table: EntityTable) {
    let missing = [Double](repeating: .nan, count: table.count)
    self.init(
      latitudes: table.latitude?.elements ?? missing, longitudes: table.longitude?.elements ?? missing)
  }

  /// - Parameters:
  ///   - latitudes: Degrees by row; NaN where there is no position.
  ///   - longitudes: The same.
  package init(latitudes: [Double], longitudes: [Double]) {
    self.latitudes = latitudes
    self.longitudes = longitudes
    cosines = latitudes.map(DistanceOrigin.cosine(ofLatitude:))
  }

  package var count: Int { latitudes.count }

  /// Latitudes, longitudes, and the cosines that distances want.
  var columns: [[Double]] { [latitudes, longitudes, cosines] }

  /// Writes latitude, longitude and the cosine of the latitude of `row` to `values`, from `index` on; NaN where unknown.
  func write(_ row: Int, to values: inout [Double], at index: Int) {
    values[index] = latitudes[row]
    values[index + 1] = longitudes[row]
    values[index + 2] = cosines[row]
  }

  /// The position of `row`, or `nil` where it is unknown.
  package subscript(row: Int) -> Coordinate? {
    Coordinate(latitude: latitudes[row], longitude: longitudes[row])
  }

  /// Kilometres from `origin` to `row`; NaN where either is unknown.
  package func distanceInKilometers(from origin: DistanceOrigin?, to row: Int) -> Double {
    guard let origin else { return .nan }
    return origin.distanceInKilometers(
      toLatitude: latitudes[row], longitude: longitudes[row], cosineOfLatitude: cosines[row])
  }
}
