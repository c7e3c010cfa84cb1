internal import Concurrency
internal import PipelineFile
internal import Search

/// One list with its pool.
struct ListPool: Sendable {
  /// The shortfall and the counts of the search for the pool. Its list is empty.
  let search: SearchResult
  /// The best candidates, best first, and then candidates who lack lists.
  var entries: [PoolEntry]
  /// The number of the best candidates.
  let bestCount: Int

  init(_ search: SearchResult, _ entries: [PoolEntry]) {
    self.search = SearchResult(best: [], shortfall: search.shortfall, counts: search.counts)
    self.entries = entries
    bestCount = entries.count
  }

  /// Whether no other candidate is eligible.
  var isComplete: Bool { search.shortfall != nil }
}

/// A user with lists.
struct PooledUser: Sendable {
  let row: Int
  /// The numbers of the user's lists.
  let lists: Range<Int>
  /// The lists of the search for the pools, without their candidates.
  var found: UserLists
}

/// The pools of all lists of a ranking: for each list, the candidates from which it is chosen.
struct ListPools: Sendable {
  /// The users in search order.
  private(set) var users: [PooledUser] = []
  /// The pools of all lists, user by user.
  private(set) var pools: [ListPool] = []
  let value: EntryValue

  /// - Parameters:
  ///   - recommender: Searches for as many candidates as a pool holds.
  ///   - rows: The users with lists, in search order.
  ///   - sample: The users whose candidates are counted.
  ///   - threads: The number of workers; the pools do not depend on it.
  init(_ recommender: Recommender, of rows: [UInt32], _ sample: FunnelSample, threads: Int) {
    value = EntryValue(recommender.ranking.order)
    let found = search(recommender, rows, sample, threads: threads)
    users.reserveCapacity(rows.count)
    for (row, found) in zip(rows, found) {
      users.append(
        PooledUser(row: Int(row), lists: pools.count..<pools.count + found.pools.count, found: found.lists))
      pools += found.pools
    }
  }

  /// Searches again for the users at `places`, with a recommender for larger pools.
  mutating func enlarge(
    _ places: [Int], _ recommender: Recommender, _ sample: FunnelSample, threads: Int
  ) {
    let found = search(recommender, places.map { UInt32(users[$0].row) }, sample, threads: threads)
    for (place, found) in zip(places, found) {
      users[place].found = found.lists
      for (number, pool) in zip(users[place].lists, found.pools) {
        let known = Set(pool.entries.map(\.found.candidate))
        let others = pools[number].entries[pools[number].bestCount...]
        pools[number] = pool
        pools[number].entries += others.filter { !known.contains($0.found.candidate) }
      }
    }
  }

  /// Adds a candidate who lacks lists to the pool with the number `number`, which does not contain it.
  mutating func add(_ entry: PoolEntry, to number: Int) {
    var place = pools[number].entries.count
    while place > pools[number].bestCount, entry.precedes(pools[number].entries[place - 1]) { place -= 1 }
    pools[number].entries.insert(entry, at: place)
  }

  private func search(
    _ recommender: Recommender, _ rows: [UInt32], _ sample: FunnelSample, threads: Int
  ) -> [(lists: UserLists, pools: [ListPool])] {
    parallelMap(count: rows.count, chunkSize: 256, threads: threads) { chunk in
      var workspace = SearchWorkspace()
      return chunk.map { place in
        let user = Int(rows[place])
        var found = recommender.searchLists(
          user: user, isCounting: sample.contains(user), using: &workspace)
        let pools = found.lists.map { list in
          ListPool(list, value.entries(list.best) { recommender.view(of: user) })
        }
        for list in found.lists.indices { found.lists[list].best = [] }
        return (found, pools)
      }
    }.flatMap(\.self)
  }
}
