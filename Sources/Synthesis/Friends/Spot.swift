internal import Concurrency

/// A place where travellers meet: a café, a station, a museum.
struct Spot: Sendable {
  var name: String
  var place: Place
  /// How many of a city's check-ins are here, by comparison.
  var weight: Double

  private static let kinds = [
    "Café", "Hostel", "Station", "Museum", "Market", "Park", "Bar", "Beach", "Bridge", "Old Town", "Library",
    "Viewpoint",
  ]
  private static let names = [
    "Aurora", "Botanica", "Central", "Delfín", "Esplanade", "Flâneur", "Größe", "Harbour", "Iris", "Jardín",
    "Kosmos",
    "Lumière", "Mira", "Nordlys", "Ópera", "Paloma", "Quai", "Riva", "Sol", "Traveller's Rest",
  ]

  /// The spots of a city: few, near its centre, and one that draws most people.
  static func spots(of city: City, index: Int, seed: UInt64) -> [Spot] {
    var generator = SplitMix64(seed: seed, purpose: .friendsSpots, index: index)
    let count = 4 + Int(city.thousands / 150)
    return (0..<count).map { number in
      let name = generator.pick(kinds) + " " + generator.pick(names)
      // Travellers stay where the sights are.
      let (north, east) = (generator.nextGaussian(), generator.nextGaussian())
      let center = Place(latitude: city.latitude, longitude: city.longitude)
      return Spot(
        name: name, place: center.moved(north: north, east: east),
        weight: number == 0 ? Double(count) : 1)
    }
  }
}
