internal import Concurrency
internal import Features
internal import PipelineFile
internal import Search

/// Finds lists for candidates who need more lists because of the floor.
///
/// These are the candidates on fewer lists than the floor requires, and the candidates whose place another candidate
/// needs. For each of them, some users in reach are examined, evenly spaced among all of them. If the candidate still
/// needs lists, more users are examined, and in the end all of them.
///
/// A candidate becomes an entry of the lists that can take it without lowering another candidate below the floor and
/// without emptying a place. If all users in reach were examined and there is no such list, the candidate is settled:
/// the floor cannot be reached, unless the other lists change.
struct LackingCandidates {
  private let recommender: Recommender
  /// The index of each user among the users with lists; `nil` for a user without lists.
  private let places: [UInt32?]
  private let least: Int
  /// Whether the rules for candidates let each candidate be on lists.
  let isListable: [Bool]
  /// The number of users that were examined for each candidate; `Int.max` if all were.
  private var examined: [Int]
  /// For each candidate, whether the last examination of all users found no list that can take the candidate.
  private var isSettled: [Bool]
  /// Whether pools changed since the last examination of settled candidates.
  private var isStale = false
  /// The number of times that settled candidates were examined again.
  private var sweeps = 0

  /// For each list that the floor requires, a candidate becomes an entry of this many lists.
  private static let choices = 4
  /// The number of users that are examined first. Each further round examines `growth` times as many.
  private static let firstSample = 256
  private static let growth = 16
  /// The number of pairs of candidates and users that are examined together. It limits the memory.
  private static let batch = 1 << 20
  /// Settled candidates are examined again at most this many times, because each examination visits all
  /// users in reach.
  private static let mostSweeps = 8

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
    examined = [Int](repeating: 0, count: isListable.count)
    isSettled = [Bool](repeating: false, count: isListable.count)
  }

  /// Adds candidates who need more lists to the pools of lists that can take them.
  ///
  /// - Parameters:
  ///   - pools: The pools.
  ///   - assignment: The choice from the pools.
  ///   - threads: The number of workers; the entries do not depend on it.
  /// - Returns: Whether another choice may reach more floors.
  mutating func extend(_ pools: inout ListPools, _ assignment: ListAssignment, threads: Int) -> Bool {
    guard least > 0, assignment.appearances.indices.contains(where: { isBelow($0, assignment) }) else {
      return false
    }
    // If every place of every list counts for a floor, no choice reaches more floors.
    let isSpare =
      assignment.lengths.contains { $0 < recommender.ranking.top }
      || assignment.appearances.contains { $0 > least }
    guard isSpare else { return false }
    let needing = isSettled.indices.filter {
      isListable[$0] && (isBelow($0, assignment) || assignment.prices[$0] < -assignment.weight / 2)
    }
    var asked = needing.filter { !isSettled[$0] }
    if asked.isEmpty, isStale, sweeps < Self.mostSweeps {
      (asked, isStale) = (needing, false)
      sweeps += 1
    }
    let worths = pools.pools.indices.map {
      max(assignment.valueOfEmptyPlace, pools.leastWorth($0, assignment.prices))
    }
    var isExtended = false
    var (batch, pairs): ([UInt32: [Int]], Int) = ([:], 0)
    var first = 0
    for (index, candidate) in asked.enumerated() {
      for place in examine(candidate) {
        batch[place, default: []].append(candidate)
        pairs += 1
      }
      guard pairs >= Self.batch || index == asked.count - 1 else { continue }
      let offers = offers(batch, worths, assignment, pools, threads: threads)
      if add(asked[first...index], offers, to: &pools) { isExtended = true }
      (batch, pairs, first) = ([:], 0, index + 1)
    }
    return isExtended
  }

  /// Returns whether `candidate` is on fewer lists than the floor requires.
  private func isBelow(_ candidate: Int, _ assignment: ListAssignment) -> Bool {
    isListable[candidate] && assignment.appearances[candidate] < least
  }

  /// A list that can take a candidate.
  private struct Offer: Sendable {
    var pool: Int
    var entry: PoolEntry
    /// The value minus price that the list gains by taking the candidate.
    var gain: Double
    /// Decides between equal lists.
    var mix: UInt64
  }

  /// Returns the offers of the users in `batch` by candidate. `batch` contains the candidates by user,
  /// and `worths` contains the worth of the last place of each list.
  private func offers(
    _ batch: [UInt32: [Int]], _ worths: [Double], _ assignment: ListAssignment, _ pools: ListPools,
    threads: Int
  ) -> [Int: [Offer]] {
    let asked = batch.sorted { $0.key < $1.key }
    let found = parallelMap(count: asked.count, chunkSize: 64, threads: threads) { chunk in
      chunk.flatMap { offers(to: Int(asked[$0].key), asked[$0].value, worths, assignment, pools) }
    }.flatMap(\.self)
    return Dictionary(grouping: found) { $0.entry.found.candidate }
  }

  /// Adds `candidates` to the pools of some of their offers: the offers with the largest gains, and as many
  /// offers selected by hash. Without the latter, all candidates in one place could compete for the same few
  /// lists.
  ///
  /// - Returns: Whether there are offers, or users who were not examined.
  private mutating func add(
    _ candidates: ArraySlice<Int>, _ offers: [Int: [Offer]], to pools: inout ListPools
  ) -> Bool {
    var isExtended = false
    let half = Self.choices * least / 2
    for candidate in candidates {
      let best = (offers[candidate] ?? []).sorted { ($1.gain, $0.mix, $0.pool) < ($0.gain, $1.mix, $1.pool) }
      let others = best.dropFirst(half).sorted { ($0.mix, $0.pool) < ($1.mix, $1.pool) }
      for offer in best.prefix(half) + others.prefix(half) { pools.add(offer.entry, to: offer.pool) }
      isSettled[candidate] = best.isEmpty && examined[candidate] == .max
      if !best.isEmpty { isStale = true }
      if !isSettled[candidate] { isExtended = true }
    }
    return isExtended
  }

  /// Returns the next users to examine for `candidate`, as indices among the users with lists.
  private mutating func examine(_ candidate: Int) -> [UInt32] {
    let near = recommender.users(around: candidate)
    let (size, isOverflow) =
      examined[candidate] == 0
      ? (Self.firstSample, false) : examined[candidate].multipliedReportingOverflow(by: Self.growth)
    examined[candidate] = isOverflow || size >= near.count ? .max : size
    guard examined[candidate] < .max else { return (0..<near.count).compactMap { places[near[$0]] } }
    let step = near.count / size
    // Candidates in one place begin with different users.
    let start = Int(recommender.people.candidateHashes[candidate] % UInt64(step))
    return stride(from: start, to: near.count, by: step).compactMap { places[near[$0]] }
  }

  /// Returns the offers of one user to all `candidates` who are not in the user's pools.
  private func offers(
    to place: Int, _ candidates: [Int], _ worths: [Double], _ assignment: ListAssignment, _ pools: ListPools
  ) -> [Offer] {
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
        let entry = pools.entry(of: candidate, view)
        let gain = entry.value - max(assignment.prices[candidate], -assignment.weight) - worths[number]
        // A list that needs its last place for another floor gains at most the range of values, which is a quarter
        // of the weight. Other lists gain more.
        guard gain > 0.26 * assignment.weight else { continue }
        offers.append(
          Offer(
            pool: number, entry: entry, gain: gain,
            mix: order.mix(recommender.people.candidateHashes[candidate])))
      }
    }
    return offers
  }
}
