package import PipelineFile
package import Search

/// Chooses the lists of all users together, so that a ranking's limits on exposure hold.
///
/// Each list is chosen from a pool of candidates. After each choice, a search finds the candidates outside of the
/// pools who would raise the total most, and adds them. The last search proves that such candidates could raise
/// the total by at most the tolerance. This method is known as column generation.
struct ExposedLists {
  let recommender: Recommender
  let top: Int
  private let limits: Pipeline.ExposureLimits
  private let threads: Int
  private var lacking: LackingCandidates
  var pools: ListPools
  /// The total value of the lists without limits.
  private let unlimited: Double
  /// The greatest number of lists of each candidate, if the ceiling counts lists.
  private let most: [Int]
  /// `nil` if the ceiling counts lists.
  private var likesCeiling: LikesCeiling?

  /// Candidates outside of the pools may raise the total by at most this share of the chosen entries'
  /// absolute values.
  private static let tolerance = 0.005

  /// - Parameters:
  ///   - limits: The limits on exposure.
  ///   - recommender: The ranking.
  ///   - users: The users with lists, in search order.
  ///   - sample: The users whose candidates are counted; `nil` for all users.
  ///   - threads: The number of workers; the lists do not depend on it.
  init(
    _ limits: Pipeline.ExposureLimits, _ recommender: Recommender, of users: [UInt32],
    _ sample: FunnelSample? = nil, threads: Int
  ) {
    (self.limits, self.recommender, self.threads) = (limits, recommender, threads)
    top = recommender.ranking.top
    pools = ListPools(recommender, of: users, sample, threads: threads)
    unlimited = pools.pools.reduce(0) { sum, pool in pool.entries.reduce(sum) { $0 + $1.value } }
    lacking = LackingCandidates(recommender, users: users, least: limits.least)
    var most = pools.pools.count
    if case .lists(let lists) = limits.ceiling { most = min(most, lists) }
    self.most = [Int](repeating: most, count: recommender.candidateCount)
    if case .likes(let likes) = limits.ceiling {
      likesCeiling = LikesCeiling(likes, candidates: recommender.candidateCount)
    }
  }

  /// The lists of all users, in search order, and the effect of the limits.
  mutating func choose() -> (lists: [UserLists], summary: ExposureSummary) {
    if let summary = unlimitedSummary { return (pools.users.map(\.unlimited), summary) }
    var allocation = OnlineAllocation(limits, top: top, isListable: lacking.isListable, pools)
    allocation.run(&pools, order: randomOrder)
    var (prices, error) = (allocation.prices, allocation.scale)
    pools.prune(prices, margin: error)
    var isDecisive = false
    while true {
      let assignment = assignment(isDecisive: isDecisive, from: isDecisive ? nil : (prices, error))
      let meanGain = improvePools(assignment, tolerance: Self.tolerance)
      let isExtended = lacking.extend(&pools, assignment, threads: threads)
      if meanGain == nil, !isExtended {
        if isDecisive || assignment.isMaximal { return lists(exchanged(assignment)) }
        isDecisive = true
      }
      prices = assignment.prices
      // Prices are as wrong as lists can gain by other candidates.
      error = isExtended ? allocation.scale : max(meanGain ?? 0, allocation.scale / 64)
    }
  }

  /// The users in the order of their hashes.
  private var randomOrder: [Int] {
    let hashes = recommender.people.userHashes
    return pools.users.indices.sorted {
      let (first, second) = (pools.users[$0].row, pools.users[$1].row)
      return (hashes[first], first) < (hashes[second], second)
    }
  }
}

// MARK: The choice

extension ExposedLists {
  /// The summary of lists without limits; `nil` if these lists violate the limits.
  private var unlimitedSummary: ExposureSummary? {
    var exposure = CandidateExposure(candidates: recommender.candidateCount)
    for pool in pools.pools {
      for entry in pool.entries { exposure.add(entry) }
    }
    guard exposure.isWithin(limits, lacking.isListable) else { return nil }
    return ExposureSummary(exposure, limits, lacking.isListable, unlimited: unlimited)
  }

  private var entries: AssignmentEntries {
    var entries = AssignmentEntries()
    for pool in pools.pools {
      for entry in pool.entries {
        entries.candidates.append(UInt32(entry.found.candidate))
        entries.values.append(entry.value)
        if likesCeiling != nil { entries.chances.append(Double(entry.chance)) }
      }
      entries.firsts.append(entries.candidates.count)
    }
    return entries
  }

  /// The number of lists that each candidate should have.
  private var floors: [Int] { [Int](repeating: limits.least, count: recommender.candidateCount) }

  /// Returns the choice after exchanges between lists. Only a ceiling of likes needs exchanges.
  private func exchanged(_ assignment: ListAssignment) -> ListAssignment {
    guard let likesCeiling else { return assignment }
    var exchange = LikesExchange(assignment, entries, top: top, least: floors, likesCeiling)
    exchange.run()
    return exchange.assignment
  }

  /// Returns the best choice from the pools.
  private mutating func assignment(
    isDecisive: Bool, from start: (prices: [Double], error: Double)?
  ) -> ListAssignment {
    let entries = entries
    let (count, top, least) = (recommender.candidateCount, top, floors)
    func solve(_ most: [Int], _ prices: [Double]?) -> ListAssignment {
      var start = start
      if let prices, let error = start?.error { start = (prices, error / 8) }
      return ListAssignment(
        entries, candidates: count, top: top, most: most, least: zip(least, most).map(min),
        isDecisive: isDecisive, from: start)
    }
    return likesCeiling?.assignment(entries, top: top, least: least, solve: solve) ?? solve(most, nil)
  }

  private func exposure(_ assignment: ListAssignment) -> CandidateExposure {
    var exposure = CandidateExposure(candidates: recommender.candidateCount)
    var number = 0
    for pool in pools.pools {
      for entry in pool.entries {
        if assignment.isChosen[number] { exposure.add(entry) }
        number += 1
      }
    }
    return exposure
  }

  private func lists(_ assignment: ListAssignment) -> (lists: [UserLists], summary: ExposureSummary) {
    var first = 0
    let lists = pools.users.map { user in
      var lists = user.unlimited
      for (list, number) in user.lists.enumerated() {
        let pool = pools.pools[number]
        let chosen = pool.entries.indices.filter { assignment.isChosen[first + $0] }
        first += pool.entries.count
        lists.relist(list, recommender.sorted(chosen.map { pool.entries[$0] }, of: user.row), top: top)
      }
      return lists
    }
    let summary = ExposureSummary(exposure(assignment), limits, lacking.isListable, unlimited: unlimited)
    return (lists, summary)
  }
}

extension UserLists {
  /// Replaces the entries of list number `list` with `chosen`, a choice within the limits on exposure.
  fileprivate mutating func relist(_ list: Int, _ chosen: [Recommendation], top: Int) {
    let before = lists[list]
    lists[list].best = chosen
    lists[list].counts?.relist(chosen.count)
    if chosen.count == top {
      lists[list].shortfall = nil
    } else if chosen.count < before.best.count {
      lists[list].shortfall = .exposure
    }
    counts?.move(from: before.counts, to: lists[list].counts)
  }
}

extension Recommender {
  /// The lists of all users, one element per row: within `limits` for the users in the audience, and without limits
  /// for other users, who have no lists in a run. The lists do not depend on the number of `threads`.
  package func searchAll(within limits: Pipeline.ExposureLimits, threads: Int) -> [SearchResult] {
    var results = searchAll(threads: threads)
    let users = usersByCell().filter { audience.contains(Int($0)) }
    var exposed = ExposedLists(limits, self, of: users, threads: threads)
    for (user, lists) in zip(users, exposed.choose().lists) { results[Int(user)] = lists.lists[0] }
    return results
  }
}
