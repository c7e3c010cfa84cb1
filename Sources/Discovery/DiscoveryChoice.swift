internal import Columns
internal import Concurrency
package import Features
internal import Geohash
internal import Glibc
package import RunSchemas

/// Chooses the settings of a discovery order on an inner cut within the learning part.
///
/// Each setting starts at its default and is chosen in turn, by the mean nDCG@10 of users with later likes. A
/// setting leaves its default only if the paired gain exceeds `leastGain` standard errors of the gain. The
/// weight of the popularity is always chosen together with the other settings.
package struct DiscoveryChoice: Sendable {
  /// The chosen settings; the defaults if too few users have later likes.
  package let settings: DiscoverySettings
  /// The number of compared users.
  package let users: Int
  /// The mean nDCG@10 before the choice, with the best weight of the popularity and the other settings at
  /// their defaults, and with the chosen settings. Both are NaN if too few users have later likes.
  package let before: Double
  package let after: Double

  /// The values that are tried besides the defaults.
  static let halfLives = ([3, 7, 14, 30, 90, 180, 365] as [Int64]).map { $0 * 86_400_000 }
  static let halfPlaces = [5.0, 10, 20, 50]
  static let popularities = [0.01, 0.03, 0.1, 0.3, 1, 3]
  static let exponents = [0.25, 0.5, 1, 1.5, 2]
  /// The gain that a setting needs, in standard errors. Several values are tried per setting, and the best of
  /// them gains about one standard error by chance.
  static let leastGain = 2.0
  /// With fewer users, the defaults remain.
  package static let leastUsers = 30

  /// - Parameters:
  ///   - task: The learning interactions and the rules of the lists.
  ///   - threads: The number of workers; the result does not depend on it.
  package init(_ task: DiscoveryTask, threads: Int) {
    let trial = DiscoveryTrial(task, usesItems: true, threads: threads)
    users = trial.tests.count
    guard users >= Self.leastUsers else {
      (settings, before, after) = (DiscoverySettings(), .nan, .nan)
      return
    }
    func best(_ trials: [DiscoverySettings]) -> (settings: DiscoverySettings, gains: [Double]) {
      let gains = trial.gains(
        trials.flatMap { settings in
          Self.popularities.map {
            var settings = settings
            settings.popularity = $0
            return settings
          }
        }, threads: threads)
      // The first of equal means wins, so the result does not depend on the number of workers.
      return gains.reduce(gains[0]) { Self.mean($1.gains) > Self.mean($0.gains) ? $1 : $0 }
    }
    let start = best([DiscoverySettings()])
    var chosen = start
    func improve(_ trials: [DiscoverySettings]) {
      guard !trials.isEmpty else { return }
      let found = best(trials)
      if Self.isClear(zip(found.gains, chosen.gains).map { $0 - $1 }) { chosen = found }
    }
    improve(
      Self.halfLives.map {
        var settings = chosen.settings
        settings.halfLife = $0
        return settings
      })
    improve(
      Self.halfPlaces.map {
        var settings = chosen.settings
        settings.halfPlace = $0
        return settings
      })
    if task.positions != nil {
      improve(
        Self.exponents.map {
          var settings = chosen.settings
          settings.distance = $0
          return settings
        })
    }
    settings = chosen.settings
    (before, after) = (Self.mean(start.gains), Self.mean(chosen.gains))
  }

  /// The half-life of the popularity alone.
  package enum Trend: Hashable, Sendable {
    /// In milliseconds.
    case halfLife(Int64)
    /// No half-life is clearly better than counting all likes the same.
    case noneIsBetter
    /// Only this number of users have later likes, so no half-life was compared.
    case tooFewUsers(Int)
  }

  /// Chooses the half-life of the popularity alone, for lists that are the same for all users.
  ///
  /// - Parameters:
  ///   - task: The learning interactions and the rules of the lists.
  ///   - threads: The number of workers; the result does not depend on it.
  /// - Returns: The half-life, or the reason why there is none.
  package static func trend(of task: DiscoveryTask, threads: Int) -> Trend {
    let trial = DiscoveryTrial(task, usesItems: false, threads: threads)
    guard trial.tests.count >= leastUsers else { return .tooFewUsers(trial.tests.count) }
    let trials = ([nil] + halfLives.map { $0 }).map { halfLife in
      var settings = DiscoverySettings()
      settings.halfLife = halfLife
      return settings
    }
    let gains = trial.gains(trials, threads: threads)
    let best = gains.dropFirst().reduce(gains[0]) { mean($1.gains) > mean($0.gains) ? $1 : $0 }
    guard let halfLife = best.settings.halfLife,
      isClear(zip(best.gains, gains[0].gains).map { $0 - $1 })
    else { return .noneIsBetter }
    return .halfLife(halfLife)
  }

  private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

  /// Whether the mean of paired differences is above 0 by more than `leastGain` standard errors.
  static func isClear(_ differences: [Double]) -> Bool {
    let mean = mean(differences)
    let squares = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let error = (squares / Double(differences.count - 1) / Double(differences.count)).squareRoot()
    return mean > leastGain * error
  }
}

/// The users and likes on which settings are compared.
private struct DiscoveryTrial: Sendable {
  struct Test: Sendable {
    var user: Int
    /// The candidates that the user likes after the cut, except candidates in `excluded`; ascending.
    var likes: [UInt32]
    /// The candidates that the user decided on up to the cut, ascending. They include the user if users and
    /// candidates are of one kind.
    var excluded: [UInt32]
  }

  /// The length of the compared lists.
  static let length = 10
  /// The largest number of compared users, and the largest number of compared pairs of a user and a
  /// candidate. At least 200 users are compared, even if they have more pairs.
  private static let mostUsers = 2000
  private static let mostPairs = 10_000_000

  let tests: [Test]
  private let liked: LikedCandidates
  /// The coefficients; `nil` if only the popularity is compared.
  private let items: ItemToItem?
  private let asOf: Int64
  private let positions: (users: Positions, candidates: Positions)?
  private let radius: Double?

  init(_ task: DiscoveryTask, usesItems: Bool, threads: Int) {
    let (table, isAmongThemselves) = (task.table, task.isAmongThemselves)
    let times = task.cut.times(table)
    liked = LikedCandidates(table, upTo: { times[$0] }, threads: threads)
    items = usesItems ? ItemToItem(liked, threads: threads) : nil
    asOf = liked.times.max() ?? 0
    (positions, radius) = (task.positions, task.radius)
    let most = max(200, min(Self.mostUsers, Self.mostPairs / max(liked.candidateCount, 1)))
    let decisions = PairDecisions(table, threads: threads)
    let found = parallelMap(count: times.count, chunkSize: 4096, threads: threads) { chunk in
      chunk.compactMap {
        Self.test(of: $0, in: table, decisions, upTo: times[$0], isAmongThemselves: isAmongThemselves)
      }
    }.flatMap { $0 }
    // The users are sampled by hash, so the sample does not depend on the number of workers.
    tests =
      found.count <= most
      ? found
      : found.map { (hash: Mix64.pair(UInt64($0.user), 0, seed: task.seed), test: $0) }
        .sorted { $0.hash < $1.hash }.prefix(most).map(\.test)
  }

  private static func test(
    of user: Int, in table: InteractionTable, _ decisions: PairDecisions, upTo time: Int64,
    isAmongThemselves: Bool
  ) -> Test? {
    let rows = table.range(ofUser: user)
    var excluded = Set(rows.filter { table.at[$0] <= time }.map { table.candidate[$0] })
    if isAmongThemselves { excluded.insert(UInt32(user)) }
    let likes = rows.filter {
      table.at[$0] > time && decisions.isLatest($0) && decisions.isLike($0)
        && !excluded.contains(table.candidate[$0])
    }.map { table.candidate[$0] }.sorted()
    return likes.isEmpty ? nil : Test(user: user, likes: likes, excluded: excluded.sorted())
  }

  /// The nDCG@10 of each compared user under each of `settings`.
  func gains(
    _ settings: [DiscoverySettings], threads: Int
  ) -> [(settings: DiscoverySettings, gains: [Double])] {
    var popularities: [Int64?: TrendingPopularity] = [:]
    for halfLife in Set(settings.map(\.halfLife)) {
      popularities[halfLife] = TrendingPopularity(liked, halfLife: halfLife, asOf: asOf)
    }
    let known = popularities
    let parts = parallelMap(count: tests.count, chunkSize: 8, threads: threads) { chunk in
      chunk.map { gains(of: tests[$0], settings, known) }
    }
    let byUser = parts.flatMap { $0 }
    return settings.indices.map { index in (settings[index], byUser.map { $0[index] }) }
  }

  private func gains(
    of test: Test, _ settings: [DiscoverySettings], _ popularities: [Int64?: TrendingPopularity]
  ) -> [Double] {
    let likes = liked.candidates[liked.range(ofUser: test.user)]
    let distances = distances(of: test.user)
    var isExcluded = [Bool](repeating: false, count: liked.candidateCount)
    for candidate in test.excluded { isExcluded[Int(candidate)] = true }
    if let radius, let distances {
      for candidate in isExcluded.indices where !(distances[candidate] <= radius) {
        isExcluded[candidate] = true
      }
    }
    var sums: [Double?: [Float]] = [:]
    for halfPlace in Set(settings.map(\.halfPlace)) {
      var own = [Float](repeating: 0, count: liked.candidateCount)
      items?.add(likes, halfPlace: halfPlace, to: &own)
      sums[halfPlace] = own
    }
    var decays: [Double: [Float]] = [:]
    if let distances {
      for exponent in Set(settings.map(\.distance)) where exponent > 0 {
        decays[exponent] = distances.map { Float(UserDiscovery.decay($0, exponent)) }
      }
    }
    return settings.map { settings in
      guard let own = sums[settings.halfPlace], let popularity = popularities[settings.halfLife] else {
        preconditionFailure("all settings were prepared")
      }
      return gain(
        test, own, popularity.values, Float(settings.popularity), decays[settings.distance], isExcluded)
    }
  }

  private func distances(of user: Int) -> [Double]? {
    guard let positions else { return nil }
    let origin = positions.users[user].map(DistanceOrigin.init)
    return (0..<liked.candidateCount).map {
      positions.candidates.distanceInKilometers(from: origin, to: $0)
    }
  }

  /// The nDCG@10 of the list of one user.
  private func gain(
    _ test: Test, _ own: [Float], _ popularity: [Float], _ weight: Float, _ decay: [Float]?,
    _ isExcluded: [Bool]
  ) -> Double {
    var best: [(score: Float, candidate: UInt32)] = []
    for candidate in own.indices where !isExcluded[candidate] {
      var score = DiscoveryScores.nearby(own[candidate], popularity[candidate], weight: weight)
      if let decay { score *= decay[candidate] }
      if best.count == Self.length, score <= best[best.count - 1].score { continue }
      let place = best.firstIndex { $0.score < score } ?? best.count
      best.insert((score, UInt32(candidate)), at: place)
      if best.count > Self.length { best.removeLast() }
    }
    var gain = 0.0
    for (place, found) in best.enumerated() where test.likes.contains(found.candidate) {
      gain += 1 / log2(Double(place + 2))
    }
    let ideal = (0..<min(test.likes.count, Self.length)).reduce(0) { $0 + 1 / log2(Double($1 + 2)) }
    return gain / ideal
  }
}
