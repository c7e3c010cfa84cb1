import Geohash
import Testing

@testable import ServingStore

struct RedisPlacesTests {
  /// Redis accepts latitudes up to 85.05112878 degrees, and returns a longitude of 180 as -180.
  @Test(arguments: [
    (0, 0, true), (85.05, 0, true), (-85.05, 0, true), (85.050_001, 0, false), (-85.050_001, 0, false),
    (90, 0, false),
    (0, 180, false), (0, 179.999_999, true), (0, -180, true), (85.05, 180, false),
  ])
  func `positions near the poles and on the antimeridian are searched without Redis's commands`(
    latitude: Double, longitude: Double, isTaken: Bool
  ) throws {
    let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
    #expect(RedisPlaces.takes(position) == isTaken)
  }
}
