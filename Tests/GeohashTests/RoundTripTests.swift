import Testing

@testable import Geohash

@Suite struct RoundTripTests {
  static func survives(_ geohash: Geohash) -> Bool {
    Geohash(geohash.center, precision: geohash.precision) == geohash
      && Geohash(geohash.description) == geohash
      && Geohash(bits: geohash.bits, precision: geohash.precision) == geohash
      && Geohash(
        Coordinate(unchecked: geohash.boundingBox.south, geohash.boundingBox.west),
        precision: geohash.precision)
        == geohash
  }

  @Test(arguments: Geohash.precisions)
  func `the center of a position's cell equals the center of its geohash`(precision: Int) {
    var positions = Positions(seed: UInt64(precision))
    for _ in 0..<2_000 {
      let position = positions.next()
      #expect(
        Geohash.center(around: position, precision: precision)
          == Geohash(position, precision: precision).center, "\(position)")
    }
  }

  @Test(arguments: 1...3)
  func `every cell round-trips through its center, corner, bits and string`(precision: Int) {
    var failures = 0
    for bits in 0..<UInt64(1) << UInt64(5 * precision) {
      guard let geohash = Geohash(bits: bits, precision: precision), Self.survives(geohash) else {
        failures += 1
        continue
      }
    }
    #expect(failures == 0)
  }

  @Test(arguments: 4...12)
  func `random cells of finer precisions round-trip, including the first and the last`(precision: Int) throws
  {
    var positions = Positions(seed: UInt64(precision))
    let last = (UInt64(1) << UInt64(5 * precision)) - 1
    for index in 0..<1_000 as Range<UInt64> {
      let bits =
        switch index {
        case 0: UInt64(0)
        case 1: last
        default: UInt64(positions.integer(below: 1 << 60)) & last
        }
      let geohash = try #require(Geohash(bits: bits, precision: precision))
      #expect(Self.survives(geohash), "\(geohash)")
    }
  }

  @Test(arguments: 0...64)
  func `cells of any depth round-trip`(depth: Int) {
    var positions = Positions(seed: UInt64(depth))
    for _ in 0..<100 {
      let cell = GridCell(containing: positions.next(), depth: depth)
      #expect(GridCell(containing: cell.center, depth: depth) == cell)
      #expect(
        GridCell(latitudeIndex: cell.latitudeIndex, longitudeIndex: cell.longitudeIndex, depth: depth) == cell
      )
      #expect(cell.boundingBox.contains(cell.center))
      #expect(cell.boundingBox.center == cell.center)
    }
  }
}
