import Testing

@testable import Geohash

@Suite struct DistanceOriginTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `distances of columns equal single distances bit for bit`(seed: UInt64) {
    var positions = Positions(seed: seed)
    let origin = DistanceOrigin(positions.next())
    let points = (0..<300).map { _ in positions.next() }
    let latitudes = points.map(\.latitude)
    let longitudes = points.map(\.longitude)
    let cosines = latitudes.map { DistanceOrigin.cosine(ofLatitude: $0) }
    var withCosines = [Double](repeating: -1, count: points.count)
    var without = withCosines
    var span = withCosines.mutableSpan
    origin.writeDistancesInKilometers(
      latitudes: latitudes.span, longitudes: longitudes.span, cosinesOfLatitudes: cosines.span, into: &span)
    span = without.mutableSpan
    origin.writeDistancesInKilometers(latitudes: latitudes.span, longitudes: longitudes.span, into: &span)
    for (index, point) in points.enumerated() {
      let single = origin.coordinate.distanceInKilometers(to: point).bitPattern
      #expect(withCosines[index].bitPattern == single)
      #expect(without[index].bitPattern == single)
    }
  }

  @Test func `a missing position has no distance`() {
    let origin = DistanceOrigin(Coordinate(unchecked: 1, 2))
    var distances = [0.0, 0, 0]
    var span = distances.mutableSpan
    origin.writeDistancesInKilometers(
      latitudes: [.nan, 1, .nan].span, longitudes: [2, .nan, .nan].span, into: &span)
    #expect(distances.filter(\.isNaN).count == 3)
  }

  @Test func `no points give no distances`() {
    var distances: [Double] = []
    var span = distances.mutableSpan
    DistanceOrigin(Coordinate(unchecked: 1, 2)).writeDistancesInKilometers(
      latitudes: [Double]().span, longitudes: [Double]().span, into: &span)
    #expect(distances.isEmpty)
  }

  @Test func `distances to a box equal the box's own distances`() {
    var positions = Positions(seed: 5)
    for _ in 0..<500 {
      let origin = DistanceOrigin(positions.next())
      let box = Geohash(positions.next(), precision: 2).boundingBox
      #expect(
        origin.minimumDistanceInKilometers(to: box) == box.minimumDistanceInKilometers(to: origin.coordinate))
      #expect(
        origin.maximumDistanceInKilometers(to: box) == box.maximumDistanceInKilometers(to: origin.coordinate))
    }
  }
}
