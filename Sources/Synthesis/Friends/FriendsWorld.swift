internal import Concurrency

/// The travelers, and the spots of all cities.
struct FriendsWorld: Sendable {
  let travellers: [Traveller]
  let rhythm: DailyRhythm
  let seed: UInt64
  /// The spots of each city.
  private let spots: [[Spot]]
  private let choices: [WeightedChoice]
  private let active: WeightedChoice

  init(travellers: [Traveller], rhythm: DailyRhythm, seed: UInt64) {
    self.travellers = travellers
    self.rhythm = rhythm
    self.seed = seed
    let spots = City.europe.enumerated().map { Spot.spots(of: $1, index: $0, seed: seed) }
    self.spots = spots
    choices = spots.map { WeightedChoice($0.map(\.weight)) }
    active = WeightedChoice(travellers.map(\.activity))
  }

  /// Draws the index of a person, with a probability proportional to the frequency of the person's check-ins.
  /// If all frequencies are 0, all people are equally likely.
  func anyone(using generator: inout SplitMix64) -> Int {
    active.isEmpty ? generator.nextIndex(below: travellers.count) : active.next(using: &generator)
  }

  /// Draws the position of the traveler at `instant`: a spot, and a point within a few tens of meters of the
  /// spot.
  func whereabouts(
    of traveller: Int, at instant: Int64, using generator: inout SplitMix64
  ) -> (spot: Spot, place: Place) {
    let city = travellers[traveller].city(at: instant)
    let spot = spots[city][choices[city].next(using: &generator)]
    return (spot, spot.place.scattered(by: 0.03, using: &generator))
  }
}

/// A place where travelers meet, such as a café, a station, or a museum.
struct Spot: Sendable {
  var name: String
  var place: Place
  /// The relative frequency of check-ins here.
  var weight: Double

  private static let kinds = [
    "Café", "Hostel", "Station", "Museum", "Market", "Park", "Bar", "Beach", "Bridge", "Old Town", "Library",
    "Viewpoint",
  ]
  private static let names = [
    "Aurora", "Botanica", "Central", "Delfín", "Esplanade", "Flâneur", "Größe", "Harbour", "Iris", "Jardín",
    "Kosmos", "Lumière", "Mira", "Nordlys", "Ópera", "Paloma", "Quai", "Riva", "Sol", "Traveller's Rest",
  ]

  /// Generates the spots of a city, which are near its center. The first spot attracts about half of the
  /// people.
  static func spots(of city: City, index: Int, seed: UInt64) -> [Spot] {
    var generator = SplitMix64(seed: seed, purpose: .friendsSpots, index: index)
    let count = 4 + Int(city.thousands / 150)
    return (0..<count).map { number in
      let name = generator.pick(kinds) + " " + generator.pick(names)
      // Travelers stay within a few kilometers of the sights.
      return Spot(
        name: name, place: city.place.scattered(by: 1, using: &generator),
        weight: number == 0 ? Double(count) : 1)
    }
  }
}
