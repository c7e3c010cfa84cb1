internal import Search

/// What candidates outside of a pool can add to the value of its list.
private struct PoolGain {
  /// The number of the pool.
  var pool: Int
  var gain: Double
  /// The candidates to add to the pool.
  var entries: [PoolEntry]
}

/// A choice, with the prices for a search that looks for a better one.
struct PricedChoice {
  let assignment: ListAssignment
  /// The price of each candidate in the search.
  let prices: [Double]
  let least: Double
  /// The number of each pool's first entry in the assignment.
  let firsts: [Int]
  /// The worth of an empty place.
  let empty: Double

  init(_ assignment: ListAssignment, _ pools: [ListPool]) {
    self.assignment = assignment
    // A candidate who is on too few lists, because pools do not contain it, would be on all lists at its price.
    // `LackingCandidates` finds lists for it.
    let prices = assignment.prices.map { $0 > -assignment.weight / 2 ? $0 : 0 }
    // With empty places, most prices can be so great that their digits do not suffice for small differences. The
    // order of candidates stays the same if all prices change by the same amount.
    let middle = prices.isEmpty ? 0 : prices.sorted()[prices.count / 2]
    self.prices = prices.map { $0 - middle }
    empty = assignment.valueOfEmptyPlace + middle
    least = self.prices.min() ?? 0
    var firsts: [Int] = []
    var first = 0
    for pool in pools {
      firsts.append(first)
      first += pool.entries.count
    }
    self.firsts = firsts
  }

  /// The value of an entry minus its price.
  func worth(_ entry: PoolEntry) -> Double { entry.value - prices[entry.found.candidate] }

  func isChosen(_ place: Int, of pool: Int) -> Bool { assignment.isChosen[firsts[pool] + place] }
}

extension ExposedLists {
  /// Adds candidates to the pools of lists that gain by it, unless all gains together are at most `tolerance`, as
  /// a share of the total of the absolute values. A gain that fills a place always counts.
  ///
  /// - Returns: The mean gain of a list that gains; `nil` if no pool changed.
  mutating func improvePools(_ assignment: ListAssignment, tolerance: Double) -> Double? {
    let choice = PricedChoice(assignment, pools.pools)
    let asked = pools.users.indices.filter { user in
      pools.users[user].lists.contains { mayGain($0, choice) }
    }
    let least = pools.pools.indices.map {
      mayGain($0, choice) ? max(choice.empty, pools.leastWorth($0, choice.prices)) : .infinity
    }
    let found = pools.priced(asked[...], top: 2 * top, choice.prices, above: least)
    var gains: [PoolGain] = []
    for (user, lists) in zip(asked, found) {
      for (number, entries) in zip(pools.users[user].lists, lists) where mayGain(number, choice) {
        if let (gain, added) = gain(number, entries, choice) {
          gains.append(PoolGain(pool: number, gain: gain, entries: added))
        }
      }
    }
    let permitted = assignment.magnitude * tolerance
    let total = gains.reduce(0) { $0 + $1.gain }
    func isFilling(_ gain: PoolGain) -> Bool { gain.gain > assignment.weight / 2 }
    if total <= permitted, !gains.contains(where: isFilling) { return nil }
    // The smallest gains stay too small to matter.
    gains.sort { ($0.gain, $0.pool) < ($1.gain, $1.pool) }
    var ignored = 0.0
    let kept = gains.drop { gain in
      ignored += gain.gain
      return ignored <= permitted / 2 && !isFilling(gain)
    }
    for gain in kept {
      for entry in gain.entries { pools.add(entry, to: gain.pool) }
    }
    return total / Double(gains.count)
  }

  /// Whether candidates outside of the pool with the number `number` may add to the value of its list.
  private func mayGain(_ number: Int, _ choice: PricedChoice) -> Bool {
    let pool = pools.pools[number]
    guard pool.greatestOfOthers > -.infinity else { return false }
    let outside = pool.greatestOfOthers - choice.least
    guard choice.assignment.lengths[number] == top else { return choice.empty < outside }
    return pool.entries.indices.contains {
      choice.isChosen($0, of: number) && choice.worth(pool.entries[$0]) < outside
    }
  }

  /// What candidates outside of a pool add to the value of its list, and the candidates to add.
  ///
  /// - Parameters:
  ///   - number: The number of the pool.
  ///   - found: The best of all candidates by value minus price. Candidates who are not worth more than the last place
  ///     of the list are missing.
  ///   - choice: The choice and its prices.
  /// - Returns: `nil` if the list gains nothing.
  private func gain(
    _ number: Int, _ found: [PoolEntry], _ choice: PricedChoice
  ) -> (gain: Double, added: [PoolEntry])? {
    let pool = pools.pools[number]
    let added = found.filter { !pool.contains($0.found.candidate) }
    func worth(_ entries: [PoolEntry]) -> Double {
      filled(entries.map(choice.worth).sorted(by: >), choice.empty).reduce(0, +)
    }
    let gain = worth(pool.entries + added) - worth(pool.entries)
    return gain > 0 ? (gain, added) : nil
  }

  /// The first numbers of `worths`, as many as fit on a list, and `empty` for each empty place.
  private func filled(_ worths: [Double], _ empty: Double) -> [Double] {
    worths.prefix(top).map { max($0, empty) } + Array(repeating: empty, count: max(0, top - worths.count))
  }
}
