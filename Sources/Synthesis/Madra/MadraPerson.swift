internal import Concurrency

/// A person with an account: an owner or a minder.
struct MadraPerson: Sendable {
  var id: String
  var name: String
  /// The index in `County.all`.
  var county: Int
  var place: Place
  var hasPlace: Bool
  var createdAt: Int64
  /// The birth date in days since 1970-01-01; `nil` if the document has none.
  var born: Int64?
  /// The years of experience with dogs.
  var experience: Int

  /// Generates `count` people whose ids begin with `prefix`. A few are underage, and a few have no birth
  /// date.
  static func all(
    _ count: Int, prefix: String, purpose: DrawPurpose, seed: UInt64, during time: Range<Int64>
  ) -> [MadraPerson] {
    let choice = WeightedChoice(County.all.map(\.thousands))
    return (0..<count).map { index in
      var generator = SplitMix64(seed: seed, purpose: purpose, index: index)
      let drawn = choice.next(using: &generator)
      // The first people are assigned to the counties in turn, so that a large enough export has at least two
      // people in each county.
      let county = index < 2 * County.all.count ? index % County.all.count : drawn
      let place = County.all[county].place.scattered(by: 9, using: &generator)
      let today = time.upperBound / CivilTime.day
      let years =
        generator.nextBool(probability: 0.05) ? 14 + 4 * generator.nextUnit() : 18 + 50 * generator.nextUnit()
      let style = generator.nextBool(probability: 0.8) ? NameStyle.irish : .english
      return MadraPerson(
        id: prefix + CivilTime.padded(index, 5), name: style.fullName(using: &generator),
        county: county, place: place,
        hasPlace: generator.nextBool(probability: 0.97),
        createdAt: generator.nextInstant(in: time.lowerBound - 200 * CivilTime.day..<time.lowerBound),
        born: generator.nextBool(probability: 0.02) ? nil : today - Int64(years * 365.25),
        experience: Int(generator.nextUnit() * generator.nextUnit() * 25))
    }
  }
}
