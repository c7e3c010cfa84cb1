import Testing

@testable import Geohash

@Suite struct CoveringRangesTests {
  @Test(arguments: 0..<80 as Range<UInt64>)
  func `ranges are few, ascending and disjoint, and contain all points within the radius`(seed: UInt64) throws
  {
    var positions = Positions(seed: seed)
    let center = positions.next()
    let radius = seed % 10 == 0 ? 0 : positions.length(in: 1e-6...20_000)
    for maximumRanges in [1, 2, 7, 64] {
      let ranges = try Geohash.coveringRanges(
        center: center, radiusInKilometers: radius, maximumRanges: maximumRanges)
      #expect((1...maximumRanges).contains(ranges.count))
      #expect(ranges.allSatisfy { !$0.isEmpty && $0.upperBound <= 1 << 60 })
      #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
      func isCovered(_ point: Coordinate) -> Bool {
        let code = Geohash(point, precision: 12).bits
        return ranges.contains { $0.contains(code) }
      }
      #expect(isCovered(center))
      for index in 0..<150 {
        let distance = index % 3 == 0 ? radius : radius * positions.unit()
        let point = positions.point(distance, from: center)
        if point.distanceInKilometers(to: center) <= radius {
          #expect(isCovered(point), "\(center) \(radius) \(maximumRanges) \(point)")
        }
      }
    }
  }

  /// Cells of precision 3 are at least as large as the cells of the ranges.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `ranges contain every cell of a covering or a part of it`(seed: UInt64) throws {
    var positions = Positions(seed: seed)
    let center = positions.next()
    let radius = positions.length(in: 1...20_000)
    let ranges = try Geohash.coveringRanges(center: center, radiusInKilometers: radius)
    for cell in try Geohash.covering(center: center, radiusInKilometers: radius, precision: 3) {
      let codes = cell.range(atPrecision: 12)
      #expect(ranges.contains { $0.overlaps(codes) }, "\(center) \(radius) \(cell)")
    }
  }

  @Test func `more ranges cover less area outside the radius`() throws {
    let center = Coordinate(unchecked: 53.3498, -6.2603)
    var sizes: [UInt64] = []
    for maximumRanges in [1, 4, 16, 64, 256] {
      let ranges = try Geohash.coveringRanges(
        center: center, radiusInKilometers: 50, maximumRanges: maximumRanges)
      // The circle is large enough to need all allowed ranges, at least up to 64.
      if maximumRanges <= 64 { #expect(ranges.count == maximumRanges) }
      sizes.append(ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound })
    }
    #expect(zip(sizes, sizes.dropFirst()).allSatisfy(>))
    // The circle has an area of 7 854 km². With 64 ranges, the measured area is 6.3 % larger.
    let globe = 4 * Double.pi * 6371.0088 * 6371.0088
    // In the plate carrée, the area of a code at latitude φ is cos φ · π/2 times the mean area.
    let area = Double(sizes[3]) * 0x1p-60 * globe * DistanceOrigin.cosine(ofLatitude: 53.3498) * .pi / 2
    #expect((7_854...8_700).contains(area), "\(area) km²")
  }

  @Test func `a place inside one cell needs one range`() throws {
    let ranges = try Geohash.coveringRanges(
      center: Coordinate(unchecked: 42.605, -5.603), radiusInKilometers: 0)
    #expect(ranges.count == 1)
    #expect(ranges[0].count <= 4)
  }

  @Test func `a place where four cells meet needs four ranges`() throws {
    let ranges = try Geohash.coveringRanges(center: Coordinate(unchecked: 0, 0), radiusInKilometers: 0)
    #expect(ranges.count == 4)
    #expect(ranges.allSatisfy { $0.count == 1 })
  }

  @Test(arguments: [
    (4, [0..<1, 2..<3, 10..<11, 12..<13]), (3, [0..<3, 10..<11, 12..<13]), (2, [0..<3, 10..<13]),
    (1, [0..<13]),
    (9, [0..<1, 2..<3, 10..<11, 12..<13]),
  ])
  func `the smallest gaps are closed first, and equal gaps in order`(count: Int, expected: [Range<UInt64>]) {
    #expect(Geohash.closingGaps(in: [0..<1, 2..<3, 10..<11, 12..<13], downTo: count) == expected)
  }
}
