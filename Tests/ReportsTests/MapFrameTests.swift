import Geohash
import Testing

@testable import Reports

/// Computes the height and the scale of a map with a width of 1000 pixels.
struct MapFrameTests {
  @Test(arguments: [
    // At the equator, two degrees of longitude and one degree of latitude have the ratio 2 to 1.
    (south: -0.5, north: 0.5, degreesEast: 2.0, height: 500),
    // At 60 degrees, a degree of longitude is half as long as at the equator. Four of them are
    // therefore twice as long as a degree of latitude.
    (south: 59.5, north: 60.5, degreesEast: 4, height: 500),
    (south: -60.5, north: -59.5, degreesEast: 4, height: 500),
    // At 75 degrees, a degree of latitude is as long as about 3.86 degrees of longitude.
    (south: 74.5, north: 75.5, degreesEast: 7.727, height: 500),
    // The height of a map is between 0.35 and 0.8 of its width.
    (south: -0.5, north: 0.5, degreesEast: 20, height: 350),
    (south: -10, north: 10, degreesEast: 2, height: 800),
  ])
  func `a kilometer north is about as long as one east`(
    _ south: Double, _ north: Double, _ degreesEast: Double, _ height: Double
  ) throws {
    let box = try #require(BoundingBox(south: south, west: 5, north: north, east: 5 + degreesEast))
    let pixels = MapFrame([box]).height(width: 1000)
    #expect(pixels == height)
  }

  @Test(arguments: [
    // At the equator, a degree has 111.3 km. The scale covers at most a quarter of the map.
    (latitude: 0.0, degreesEast: 1.0, kilometers: 20.0), (0, 4, 100), (0, 0.01, 0.2), (60, 1, 10),
    (-60, 1, 10),
    (0, 360, 10_000),
  ])
  func `the scale is a round number of kilometers`(
    _ latitude: Double, _ degreesEast: Double, _ kilometers: Double
  ) throws {
    let (west, east) = (-degreesEast / 2, degreesEast / 2)
    let box = try #require(
      BoundingBox(south: latitude - 0.5, west: west, north: latitude + 0.5, east: east))
    let scale = MapFrame([box]).scale(width: 1000)
    #expect(abs(scale.kilometers - kilometers) < 1e-9)
    let length = 1000 * kilometers / (degreesEast * 111.3 * (latitude == 0 ? 1 : 0.5))
    #expect(abs(scale.length - length) < 1e-6)
  }
}
