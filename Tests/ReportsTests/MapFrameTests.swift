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

struct MapNamesTests {
  /// The drawn map of one cell from 0° to 10° east with names at these longitudes.
  private static func drawn(_ names: [(String, east: Double)]) throws -> String {
    let whole = try #require(BoundingBox(south: -2, west: 0, north: 2, east: 10))
    let places = try names.map { name, east in
      (name, try #require(BoundingBox(south: -0.1, west: east - 0.1, north: 0.1, east: east + 0.1)))
    }
    return MapChart(cells: [(whole, 40)], names: places).drawing(.wide).markup
  }

  @Test(arguments: [
    // A degree has 70 pixels. "Wien" is about 30 pixels wide.
    (east: [5.0, 5.2], drawn: 1), ([5.0, 6.0], 2), ([0.1], 0), ([9.9], 0), ([0.5, 9.5], 2),
    ([5.0, 5.2, 5.9], 2),
  ])
  func `a name that touches an earlier one or the edge is not drawn`(_ east: [Double], _ drawn: Int) throws {
    let markup = try Self.drawn(east.map { ("Wien", $0) })
    #expect(markup.ranges(of: ">Wien<").count == drawn)
    #expect(markup.ranges(of: "paint-order").count == drawn)
  }

  @Test func `the first of two names at one place is drawn`() throws {
    let markup = try Self.drawn([("Ulm", 5), ("Bonn", 5)])
    #expect(markup.contains(">Ulm<") && !markup.contains(">Bonn<"))
  }
}
