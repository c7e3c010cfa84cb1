/// A ceiling on the expected likes of each candidate.
///
/// The flow in `ListAssignment` limits the number of lists of each candidate, not the expected likes. The limits are
/// therefore adjusted to the chances on these lists, and the last entries beyond the ceiling are removed one by one.
/// The total can be lower than the highest possible total, which is the solution of a knapsack problem.
struct LikesCeiling {
  /// The greatest number of expected likes of each candidate, at least 1.
  let likes: Double
  /// The greatest number of lists of each candidate; 0 until it is estimated.
  private(set) var most: [Int]

  /// The greatest number of flows for a choice.
  private static let rounds = 3

  init(_ likes: Double, candidates: Int) {
    self.likes = likes
    most = [Int](repeating: 0, count: candidates)
  }

  /// Returns whether a candidate may have `sum` expected likes. Sums of many chances have rounding errors,
  /// so the limit is slightly lower than `likes`.
  func allows(_ sum: Double) -> Bool { sum <= likes * (1 - 1e-12) }

  /// Solves several flows, and returns the best choice within the ceiling.
  ///
  /// - Parameters:
  ///   - pools: The entries of all lists, with their chances.
  ///   - top: The greatest length of a list.
  ///   - least: The number of lists that each candidate should have.
  ///   - solve: Returns the choice for a greatest number of lists of each candidate. A second argument contains the
  ///     prices of the previous, similar choice.
  /// - Returns: The best of the choices.
  mutating func assignment(
    _ pools: AssignmentEntries, top: Int, least: [Int], solve: ([Int], [Double]?) -> ListAssignment
  ) -> ListAssignment {
    startFromMeans(pools)
    var (best, prices): (ListAssignment?, [Double]?) = (nil, nil)
    for _ in 0..<Self.rounds {
      var assignment = solve(most, prices)
      prices = assignment.prices
      let isAdjusted = adjust(assignment)
      keepWithin(&assignment, pools, top: top, least: least)
      if best.map({ Self.precedes(assignment, $0, least) }) ?? true { best = assignment }
      if !isAdjusted { break }
    }
    guard let best else { preconditionFailure("there is at least one flow") }
    return best
  }

  /// Returns whether the first of two choices is better: more filled places and floors, and then a higher
  /// total.
  private static func precedes(_ first: ListAssignment, _ second: ListAssignment, _ least: [Int]) -> Bool {
    let (filled, other) = (first.filled(least), second.filled(least))
    return filled != other ? filled > other : first.total > second.total
  }

  /// For each candidate whose greatest number of lists is unknown, estimates this number from the mean chance
  /// of the candidate's entries.
  private mutating func startFromMeans(_ pools: AssignmentEntries) {
    var (sums, counts) = ([Double](repeating: 0, count: most.count), [Int](repeating: 0, count: most.count))
    for (candidate, chance) in zip(pools.candidates, pools.chances) {
      sums[Int(candidate)] += chance
      counts[Int(candidate)] += 1
    }
    for candidate in most.indices where most[candidate] == 0 && counts[candidate] > 0 {
      most[candidate] = lists(counts[candidate], likes: sums[candidate])
    }
  }

  /// Returns the number of lists that the ceiling allows if `count` lists have `sum` expected likes; at least
  /// 1.
  private func lists(_ count: Int, likes sum: Double) -> Int {
    max(1, Int(min(Double(count) * likes / max(sum, 1e-9), 1e9)))
  }

  /// Adjusts the numbers of lists to the chances of the chosen lists.
  ///
  /// - Returns: Whether any number changed, so that another flow can use it.
  private mutating func adjust(_ assignment: ListAssignment) -> Bool {
    var isAdjusted = false
    for (candidate, sum) in assignment.likes.enumerated() {
      let count = assignment.appearances[candidate]
      guard count > 0 else { continue }
      let allowed = lists(count, likes: sum)
      if sum > likes && count > 1 {
        most[candidate] = min(count - 1, allowed)
        isAdjusted = true
      } else if count >= most[candidate], allowed > count {
        most[candidate] = allowed
        isAdjusted = true
      }
    }
    return isAdjusted
  }

  /// Removes entries beyond the ceiling, and fills places as far as the ceiling allows.
  private func keepWithin(
    _ assignment: inout ListAssignment, _ pools: AssignmentEntries, top: Int, least: [Int]
  ) {
    for surplus in surplus(assignment, pools) {
      guard assignment.likes[Int(pools.candidates[surplus.entry])] > likes else { continue }
      assignment.remove(surplus.entry, of: surplus.list, pools)
    }
    assignment.improveLists(pools, top: top, least: least) { assignment, entry in
      allows(assignment.likes[Int(pools.candidates[entry])] + pools.chances[entry])
    }
  }

  /// Returns the chosen entries of candidates beyond the ceiling. The lists of the first entries lose the
  /// least value per expected like if another candidate takes the place.
  private func surplus(
    _ assignment: ListAssignment, _ pools: AssignmentEntries
  ) -> [(entry: Int, list: Int, loss: Double)] {
    var found: [(entry: Int, list: Int, loss: Double)] = []
    func worth(_ entry: Int) -> Double {
      pools.values[entry] - assignment.prices[Int(pools.candidates[entry])]
    }
    for list in 0..<pools.listCount {
      let range = pools.range(list)
      let others = range.filter { !assignment.isChosen[$0] }.map(worth).max()
      for entry in range where assignment.isChosen[entry] {
        guard assignment.likes[Int(pools.candidates[entry])] > likes else { continue }
        let loss = worth(entry) - (others ?? assignment.valueOfEmptyPlace)
        found.append((entry, list, loss / max(pools.chances[entry], 1e-9)))
      }
    }
    return found.sorted { ($0.loss, $0.entry) < ($1.loss, $1.entry) }
  }
}
