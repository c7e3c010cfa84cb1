internal import Files
internal import PipelineFile
internal import Search

/// Chooses the lists of all users together, so that the ranking's limits on exposure hold.
///
/// Each list is chosen from a pool of the user's best candidates. A pool grows until no candidate outside of it
/// can make the lists noticeably better.
struct ExposedLists {
  private let recommender: Recommender
  private let ranking: Pipeline.Ranking
  private let limits: Pipeline.ExposureLimits
  private let sample: FunnelSample
  private let threads: Int
  private let candidateCount: Int
  private var lacking: LackingCandidates
  private var pools: ListPools
  /// The size of the largest pools.
  private var size: Int
  /// The greatest number of lists of each candidate.
  private var most: [Int]

  /// A pool is this many times as long as its list, and grows by the same factor.
  private static let growth = 4

  /// - Parameters:
  ///   - limits: The limits of the ranking.
  ///   - recommender: The ranking.
  ///   - users: The users with lists, in search order.
  ///   - sample: The users whose candidates are counted.
  ///   - leastSize: The smallest size of a pool. With fewer candidates, all pools are complete.
  ///   - threads: The number of workers; the lists do not depend on it.
  /// - Throws: `FileError` if the index or models cannot be read.
  init(
    _ limits: Pipeline.ExposureLimits, _ recommender: Recommender, of users: [UInt32],
    _ sample: FunnelSample, leastSize: Int = 64, threads: Int
  ) throws(FileError) {
    (self.limits, self.recommender, self.sample, self.threads) = (limits, recommender, sample, threads)
    ranking = recommender.ranking
    size = max(leastSize, Self.growth * ranking.top)
    let first = try recommender.withLength(size)
    candidateCount = first.candidateCount
    pools = ListPools(first, of: users, sample, threads: threads)
    lacking = LackingCandidates(first, users: users, least: limits.least)
    lacking.extend(&pools, threads: threads)
    var most = pools.pools.count
    if case .lists(let lists) = limits.ceiling { most = min(most, lists) }
    self.most = [Int](repeating: most, count: candidateCount)
  }

  /// The lists of all users, in search order, and the effect of the limits.
  mutating func choose() throws(FileError) -> (lists: [UserLists], summary: ExposureSummary) {
    while true {
      let assignment = assignment()
      let users = usersWithSmallPools(assignment)
      let isExtended = lacking.extend(&pools, after: assignment, threads: threads)
      if users.isEmpty, !isExtended { return lists(assignment) }
      guard !users.isEmpty else { continue }
      size = min(size * Self.growth, candidateCount + 1)
      pools.enlarge(users, try recommender.withLength(size), sample, threads: threads)
    }
  }

  /// The best choice from the pools that are there.
  private mutating func assignment() -> ListAssignment {
    let entries = entries
    while true {
      let assignment = ListAssignment(
        entries, candidates: candidateCount, top: ranking.top, most: most,
        least: most.map { min(limits.least, $0) })
      guard case .likes(let likes) = limits.ceiling, limit(assignment, to: likes) else { return assignment }
    }
  }

  private var entries: AssignmentEntries {
    var entries = AssignmentEntries()
    for pool in pools.pools {
      for entry in pool.entries {
        entries.candidates.append(UInt32(entry.found.candidate))
        entries.values.append(entry.value)
      }
      entries.firsts.append(entries.candidates.count)
    }
    return entries
  }

  /// Lowers the number of lists of each candidate from whom more than `likes` likes are expected.
  ///
  /// - Returns: Whether there is such a candidate.
  private mutating func limit(_ assignment: ListAssignment, to likes: Double) -> Bool {
    var expected = [Double](repeating: 0, count: candidateCount)
    var number = 0
    for pool in pools.pools {
      for entry in pool.entries {
        if assignment.isChosen[number] { expected[entry.found.candidate] += Double(entry.chance) }
        number += 1
      }
    }
    var isLimited = false
    for candidate in 0..<candidateCount where expected[candidate] > likes {
      let lists = assignment.appearances[candidate]
      most[candidate] = min(lists - 1, Int(Double(lists) * likes / expected[candidate]))
      isLimited = true
    }
    return isLimited
  }

  /// The users with pools that must grow, because candidates outside of these pools could raise the total by
  /// more than the tolerance.
  private func usersWithSmallPools(_ assignment: ListAssignment) -> [Int] {
    var gains: [(user: Int, gain: Double)] = []
    var first = 0
    for (number, user) in pools.users.enumerated() {
      var gain = 0.0
      for list in user.lists {
        gain += possibleGain(pools.pools[list], list, first, assignment)
        first += pools.pools[list].entries.count
      }
      if gain > 0 { gains.append((number, gain)) }
    }
    let total = gains.reduce(0) { $0 + $1.gain }
    return total <= abs(assignment.total) * ListAssignment.tolerance ? [] : gains.map(\.user)
  }

  /// The most by which candidates outside of a pool can raise the value of its list. `first` is the number of
  /// its first entry.
  private func possibleGain(
    _ pool: ListPool, _ list: Int, _ first: Int, _ assignment: ListAssignment
  ) -> Double {
    guard !pool.isComplete, pool.bestCount > 0 else { return 0 }
    guard assignment.lengths[list] == ranking.top else { return .infinity }
    // A candidate outside of the pool is worth at most as much as the last of the best, and costs other lists
    // nothing.
    let outside = pool.entries[pool.bestCount - 1].value
    var gain = 0.0
    for (place, entry) in pool.entries.enumerated() where assignment.isChosen[first + place] {
      gain += Double(max(0, outside - (entry.value - assignment.prices[entry.found.candidate])))
    }
    return gain
  }

  private func lists(_ assignment: ListAssignment) -> (lists: [UserLists], summary: ExposureSummary) {
    var summary = ExposureSummary(assignment, limits, most: most, isListable: lacking.isListable)
    var first = 0
    let lists = pools.users.map { user in
      var lists = user.found
      for (list, number) in user.lists.enumerated() {
        let pool = pools.pools[number]
        let chosen = pool.entries.indices.filter { assignment.isChosen[first + $0] }
        first += pool.entries.count
        summary.addUnlimited(pool.entries.prefix(min(ranking.top, pool.bestCount)))
        let result = result(chosen.map { pool.entries[$0].found }, pool)
        lists.counts?.move(from: pool.search.counts, to: result.counts)
        lists.lists[list] = result
      }
      return lists
    }
    return (lists, summary)
  }

  /// The list with the entries `chosen` from `pool`.
  private func result(_ chosen: [Recommendation], _ pool: ListPool) -> SearchResult {
    var result = pool.search
    result.best = chosen
    result.counts?.relist(chosen.count, isFull: chosen.count == ranking.top)
    if chosen.count == ranking.top {
      result.shortfall = nil
    } else if chosen.count < pool.entries.count || !pool.isComplete {
      result.shortfall = .exposure
    }
    return result
  }
}

extension Recommender {
  /// The lists of `users`, chosen together; `nil` if the ranking has no limits on exposure.
  func exposedLists(
    of users: [UInt32], _ sample: FunnelSample, threads: Int
  ) throws(FileError) -> (lists: [UserLists], summary: ExposureSummary)? {
    guard let limits = ranking.exposure else { return nil }
    var exposed = try ExposedLists(limits, self, of: users, sample, threads: threads)
    return try exposed.choose()
  }
}
