import Concurrency
import Testing

@testable import Geohash

/// Chords must bound the exactly computed distances at every scale.
struct UnitVectorTests {
  /// Returns two points. The first is random. The second is within `scale` degrees of the first
  /// point or of its antipode, also across poles and the antimeridian.
  private func pair(_ scale: Double, _ random: inout SplitMix64) throws -> (Coordinate, Coordinate) {
    let latitudes: [Double] = [90, -90, 0, 60, random.nextUnit() * 180 - 90]
    let longitudes: [Double] = [180, -180, 0, random.nextUnit() * 360 - 180]
    let latitude = latitudes.randomElement(using: &random) ?? 0
    let longitude = longitudes.randomElement(using: &random) ?? 0
    let first = try #require(Coordinate(latitude: latitude, longitude: longitude))
    let north = latitude + (random.nextUnit() * 2 - 1) * scale
    let east = longitude + (random.nextUnit() * 2 - 1) * scale
    let second = try #require(
      Coordinate(
        latitude: north > 90 ? 180 - north : north < -90 ? -180 - north : north,
        longitude: east > 180 ? east - 360 : east < -180 ? east + 360 : east))
    return Bool.random(using: &random) ? (first, second) : (first.antipode, second)
  }

  @Test(arguments: [0, 1e-9, 1e-5, 0.01, 1, 30, 90])
  func `chords bound computed distances tightly`(scale: Double) throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<3000 {
      let (first, second) = try pair(scale, &random)
      let distance = first.distanceInKilometers(to: second)
      let to = UnitVector(second)
      let squared = UnitVector(first).squaredChord(toX: to.x, y: to.y, z: to.z)
      let least = ChordBounds.leastKilometers(squaredChord: squared)
      let most = ChordBounds.mostKilometers(squaredChord: squared)
      #expect(least <= distance && distance <= most)
      if distance < 1000 { #expect(distance - least < 1e-4 && most - distance < 1e-4) }
      for radius in [distance, distance.nextDown, distance * 0.999, distance * 1.001 + 1e-3]
      where radius >= 0 {
        let chord = ChordRadius(radiusInKilometers: radius)
        if squared <= chord.surelyWithin { #expect(distance <= radius) }
        if squared >= chord.surelyBeyond { #expect(distance > radius) }
      }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `the distances of a box bound the distances of its points`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let scales: [Double] = [1e-4, 0.5, 20, 90]
    let scale = scales.randomElement(using: &random) ?? 1
    var box = VectorBox()
    #expect(box.isEmpty)
    var points: [UnitVector] = []
    for _ in 0..<20 {
      points.append(UnitVector(try pair(scale, &random).1))
      var one = VectorBox()
      one.formUnion(points[points.count - 1])
      box.formUnion(one)
      box.formUnion(VectorBox())
    }
    for _ in 0..<20 {
      let from = UnitVector(try pair(90, &random).1)
      for point in points {
        let squared = from.squaredChord(toX: point.x, y: point.y, z: point.z)
        #expect(box.leastSquaredChord(to: from) <= squared)
        #expect(min(squared, 4) <= box.mostSquaredChord(to: from))
      }
    }
  }
}
