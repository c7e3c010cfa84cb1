import Testing

@testable import Geohash

@Suite struct EncodingTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var latitude: Double
    var longitude: Double
    var geohash: String
  }

  @Test(arguments: [
    Case(
      testDescription: "León, the usual example", latitude: 42.605, longitude: -5.603, geohash: "ezs42"),
    Case(testDescription: "the centre of the grid", latitude: 0, longitude: 0, geohash: "s00000000000"),
    Case(testDescription: "negative zeros", latitude: -0.0, longitude: -0.0, geohash: "s00000000000"),
    Case(
      testDescription: "south of the equator by less than 90 + x shows", latitude: -1e-300, longitude: 0,
      geohash: "kpbpbpbpbpbp"),
    Case(
      testDescription: "west of Greenwich by the least there is", latitude: 0,
      longitude: -.leastNonzeroMagnitude,
      geohash: "ebpbpbpbpbpb"),
    Case(testDescription: "the upper corner", latitude: 90, longitude: 180, geohash: "zzzzzzzzzzzz"),
    Case(testDescription: "the lower corner", latitude: -90, longitude: -180, geohash: "000000000000"),
    Case(testDescription: "north-west", latitude: 90, longitude: -180, geohash: "bpbpbpbpbpbp"),
    Case(testDescription: "south-east", latitude: -90, longitude: 180, geohash: "pbpbpbpbpbpb"),
    Case(testDescription: "an edge belongs north and east", latitude: 45, longitude: 90, geohash: "y"),
    Case(
      testDescription: "the last number before an edge", latitude: 45.0.nextDown, longitude: 90.0.nextDown,
      geohash: "t"),
  ])
  func `known places have their published geohashes`(_ c: Case) throws {
    let point = try #require(Coordinate(latitude: c.latitude, longitude: c.longitude))
    #expect(Geohash(point, precision: c.geohash.count).description == c.geohash)
  }

  /// The slow reference implementation halves an interval with exact ends and midpoints.
  static func bisection(of coordinate: Coordinate, depth: Int) -> UInt64 {
    var (south, north, west, east) = (-90.0, 90.0, -180.0, 180.0)
    var bits: UInt64 = 0
    for level in 0..<depth {
      if level.isMultiple(of: 2) {
        let middle = (west + east) / 2
        bits = bits << 1 | (coordinate.longitude >= middle ? 1 : 0)
        if coordinate.longitude >= middle { west = middle } else { east = middle }
      } else {
        let middle = (south + north) / 2
        bits = bits << 1 | (coordinate.latitude >= middle ? 1 : 0)
        if coordinate.latitude >= middle { south = middle } else { north = middle }
      }
    }
    return bits
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `random places equal bisection at every depth`(seed: UInt64) {
    var positions = Positions(seed: seed)
    for index in 0..<520 {
      let point = positions.next()
      let depth = index % 65
      #expect(
        GridCell(containing: point, depth: depth).bits == Self.bisection(of: point, depth: depth),
        "\(point) at \(depth) bits")
    }
  }

  @Test(arguments: 1...64)
  func `places on an edge and next to it equal bisection`(depth: Int) {
    var positions = Positions(seed: UInt64(depth))
    var compared = 0
    for _ in 0..<80 {
      // An edge at this depth is also an edge at greater depths.
      let box = GridCell(containing: positions.next(), depth: depth).boundingBox
      for latitude in [box.south, box.south.nextUp, box.south.nextDown, box.north.nextDown] {
        for longitude in [box.west, box.west.nextUp, box.west.nextDown, box.east.nextDown] {
          guard let point = Coordinate(latitude: latitude, longitude: longitude) else { continue }
          for deeper in [depth, 60, 64] {
            #expect(
              GridCell(containing: point, depth: deeper).bits == Self.bisection(of: point, depth: deeper),
              "\(point) at \(deeper) bits")
            compared += 1
          }
        }
      }
    }
    #expect(compared > 2000)
  }

  @Test(arguments: 1...12)
  func `a coarser geohash is a prefix of a finer one`(precision: Int) {
    var positions = Positions(seed: 77)
    for _ in 0..<200 {
      let point = positions.next()
      let finest = Geohash(point, precision: 12)
      let geohash = Geohash(point, precision: precision)
      #expect(finest.parent(precision: precision) == geohash)
      #expect(finest.description.hasPrefix(geohash.description))
      #expect(geohash.boundingBox.contains(point))
    }
  }
}
