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

  /// The positions of `rows`, in their order.
  package func picked(_ rows: [Int]) -> Positions {
    Positions(latitudes: rows.map { latitudes[$0] }, longitudes: rows.map { longitudes[$0] })
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
