import Geohash
import Testing

@testable import Reports

/// The height of a map at a width of 1000 pixels.
struct MapFrameTests {
  @Test(arguments: [
    // Two degrees east by one north are twice as wide as high at the equator.
    (south: -0.5, north: 0.5, degreesEast: 2.0, height: 500),
    // A degree east is half as long at 60 degrees, so that four of them are twice one degree north.
    (south: 59.5, north: 60.5, degreesEast: 4, height: 500),
    (south: -60.5, north: -59.5, degreesEast: 4, height: 500),
    // Half of the length at 75 degrees equals the length of about 3.86 degrees of longitude.
    (south: 74.5, north: 75.5, degreesEast: 7.727, height: 500),
    // No map is flatter than 0.35 of its width, or higher than 0.8 of it.
    (south: -0.5, north: 0.5, degreesEast: 20, height: 350),
    (south: -10, north: 10, degreesEast: 2, height: 800),
  ])
  func `a kilometer north is about as long as one east`(
    _ south: Double, _ north: Double, _ degreesEast: Double, _ height: Int
  ) throws {
    let box = try #require(BoundingBox(south: south, west: 5, north: north, east: 5 + degreesEast))
    guard case .whole(let pixels) = MapFrame([box]).height(width: 1000) else {
      Issue.record("a map is one drawing")
      return
    }
    // Measured: all heights are equal. At 75 degrees the series is off by 0.4 pixels.
    #expect(abs(pixels - height) <= 1)
  }
}
