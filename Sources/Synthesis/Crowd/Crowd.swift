internal import Reproducible

/// The people of a synthetic export of any size, and who lives where.
///
/// People stand by city, and within a city by number. A *place* is an index in that order: whoever is shown somebody of
/// a city then looks at a part of memory that others of the city look at too.
///
/// - Complexity: 24 bytes per person, and twice that while it is made.
struct Crowd: Sendable {
  let seed: UInt64
  let cities: [CrowdCity]
  /// By place.
  let people: [CrowdPerson]
  /// The number of the person at each place.
  let numbers: [UInt32]
  /// The place of each person by number.
  let places: [UInt32]
  /// Per city, where its residents begin; one more at the end.
  let starts: [Int]

  private static let chunk = 1 << 14

  init(users: Int, seed: UInt64, threads: Int) {
    let cities = CrowdCity.all(seed: seed)
    let draws = CrowdDraws()
    var people: [CrowdPerson] = []
    people.reserveCapacity(users)
    parallelInOrder(
      count: (users + Self.chunk - 1) / Self.chunk, threads: threads,
      { number in
        (number * Self.chunk..<min(users, (number + 1) * Self.chunk)).map {
          CrowdPerson($0, in: cities, of: draws, seed: seed)
        }
      },
      consume: { people += $0 })

    var starts = [Int](repeating: 0, count: cities.count + 1)
    for person in people { starts[Int(person.city) + 1] += 1 }
    for city in cities.indices { starts[city + 1] += starts[city] }
    var next = starts
    var places = [UInt32](repeating: 0, count: users)
    var numbers = places
    for (number, person) in people.enumerated() {
      let place = next[Int(person.city)]
      next[Int(person.city)] += 1
      places[number] = UInt32(place)
      numbers[place] = UInt32(number)
    }
    self.seed = seed
    self.cities = cities
    self.people = numbers.map { people[Int($0)] }
    self.numbers = numbers
    self.places = places
    self.starts = starts
  }

  subscript(number number: Int) -> CrowdPerson { people[Int(places[number])] }

  /// How many live in a city.
  func population(of city: Int) -> Int { starts[city + 1] - starts[city] }
}
