internal import Concurrency

/// A city on the synthetic map of the crowd.
struct CrowdCity: Sendable {
  var place: Place
  /// The standard deviation of residents' distances from the center along each axis, in kilometers.
  var spread: Double
  /// The indices of the nearest other cities, nearest first.
  var neighbors: [Int] = []

  static let count = 400
  /// The number of neighboring cities whose people the app also shows.
  static let neighborCount = 6
  /// The regions that contain cities. Each region has edges in degrees and a share of the cities.
  private static let regions: [(south: Double, north: Double, west: Double, east: Double, share: Double)] = [
    (50.6, 55.0, -3.6, 1.2, 0.22), (51.7, 54.8, -9.6, -6.1, 0.06), (43.6, 49.6, -0.8, 6.5, 0.18),
    (47.8, 53.8, 7.0, 14.0, 0.24), (37.2, 43.0, -8.6, -0.6, 0.12), (41.0, 45.6, 8.0, 13.5, 0.10),
    (47.0, 53.0, 15.0, 22.5, 0.08),
  ]

  /// Generates the cities of a seed, the largest first. City sizes follow Zipf's law: a person lives in city
  /// i, counted from 0, with a probability proportional to 1 / (i + 1).
  static func all(seed: UInt64) -> [CrowdCity] {
    var generator = SplitMix64(seed: seed, purpose: .crowdCities)
    let region = WeightedChoice(regions.map(\.share))
    var cities = (0..<count).map { rank in
      let box = regions[region.next(using: &generator)]
      let place = Place(
        latitude: box.south + (box.north - box.south) * generator.nextUnit(),
        longitude: box.west + (box.east - box.west) * generator.nextUnit())
      return CrowdCity(place: place, spread: max(2, 15 / Double(rank + 1).squareRoot()))
    }
    for index in cities.indices {
      let distances = cities.map { other in
        let offset = cities[index].place.offset(to: other.place)
        return offset.north * offset.north + offset.east * offset.east
      }
      let nearest = cities.indices.filter { $0 != index }.sorted {
        (distances[$0], $0) < (distances[$1], $1)
      }
      cities[index].neighbors = Array(nearest.prefix(neighborCount))
    }
    return cities
  }
}
