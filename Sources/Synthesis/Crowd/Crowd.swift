internal import Algorithms
internal import Concurrency

/// The people of a synthetic export of any size, and their cities.
///
/// People are sorted by city, and within a city by number, so that swipes on people of one city access the
/// same part of memory. A *place* is an index in this order.
///
/// - Complexity: 20 bytes of memory per person, and 6 more bytes per person during the creation.
struct Crowd: Sendable {
  let seed: UInt64
  let cities: [CrowdCity]
  /// The people, by place.
  let people: [CrowdPerson]
  /// The place of each person, by the person's number.
  let places: [UInt32]
  /// For each city, the first place of its residents. The last element is the total number of people.
  let starts: [Int]

  private static let chunk = 1 << 14

  init(users: Int, seed: UInt64, threads: Int) {
    let cities = CrowdCity.all(seed: seed)
    let draws = CrowdDraws()
    var homes: [UInt16] = []
    homes.reserveCapacity(users)
    let chunks = (users + Self.chunk - 1) / Self.chunk
    parallelInOrder(count: chunks, threads: threads) { chunk in
      (chunk * Self.chunk..<min(users, (chunk + 1) * Self.chunk)).map {
        UInt16(CrowdPerson.city(of: $0, by: draws, seed: seed))
      }
    } consume: {
      homes += $0
    }
    var starts = [Int](repeating: 0, count: cities.count + 1)
    for home in homes { starts[Int(home) + 1] += 1 }
    for city in cities.indices { starts[city + 1] += starts[city] }
    var next = starts
    var places = [UInt32](repeating: 0, count: users)
    var numbers = places
    for (number, home) in homes.enumerated() {
      places[number] = UInt32(next[Int(home)])
      numbers[next[Int(home)]] = UInt32(number)
      next[Int(home)] += 1
    }
    var people: [CrowdPerson] = []
    people.reserveCapacity(users)
    let order = numbers
    parallelInOrder(count: chunks, threads: threads) { chunk in
      order[chunk * Self.chunk..<min(users, (chunk + 1) * Self.chunk)].map {
        CrowdPerson(Int($0), in: cities, by: draws, seed: seed)
      }
    } consume: {
      people += $0
    }
    self.seed = seed
    self.cities = cities
    self.people = people
    self.places = places
    self.starts = starts
  }

  subscript(number number: Int) -> CrowdPerson { people[Int(places[number])] }

  /// Returns the number of people in a city.
  func population(of city: Int) -> Int { starts[city + 1] - starts[city] }

  /// Returns the city of a place.
  ///
  /// - Complexity: O(log n) for n cities. The method does not access the person in memory.
  func city(ofPlace place: Int) -> Int {
    // The result is the last city that begins at or before the place. A city without people begins at the
    // same place as the next city.
    starts.partitioningIndex { $0 > place } - 1
  }
}
