internal import Concurrency

/// All people with an account in a synthetic export of Fusion, and their hidden tastes.
///
/// - Complexity: O(n) time and memory for n users. The words of profiles are not stored.
struct FusionPopulation: Sendable {
  let seed: UInt64
  let people: [FusionPerson]
  let tastes: [HiddenTaste]

  /// - Parameters:
  ///   - users: The number of people. Each person has one id.
  ///   - seed: The same seed and number of users give the same people.
  ///   - rhythm: The period of the swipes. Accounts are created before the last three days of this period.
  init(users: Int, seed: UInt64, rhythm: DailyRhythm) {
    let circumstances = Self.circumstances(users: users, seed: seed)
    let cityChoice = WeightedChoice(City.europe.map(\.thousands))
    let fieldChoice = WeightedChoice(BusinessField.all.map(\.popularity))
    let roleChoice = WeightedChoice(Role.allCases.map(\.popularity))
    let width = max(4, String(users + FusionIdentity.spareNumbers).utf8.count)
    var people: [FusionPerson] = []
    var tastes: [HiddenTaste] = []
    for index in 0..<users {
      var generator = SplitMix64(seed: seed, purpose: .person, index: index)
      let city = cityChoice.next(using: &generator)
      let place = City.europe[city].home(using: &generator)
      let field = fieldChoice.next(using: &generator)
      let role = Role.allCases[roleChoice.next(using: &generator)]
      let experience = Self.experience(role: role, using: &generator)
      let creation = Self.creation(
        index: index, circumstance: circumstances[index], rhythm: rhythm, using: &generator)
      var person = FusionPerson(
        index: index, id: FusionIdentity.text(index + 1, width: width), city: city,
        place: place, field: field,
        subfield: Self.subfield(of: field, index: index, seed: seed), role: role, experience: experience,
        createdAt: creation, updatedAt: creation, writesMilliseconds: generator.nextBool(probability: 0.3))
      Self.apply(circumstances[index], to: &person, rhythm: rhythm, using: &generator)
      people.append(person)
      var tasteGenerator = SplitMix64(seed: seed, purpose: .taste, index: index)
      var subfieldGenerator = SplitMix64(seed: seed, purpose: .fusionSubfieldTaste, index: index)
      tastes.append(HiddenTaste(field: field, using: &tasteGenerator, subfields: &subfieldGenerator))
    }
    self.seed = seed
    self.people = people
    self.tastes = tastes
  }

  /// An unusual property of a person's document.
  private enum Circumstance {
    case none, faulty(FusionPerson.Fault), duplicated(FusionPerson.Duplicate), deleted
    case positionNull, positionAbsent
  }

  /// Assigns each circumstance to an exact number of people, so that every population of at least 2000 people
  /// contains each circumstance. Each number is given per 2000 people and rounded down. The documents of 7 in
  /// 2000 people (0.35%) are rejected.
  private static func circumstances(users: Int, seed: UInt64) -> [Circumstance] {
    func count(_ share: Int) -> Int { users * share / 2000 }
    let faults: [(FusionPerson.Fault, Int)] = [
      (.latitudeOutOfRange, 2), (.longitudeOutOfRange, 1), (.latitudeNotANumber, 1), (.experienceInWords, 2),
      (.creationTimeInWords, 1),
    ]
    var special = BrokenRule.planted(faults, rows: users, whole: 2000).map { Circumstance.faulty($0) }
    let duplicates: [FusionPerson.Duplicate] = [
      .tie, .olderFirst, .olderLast, .olderFirst, .olderLast, .olderFirst,
    ]
    special += (0..<count(6)).map { .duplicated(duplicates[$0 % duplicates.count]) }
    special += Array(repeating: .deleted, count: count(40))
    special += (0..<count(30)).map { $0 % 2 == 0 ? .positionNull : .positionAbsent }
    var generator = SplitMix64(seed: seed, purpose: .circumstances)
    var circumstances = Array(repeating: Circumstance.none, count: users)
    for (person, circumstance) in zip(generator.nextPermutation(of: users), special) {
      circumstances[person] = circumstance
    }
    return circumstances
  }

  private static func subfield(of field: Int, index: Int, seed: UInt64) -> Int {
    var generator = SplitMix64(seed: seed, purpose: .fusionSubfields, index: index)
    return generator.nextIndex(below: BusinessField.all[field].subfields.count)
  }

  /// Draws the years in business; `nil` for the few people who did not enter them.
  private static func experience(role: Role, using generator: inout SplitMix64) -> Int? {
    // The draw is always made, so that an omitted value does not change later draws.
    let bell = generator.nextGaussian()
    let answers = generator.nextBool(probability: 0.95)
    let (middle, spread) =
      switch role {
      case .entrepreneur: (12.0, 8.0)
      case .investor: (22.0, 9.0)
      case .professional: (13.0, 9.0)
      }
    return answers ? Int(min(45, max(0, middle + spread * bell)).rounded()) : nil
  }

  /// Draws the time at which the account was created. For more than half of the people, this time is before
  /// the first swipe, so that people can be shown from the first day.
  private static func creation(
    index: Int, circumstance: Circumstance, rhythm: DailyRhythm, using generator: inout SplitMix64
  ) -> Int64 {
    let isEarly = generator.nextBool(probability: 0.2) || index % 2 == 0
    let early = generator.nextInstant(in: rhythm.start - 400 * CivilTime.day..<rhythm.start)
    let late = generator.nextInstant(in: rhythm.start..<rhythm.end - 3 * CivilTime.day)
    // Swipes by and on people with rejected documents may be on any day, so these accounts are early.
    if case .faulty = circumstance { return early }
    return isEarly ? early : late
  }

  private static func apply(
    _ circumstance: Circumstance, to person: inout FusionPerson, rhythm: DailyRhythm,
    using generator: inout SplitMix64
  ) {
    let isEdited = generator.nextBool(probability: 0.75)
    let newest = rhythm.end - CivilTime.hour
    switch circumstance {
    case .deleted:
      person.isDeleted = true
      let first = max(person.createdAt, rhythm.start) + 2 * CivilTime.day
      person.updatedAt = generator.nextInstant(in: first..<newest)
      return
    case .duplicated(let duplicate):
      person.duplicate = duplicate
      person.updatedAt = generator.nextInstant(in: person.createdAt + 2 * CivilTime.hour..<newest)
      return
    case .faulty(let fault): person.fault = fault
    case .positionNull: person.positionForm = .null
    case .positionAbsent: person.positionForm = .absent
    case .none: break
    }
    if isEdited { person.updatedAt = generator.nextInstant(in: person.createdAt..<newest) }
  }
}

/// The ids in a synthetic export of Fusion: `u` and a number with leading zeros.
enum FusionIdentity {
  /// The number of spare ids after the ids of the population. These ids belong to people whose documents were
  /// deleted.
  static let spareNumbers = 1000

  static func text(_ number: Int, width: Int) -> String {
    "u" + CivilTime.padded(number, width)
  }

  /// Draws an id without a document, such as `u9001` in a population of at most 9000 people.
  static func goneText(users: Int, using generator: inout SplitMix64) -> String {
    let width = max(4, String(users + spareNumbers).utf8.count)
    return text(max(users, 9000) + 1 + generator.nextIndex(below: spareNumbers - 1), width: width)
  }
}
