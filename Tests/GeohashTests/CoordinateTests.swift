import Geohash
import Testing

@Suite struct CoordinateTests {
  @Test(arguments: [
    (90.0, 180.0), (-90, -180), (0, 0), (53.3498, -6.2603), (-1e-300, .leastNonzeroMagnitude),
  ])
  func `angles in range are unchanged`(latitude: Double, longitude: Double) throws {
    let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
    #expect(point.latitude == latitude)
    #expect(point.longitude == longitude)
  }

  @Test(arguments: [91, 90.0.nextUp, (-90.0).nextDown, 180, 1e300, .nan, .infinity, -.infinity])
  func `latitudes out of range, NaN and infinities are rejected`(latitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: 0) == nil)
  }

  @Test(arguments: [
    181, 180.0.nextUp, (-180.0).nextDown, 360, 1e300, .nan, .signalingNaN, .infinity, -.infinity,
  ])
  func `longitudes out of range, NaN and infinities are rejected`(longitude: Double) {
    #expect(Coordinate(latitude: 0, longitude: longitude) == nil)
  }

  @Test func `negative zeros become zeros, so that equal positions have equal bytes`() throws {
    let point = try #require(Coordinate(latitude: -0.0, longitude: -0.0))
    #expect(point.latitude.bitPattern == 0)
    #expect(point.longitude.bitPattern == 0)
    #expect(Set([point, Coordinate(latitude: 0, longitude: 0)]).count == 1)
  }

  @Test func `180 and -180 are different values`() {
    #expect(Coordinate(latitude: 1, longitude: 180) != Coordinate(latitude: 1, longitude: -180))
  }

  @Test(arguments: [
    (10.0, 20.0, -10.0, -160.0), (-10, -20, 10, 160), (0, 0, 0, 180), (90, 180, -90, 0), (0, -180, 0, 0),
  ])
  func `the antipode is on the other side`(
    latitude: Double, longitude: Double, otherLatitude: Double, otherLongitude: Double
  ) {
    let point = Coordinate(latitude: latitude, longitude: longitude)
    #expect(point?.antipode == Coordinate(latitude: otherLatitude, longitude: otherLongitude))
  }
}
