internal import Concurrency
internal import Glibc

/// The people that the app shows to the people of a city: mostly their neighbors.
///
/// By city rather than by person, so that a draw costs the same in a population of any size.
struct Neighbourhoods: Sendable {
  /// Indexes of people per city, without those whose document is rejected.
  private let residents: [[Int]]
  /// Per city, the cities to draw from; empty if no person lives within the radius.
  private let choices: [WeightedChoice]
  private let everybody: [Int]

  private static let radiusInKilometers = 500.0
  /// The distance at which a city is shown a factor e less often than one's own.
  private static let decayInKilometers = 200.0

  /// - Parameter people: At least one of them without a fault.
  init(_ people: [FusionPerson]) {
    var residents: [[Int]] = City.europe.map { _ in [] }
    for person in people where person.fault == nil { residents[person.city].append(person.index) }
    choices = City.europe.map { home in
      WeightedChoice(
        City.europe.indices.map { index in
          let distance = home.place.kilometers(to: City.europe[index].place)
          return distance <= Self.radiusInKilometers
            ? Double(residents[index].count) * exp(-distance / Self.decayInKilometers) : 0
        })
    }
    everybody = people.filter { $0.fault == nil }.map(\.index)
    self.residents = residents
  }

  /// A person who lives in `city` or in a city near it, possibly the user.
  func somebody(near city: Int, using generator: inout SplitMix64) -> Int {
    guard !choices[city].isEmpty else { return anybody(using: &generator) }
    return generator.pick(residents[choices[city].next(using: &generator)])
  }

  func anybody(using generator: inout SplitMix64) -> Int {
    generator.pick(everybody)
  }
}
