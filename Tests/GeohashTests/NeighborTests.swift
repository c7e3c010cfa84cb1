import Testing

@testable import Geohash

@Suite struct NeighborTests {
  @Test func `the order is clockwise from north`() throws {
    let names = try Geohash(parsing: "ezzz").neighbors.map(\.description)
    #expect(names == ["gbpb", "u000", "spbp", "spbn", "ezzy", "ezzw", "ezzx", "gbp8"])
  }

  @Test(arguments: [
    ("0", "2 3 1 p r"), ("p", "r 2 0 n q"), ("z", "b 8 x w y"), ("b", "c 9 8 x z"),
    ("s", "u v t m k 7 e g"), ("r", "x 8 2 0 p n q w"),
  ])
  func `neighbors of cells of precision 1 equal the map`(geohash: String, neighbors: String) throws {
    let found = try Geohash(parsing: geohash).neighbors.map(\.description)
    #expect(found == neighbors.split(separator: " ").map(String.init))
  }

  @Test func `there is no neighbor across a pole`() throws {
    let northern = try Geohash(parsing: "zzz")
    #expect(northern.neighbor(.north) == nil)
    #expect(northern.neighbor(.northeast) == nil)
    #expect(northern.neighbor(.northwest) == nil)
    #expect(northern.neighbor(.east)?.description == "bpb")
    #expect(try Geohash(parsing: "000").neighbor(.southwest) == nil)
  }

  /// Checks all pairs of cells at two precisions: neighbors are cells whose closed boxes share a
  /// point on the cylinder.
  @Test(arguments: 1...2)
  func `neighbors share an edge or a corner`(precision: Int) {
    let cells = (0..<UInt64(1) << UInt64(5 * precision)).compactMap {
      Geohash(bits: $0, precision: precision)
    }
    var wrong = 0
    for cell in cells {
      let box = cell.boundingBox
      let touching = cells.filter { other in
        let b = other.boundingBox
        let sharesLongitude = [b.west, b.east].contains { box.longitudeGap(to: $0) == 0 }
        return other != cell && sharesLongitude && b.south <= box.north && box.south <= b.north
      }
      let isPolar = abs(box.north) == 90 || abs(box.south) == 90
      if touching.count != (isPolar ? 5 : 8) || Set(cell.neighbors) != Set(touching)
        || cell.neighbors.count != touching.count
      {
        wrong += 1
      }
    }
    #expect(wrong == 0)
  }

  @Test(arguments: 1...12)
  func `a neighbor is at most one cell away, and its opposite neighbor is the cell itself`(precision: Int)
    throws
  {
    let opposite: [CompassDirection: CompassDirection] = [
      .north: .south, .northeast: .southwest, .east: .west, .southeast: .northwest,
      .south: .north, .southwest: .northeast, .west: .east, .northwest: .southeast,
    ]
    var positions = Positions(seed: UInt64(precision))
    var compared = 0
    for _ in 0..<200 {
      let cell = Geohash(positions.next(), precision: precision)
      for direction in CompassDirection.allCases {
        guard let neighbor = cell.neighbor(direction) else { continue }
        let back = try #require(opposite[direction])
        compared += 1
        #expect(neighbor.precision == precision)
        #expect(neighbor.neighbor(back) == cell)
        #expect(neighbor.boundingBox.minimumDistanceInKilometers(to: cell.center) <= box(cell))
      }
    }
    #expect(compared > 1000)
    func box(_ cell: Geohash) -> Double { cell.boundingBox.diagonalInKilometers }
  }
}
