internal import Columns
internal import Concurrency
package import Geohash
package import RunSchemas

/// The positions of the rows of one entity, stored for the fast computation of distances.
package struct Positions: Sendable {
  /// The position of one row. Its values are adjacent in memory, because rows are read in random order, and
  /// each separate column would cost a cache miss.
  private struct KnownPlace {
    /// The latitude in degrees; NaN if the position is unknown.
    var latitude: Double
    /// The longitude in degrees; NaN if the position is unknown.
    var longitude: Double
    /// The cosine of the latitude.
    var cosine: Double

    init(latitude: Double, longitude: Double) {
      (self.latitude, self.longitude) = (latitude, longitude)
      cosine = DistanceOrigin.cosine(ofLatitude: latitude)
    }
  }

  /// One element per row.
  private let places: [KnownPlace]

  /// Creates the positions of the rows of `table`. If the table has no coordinates, all positions are
  /// unknown.
  package init(_ table: EntityTable) {
    guard let latitude = table.latitude, let longitude = table.longitude else {
      let missing = [Double](repeating: .nan, count: table.count)
      self.init(latitudes: missing, longitudes: missing)
      return
    }
    self.init(latitude.span, longitude.span)
  }

  /// Creates the positions from one latitude and one longitude per row.
  ///
  /// - Parameters:
  ///   - latitudes: One latitude per row in degrees; NaN if the position is unknown.
  ///   - longitudes: One longitude per row in degrees; NaN if the position is unknown.
  package init(latitudes: [Double], longitudes: [Double]) {
    self.init(latitudes.span, longitudes.span)
  }

  private init(_ latitudes: Span<Double>, _ longitudes: Span<Double>) {
    precondition(
      latitudes.count == longitudes.count, "\(latitudes.count) latitudes for \(longitudes.count) longitudes")
    var places: [KnownPlace] = []
    places.reserveCapacity(latitudes.count)
    for row in latitudes.indices {
      places.append(KnownPlace(latitude: latitudes[row], longitude: longitudes[row]))
    }
    self.places = places
  }

  package var count: Int { places.count }

  /// The latitudes, the longitudes, and the cosines of the latitudes. Distance computations need all three.
  var columns: [[Double]] { [places.map(\.latitude), places.map(\.longitude), places.map(\.cosine)] }

  /// Writes the latitude of `row`, its longitude, and the cosine of the latitude to `values`, starting at
  /// `index`. All three are NaN if the position is unknown.
  package func write(_ row: Int, to values: inout [Double], at index: Int) {
    let place = places[row]
    values[index] = place.latitude
    values[index + 1] = place.longitude
    values[index + 2] = place.cosine
  }

  /// The position of `row`; `nil` if it is unknown.
  package subscript(row: Int) -> Coordinate? {
    Coordinate(latitude: places[row].latitude, longitude: places[row].longitude)
  }

  /// Returns the position of each row as a point on the unit sphere; `nil` if the position is unknown.
  /// Callers keep the result, because the computation of a point requires several sines and cosines.
  package func vectors(threads: Int) -> [UnitVector?] {
    let parts = parallelMap(count: count, chunkSize: 1 << 14, threads: threads) { rows in
      rows.map { self[$0].map(UnitVector.init) }
    }
    var vectors: [UnitVector?] = []
    vectors.reserveCapacity(count)
    for part in parts { vectors += part }
    return vectors
  }

  /// Returns the kilometers from `origin` to the position of `row`; NaN if either position is unknown.
  package func distanceInKilometers(from origin: DistanceOrigin?, to row: Int) -> Double {
    guard let origin else { return .nan }
    let place = places[row]
    return origin.distanceInKilometers(
      toLatitude: place.latitude, longitude: place.longitude, cosineOfLatitude: place.cosine)
  }
}
