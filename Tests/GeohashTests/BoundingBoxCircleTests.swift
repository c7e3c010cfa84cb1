import Concurrency
import Foundation
import Geohash
import Testing

struct BoundingBoxCircleTests {
  /// The box must contain points on the circle in all directions, and must not be much larger than
  /// the circle.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the box of a circle contains all its points and touches it`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var (inside, tight) = (0, 0)
    for _ in 0..<2_000 {
      let latitude =
        [
          Double.random(in: -90...90, using: &generator), 89.9, -89.9, 90, -90, 0, 60,
        ].randomElement(using: &generator) ?? 0
      let longitude =
        [
          Double.random(in: -180...180, using: &generator), 180, -180, 179.9, -179.9, 0,
        ].randomElement(using: &generator) ?? 0
      let radius = pow(10, Double.random(in: -3...4.3, using: &generator))
      let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
      let box = BoundingBox(around: center, radiusInKilometers: radius)
      var (north, south, west, east) = (-90.0, 90.0, 180.0, -180.0)
      for step in 0..<720 {
        let point = try center.moved(by: radius * (1 - 1e-12), bearing: Double(step) / 2)
        let gap = remainder(point.longitude - center.longitude, 360)
        (north, south) = (max(north, point.latitude), min(south, point.latitude))
        (west, east) = (min(west, gap), max(east, gap))
        // Close to a pole, the computed point can be some decimeters outside the circle.
        guard center.distanceInKilometers(to: point) <= radius else { continue }
        #expect(box.contains(point), "\(center), \(radius) km, bearing \(Double(step) / 2)")
        inside += 1
      }
      // Where the computed points are accurate, the box exceeds the circle by at most a thousandth.
      guard abs(latitude) < 80, radius > 0.05, box.longitudeSpan < 360 else { continue }
      #expect(box.north - box.south <= (north - south) * 1.001)
      #expect(box.longitudeSpan <= (east - west) * 1.001)
      tight += 1
    }
    #expect(inside > 1_000_000 && tight > 500, "\(inside), \(tight)")
  }

  @Test func `empty and invalid circles have a tiny box, and a global circle's box is the globe`() throws {
    let center = try #require(Coordinate(latitude: 53.35, longitude: -6.26))
    for radius in [0, -1, .nan] {
      let box = BoundingBox(around: center, radiusInKilometers: radius)
      #expect(box.contains(center))
      #expect(box.north - box.south < 1e-8 && box.longitudeSpan < 1e-8)
    }
    for radius in [20_016, .infinity] {
      let box = BoundingBox(around: center, radiusInKilometers: radius)
      #expect(box == BoundingBox(south: -90, west: -180, north: 90, east: 180))
    }
  }

  @Test func `a box across the antimeridian has two parts`() throws {
    let center = try #require(Coordinate(latitude: 10, longitude: 179.9))
    let box = BoundingBox(around: center, radiusInKilometers: 50)
    #expect(box.west > box.east)
    let parts = box.uncrossed
    #expect(parts.count == 2)
    #expect(
      parts[0].west == box.west && parts[0].east == 180 && parts[1].west == -180 && parts[1].east == box.east)
    let other = try #require(BoundingBox(south: 1, west: 2, north: 3, east: 4))
    #expect(other.uncrossed == [other])
  }
}

extension Coordinate {
  /// Returns the point at a distance in kilometers and a bearing in degrees (the direct problem on
  /// the sphere).
  fileprivate func moved(by distance: Double, bearing: Double) throws -> Coordinate {
    let (angle, direction) = (distance / GreatCircle.earthRadiusInKilometers, bearing * .pi / 180)
    let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
    let north = asin(sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(direction))
    let gap = atan2(
      sin(direction) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sin(north))
    let east = remainder((longitude + gap) * 180 / .pi, 360)
    return try #require(Coordinate(latitude: min(90, max(-90, north * 180 / .pi)), longitude: east))
  }
}
