import Foundation
import Geohash
import Testing

@testable import Features

/// Compares positions with the input, and distances with the haversine formula.
@Suite struct PositionsTests {
  /// Dublin, Cork, nowhere, and Auckland, whose longitude is above 90.
  private static let positions = Positions(
    latitudes: [53.35, 51.9, .nan, -36.85], longitudes: [-6.26, -8.47, .nan, 174.76])

  /// The great-circle distance in kilometers by the haversine formula.
  private static func haversine(_ one: Coordinate, _ other: Coordinate) -> Double {
    let radians = Double.pi / 180
    let (north, east) = (
      (other.latitude - one.latitude) * radians / 2, (other.longitude - one.longitude) * radians / 2
    )
    let h =
      sin(north) * sin(north) + cos(one.latitude * radians) * cos(other.latitude * radians) * sin(east)
      * sin(east)
    return 2 * 6371.0088 * asin(sqrt(h))
  }

  @Test func `a row has its latitude and its longitude`() {
    let positions = Self.positions
    #expect(positions.count == 4)
    #expect(positions[0] == Coordinate(latitude: 53.35, longitude: -6.26))
    #expect(positions[2] == nil)
    #expect(positions[3] == Coordinate(latitude: -36.85, longitude: 174.76))
    var values = [Double](repeating: 9, count: 5)
    positions.write(3, to: &values, at: 1)
    #expect(values[0...2] == [9, -36.85, 174.76] && values[4] == 9)
    // The cosine of the C library can differ in the last place.
    #expect(abs(values[3] - cos(-36.85 * .pi / 180)) < 1e-15)
  }

  @Test func `distances equal the haversine formula`() throws {
    let dublin = try #require(Self.positions[0])
    let origin = DistanceOrigin(dublin)
    for row in [1, 3] {
      let other = try #require(Self.positions[row])
      let distance = Self.positions.distanceInKilometers(from: origin, to: row)
      // Both formulas have an error of a few units in the last place of the angle, which is far below a millimeter.
      #expect(abs(distance - Self.haversine(dublin, other)) < 1e-6)
    }
    #expect(Self.positions.distanceInKilometers(from: origin, to: 2).isNaN)
    #expect(Self.positions.distanceInKilometers(from: nil, to: 1).isNaN)
  }

  @Test func `each known position has a unit vector`() throws {
    let vectors = Self.positions.vectors(threads: 2)
    #expect(vectors.count == 4 && vectors[2] == nil)
    for row in [0, 1, 3] {
      let place = try #require(Self.positions[row])
      #expect(vectors[row] == UnitVector(place))
    }
  }
}
