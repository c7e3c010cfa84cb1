import Foundation

/// Geohashes by bisection and the textbook haversine formula. This file uses no product code.
enum PlainGeodesy {
  struct Cell: Hashable {
    var hash: String
    var south: Double
    var north: Double
    var west: Double
    var east: Double

    var latitude: Double { (south + north) / 2 }
    var longitude: Double { (west + east) / 2 }
  }

  /// Returns the cell of a position by halving longitude and latitude in turn. A position on an
  /// edge belongs to the cell to the north or east.
  static func cell(latitude: Double, longitude: Double, precision: Int) -> Cell {
    var cell = Cell(hash: "", south: -90, north: 90, west: -180, east: 180)
    let alphabet = Array("0123456789bcdefghjkmnpqrstuvwxyz")
    var digit = 0
    for bit in 0..<5 * precision {
      let isUpper: Bool
      if bit % 2 == 0 {
        let middle = cell.longitude
        isUpper = longitude >= middle
        if isUpper { cell.west = middle } else { cell.east = middle }
      } else {
        let middle = cell.latitude
        isUpper = latitude >= middle
        if isUpper { cell.south = middle } else { cell.north = middle }
      }
      digit = digit * 2 + (isUpper ? 1 : 0)
      if bit % 5 == 4 {
        cell.hash.append(alphabet[digit])
        digit = 0
      }
    }
    return cell
  }

  /// The distance in kilometers between two positions on a sphere with the radius 6 371.0088 km.
  static func kilometers(_ a: Cell, _ b: Cell) -> Double {
    let degree = Double.pi / 180
    let north = sin((a.latitude - b.latitude) * degree / 2)
    let east = sin((a.longitude - b.longitude) * degree / 2)
    let haversine = north * north + cos(a.latitude * degree) * cos(b.latitude * degree) * east * east
    return 2 * 6371.0088 * asin(min(1, haversine.squareRoot()))
  }
}

/// The documented rule for ties: a mix of both ids and the pipeline's seed.
enum PlainMix {
  static func hash(_ id: String) -> UInt64 {
    id.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// The output function of SplitMix64.
  static func spread(_ value: UInt64) -> UInt64 {
    var value = value &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  static func mix(user: String, candidate: String, seed: UInt64) -> UInt64 {
    spread(spread(hash(user) ^ seed) &+ hash(candidate))
  }
}
