internal import Concurrency
internal import Glibc

/// Draws the people whom the app shows to the residents of each city. Most of these people live nearby.
///
/// The distributions are by city instead of by person, so that a draw takes the same time in a population of
/// any size.
struct Neighbourhoods: Sendable {
  /// The indices of people by city, without people whose document is rejected.
  private let residents: [[Int]]
  /// For each city, the distribution from which the city of a shown person is drawn; empty if no person lives
  /// within the radius.
  private let choices: [WeightedChoice]
  private let everybody: [Int]

  private static let radiusInKilometers = 500.0
  /// The distance over which the frequency of a city decreases by a factor of e.
  private static let decayInKilometers = 200.0

  /// - Parameter people: The population. At least one person must have no fault.
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

  /// Draws a person from `city` or a nearby city, or from anywhere if no person lives within the radius. The
  /// result may be the user who makes the swipe.
  func anyone(near city: Int, using generator: inout SplitMix64) -> Int {
    guard !choices[city].isEmpty else { return anyone(using: &generator) }
    return generator.pick(residents[choices[city].next(using: &generator)])
  }

  func anyone(using generator: inout SplitMix64) -> Int {
    generator.pick(everybody)
  }
}
