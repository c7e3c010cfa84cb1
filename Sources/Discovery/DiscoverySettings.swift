internal import Geohash
internal import Glibc
package import Text

/// The settings for `order_by: discovery` that `DiscoveryChoice` chooses.
package struct DiscoverySettings: Hashable, Sendable {
  /// The half-life of likes in the popularity score, in milliseconds: a like of this age has half the weight
  /// of a new one. The half-life is above 0, or `nil` if all likes have the same weight.
  package var halfLife: Int64?
  /// The half-life of likes in the sum over the user's likes, as a number of newer likes: a like with this
  /// many newer likes has half the weight of the newest like. The number is above 0, or `nil` if all likes
  /// have the same weight.
  package var halfPlace: Double?
  /// The weight of the popularity, at least 0.
  package var popularity = 1.0
  /// The exponent of (1 + kilometers) by which a score is divided, at least 0.
  package var distance = 0.0

  /// The precision of the geohash cells for `LocalPopularity`; `nil` if the popularity is the same for all
  /// users.
  package var areaPrecision: Int?

  /// The key under which the counts of the models' manifest contain the settings, by name of the ranking.
  package static let key = "discovery"

  package init() {}

  /// The settings of an order by item-to-item coefficients alone. The popularity decides only between
  /// candidates whose coefficients have equal or nearly equal sums.
  package static let itemsAlone: Self = {
    var settings = Self()
    settings.popularity = 1e-6
    return settings
  }()

  /// Returns 2 to the power of -x: the weight of a like after `x` half-lives.
  static func half(_ x: Double) -> Double { exp2(-x) }

  /// The settings as the manifest of the models stores them.
  package var json: JSONValue {
    [
      "half_life_seconds": halfLife.map { .integer(Int($0 / 1000)) } ?? .null,
      "half_place": halfPlace.map { .number($0) } ?? .null,
      "popularity": .number(popularity), "distance": .number(distance),
      "area_precision": areaPrecision.map { .integer($0) } ?? .null,
    ]
  }

  /// Reads the settings from a manifest, or returns `nil` if they are incomplete or out of range.
  package init?(_ json: JSONValue) {
    guard let popularity = json["popularity"]?.numberValue, popularity >= 0, popularity.isFinite,
      let distance = json["distance"]?.numberValue, distance >= 0, distance.isFinite
    else { return nil }
    (self.popularity, self.distance) = (popularity, distance)
    if let seconds = json["half_life_seconds"]?.integerValue {
      guard (1...Int.max / 1000).contains(seconds) else { return nil }
      halfLife = Int64(seconds) * 1000
    }
    if let place = json["half_place"]?.numberValue {
      guard place > 0, place.isFinite else { return nil }
      halfPlace = place
    }
    if let precision = json["area_precision"], precision != .null {
      guard let precision = precision.integerValue, Geohash.precisions.contains(precision) else { return nil }
      areaPrecision = precision
    }
  }
}
