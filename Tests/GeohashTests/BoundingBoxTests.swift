import Testing

@testable import Geohash

@Suite struct BoundingBoxTests {
  @Test func `edges and centers are exact`() throws {
    let box = try Geohash(parsing: "ezs42").boundingBox
    #expect(box.south == 42.5830078125)
    #expect(box.west == -5.625)
    #expect(box.north == 42.626953125)
    #expect(box.east == -5.5810546875)
    #expect(box.center == Coordinate(latitude: 42.60498046875, longitude: -5.60302734375))
    #expect(box.halfLatitudeSpan == 0.02197265625)
    #expect(box.halfLongitudeSpan == 0.02197265625)
  }

  static let bad: [[Double]] = [
    [10, 0, 9, 1], [-91, 0, 0, 1], [0, -181, 1, 1], [0, 0, 91, 1], [0, 0, 1, 181], [.nan, 0, 1, 1],
    [0, .nan, 1, 1], [0, 0, .nan, 1], [0, 0, 1, .nan], [-.infinity, 0, .infinity, 1],
  ]

  @Test(arguments: bad)
  func `boxes outside the globe are rejected`(edges: [Double]) {
    #expect(BoundingBox(south: edges[0], west: edges[1], north: edges[2], east: edges[3]) == nil)
  }

  struct Case: CustomTestStringConvertible {
    var testDescription: String
    /// The edges in the order south, west, north, east.
    var box: [Double]
    var point: (Double, Double)
    /// The expected distance in degrees of a great circle.
    var degrees: Double
  }

  @Test(arguments: [
    Case(testDescription: "inside", box: [0, 0, 10, 10], point: (5, 5), degrees: 0),
    Case(testDescription: "on an edge", box: [0, 0, 10, 10], point: (10, 3), degrees: 0),
    Case(testDescription: "north of it", box: [0, 0, 10, 10], point: (30, 5), degrees: 20),
    Case(testDescription: "south of it", box: [0, 0, 10, 10], point: (-90, 5), degrees: 90),
    Case(testDescription: "east of it on the equator", box: [-10, 0, 10, 10], point: (0, 50), degrees: 40),
    Case(testDescription: "across the antimeridian", box: [-1, 178, 1, 180], point: (0, -178), degrees: 2),
    Case(
      testDescription: "the antimeridian from its other side", box: [-1, 178, 1, 180], point: (0, -180),
      degrees: 0),
    Case(
      testDescription: "in a box across the antimeridian", box: [-1, 178, 1, -178], point: (0, 179),
      degrees: 0),
    Case(testDescription: "beside such a box", box: [-1, 178, 1, -178], point: (0, -170), degrees: 8),
    Case(testDescription: "over the pole", box: [80, 0, 85, 0], point: (80, 180), degrees: 15),
    Case(
      testDescription: "a pole belongs to every box that touches it", box: [80, 0, 90, 1], point: (90, -77),
      degrees: 0),
    Case(testDescription: "the other pole", box: [80, 0, 90, 1], point: (-90, -77), degrees: 170),
    Case(
      testDescription: "nearest inside a meridian edge", box: [-80, 0, 80, 10], point: (0, -60), degrees: 60),
    Case(testDescription: "opposite the box", box: [-10, 0, 10, 0], point: (0, 180), degrees: 170),
    Case(testDescription: "a box that is one point", box: [3, 4, 3, 4], point: (3, 4), degrees: 0),
    Case(testDescription: "the whole globe", box: [-90, -180, 90, 180], point: (12, -34), degrees: 0),
  ])
  func `nearest distances equal a calculation by hand`(_ c: Case) throws {
    let box = try #require(BoundingBox(south: c.box[0], west: c.box[1], north: c.box[2], east: c.box[3]))
    let point = Coordinate(unchecked: c.point.0, c.point.1)
    let distance = box.minimumDistanceInKilometers(to: point)
    #expect(abs(distance - c.degrees * .pi / 180 * 6371.0088) < 1e-11)
    #expect(box.contains(point) == (c.degrees == 0))
    #expect((distance == 0) == (c.degrees == 0))
    // The farthest point of a box is the point nearest to the antipode.
    let farthest = box.maximumDistanceInKilometers(to: point.antipode)
    #expect(abs(farthest - (180 - c.degrees) * .pi / 180 * 6371.0088) < 1e-11)
  }

  @Test func `the nearest point of a wide box at a high latitude is inside its edge`() throws {
    // The point is at 60° N, and its meridian is 60° from the western edge of the box. The shortest great
    // circle from the point to this edge meets the edge at the latitude atan(tan 60° / cos 60°) = 73.9°, and
    // is asin(cos 60° sin 60°) = 25.659° long.
    let box = try #require(BoundingBox(south: 0, west: 60, north: 90, east: 120))
    let distance = box.minimumDistanceInKilometers(to: Coordinate(unchecked: 60, 0))
    #expect(abs(distance / (.pi / 180 * 6371.0088) - 25.658_906_273_255_2) < 1e-9)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `nearest and farthest distances equal a search along the edges`(seed: UInt64) throws {
    var positions = Positions(seed: seed)
    for index in 0..<12 {
      let corner = positions.next()
      let other = positions.next()
      // A third of the boxes are cells. The others lie between two random meridians: half of them cross the
      // antimeridian, and some are wider than half of the globe.
      let box =
        index % 3 == 0
        ? Geohash(corner, precision: index % 5 + 1).boundingBox
        : try #require(
          BoundingBox(
            south: min(corner.latitude, other.latitude), west: corner.longitude,
            north: max(corner.latitude, other.latitude), east: other.longitude))
      for point in [positions.next(), positions.point(300, from: corner), corner.antipode] {
        let nearest = box.minimumDistanceInKilometers(to: point)
        let farthest = box.maximumDistanceInKilometers(to: point)
        // The search is exact to about 1e-11 km, and to 1e-9 km where the distance hardly changes.
        #expect(abs(nearest - box.slowMinimumDistance(to: point)) < 1e-7, "\(box) \(point)")
        #expect(abs(farthest - box.slowMaximumDistance(to: point)) < 1e-7, "\(box) \(point)")
        for _ in 0..<5 {
          let longitude = box.west + positions.unit() * box.longitudeSpan
          let inside = Coordinate(
            unchecked: positions.number(in: box.south...box.north),
            longitude > 180 ? longitude - 360 : longitude)
          #expect(box.contains(inside))
          let distance = inside.distanceInKilometers(to: point)
          #expect(nearest - 1e-11 <= distance && distance <= farthest + 1e-11, "\(box) \(point) \(inside)")
        }
      }
    }
  }
}
