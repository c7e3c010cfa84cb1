internal import Concurrency
internal import PipelineFile
internal import Search

/// The candidates from which one list is chosen.
struct ListPool: Sendable {
  /// The best candidates of the list without limits, best first, and then others.
  private(set) var entries: [PoolEntry]
  /// Candidates outside of the pool are worth at most as much; minus infinity if there are none.
  private(set) var greatestOfOthers: Double

  /// The pool of the best candidates alone, who are all eligible candidates if it `isComplete`.
  init(_ best: [PoolEntry], isComplete: Bool) {
    entries = best
    greatestOfOthers = isComplete ? -.infinity : best.last?.value ?? -.infinity
  }

  func contains(_ candidate: Int) -> Bool { entries.contains { $0.found.candidate == candidate } }

  mutating func add(_ entry: PoolEntry) { entries.append(entry) }

  /// Removes the entries that `isKept` rejects.
  mutating func keep(_ isKept: (PoolEntry) -> Bool) {
    entries.removeAll { entry in
      if isKept(entry) { return false }
      greatestOfOthers = max(greatestOfOthers, entry.value)
      return true
    }
  }
}

/// A user with lists.
struct PooledUser: Sendable {
  let row: Int
  /// The numbers of the user's lists.
  let lists: Range<Int>
  /// The lists without limits.
  let unlimited: UserLists
}

/// The pools of all lists of a ranking: for each list, the candidates from which it is chosen.
struct ListPools: Sendable {
  /// The users in search order.
  let users: [PooledUser]
  /// The pools of all lists, user by user.
  private(set) var pools: [ListPool]
  private let recommender: Recommender
  private let value: EntryValue
  private let threads: Int

  /// - Parameters:
  ///   - recommender: The ranking.
  ///   - rows: The users with lists, in search order.
  ///   - sample: The users whose candidates are counted; `nil` for all users.
  ///   - threads: The number of workers; the pools do not depend on it.
  init(_ recommender: Recommender, of rows: [UInt32], _ sample: FunnelSample?, threads: Int) {
    let value = EntryValue(recommender)
    let found = parallelMap(count: rows.count, chunkSize: 256, threads: threads) { chunk in
      var workspace = SearchWorkspace()
      return chunk.map { place in
        let user = Int(rows[place])
        let isCounting = sample.map { $0.contains(user) } ?? true
        return recommender.searchLists(user: user, isCounting: isCounting, using: &workspace)
      }
    }.flatMap(\.self)
    (self.recommender, self.value, self.threads) = (recommender, value, threads)
    var users: [PooledUser] = []
    users.reserveCapacity(rows.count)
    var pools: [ListPool] = []
    for (row, lists) in zip(rows, found) {
      let first = pools.count
      for list in lists.lists { pools.append(Self.pool(list, ofUser: Int(row), recommender, value)) }
      users.append(PooledUser(row: Int(row), lists: first..<pools.count, unlimited: lists))
    }
    (self.users, self.pools) = (users, pools)
  }

  private static func pool(
    _ list: SearchResult, ofUser user: Int, _ recommender: Recommender, _ value: EntryValue
  ) -> ListPool {
    guard !list.best.isEmpty else { return ListPool([], isComplete: list.shortfall != nil) }
    let view = recommender.view(of: user)
    return ListPool(list.best.map { value.entry($0, view) }, isComplete: list.shortfall != nil)
  }

  /// Adds `entry` to the pool with the number `number`, which does not contain its candidate.
  mutating func add(_ entry: PoolEntry, to number: Int) { pools[number].add(entry) }

  /// Removes entries of candidates with positive prices, if value minus price is lower than at the last place of the
  /// list by more than `margin`.
  mutating func prune(_ prices: [Double], margin: Double) {
    for number in pools.indices {
      let least = leastWorth(number, prices) - margin
      pools[number].keep {
        let price = prices[$0.found.candidate]
        return price <= 0 || $0.value - price >= least
      }
    }
  }

  /// Returns the difference of value and price at the last place of the list with the number `number`, if the list
  /// takes the best entries of its pool; minus infinity if the pool does not fill the list.
  func leastWorth(_ number: Int, _ prices: [Double]) -> Double {
    let entries = pools[number].entries
    guard entries.count >= recommender.ranking.top else { return -.infinity }
    return entries.map { $0.value - prices[$0.found.candidate] }.sorted(by: >)[recommender.ranking.top - 1]
  }

  /// Returns the entry of `candidate`, who is eligible for a list of the user with `view`.
  func entry(of candidate: Int, _ view: UserView) -> PoolEntry {
    let (score, distance) = view.score(candidate: candidate)
    return value.entry(
      Recommendation(candidate: candidate, score: recommender.publishedScore(score), distance: distance), view
    )
  }

  /// Finds, for each list of the users at `places`, the `top` candidates with the greatest differences of value and
  /// price, best first.
  ///
  /// - Parameters:
  ///   - places: The indices of the users.
  ///   - top: The greatest number of candidates per list.
  ///   - prices: One price per row of the candidates.
  ///   - least: For each list by its number, only greater differences of value and price count; `nil` for all.
  /// - Returns: The entries, for each user and list.
  func priced(
    _ places: ArraySlice<Int>, top: Int, _ prices: [Double], above least: [Double]? = nil
  ) -> [[[PoolEntry]]] {
    let search = PricedSearch(recommender, value, prices)
    // Batches are small, so their chunks are, too.
    let size = max(8, min(64, places.count / (4 * threads)))
    return parallelMap(count: places.count, chunkSize: size, threads: threads) { chunk in
      var workspace = SearchWorkspace()
      return chunk.map { index in
        let user = users[places[places.startIndex + index]]
        let least = least.map { Array($0[user.lists]) }
        let found = search.best(of: user.row, top: top, above: least, &workspace)
        let view = recommender.view(of: user.row)
        return zip(user.lists, found).map { number, candidates in
          candidates.map { candidate in
            pools[number].entries.first { $0.found.candidate == candidate } ?? entry(of: candidate, view)
          }
        }
      }
    }.flatMap(\.self)
  }
}

extension Recommender {
  /// Returns the recommendations in `entries`, in the order in which the list of the user at row `user` shows them.
  func sorted(_ entries: [PoolEntry], of user: Int) -> [Recommendation] {
    guard !entries.isEmpty else { return [] }
    var keys: CandidateKeys?
    if case .scan(let search) = search { keys = search.keys }
    var list = TopList(capacity: entries.count, order: people.order(forUser: user), keys: keys)
    for entry in entries {
      var sorted = entry.found
      switch search {
      case .newest(let search): sorted.score = search.created[sorted.candidate]
      case .scan, .block: if isMutual { sorted.score = entry.value }
      }
      list.offer(sorted, hash: people.candidateHashes[sorted.candidate])
    }
    return list.best.map {
      Recommendation(candidate: $0.candidate, score: publishedScore($0.score), distance: $0.distance)
    }
  }
}
