/// The entries from which the lists are chosen.
struct AssignmentEntries {
  /// The index of each list's first entry, followed by the number of entries.
  var firsts: [Int] = [0]
  var candidates: [UInt32] = []
  /// What each entry is worth. Values of all lists are on one scale.
  var values: [Double] = []
  /// The chance that the user of each entry's list likes the candidate. Only a ceiling of likes uses it.
  var chances: [Double] = []

  var listCount: Int { firsts.count - 1 }
  func range(_ list: Int) -> Range<Int> {
    firsts[list]..<firsts[list + 1]
  }
}

/// The choice of entries for all lists of a ranking at once, so that no candidate is on too many lists.
///
/// As many places as possible are filled, and as many candidates as possible get their least number of lists.
/// Among all such choices, the total value of the chosen entries is the highest, up to `tolerance`.
struct ListAssignment {
  /// Whether each entry is chosen.
  private(set) var isChosen: [Bool]
  /// The number of chosen entries of each list.
  private(set) var lengths: [Int]
  /// The number of lists of each candidate.
  private(set) var appearances: [Int]
  /// The sum of the chances of each candidate's chosen entries; 0 without chances.
  private(set) var likes: [Double]
  /// The total value of the chosen entries.
  private(set) var total: Double
  /// The total of the absolute values of the chosen entries.
  private(set) var magnitude: Double
  /// An upper bound of the difference between the highest total and `total`, among choices from these pools.
  let gap: Double
  /// What one more place on a list costs other lists, for each candidate: positive if more lists want the
  /// candidate than may have it, negative if the candidate lacks lists.
  let prices: [Double]
  /// The value of an empty place, far below the values of all entries.
  let valueOfEmptyPlace: Double
  /// The weight of a filled place, and of a list below a floor, in values.
  let weight: Double
  /// Whether no other value of empty places would fill more places or reach more floors, because all of them are
  /// filled and reached as far as the pools have entries.
  let isMaximal: Bool

  /// The permitted difference from the highest total, as a share of the total.
  static let tolerance = 0.000_5
  /// The number of steps in the range of values. Half a step is far below the tolerance.
  private static let steps = 1 << 16

  /// - Parameters:
  ///   - pools: The entries of all lists. A list contains a candidate at most once.
  ///   - candidates: The number of candidates.
  ///   - top: The greatest length of a list.
  ///   - most: The greatest number of lists of each candidate.
  ///   - least: The number of lists that each candidate should have; at most the element of `most`.
  ///   - isDecisive: Whether a filled place outweighs all values together. Otherwise it outweighs the exchange of four
  ///     best entries for worst ones, which needs far less time.
  ///   - start: Prices to start from, and their typical error, from a similar choice; `nil` for none. They save
  ///     time.
  init(
    _ pools: AssignmentEntries, candidates: Int, top: Int, most: [Int], least: [Int],
    isDecisive: Bool = true, from start: (prices: [Double], error: Double)? = nil
  ) {
    let (lowest, highest) = (pools.values.min() ?? 0, pools.values.max() ?? 0)
    let scale = highest > lowest ? Double(Self.steps) / (highest - lowest) : 1
    let (lists, end) = (pools.listCount, pools.listCount + candidates)
    // More than any exchange along a chain of lists and candidates can gain.
    let exchange = Int64(min(lists, candidates) + 1) * Int64(Self.steps)
    let costs = pools.values.map { Int64(((highest - $0) * scale).rounded()) }
    let costOfEmptyPlace = isDecisive ? 2 * exchange : 4 * Int64(Self.steps)
    weight = Double(costOfEmptyPlace) / scale
    valueOfEmptyPlace = highest - weight
    let arcs = Self.arcs(pools, costs, costOfEmptyPlace, top: top, most: most, least: least)
    let supplies =
      [Int64](repeating: Int64(top), count: lists) + [Int64](repeating: 0, count: candidates)
      + [-Int64(lists * top)]
    var network = FlowNetwork(supplies: supplies, arcs)
    let worth = pools.values.reduce(0.0) { $0 + abs($1) } / Double(max(pools.values.count, 1))
    let tolerance = worth * scale * Double(lists * top) * Self.tolerance
    let nodes = start.map { start in
      (
        prices: Self.prices(of: start.prices, scale, pools, costs, top: top),
        error: Int64(start.error * scale)
      )
    }
    let permitted = isDecisive ? min(tolerance, Double(exchange) / 2) : tolerance
    gap = network.solve(tolerance: permitted, from: nodes) / scale
    isChosen = pools.candidates.indices.map { network.flow($0) > 0 }
    lengths = [Int](repeating: 0, count: lists)
    appearances = [Int](repeating: 0, count: candidates)
    likes = [Double](repeating: 0, count: candidates)
    (total, magnitude) = (0, 0)
    prices = (0..<candidates).map { candidate in
      let price = Double(network.cost(from: lists + candidate, to: end)) / scale
      return least[candidate] == 0 ? max(price, 0) : price
    }
    // Every stored property needs a value before methods can be called.
    isMaximal = Self.isMaximal(isChosen, pools, top: top, least: least)
    for list in 0..<lists {
      for entry in pools.range(list) where isChosen[entry] { change(entry, of: list, by: 1, pools) }
    }
    improveLists(pools, top: top, least: least) { assignment, entry in
      let candidate = Int(pools.candidates[entry])
      return assignment.appearances[candidate] < most[candidate]
    }
  }

  /// Returns the arcs from the lists through the candidates to the end. The arcs of the entries come first;
  /// `costs` are their costs.
  private static func arcs(
    _ pools: AssignmentEntries, _ costs: [Int64], _ costOfEmptyPlace: Int64, top: Int, most: [Int],
    least: [Int]
  ) -> [FlowNetwork.NewArc] {
    let (lists, end) = (pools.listCount, pools.listCount + most.count)
    var arcs: [FlowNetwork.NewArc] = []
    arcs.reserveCapacity(costs.count + lists + 2 * most.count)
    // More room than one place beyond all entries of a candidate never matters, and slows the solution down.
    var offers = [Int](repeating: 1, count: most.count)
    for list in 0..<lists {
      for entry in pools.range(list) {
        let candidate = Int(pools.candidates[entry])
        offers[candidate] += 1
        arcs.append(.init(tail: list, head: lists + candidate, capacity: 1, cost: costs[entry]))
      }
    }
    for list in 0..<lists { arcs.append(.init(tail: list, head: end, capacity: top, cost: costOfEmptyPlace)) }
    for candidate in most.indices {
      let (least, most) = (min(least[candidate], offers[candidate]), min(most[candidate], offers[candidate]))
      arcs.append(.init(tail: lists + candidate, head: end, capacity: least, cost: -costOfEmptyPlace))
      arcs.append(.init(tail: lists + candidate, head: end, capacity: most - least, cost: 0))
    }
    return arcs
  }

  /// Whether all places and floors are filled as far as the pools have entries.
  private static func isMaximal(
    _ isChosen: [Bool], _ pools: AssignmentEntries, top: Int, least: [Int]
  ) -> Bool {
    var (offers, shown) = ([Int](repeating: 0, count: least.count), [Int](repeating: 0, count: least.count))
    for list in 0..<pools.listCount {
      var length = 0
      for entry in pools.range(list) {
        let candidate = Int(pools.candidates[entry])
        offers[candidate] += 1
        guard isChosen[entry] else { continue }
        shown[candidate] += 1
        length += 1
      }
      if length < min(top, pools.range(list).count) { return false }
    }
    return least.indices.allSatisfy { shown[$0] >= min(least[$0], offers[$0]) }
  }

  /// The prices of all nodes for the prices `start` of the candidates. Each list gets the price at which its last
  /// place is worth nothing.
  private static func prices(
    of start: [Double], _ scale: Double, _ pools: AssignmentEntries, _ costs: [Int64], top: Int
  ) -> [Int64] {
    let candidates = start.map { Int64(-$0 * scale) }
    let lists = (0..<pools.listCount).map { list in
      let worth = pools.range(list).map { candidates[Int(pools.candidates[$0])] - costs[$0] }
      return worth.sorted(by: >).prefix(top).last ?? 0
    }
    return lists + candidates + [0]
  }

  /// The number of filled places, and of lists that count for a floor.
  func filled(_ least: [Int]) -> Int {
    lengths.reduce(0, +) + zip(appearances, least).reduce(0) { $0 + min($1.0, $1.1) }
  }

  /// Removes the chosen entry `entry` from `list`.
  mutating func remove(_ entry: Int, of list: Int, _ pools: AssignmentEntries) {
    change(entry, of: list, by: -1, pools)
  }

  /// Chooses the entry `entry` of `list`, which has an empty place.
  mutating func insert(_ entry: Int, of list: Int, _ pools: AssignmentEntries) {
    change(entry, of: list, by: 1, pools)
  }

  private mutating func change(_ entry: Int, of list: Int, by count: Int, _ pools: AssignmentEntries) {
    isChosen[entry] = count > 0
    lengths[list] += count
    let candidate = Int(pools.candidates[entry])
    appearances[candidate] += count
    if !pools.chances.isEmpty { likes[candidate] += Double(count) * pools.chances[entry] }
    total += Double(count) * pools.values[entry]
    magnitude += Double(count) * abs(pools.values[entry])
  }

  /// Moves entries up if no other list loses value. The flow is optimal only up to the tolerance, and ignores
  /// the order of entries of equal value. `hasRoom` returns whether the candidate of an entry may be on one
  /// more list.
  mutating func improveLists(
    _ pools: AssignmentEntries, top: Int, least: [Int], hasRoom: (Self, Int) -> Bool
  ) {
    var isChanged = true
    while isChanged {
      isChanged = false
      for list in 0..<pools.listCount where improve(list, pools, top: top, least: least, hasRoom) {
        isChanged = true
      }
    }
  }

  /// Takes better entries into one list: into an empty place, or for the worst entry whose candidate is on more
  /// than the least number of lists. Of entries with equal values, the first is better.
  ///
  /// - Returns: Whether the list changed.
  private mutating func improve(
    _ list: Int, _ pools: AssignmentEntries, top: Int, least: [Int], _ hasRoom: (Self, Int) -> Bool
  ) -> Bool {
    var isChanged = false
    var worst = worstSpare(list, pools, least)
    for entry in pools.range(list) where !isChosen[entry] {
      guard hasRoom(self, entry) else { continue }
      if lengths[list] == top {
        guard let last = worst, pools.isBetter(entry, last) else { continue }
        change(last, of: list, by: -1, pools)
      }
      change(entry, of: list, by: 1, pools)
      isChanged = true
      worst = worstSpare(list, pools, least)
    }
    return isChanged
  }

  /// The worst chosen entry of a list whose candidate stays on enough lists without it.
  func worstSpare(_ list: Int, _ pools: AssignmentEntries, _ least: [Int]) -> Int? {
    pools.range(list).filter { entry in
      let candidate = Int(pools.candidates[entry])
      return isChosen[entry] && appearances[candidate] > least[candidate]
    }.max { pools.isBetter($0, $1) }
  }
}

extension AssignmentEntries {
  /// Whether a list prefers the first of two of its entries.
  fileprivate func isBetter(_ first: Int, _ second: Int) -> Bool {
    values[first] != values[second] ? values[first] > values[second] : first < second
  }
}
