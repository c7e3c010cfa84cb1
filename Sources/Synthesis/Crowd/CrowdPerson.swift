internal import Concurrency

/// One person of the crowd. A person takes only 16 bytes, because each swipe reads a random person from
/// memory.
struct CrowdPerson: Sendable {
  /// The position in hundred-thousandths of a degree, which is the precision of the export.
  var latitude: Int32
  var longitude: Int32
  /// The number of the person in the order of ids, starting at 0.
  let number: UInt32
  /// The index in `fields`.
  var field: UInt8
  /// The rating in tenths, 10 to 50.
  var rating: UInt8
  /// The age in years, 18 to 75.
  var age: UInt8
  /// The contribution of the person's attractiveness to the log-odds of a like, in hundredths. The export
  /// does not contain this value.
  var attractiveness: Int8

  /// Business fields, from the most to the least frequent.
  static let fields = [
    "technology", "finance", "health", "education", "retail", "construction", "marketing", "energy", "food",
    "law", "media", "logistics", "banking", "engineering", "hospitality", "insurance", "architecture", "arts",
    "consulting", "travel", "automotive", "fashion", "agriculture", "telecommunications",
  ]

  /// Returns the city of person `number`. It is the first draw from the person's stream of random numbers.
  static func city(of number: Int, by draw: CrowdDraws, seed: UInt64) -> Int {
    var generator = SplitMix64(seed: seed, purpose: .crowdPerson, index: number)
    return draw.cities.next(using: &generator)
  }

  /// Draws person `number`.
  init(_ number: Int, in cities: [CrowdCity], by draw: CrowdDraws, seed: UInt64) {
    self.number = UInt32(number)
    var generator = SplitMix64(seed: seed, purpose: .crowdPerson, index: number)
    let city = draw.cities.next(using: &generator)
    let spread = cities[city].spread
    let place = cities[city].place.scattered(by: spread, using: &generator)
    latitude = Int32((place.latitude * 1e5).rounded())
    longitude = Int32((place.longitude * 1e5).rounded())
    field = UInt8(draw.fields.next(using: &generator))
    rating = UInt8(min(50, max(10, 34 + 8 * generator.nextGaussian().rounded(to: 0.125))))
    // The age comes from the smallest of three draws, because most people are young and few are old.
    let years = (0..<3).map { _ in generator.nextIndex(below: 58) }.min() ?? 0
    age = UInt8(18 + years)
    attractiveness = Int8(min(120, max(-120, 60 * generator.nextGaussian().rounded(to: 0.05))))
  }
}

/// The distributions from which people are drawn.
struct CrowdDraws: Sendable {
  /// The distribution of people among cities; `fields` is the distribution among business fields.
  let cities = WeightedChoice((1...CrowdCity.count).map { 1 / Double($0) })
  let fields = WeightedChoice((1...CrowdPerson.fields.count).map { 1 / Double($0 + 2) })
}

extension Double {
  /// Returns the nearest multiple of `step`. Rounding removes the last bits of the system's `log` and `cos`,
  /// which may differ between machines.
  fileprivate func rounded(to step: Double) -> Double {
    (self / step).rounded() * step
  }
}
