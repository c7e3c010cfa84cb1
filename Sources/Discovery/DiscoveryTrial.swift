internal import Columns
internal import Concurrency
internal import Features
internal import Geohash
internal import Glibc
internal import RunSchemas

/// Compares settings on the users who have likes after one inner cut.
struct DiscoveryTrial: Sendable {
  struct Test: Sendable {
    var user: Int
    /// The candidates that the user likes after the cut, except candidates in `excluded`; ascending.
    var likes: [UInt32]
    /// The candidates with which the user interacted up to the cut, ascending. They include the user if users
    /// and candidates are the same entity.
    var excluded: [UInt32]
  }

  /// The length of the compared lists.
  static let length = 10
  /// The maximum number of compared users.
  private static let mostUsers = 2000
  /// The maximum number of compared pairs of a user and a candidate. Up to 200 users are always compared,
  /// even if they have more pairs.
  private static let mostPairs = 10_000_000

  let tests: [Test]
  private let liked: LikedCandidates
  /// The coefficients; `nil` if only the popularity is compared.
  private let items: ItemToItem?
  /// The areas, by precision. Empty if only the popularity is compared, if the candidates have no positions,
  /// or if their positions can differ between the cuts of the users.
  private let areas: [Int: LikedAreas]
  private let asOf: Int64
  /// The users as they were at their cuts.
  private let users: EntitiesAsOf
  /// The candidates as they were at the cut; `nil` if they can differ between the cuts of the users.
  private let sharedCandidates: EntitiesAsOf?
  private let task: DiscoveryTask
  /// The cut of each user, in milliseconds since 1970 UTC.
  private let cuts: [Int64]

  init(_ task: DiscoveryTask, _ window: InnerCut.Window, usesItems: Bool, threads: Int) {
    let (table, isAmongThemselves, cuts) = (task.table, task.isAmongThemselves, window.cuts)
    liked = LikedCandidates(table, upTo: { cuts[$0] }, threads: threads)
    items = usesItems ? ItemToItem(liked, threads: threads) : nil
    asOf = liked.times.max() ?? 0
    let users = EntitiesAsOf(task.users, usesLaterProfiles: task.usesLaterProfiles) { cuts[$0] }
    let changes = task.cut == .eachUser && EntitiesAsOf.change(task.candidates)
    sharedCandidates = changes ? nil : task.candidates(at: cuts.first ?? 0)
    var areas: [Int: LikedAreas] = [:]
    if usesItems, let positions = sharedCandidates?.positions {
      for precision in DiscoveryChoice.areaPrecisions {
        areas[precision] = LikedAreas(liked, positions, precision: precision, threads: threads)
      }
    }
    self.areas = areas
    (self.users, self.task, self.cuts) = (users, task, cuts)
    let most = max(200, min(Self.mostUsers, Self.mostPairs / max(liked.candidateCount, 1)))
    let decisions = PairDecisions(table, threads: threads)
    let found = parallelMap(count: cuts.count, chunkSize: 4096, threads: threads) { chunk in
      chunk.filter { users.exists[$0] }.compactMap {
        Self.test(
          of: $0, in: table, decisions, after: cuts[$0], upTo: window.end,
          isAmongThemselves: isAmongThemselves)
      }
    }.flatMap { $0 }
    // The users are sampled by hash, so the sample does not depend on the number of threads.
    tests =
      found.count <= most
      ? found
      : found.map { (hash: Mix64.pair(UInt64($0.user), 0, seed: task.seed), test: $0) }
        .sorted { $0.hash < $1.hash }.prefix(most).map(\.test)
  }

  /// Whether settings with areas can be compared.
  var hasAreas: Bool { !areas.isEmpty }

  private static func test(
    of user: Int, in table: InteractionTable, _ decisions: PairDecisions, after cut: Int64,
    upTo end: Int64, isAmongThemselves: Bool
  ) -> Test? {
    let rows = table.range(ofUser: user)
    var excluded = Set(rows.filter { table.at[$0] <= cut }.map { table.candidate[$0] })
    if isAmongThemselves { excluded.insert(UInt32(user)) }
    let likes = rows.filter {
      table.at[$0] > cut && table.at[$0] <= end && decisions.isLatest($0) && decisions.isLike($0)
        && !excluded.contains(table.candidate[$0])
    }.map { table.candidate[$0] }.sorted()
    return likes.isEmpty ? nil : Test(user: user, likes: likes, excluded: excluded.sorted())
  }

  /// The popularities of all candidates, for each combination of the settings that affect them.
  private struct Popularities: Sendable {
    /// By half-life.
    var global: [Int64?: TrendingPopularity] = [:]
    /// By precision and half-life.
    var local: [Int: [Int64?: LocalPopularity]] = [:]
  }

  /// Returns the nDCG@10 of each test with each of `settings`, by test and then by setting.
  func gains(_ settings: [DiscoverySettings], threads: Int) -> [[Double]] {
    var popularities = Popularities()
    for halfLife in Set(settings.map(\.halfLife)) {
      let popularity = TrendingPopularity(liked, halfLife: halfLife, asOf: asOf)
      popularities.global[halfLife] = popularity
      for case let precision? in Set(settings.map(\.areaPrecision)) {
        guard let areas = areas[precision] else { continue }
        popularities.local[precision, default: [:]][halfLife] = LocalPopularity(areas, popularity)
      }
    }
    let known = popularities
    return parallelMap(count: tests.count, chunkSize: 8, threads: threads) { chunk in
      chunk.map { gains(of: tests[$0], settings, known) }
    }.flatMap { $0 }
  }

  private func gains(
    of test: Test, _ settings: [DiscoverySettings], _ popularities: Popularities
  ) -> [Double] {
    let likes = liked.candidates[liked.range(ofUser: test.user)]
    let candidates = sharedCandidates ?? task.candidates(at: cuts[test.user])
    let distances = distances(of: test.user, to: candidates)
    var isExcluded = candidates.exists.map { !$0 }
    for candidate in test.excluded { isExcluded[Int(candidate)] = true }
    if let radius = task.radius, let distances {
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
    var previous: (settings: DiscoverySettings, values: [Float])?
    return settings.map { settings in
      guard let own = sums[settings.halfPlace] else {
        preconditionFailure("the sums must be prepared for all compared settings")
      }
      // Most consecutive settings differ only in the weight or the exponent, which do not affect the
      // popularity.
      var unweighted = settings
      (unweighted.popularity, unweighted.distance) = (1, 0)
      let popularity =
        previous?.settings == unweighted
        ? previous?.values ?? [] : self.popularity(for: test.user, settings, popularities)
      previous = (unweighted, popularity)
      return gain(
        test, own, popularity, Float(settings.popularity), decays[settings.distance], isExcluded)
    }
  }

  /// Returns the popularity of each candidate for `user`.
  private func popularity(
    for user: Int, _ settings: DiscoverySettings, _ popularities: Popularities
  ) -> [Float] {
    if let precision = settings.areaPrecision, let areas = areas[precision],
      let local = popularities.local[precision]?[settings.halfLife]
    {
      return local.values(areas.predictions(ofUser: user, halfPlace: settings.halfPlace))
    }
    guard let global = popularities.global[settings.halfLife] else {
      preconditionFailure("the popularities must be prepared for all compared settings")
    }
    return global.values
  }

  private func distances(of user: Int, to candidates: EntitiesAsOf) -> [Double]? {
    guard let places = users.positions, let positions = candidates.positions else { return nil }
    let origin = places[user].map(DistanceOrigin.init)
    return (0..<liked.candidateCount).map { positions.distanceInKilometers(from: origin, to: $0) }
  }

  /// Returns the nDCG@10 of the list of one user, from 0 to 1.
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

extension DiscoveryTask {
  fileprivate func candidates(at time: Int64) -> EntitiesAsOf {
    EntitiesAsOf(candidates, usesLaterProfiles: usesLaterProfiles) { _ in time }
  }
}
