internal import Columns
internal import Concurrency
package import Geohash
package import RunSchemas

/// Where the entities of one kind are, ready for many distances.
package struct Positions: Sendable {
  /// All of one row side by side: rows are met at random, and each column would be a cache miss of its own.
  private struct KnownPlace {
    /// Degrees; NaN where there is no position.
    var latitude: Double
    var longitude: Double
    /// Of the latitude.
    var cosine: Double

    init(latitude: Double, longitude: Double) {
      (self.latitude, self.longitude) = (latitude, longitude)
      cosine = DistanceOrigin.cosine(ofLatitude: latitude)
    }
  }

  /// By row.
  private let places: [KnownPlace]

  package init(_ table: EntityTable) {
    guard let latitude = table.latitude, let longitude = table.longitude else {
      let missing = [Double](repeating: .nan, count: table.count)
      self.init(latitudes: missing, longitudes: missing)
      return
    }
    self.init(latitude.span, longitude.span)
  }

  /// - Parameters:
  ///   - latitudes: Degrees by row; NaN where there is no position.
  ///   - longitudes: The same.
  package init(latitudes: [Double], longitudes: [Double]) {
    self.init(latitudes.span, longitudes.span)
  }

  private init(_ latitudes: Span<Double>, _ longitudes: Span<Double>) {
    precondition(latitudes.count == longitudes.count, "\(latitudes.count) and \(longitudes.count) degrees")
    var places: [KnownPlace] = []
    places.reserveCapacity(latitudes.count)
    for row in latitudes.indices {
      places.append(KnownPlace(latitude: latitudes[row], longitude: longitudes[row]))
    }
    self.places = places
  }

  package var count: Int { places.count }

  /// Latitudes, longitudes, and the cosines that distances want.
  var columns: [[Double]] { [places.map(\.latitude), places.map(\.longitude), places.map(\.cosine)] }

  /// Writes latitude, longitude and the cosine of the latitude of `row` to `values`, from `index` on; NaN where unknown.
  package func write(_ row: Int, to values: inout [Double], at index: Int) {
    let place = places[row]
    values[index] = place.latitude
    values[index + 1] = place.longitude
    values[index + 2] = place.cosine
  }

  /// The position of `row`, or `nil` where it is unknown.
  package subscript(row: Int) -> Coordinate? {
    Coordinate(latitude: places[row].latitude, longitude: places[row].longitude)
  }

  /// By row: the position as a point of the unit sphere, or `nil` where it is unknown. Three sines and cosines each: to be
  /// worked out once.
  package func vectors(threads: Int) -> [UnitVector?] {
    let parts = parallelMap(count: count, chunkSize: 1 << 14, threads: threads) { rows in
      rows.map { self[$0].map(UnitVector.init) }
    }
    var vectors: [UnitVector?] = []
    vectors.reserveCapacity(count)
    for part in parts { vectors += part }
    return vectors
  }

  /// Kilometers from `origin` to `row`; NaN where either is unknown.
  package func distanceInKilometers(from origin: DistanceOrigin?, to row: Int) -> Double {
    guard let origin else { return .nan }
    let place = places[row]
    return origin.distanceInKilometers(
      toLatitude: place.latitude, longitude: place.longitude, cosineOfLatitude: place.cosine)
  }
}
