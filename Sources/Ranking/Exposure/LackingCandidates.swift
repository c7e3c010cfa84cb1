internal import Concurrency
internal import Features
internal import PipelineFile
internal import Search

/// Finds lists for candidates who are on fewer lists than the floor requires.
///
/// For each of these candidates, some users in reach are examined, evenly spaced among all of them, and the
/// lists on which the candidate is worth most are kept. If the candidate is still on too few lists, more users are
/// examined, and in the end all of them.
struct LackingCandidates {
  private let recommender: Recommender
  /// The index of each user among the users with lists; `nil` for a user without lists.
  private let places: [UInt32?]
  private let least: Int
  /// Whether the rules for candidates let each candidate be on lists.
  let isListable: [Bool]
  /// The number of users that were examined for each candidate; `Int.max` if all were.
  private var examined: [Int]

  /// A candidate gets this many lists to choose from, for each list that it should be on.
  private static let choices = 4
  /// The number of users that are examined first. Each further round examines `growth` times as many.
  private static let firstSample = 256
  private static let growth = 16
  /// The number of candidates that are examined together. It limits the memory for their lists.
  private static let batch = 4096

  /// - Parameters:
  ///   - recommender: The rules of the ranking.
  ///   - users: The rows of the users with lists, in search order.
  ///   - least: The least number of lists of a candidate; 0 for no floor.
  init(_ recommender: Recommender, users: [UInt32], least: Int) {
    self.recommender = recommender
    self.least = least
    var places = [UInt32?](repeating: nil, count: recommender.userCount)
    for (place, user) in users.enumerated() { places[Int(user)] = UInt32(place) }
    self.places = places
    isListable = (0..<recommender.candidateCount).map { recommender.isListable(candidate: $0) }
    examined = isListable.map { least > 0 && $0 ? 0 : .max }
  }

  /// Adds lists for candidates who are on too few lists. `appearances` has the number of lists of each candidate.
  ///
  /// - Returns: Whether there were users who had not been examined.
  mutating func extend(_ pools: inout ListPools, _ appearances: [Int], threads: Int) -> Bool {
    let lacking = examined.indices.filter { examined[$0] < .max && appearances[$0] < least }
    for first in stride(from: 0, to: lacking.count, by: Self.batch) {
      add(lacking[first..<min(first + Self.batch, lacking.count)], to: &pools, threads: threads)
    }
    return !lacking.isEmpty
  }

  /// A list that may show a candidate.
  private struct Offer: Sendable {
    var pool: Int
    var entry: PoolEntry
    /// Decides between lists on which the candidate is worth the same.
    var mix: UInt64
  }

  private mutating func add(_ lacking: ArraySlice<Int>, to pools: inout ListPools, threads: Int) {
    var wanted: [UInt32: [Int]] = [:]
    for candidate in lacking {
      for place in examine(candidate) { wanted[place, default: []].append(candidate) }
    }
    let asked = wanted.sorted { $0.key < $1.key }
    let (finder, current) = (self, pools)
    let found = parallelMap(count: asked.count, chunkSize: 64, threads: threads) { chunk in
      chunk.flatMap { finder.offers(to: Int(asked[$0].key), asked[$0].value, current) }
    }.flatMap(\.self)
    var offers: [Int: [Offer]] = [:]
    for offer in found { offers[offer.entry.found.candidate, default: []].append(offer) }
    for candidate in lacking {
      let best = (offers[candidate] ?? []).sorted {
        ($1.entry.value, $0.mix, $0.pool) < ($0.entry.value, $1.mix, $1.pool)
      }
      for offer in best.prefix(Self.choices * least) { pools.add(offer.entry, to: offer.pool) }
    }
  }

  /// The next users to examine for `candidate`, by their index among the users with lists.
  private mutating func examine(_ candidate: Int) -> [UInt32] {
    let near = recommender.users(around: candidate)
    let size = examined[candidate] == 0 ? Self.firstSample : examined[candidate] * Self.growth
    examined[candidate] = size >= near.count ? .max : size
    guard size < near.count else { return (0..<near.count).compactMap { places[near[$0]] } }
    let step = near.count / size
    // Candidates in one place begin with different users.
    let start = Int(recommender.people.candidateHashes[candidate] % UInt64(step))
    return stride(from: start, to: near.count, by: step).compactMap { places[near[$0]] }
  }

  /// The lists of one user that may show `candidates` and whose pools do not contain them.
  private func offers(to place: Int, _ candidates: [Int], _ pools: ListPools) -> [Offer] {
    let user = pools.users[place]
    let view = recommender.view(of: user.row)
    let words = recommender.words?.of(user: user.row)
    let order = recommender.people.order(forUser: user.row)
    var offers: [Offer] = []
    for candidate in candidates where view.isEligible(candidate: candidate) {
      if let score = view.score(candidate: candidate).score, !(score > recommender.ranking.minimumScore) {
        continue
      }
      var lists = words == nil ? [0] : []
      _ = words?.forEachList(of: candidate) { lists.append($0) }
      for list in lists {
        let number = user.lists.lowerBound + list
        if pools.pools[number].contains(candidate) { continue }
        offers.append(
          Offer(
            pool: number, entry: pools.entry(of: candidate, view),
            mix: order.mix(recommender.people.candidateHashes[candidate])))
      }
    }
    return offers
  }
}
