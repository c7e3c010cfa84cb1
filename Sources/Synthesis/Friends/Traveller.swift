internal import Concurrency

/// A person on a journey through one or two cities.
struct Traveller: Sendable {
  /// The fault of the person's row.
  enum Fault: CaseIterable, Sendable {
    case noName, emptyName, badTime

    var rule: BrokenRule { self == .badTime ? .badTime : .missingAttribute }
  }

  var id: String
  var name: String
  var createdAt: Int64
  /// Indices in `City.europe`: the city until `leavesAt`, and the city from then on.
  var cities: (first: Int, second: Int)
  var leavesAt: Int64
  /// The relative frequency of check-ins; 0 for a person who never checks in.
  var activity: Double
  var fault: Fault?
  /// Whether the person's row is duplicated.
  var isTwice = false

  func city(at instant: Int64) -> Int { instant < leavesAt ? cities.first : cities.second }
}

extension Traveller {
  /// Generates all travelers. One in 300 has a broken row.
  static func all(_ count: Int, seed: UInt64, during time: Range<Int64>, _ ids: inout ParseIdentities)
    -> [Traveller]
  {
    let choice = WeightedChoice(City.europe.map(\.thousands))
    return (0..<count).map { index in
      var generator = SplitMix64(seed: seed, purpose: .friendsTravellers, index: index)
      let first = choice.next(using: &generator)
      // Half of the travelers stay in one city.
      let second = generator.nextBool(probability: 0.5) ? first : choice.next(using: &generator)
      var traveller = Traveller(
        id: ids.next(), name: City.europe[first].names.fullName(using: &generator),
        createdAt: generator.nextInstant(in: time.lowerBound - 300 * CivilTime.day..<time.lowerBound),
        cities: (first, second), leavesAt: generator.nextInstant(in: time),
        activity: generator.nextBool(probability: 0.05) ? 0 : 0.1 + generator.nextUnit() * 2)
      let order = index % 300
      if order == 150 { traveller.fault = Fault.allCases[index / 300 % Fault.allCases.count] }
      traveller.isTwice = order == 50
      return traveller
    }
  }
}
