internal import Concurrency
internal import Features
internal import PipelineFile
internal import Search

/// Finds lists for candidates who are in too few pools to reach the least exposure.
///
/// For each of these candidates, some users in reach are examined, evenly spaced among all of them, and the
/// lists for which the candidate is worth most are kept. If these are not enough, more users are examined, and in the
/// end all.
struct LackingCandidates {
  private let recommender: Recommender
  /// The index of each user among the users with lists; `nil` for a user without lists.
  private let places: [UInt32?]
  private let users: [UInt32]
  private let least: Int
  /// The number of users that were examined for each candidate; `Int.max` if all were.
  private var examined: [Int]

  /// A candidate gets this many lists to choose from, for each list that it should be on.
  private static let choices = 4
  /// The number of users that are examined first.
  private static let firstSample = 256

  /// - Parameters:
  ///   - recommender: The rules of the ranking.
  ///   - users: The users with lists.
  ///   - least: The least number of lists of a candidate.
  init(_ recommender: Recommender, users: [UInt32], least: Int) {
    self.recommender = recommender
    self.users = users
    self.least = least
    var places = [UInt32?](repeating: nil, count: recommender.userCount)
    for (place, user) in users.enumerated() { places[Int(user)] = UInt32(place) }
    self.places = places
    examined = (0..<recommender.candidateCount).map {
      least > 0 && recommender.isListable(candidate: $0) ? 0 : .max
    }
  }

  /// Adds lists for candidates who are in few pools.
  mutating func extend(_ pools: inout ListPools, threads: Int) {
    guard least > 0 else { return }
    var counts = [Int](repeating: 0, count: recommender.candidateCount)
    for pool in pools.pools {
      for entry in pool.entries { counts[entry.found.candidate] += 1 }
    }
    let lacking = counts.indices.filter { counts[$0] < Self.choices * least && examined[$0] == 0 }
    add(lacking, to: &pools, threads: threads)
  }

  /// Whether the rules for candidates let each candidate be on lists.
  var isListable: [Bool] { examined.indices.map { recommender.isListable(candidate: $0) } }

  /// Adds lists for candidates whom `assignment` shows on too few lists.
  ///
  /// - Returns: Whether there were users who had not been examined.
  mutating func extend(
    _ pools: inout ListPools, after assignment: ListAssignment, threads: Int
  ) -> Bool {
    guard least > 0 else { return false }
    let lacking = examined.indices.filter { examined[$0] < .max && assignment.appearances[$0] < least }
    add(lacking, to: &pools, threads: threads)
    return !lacking.isEmpty
  }

  /// A list that may show a candidate.
  private struct Offer: Sendable {
    var pool: Int
    var entry: PoolEntry
  }

  private mutating func add(_ lacking: [Int], to pools: inout ListPools, threads: Int) {
    var wanted: [UInt32: [Int]] = [:]
    for candidate in lacking {
      let near = recommender.users(around: candidate)
      let size = examined[candidate] == 0 ? Self.firstSample : examined[candidate] * 16
      examined[candidate] = size >= near.count ? .max : size
      let step = max(1, near.count / min(size, max(near.count, 1)))
      // Candidates in one place begin with different users.
      let start = Int(recommender.people.candidateHashes[candidate] % UInt64(step))
      for index in stride(from: start, to: near.count, by: step) {
        if let place = places[near[index]] { wanted[place, default: []].append(candidate) }
      }
    }
    let asked = wanted.sorted { $0.key < $1.key }
    let (finder, current) = (self, pools)
    let found = parallelMap(count: asked.count, chunkSize: 64, threads: threads) { chunk in
      chunk.flatMap { finder.offers(to: Int(asked[$0].key), asked[$0].value, current) }
    }.flatMap(\.self)
    var best: [Int: [Offer]] = [:]
    for offer in found { best[offer.entry.found.candidate, default: []].append(offer) }
    for candidate in lacking {
      let sorted = (best[candidate] ?? []).sorted { ($1.entry.value, $0.pool) < ($0.entry.value, $1.pool) }
      for offer in sorted.prefix(Self.choices * least) {
        pools.add(offer.entry, to: offer.pool)
      }
    }
  }

  /// The lists of one user that may show `candidates` and whose pools do not contain them.
  private func offers(to place: Int, _ candidates: [Int], _ pools: ListPools) -> [Offer] {
    let user = pools.users[place]
    let view = recommender.view(of: user.row)
    let words = recommender.words?.of(user: user.row)
    var offers: [Offer] = []
    for candidate in candidates where view.isEligible(candidate: candidate) {
      let (score, distance) = view.score(candidate: candidate)
      if let score, !(score > recommender.ranking.minimumScore) { continue }
      var lists = words == nil ? [0] : []
      _ = words?.forEachList(of: candidate) { lists.append($0) }
      let found = Recommendation(
        candidate: candidate, score: recommender.publishedScore(score), distance: distance)
      for list in lists {
        let number = user.lists.lowerBound + list
        if pools.pools[number].entries.contains(where: { $0.found.candidate == candidate }) { continue }
        offers.append(Offer(pool: number, entry: pools.value.entry(found, view)))
      }
    }
    return offers
  }
}
