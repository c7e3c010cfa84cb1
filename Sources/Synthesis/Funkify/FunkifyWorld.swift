internal import Concurrency

/// A musician's profile in the app.
struct Musician: Sendable {
  var id: String
  var name: String
  var city: Int
  var place: Place
  var hasPlace: Bool
  var precision: String?
  var limit: Int?
  /// Indices in `FunkifyWorld.genres`.
  var genres: [Int]
  var wanted: [Int]
  var instrument: String
  /// The birth date in the form `1990-12-31`.
  var born: String
  var createdAt: Int64
}

/// A concert or another event.
struct MusicEvent: Sendable {
  var id: String
  var organiser: Int
  var title: String
  var place: Place
  var genres: [Int]
  var starts: Int64
  var hours: Int64?
  var isCancelled: Bool
  var createdAt: Int64
}

/// The musicians and events of a synthetic export of Funkify.
struct FunkifyWorld: Sendable {
  let musicians: [Musician]
  let events: [MusicEvent]
  let rhythm: DailyRhythm
  let seed: UInt64

  static let genres = [
    "jazz", "funk", "soul", "blues", "folk", "indie", "metal", "punk", "hip hop", "techno", "classical",
    "trad",
  ]
  private static let instruments = [
    "bass", "drums", "guitar", "keys", "vocals", "violin", "saxophone", "trumpet",
  ]
  private static let precisions = ["street", "postcode", "town"]

  init(musicians count: Int, seed: UInt64, rhythm: DailyRhythm) {
    let cities = Array(City.europe.prefix(20))
    let choice = WeightedChoice(cities.map(\.thousands))
    let time = rhythm.start..<rhythm.end
    let musicians = (0..<count).map { index in
      var generator = SplitMix64(seed: seed, purpose: .funkifyMusicians, index: index)
      let city = choice.next(using: &generator)
      let place = cities[city].home(using: &generator)
      let year = 1950 + generator.nextIndex(below: 57)
      let (month, day) = (1 + generator.nextIndex(below: 12), 1 + generator.nextIndex(below: 28))
      return Musician(
        id: "m" + CivilTime.padded(index, 5), name: cities[city].names.fullName(using: &generator),
        city: city, place: place, hasPlace: generator.nextBool(probability: 0.97),
        // Some values are missing, and a few come from an old version of the app.
        precision: generator.nextBool(probability: 0.1)
          ? nil : generator.nextBool(probability: 0.02) ? "country" : generator.pick(Self.precisions),
        limit: generator.nextBool(probability: 0.4) ? generator.pick([5, 10, 25, 80, 150]) : nil,
        genres: Self.tastes(1...4, using: &generator),
        wanted: generator.nextBool(probability: 0.5) ? Self.tastes(1...2, using: &generator) : [],
        instrument: generator.pick(Self.instruments),
        born: [Int64(year), Int64(month), Int64(day)].map { CivilTime.padded($0, 2) }.joined(separator: "-"),
        createdAt: generator.nextInstant(in: time.lowerBound - 100 * CivilTime.day..<time.lowerBound))
    }
    self.musicians = musicians
    events = (0..<count / 2).map { index in
      var generator = SplitMix64(seed: seed, purpose: .funkifyEvents, index: index)
      let organiser = generator.nextIndex(below: count)
      let createdAt = generator.nextInstant(in: time)
      let genres = Self.tastes(1...3, using: &generator)
      let days = Int64(1 + generator.nextIndex(below: 45))
      let evening =
        (createdAt / CivilTime.day + days) * CivilTime.day + Int64(17 + generator.nextIndex(below: 6))
        * CivilTime.hour
      return MusicEvent(
        id: "e" + CivilTime.padded(index, 5), organiser: organiser,
        title: Self.genres[genres[0]] + " "
          + generator.pick(["night", "session", "concert", "jam", "open stage"]),
        place: cities[musicians[organiser].city].home(using: &generator), genres: genres,
        starts: evening,
        hours: generator.nextBool(probability: 0.8) ? Int64(generator.pick([2, 3, 4])) : nil,
        isCancelled: generator.nextBool(probability: 0.08), createdAt: createdAt)
    }
    self.rhythm = rhythm
    self.seed = seed
  }

  private static func tastes(_ count: ClosedRange<Int>, using generator: inout SplitMix64) -> [Int] {
    let count = generator.nextInteger(in: count)
    return generator.nextPermutation(of: genres.count).prefix(count).sorted()
  }

  /// Returns the Jaccard index of two sets of genres; 0 if both are empty.
  static func affinity(_ left: [Int], _ right: [Int]) -> Double {
    let shared = Set(left).intersection(right).count
    return Double(shared) / Double(max(Set(left).union(right).count, 1))
  }
}
