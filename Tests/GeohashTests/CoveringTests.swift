import Testing

@testable import Geohash

@Suite struct CoveringTests {
  static let half = GreatCircle.halfCircumferenceInKilometers

  static func covering(
    _ latitude: Double, _ longitude: Double, _ radius: Double, _ precision: Int
  ) throws -> [String] {
    try Geohash.covering(
      center: Coordinate(unchecked: latitude, longitude), radiusInKilometers: radius, precision: precision
    ).map(\.description)
  }

  @Test func `a point inside a cell is covered by that cell`() throws {
    #expect(try Self.covering(42.605, -5.603, 0, 5) == ["ezs42"])
    #expect(try Self.covering(42.605, -5.603, 0.000_001, 5) == ["ezs42"])
  }

  @Test func `a point on edges is covered by all cells that touch it`() throws {
    #expect(try Self.covering(0, 0, 0, 1) == ["7", "e", "k", "s"])
    #expect(try Self.covering(0, 180, 0, 1) == ["2", "8", "r", "x"])
    #expect(try Self.covering(0, -180, 0, 1) == ["2", "8", "r", "x"])
  }

  @Test func `a pole is covered by the whole polar row`() throws {
    #expect(try Self.covering(90, 0, 0, 1) == ["b", "c", "f", "g", "u", "v", "y", "z"])
    #expect(try Self.covering(-90, 123, 0, 1) == ["0", "1", "4", "5", "h", "j", "n", "p"])
    #expect(try Self.covering(90, -180, 1, 3).count == 256)
  }

  @Test(arguments: [half, half + 1, 1e9, .infinity])
  func `a radius of half the circumference covers the globe`(radius: Double) throws {
    #expect(try Self.covering(12, 34, radius, 1).count == 32)
    #expect(try Self.covering(12, 34, radius, 2).count == 1024)
    #expect(
      try Geohash.coveringRanges(center: Coordinate(unchecked: 12, 34), radiusInKilometers: radius)
        == [0..<1 << 60])
  }

  @Test(arguments: [-1.0, -.leastNonzeroMagnitude, .nan, -.infinity])
  func `a negative radius or NaN is rejected`(radius: Double) {
    let center = Coordinate(unchecked: 0, 0)
    #expect(throws: CoveringError.self) {
      try Geohash.covering(center: center, radiusInKilometers: radius, precision: 1)
    }
    #expect(throws: CoveringError.self) {
      try Geohash.coveringRanges(center: center, radiusInKilometers: radius)
    }
  }

  @Test func `coverings with too many cells are rejected at once with advice`() {
    let error = CoveringError.tooManyCells(radiusInKilometers: 20_100, precision: 12, maximumCells: 100_000)
    #expect(throws: error) {
      try Geohash.covering(
        center: Coordinate(unchecked: 1, 2), radiusInKilometers: 20_100, precision: 12)
    }
    #expect(
      error.description == """
        A covering of 20100.0 km has more than 100000 cells of precision 12. \
        Choose a coarser precision or a smaller radius.
        """)
    // The pole's row of precision 12 has 2³⁰ cells.
    #expect(throws: CoveringError.self) {
      try Geohash.covering(center: Coordinate(unchecked: 90, 0), radiusInKilometers: 0, precision: 12)
    }
  }

  @Test func `the maximum number of cells is allowed, and one more is rejected`() throws {
    let center = Coordinate(unchecked: 53.35, -6.26)
    let count = try Geohash.covering(center: center, radiusInKilometers: 50, precision: 5).count
    #expect(
      try Geohash.covering(center: center, radiusInKilometers: 50, precision: 5, maximumCells: count).count
        == count)
    #expect(throws: CoveringError.self) {
      try Geohash.covering(center: center, radiusInKilometers: 50, precision: 5, maximumCells: count - 1)
    }
  }

  /// Compares every cell of the globe with a slow search along the cell's edges.
  @Test(arguments: [
    (53.35, -6.26, 500.0), (0, 0, 1), (89.5, 20, 100), (-90, 0, 3_000), (-17, 179.9, 800), (30, -100, 9_000),
    (10, 10, 15_000), (-85, -170, 19_900), (66, 25, 10_007.5),
  ])
  func `coverings equal a slow search over all cells`(
    latitude: Double, longitude: Double, radius: Double
  ) throws {
    let center = Coordinate(unchecked: latitude, longitude)
    for precision in 1...2 {
      let found = Set(try Geohash.covering(center: center, radiusInKilometers: radius, precision: precision))
      for bits in 0..<UInt64(1) << UInt64(5 * precision) {
        let cell = try #require(Geohash(bits: bits, precision: precision))
        let distance = cell.boundingBox.slowMinimumDistance(to: center)
        // Within the tolerance of the slow search, either result is valid.
        if abs(distance - radius) > 1e-7 {
          #expect(found.contains(cell) == (distance < radius), "\(cell) is \(distance) km away")
        }
      }
    }
  }

  /// The descent must not prune a cell of the covering. The test computes the distance of every
  /// cell of precision 3.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `the descent equals a scan of all cells, in order`(seed: UInt64) throws {
    var positions = Positions(seed: seed)
    let center = positions.next()
    let radius = positions.length(in: 0.1...20_000)
    let slow = (0..<UInt64(1) << 15).compactMap { Geohash(bits: $0, precision: 3) }.filter {
      $0.boundingBox.minimumDistanceInKilometers(to: center) <= radius + SphericalCap.slackInKilometers
    }
    #expect(try Geohash.covering(center: center, radiusInKilometers: radius, precision: 3) == slow)
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `no point within the radius is missed, and no cell is too far`(seed: UInt64) throws {
    var positions = Positions(seed: seed)
    let center = positions.next()
    let precision = positions.integer(below: 12) + 1
    // The radius is between a fraction of a cell and eight cells. Near a pole, cells are narrow, so a
    // covering can have too many cells.
    let cell = Geohash.largestDiagonalInKilometers(atPrecision: precision)
    let radius = positions.length(in: cell / 1_000...min(cell * 8, Self.half))
    let cells: [Geohash]
    do {
      cells = try Geohash.covering(center: center, radiusInKilometers: radius, precision: precision)
    } catch CoveringError.tooManyCells {
      #expect(abs(center.latitude) > 88, "only polar rows are that long")
      return
    }
    #expect(zip(cells, cells.dropFirst()).allSatisfy(<))
    #expect(cells.allSatisfy { $0.precision == precision })
    let found = Set(cells)
    for index in 0..<400 {
      // A third of the points are on the circle, up to rounding.
      let distance = index % 3 == 0 ? radius : radius * positions.unit()
      let point = positions.point(distance, from: center)
      if point.distanceInKilometers(to: center) <= radius {
        #expect(found.contains(Geohash(point, precision: precision)), "\(center) \(radius) \(point)")
      }
    }
    #expect(found.contains(Geohash(center, precision: precision)))
    for _ in 0..<20 {
      let cell = cells[positions.integer(below: cells.count)]
      #expect(
        cell.boundingBox.slowMinimumDistance(to: center) <= radius + 1e-7, "\(center) \(radius) \(cell)")
    }
  }

  @Test(arguments: [(179.9, 12.0), (-179.95, -40), (180, 0)])
  func `a circle across the antimeridian has cells on both sides`(longitude: Double, latitude: Double) throws
  {
    let center = Coordinate(unchecked: latitude, longitude)
    let cells = try Geohash.covering(center: center, radiusInKilometers: 100, precision: 4)
    #expect(cells.contains { $0.center.longitude > 170 })
    #expect(cells.contains { $0.center.longitude < -170 })
    #expect(cells.allSatisfy { abs($0.center.longitude) > 170 })
  }
}
