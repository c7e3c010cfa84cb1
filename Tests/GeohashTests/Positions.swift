import Concurrency
import Glibc

@testable import Geohash

/// Random positions on the whole globe. Difficult places, such as poles and the antimeridian, are
/// frequent.
struct Positions {
  var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  /// A random number in [0, 1).
  mutating func unit() -> Double {
    random.nextUnit()
  }

  mutating func integer(below bound: Int) -> Int {
    Int(random.next() % UInt64(bound))
  }

  private mutating func pick(_ values: [Double]) -> Double {
    values[integer(below: values.count)]
  }

  mutating func number(in range: ClosedRange<Double>) -> Double {
    min(range.lowerBound + (range.upperBound - range.lowerBound) * random.nextUnit(), range.upperBound)
  }

  mutating func next() -> Coordinate {
    let latitude =
      switch integer(below: 8) {
      case 0: pick([-90, 90, 0, 45, -45, 89.999_999, -89.999_999, -1e-300])
      case 1: number(in: 89...90)
      case 2: number(in: -90...(-89))
      default: number(in: -90...90)
      }
    let longitude =
      switch integer(below: 8) {
      case 0: pick([-180, 180, 0, 90, -90, 179.999_999, -179.999_999, -1e-300])
      case 1: number(in: 179...180)
      case 2: number(in: -180...(-179))
      default: number(in: -180...180)
      }
    return Coordinate(unchecked: latitude, longitude)
  }

  /// A random length in kilometers within `range`. Each power of ten is equally likely.
  mutating func length(in range: ClosedRange<Double>) -> Double {
    exp(number(in: log(range.lowerBound)...log(range.upperBound)))
  }

  /// A random point about `kilometers` away from `start`.
  mutating func point(_ kilometers: Double, from start: Coordinate) -> Coordinate {
    let bearing = number(in: 0...(2 * .pi))
    let angle = kilometers / GreatCircle.earthRadiusInKilometers
    let up = Vector(start)
    let (phi, lambda) = (start.latitude * .pi / 180, start.longitude * .pi / 180)
    let north = Vector(x: -sin(phi) * cos(lambda), y: -sin(phi) * sin(lambda), z: cos(phi))
    let east = Vector(x: -sin(lambda), y: cos(lambda), z: 0)
    let ahead = north * cos(bearing) + east * sin(bearing)
    return (up * cos(angle) + ahead * sin(angle)).coordinate
  }
}

/// A direction from the center of the earth. Tests use it to compute distances without the
/// haversine formula.
struct Vector {
  var x, y, z: Double

  init(x: Double, y: Double, z: Double) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  init(_ point: Coordinate) {
    let (phi, lambda) = (point.latitude * .pi / 180, point.longitude * .pi / 180)
    self.init(x: cos(phi) * cos(lambda), y: cos(phi) * sin(lambda), z: sin(phi))
  }

  var coordinate: Coordinate {
    let latitude = atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi
    let longitude = atan2(y, x) * 180 / .pi
    return Coordinate(unchecked: min(max(latitude, -90), 90), min(max(longitude, -180), 180))
  }

  static func * (vector: Vector, factor: Double) -> Vector {
    Vector(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
  }

  static func + (left: Vector, right: Vector) -> Vector {
    Vector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
  }

  /// The distance to `other` on the earth's surface in kilometers.
  func kilometers(to other: Vector) -> Double {
    let cross = Vector(
      x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    let sine = (cross.x * cross.x + cross.y * cross.y + cross.z * cross.z).squareRoot()
    return GreatCircle.earthRadiusInKilometers
      * atan2(sine, x * other.x + y * other.y + z * other.z)
  }
}

extension BoundingBox {
  /// The smallest or largest distance to the four edges. Samples find the best point, and a finer
  /// search refines it.
  func slowEdgeDistance(to point: Coordinate, better: (Double, Double) -> Bool) -> Double {
    let from = Vector(point)
    let span = longitudeSpan
    func distance(_ side: Int, _ t: Double) -> Double {
      let (latitude, longitude) =
        switch side {
        case 0: (south, west + t * span)
        case 1: (north, west + t * span)
        case 2: (south + t * (north - south), west)
        default: (south + t * (north - south), west + span)
        }
      let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
      return from.kilometers(to: Vector(x: cos(phi) * cos(lambda), y: cos(phi) * sin(lambda), z: sin(phi)))
    }
    var best = distance(0, 0)
    for side in 0..<4 {
      let samples = 24
      let values = (0...samples).map { distance(side, Double($0) / Double(samples)) }
      let at = values.indices.reduce(0) { better(values[$1], values[$0]) ? $1 : $0 }
      var low = Double(max(at - 1, 0)) / Double(samples)
      var high = Double(min(at + 1, samples)) / Double(samples)
      for _ in 0..<70 {
        let (left, right) = (low + (high - low) / 3, high - (high - low) / 3)
        if better(distance(side, left), distance(side, right)) { high = right } else { low = left }
      }
      for value in [values[at], distance(side, low)] where better(value, best) { best = value }
    }
    return best
  }

  /// The distance to the nearest point, computed without the library's formulas.
  func slowMinimumDistance(to point: Coordinate) -> Double {
    contains(point) ? 0 : slowEdgeDistance(to: point, better: <)
  }

  /// The distance to the farthest point, computed without the library's formulas.
  func slowMaximumDistance(to point: Coordinate) -> Double {
    contains(point.antipode)
      ? GreatCircle.halfCircumferenceInKilometers : slowEdgeDistance(to: point, better: >)
  }
}
