internal import Concurrency

/// One person of the crowd, in 16 bytes, because each swipe reads a random person in memory.
struct CrowdPerson: Sendable {
  /// In hundred thousandths of a degree, as they are written.
  var latitude: Int32
  var longitude: Int32
  /// Counted from 0 in the order of ids.
  let number: UInt32
  /// An index of `fields`.
  var field: UInt8
  /// In tenths, 10 to 50.
  var rating: UInt8
  /// In years, 18 to 75.
  var age: UInt8
  /// The person's attractiveness: what it adds to the log-odds of a like, in hundredths. No column contains it.
  var attractiveness: Int8

  /// Branches of business; the earlier, the more people work in it.
  static let fields = [
    "technology", "finance", "health", "education", "retail", "construction", "marketing", "energy", "food",
    "law", "media", "logistics", "banking", "engineering", "hospitality", "insurance", "architecture", "arts",
    "consulting", "travel", "automotive", "fashion", "agriculture", "telecommunications",
  ]

  /// The city of person `number`: the first draw from their own stream of random numbers.
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
    // The smallest of three draws: most are young, few are old.
    let years = (0..<3).map { _ in generator.nextIndex(below: 58) }.min() ?? 0
    age = UInt8(18 + years)
    attractiveness = Int8(min(120, max(-120, 60 * generator.nextGaussian().rounded(to: 0.05))))
  }
}

/// What is drawn from when people are made.
struct CrowdDraws: Sendable {
  /// Cities by their size, fields by how many work in them.
  let cities = WeightedChoice((1...CrowdCity.count).map { 1 / Double($0) })
  let fields = WeightedChoice((1...CrowdPerson.fields.count).map { 1 / Double($0 + 2) })
}

extension Double {
  /// The nearest multiple of `step`: forgets the last bits of what the system's `log` and `cos` made.
  fileprivate func rounded(to step: Double) -> Double {
    (self / step).rounded() * step
  }
}
