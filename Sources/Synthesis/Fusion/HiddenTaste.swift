internal import Concurrency
internal import Glibc

/// The taste of one person. It is not in the export, so models must learn it.
///
/// The log-odds of a like are the sum of three parts: a common part (`BusinessField.appeal`, `Role.affinity`,
/// experience), a personal part, and the candidate's attractiveness. The personal part consists of a few
/// liked and disliked fields, the subfields, distance, direction, and experience.
struct HiddenTaste: Sendable {
  /// The log-odds by business field.
  private var fieldLiking: [Double]
  /// The additional log-odds by subfield of a business field.
  private var subfieldLiking: [[Double]]
  /// The log-odds per 10 years above `usualExperience`.
  private var experienceLiking: Double
  /// The decrease of the log-odds if 1 + distance / `nearInKilometers` grows by a factor of e.
  private var distanceDecay: Double
  /// The change of the log-odds per 100 km that a candidate lives farther north. It is positive for a person
  /// who wants to do business in the north.
  private var northLiking: Double
  private var eastLiking: Double
  /// The person's contribution to the log-odds of every like that the person gives.
  private var generosity: Double
  /// The person's contribution to the log-odds of every like that the person receives.
  private var attractiveness: Double

  private static let usualExperience = 14.0
  private static let nearInKilometers = 40.0
  /// The constant part of the log-odds. In exports with the seeds 1 to 5 and 42, this value resulted in 41% to
  /// 44% likes.
  private static let intercept = -0.45
  /// The increase of the log-odds if the app shows the hint "has liked you".
  private static let flattery = 0.8

  /// Draws the taste of a person who works in `field`. The generator `subfields` draws the preferences within
  /// fields.
  init(field: Int, using generator: inout SplitMix64, subfields: inout SplitMix64) {
    subfieldLiking = BusinessField.all.map { field in
      field.subfields.map { _ in 0.7 * subfields.nextGaussian() }
    }
    fieldLiking = BusinessField.all.map { $0.appeal + 0.25 * generator.nextGaussian() }
    let order = generator.nextPermutation(of: BusinessField.all.count)
    let liked = generator.nextInteger(in: 2...4)
    let disliked = generator.nextInteger(in: 2...4)
    for favourite in order.prefix(liked) { fieldLiking[favourite] += 1.7 + 0.4 * generator.nextGaussian() }
    for disdained in order.suffix(disliked) { fieldLiking[disdained] -= 1.7 + 0.4 * generator.nextGaussian() }
    fieldLiking[field] += 0.5
    experienceLiking = 0.15 + 0.4 * generator.nextGaussian()
    distanceDecay = 0.2 * exp(0.6 * generator.nextGaussian())
    northLiking = 0.22 * generator.nextGaussian()
    eastLiking = 0.22 * generator.nextGaussian()
    generosity = 0.6 * generator.nextGaussian()
    attractiveness = 0.6 * generator.nextGaussian()
  }

  /// Returns the probability that `user`, who has this taste, likes `candidate`. `taste` is the taste of
  /// `candidate`.
  ///
  /// If `isLikedBack` is true, the candidate has liked the user, and the app shows this.
  func likeProbability(
    of candidate: FusionPerson, with taste: HiddenTaste, seenBy user: FusionPerson, isLikedBack: Bool
  ) -> Double {
    let offset = user.place.offset(to: candidate.place)
    let distance = (offset.north * offset.north + offset.east * offset.east).squareRoot()
    var logOdds = Self.intercept + generosity + fieldLiking[candidate.field] + taste.attractiveness
    logOdds += subfieldLiking[candidate.field][candidate.subfield]
    logOdds += user.role.affinity(for: candidate.role)
    if let years = candidate.experience {
      logOdds += experienceLiking * (Double(years) - Self.usualExperience) / 10
    }
    logOdds -= distanceDecay * log(1 + distance / Self.nearInKilometers)
    // Beyond 500 km, the effect of the direction no longer grows with the distance.
    let scale = min(1, 500 / max(1, distance)) / 100
    logOdds += (northLiking * offset.north + eastLiking * offset.east) * scale
    if isLikedBack { logOdds += Self.flattery }
    return 1 / (1 + exp(-logOdds))
  }
}
