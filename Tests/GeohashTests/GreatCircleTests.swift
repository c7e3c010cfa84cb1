import Testing
import TestSupport

@testable import Geohash

@Suite struct GreatCircleTests {
  static let radius = 6371.0088

  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var from: (Double, Double)
    var to: (Double, Double)
    /// The expected distance as a fraction of half the circumference.
    var part: Double
  }

  @Test(arguments: [
    Case(testDescription: "a quarter along the equator", from: (0, 0), to: (0, 90), part: 0.5),
    Case(testDescription: "from the equator to the pole", from: (0, 33), to: (90, -120), part: 0.5),
    Case(testDescription: "from pole to pole", from: (90, 5), to: (-90, 77), part: 1),
    Case(testDescription: "antipodes on the equator", from: (0, 0), to: (0, 180), part: 1),
    Case(testDescription: "antipodes elsewhere", from: (45, 10), to: (-45, -170), part: 1),
    Case(testDescription: "across the antimeridian", from: (0, 179), to: (0, -179), part: 2.0 / 180),
    Case(testDescription: "over the pole", from: (89, 10), to: (89, -170), part: 2.0 / 180),
    Case(testDescription: "a degree of latitude", from: (10, 3), to: (11, 3), part: 1.0 / 180),
  ])
  func `distances equal a calculation by hand`(_ c: Case) {
    let from = Coordinate(unchecked: c.from.0, c.from.1)
    let to = Coordinate(unchecked: c.to.0, c.to.1)
    // The measured error is 4e-12 km.
    #expect(abs(from.distanceInKilometers(to: to) - c.part * .pi * Self.radius) < 1e-11)
  }

  @Test func `a place is exactly zero away from itself in any notation`() {
    #expect(Coordinate(unchecked: 90, 12).distanceInKilometers(to: Coordinate(unchecked: 90, -100)) == 0)
    #expect(Coordinate(unchecked: -90, 12).distanceInKilometers(to: Coordinate(unchecked: -90, 180)) == 0)
    #expect(Coordinate(unchecked: 7, 180).distanceInKilometers(to: Coordinate(unchecked: 7, -180)) == 0)
    var positions = Positions(seed: 1)
    for _ in 0..<2_000 {
      let point = positions.next()
      #expect(point.distanceInKilometers(to: point) == 0)
    }
  }

  @Test func `antipodes are half the circumference apart, which is the maximum`() {
    var positions = Positions(seed: 2)
    for _ in 0..<2_000 {
      let point = positions.next()
      let distance = point.distanceInKilometers(to: point.antipode)
      #expect(distance <= GreatCircle.halfCircumferenceInKilometers)
      // The antipode's longitude is rounded by up to 1.4e-14 degrees.
      #expect(distance > GreatCircle.halfCircumferenceInKilometers - 1e-11)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `both directions give the same bits, and agree with cross and dot products`(seed: UInt64) {
    var positions = Positions(seed: seed)
    for _ in 0..<500 {
      let from = positions.next()
      let far = positions.next()
      let near = positions.point(positions.length(in: 1e-6...20_000), from: from)
      for to in [far, near, near.antipode, from.antipode] {
        let distance = from.distanceInKilometers(to: to)
        #expect(distance == to.distanceInKilometers(to: from))
        // The measured error is 6e-12 km, mostly from the vector products.
        #expect(abs(distance - Vector(from).kilometers(to: Vector(to))) < 2e-11)
      }
    }
  }

  @Test func `tiny distances keep their digits`() {
    // Latitude differences of powers of two are exact in a `Double`, down to a femtometer.
    for exponent in 0..<40 {
      let degrees = 1 / Double(1 << exponent)
      let distance = Coordinate(unchecked: 0, 9).distanceInKilometers(to: Coordinate(unchecked: degrees, 9))
      let expected = degrees * .pi / 180 * Self.radius
      #expect(abs(distance - expected) <= expected * 1e-15)
    }
  }

  @Test(
    .enabled(if: SharedData.exists("third-party/geodesic_vectors.dev.tsv"), "needs ../shared/data"))
  func `distances equal third-party vectors`() throws {
    let rows = try TSV.rows("third-party/geodesic_vectors.dev.tsv")
    var checked: [String: Int] = [:]
    for row in rows {
      let id = row["id"]
      func point(_ latitude: String, _ longitude: String) throws -> Coordinate {
        let latitude = try #require(Double(row[latitude]), "\(id)")
        let written = try #require(Double(row[longitude]), "\(id)")
        // Some rows have longitudes beyond 180°, which the library rejects.
        let longitude = abs(written) > 180 ? written.remainder(dividingBy: 360) : written
        return try #require(Coordinate(latitude: latitude, longitude: longitude), "\(id)")
      }
      let (from, to) = (try point("lat1", "lon1"), try point("lat2", "lon2"))
      let expected = try #require(Double(row["expected_m"]), "\(id)")
      switch row["model"] {
      case "sphere":
        let radius = try #require(Double(row["radius_m"]), "\(id)")
        let tolerance = try #require(Double(row["tol_m"]), "\(id)")
        let distance = from.distance(to: to, sphereRadius: radius)
        #expect(abs(distance - expected) <= tolerance, "\(id): \(distance), not \(expected)")
        if row["source"].hasPrefix("computed: mpmath 40 digits") {
          // The vectors' tolerance is 1 µm. The measured error is 7.5 nm, because some coordinates
          // do not fit into a `Double`.
          #expect(abs(distance - expected) <= 1.5e-8, "\(id): \(distance), not \(expected)")
        }
      case "wgs84":
        // The expected distances are on an ellipsoid, so the tolerance includes the error of the
        // sphere.
        let distance = from.distance(to: to, sphereRadius: Self.radius * 1_000)
        #expect(abs(distance - expected) <= 0.0057 * expected, "\(id): \(distance), not \(expected)")
      case let model:
        Issue.record("\(id): unknown earth model \(model)")
      }
      checked[row["model"], default: 0] += 1
    }
    #expect(checked["sphere", default: 0] > 0)
    #expect(checked["wgs84", default: 0] > 0)
  }
}
