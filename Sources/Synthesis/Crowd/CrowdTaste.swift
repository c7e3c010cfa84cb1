internal import Concurrency
internal import Glibc

/// The taste of one person of a crowd. It is not in the export, so models must learn it.
///
/// The log-odds of a like are the sum of three parts: a common part (fields, ratings), a personal part
/// (fields, ratings, similar age, distance), and the candidate's attractiveness. The taste is not stored.
/// Each session draws it again from the person's number.
struct CrowdTaste {
  private let key: UInt64
  private let user: CrowdPerson
  private let generosity: Double
  /// The log-odds per point of rating above `usualRating`.
  private let ratingLiking: Double
  /// The decrease of the log-odds per 10 years of age difference.
  private let ageDecay: Double
  /// The decrease of the log-odds per 100 km of distance, up to 200 km.
  private let distanceDecay: Double
  private let kilometersPerLongitude: Double

  private static let usualRating = 3.4
  /// The constant part of the log-odds. With this value, about 40% of all swipes are likes.
  private static let intercept = 0.55
  private static let fieldSpread = 1.3
  private static let kilometersPerDegree = 111.195

  init(of user: CrowdPerson, number: Int, seed: UInt64) {
    var generator = SplitMix64(seed: seed, purpose: .crowdTaste, index: number)
    key = generator.next()
    self.user = user
    let (generous, rating) = Self.normals(generator.next())
    let (age, distance) = Self.normals(generator.next())
    generosity = 0.6 * generous
    ratingLiking = 0.4 + 0.5 * rating
    ageDecay = max(0, 0.35 + 0.25 * age)
    distanceDecay = max(0, 1 + 0.6 * distance)
    kilometersPerLongitude = Self.kilometersPerDegree * cos(Double(user.latitude) * 1e-5 * .pi / 180)
  }

  /// Returns the probability that the person likes `candidate`.
  func likeProbability(of candidate: CrowdPerson) -> Double {
    let north = Double(candidate.latitude - user.latitude) * (1e-5 * Self.kilometersPerDegree)
    let east = Double(candidate.longitude - user.longitude) * 1e-5 * kilometersPerLongitude
    let distance = (north * north + east * east).squareRoot()
    let (liking, _) = Self.normals(Mix64.finalized(key ^ UInt64(candidate.field)))
    var logOdds = Self.intercept + generosity + Self.fieldSpread * liking
    logOdds += Self.appeal[Int(candidate.field)] + Double(candidate.attractiveness) * 0.01
    logOdds += ratingLiking * (Double(candidate.rating) * 0.1 - Self.usualRating)
    logOdds -= ageDecay * abs(Double(candidate.age) - Double(user.age)) * 0.1
    logOdds -= distanceDecay * min(distance, 200) * 0.01
    return 1 / (1 + exp(-logOdds))
  }

  /// The common part of the log-odds for each field, from -0.7 to 0.7, in no particular order.
  private static let appeal: [Double] = CrowdPerson.fields.indices.map { Double($0 * 7 % 15 - 7) * 0.1 }

  /// Returns two numbers with an almost normal distribution, mean 0 and standard deviation 1.
  ///
  /// The number of ones among 32 random bits has mean 16 and variance 8. This method needs no logarithm or
  /// cosine, so the numbers are the same on every machine.
  private static func normals(_ bits: UInt64) -> (Double, Double) {
    let scale = 1 / 8.0.squareRoot()
    return (
      Double((bits >> 32).nonzeroBitCount - 16) * scale,
      Double((bits & 0xFFFF_FFFF).nonzeroBitCount - 16) * scale
    )
  }
}
