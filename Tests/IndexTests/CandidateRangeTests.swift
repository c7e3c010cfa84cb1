import Concurrency
import Geohash
import Testing

@testable import Index

/// Positions that are difficult to search: poles, the antimeridian and edges of cells. The other positions
/// are random.
private func positions(_ count: Int, seed: UInt64) -> [Coordinate] {
  var random = SplitMix64(seed: seed)
  return (0..<count).compactMap { index in
    let (latitude, longitude): (Double, Double) =
      switch index % 5 {
      case 0: (90 - random.nextUnit() * random.nextUnit() * 3, random.nextUnit() * 360 - 180)
      case 1: (-90 + random.nextUnit() * random.nextUnit() * 3, random.nextUnit() * 360 - 180)
      case 2:
        (random.nextUnit() * 180 - 90, (index % 2 == 0 ? 180 - random.nextUnit() : -180 + random.nextUnit()))
      case 3: (random.nextUnit() * 4 - 2, random.nextUnit() * 4 - 2)
      default: (random.nextUnit() * 180 - 90, random.nextUnit() * 360 - 180)
      }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

@Suite struct CandidateRangeTests {
  private func index(of positions: [Coordinate]) -> SpatialIndex {
    let coded = positions.enumerated().map { (Geohash($1, precision: 12).bits, UInt32($0)) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    return SpatialIndex(rows: coded.map(\.1), codes: coded.map(\.0))
  }

  @Test(arguments: [0, 0.001, 1, 25, 500, 3000, 10_000, 19_000, 20_038])
  func `all entities within the radius are candidates`(radius: Double) {
    let positions =
      positions(1500, seed: 3)
      + [(90, 0), (-90, 0), (0, 180), (0, -180), (0, 0), (45, 45)].compactMap {
        Coordinate(latitude: $0, longitude: $1)
      }
    let index = index(of: positions)
    var random = SplitMix64(seed: UInt64(radius))
    let centers = positions.suffix(6) + (0..<25).compactMap { _ in positions.randomElement(using: &random) }
    for center in centers {
      let ranges = index.candidateRanges(around: center, radiusInKilometers: radius)
      #expect(ranges.count <= 64)
      #expect(ranges.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= positions.count })
      #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
      let candidates = Set(ranges.flatMap { index.rows[$0] })
      let within = positions.indices.filter { center.distanceInKilometers(to: positions[$0]) <= radius }
      #expect(candidates.isSuperset(of: within.map { UInt32($0) }), "around \(center)")
    }
  }

  @Test func `a small circle does not return everything`() throws {
    let index = index(of: positions(2000, seed: 4))
    let center = try #require(Coordinate(latitude: 48, longitude: 11))
    let count = index.candidateRanges(around: center, radiusInKilometers: 10).reduce(0) { $0 + $1.count }
    #expect(count < 100)
  }

  @Test func `an empty index has no candidates`() throws {
    let center = try #require(Coordinate(latitude: 0, longitude: 0))
    #expect(index(of: []).candidateRanges(around: center, radiusInKilometers: 20_000).isEmpty)
  }
}
