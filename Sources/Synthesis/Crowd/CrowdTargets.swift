internal import Concurrency

/// The people whom the app shows to one person of a crowd. Most live in the person's city, some in
/// neighboring cities, and a few anywhere.
///
/// The j-th swipe of a person, counted from 0, is the j-th step of an orbit through one of three groups. The
/// steps are i, i + s, i + 2s, ... modulo n, where n is the size of the group and s is coprime to n. The
/// first n steps of an orbit visit n different people, so targets do not repeat. A session does not depend on
/// the targets of other sessions. Each j is used in only one group, and groups do not overlap.
///
/// If a group has at most j people, the swipe uses another group. A user therefore sees a person twice only
/// if the user makes more swipes than the user's city or the neighboring cities have people.
struct CrowdTargets {
  private let crowd: Crowd
  /// The place of the user.
  private let user: Int
  private let city: Int
  private let neighbors: [Int]
  private let own: Orbit
  private let near: Orbit
  private let anywhere: Orbit

  private static let nearShare = 0.12
  private static let anywhereShare = 0.04

  private struct Orbit {
    var start = 0
    var step = 0
    /// The number of people; 0 for an empty group.
    var count: Int

    init(count: Int, using generator: inout SplitMix64) {
      self.count = count
      guard count > 0 else { return }
      start = generator.nextIndex(below: count)
      // A prime above the count is coprime to the count, and so is the remainder of the prime.
      step = generator.pick(CrowdTargets.primes) % count
    }

    func position(_ index: Int) -> Int { (start + index * step) % count }
  }

  /// Creates the targets of person `user`.
  init(of user: Int, in crowd: Crowd) {
    var generator = SplitMix64(seed: crowd.seed, purpose: .crowdTargets, index: user)
    self.crowd = crowd
    self.user = Int(crowd.places[user])
    city = crowd.city(ofPlace: self.user)
    neighbors = crowd.cities[city].neighbors
    own = Orbit(count: crowd.population(of: city) - 1, using: &generator)
    near = Orbit(count: neighbors.reduce(0) { $0 + crowd.population(of: $1) }, using: &generator)
    anywhere = Orbit(count: crowd.people.count, using: &generator)
  }

  /// Returns the place of the person whom the app shows at swipe `index` of the user. It is never the user's
  /// own place.
  ///
  /// - Parameters:
  ///   - index: The number of the user's swipe, starting at 0.
  ///   - draw: A uniform random number in [0, 1), which selects the group.
  /// - Returns: A place in `crowd.people`.
  func target(_ index: Int, draw: Double) -> Int {
    if draw >= Self.anywhereShare + Self.nearShare, let target = ofOwnCity(index) { return target }
    if draw >= Self.anywhereShare, let target = ofCitiesNear(index) ?? ofOwnCity(index) { return target }
    let target = anywhere.position(index)
    let home = crowd.city(ofPlace: target)
    if home == city, let target = ofOwnCity(index) { return target }
    if neighbors.contains(home), let target = ofCitiesNear(index) { return target }
    return target == user ? (target + 1) % crowd.people.count : target
  }

  private func ofOwnCity(_ index: Int) -> Int? {
    guard index < own.count else { return nil }
    let place = crowd.starts[city] + own.position(index)
    // Skip the user's own place.
    return place >= user ? place + 1 : place
  }

  private func ofCitiesNear(_ index: Int) -> Int? {
    guard index < near.count else { return nil }
    var position = near.position(index)
    for city in neighbors {
      let population = crowd.population(of: city)
      if position < population { return crowd.starts[city] + position }
      position -= population
    }
    return nil
  }

  /// Random primes above the maximum number of people.
  static let primes = [
    195_272_977, 1_256_970_277, 1_297_971_221, 1_390_225_237, 1_392_897_679, 1_527_865_501,
    1_546_394_699, 1_555_599_041, 1_647_032_557, 1_685_550_869, 1_722_592_433, 2_145_921_457,
    2_577_808_133, 2_630_608_229, 2_645_373_331, 2_645_506_319, 2_844_776_747, 2_889_748_711,
    2_907_720_097, 3_098_172_391, 3_371_195_423, 3_767_655_053, 3_798_061_793, 3_874_472_249,
  ]
}
