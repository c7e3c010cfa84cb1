/// Improves a list assignment by exchanging candidates between pairs of lists, if a ceiling limits the expected likes
/// of each candidate.
///
/// In an exchange, one list gives up a candidate who has reached the ceiling, and takes another candidate if one fits.
/// The first candidate then moves to a second list. Such exchanges fill the last places: the likes that remain for a
/// candidate can be too few for one user but enough for another, because users like the candidate with different
/// probabilities.
struct LikesExchange {
  private(set) var assignment: ListAssignment
  private let pools: AssignmentEntries
  private let top: Int
  private let least: [Int]
  private let ceiling: LikesCeiling
  /// The list of each entry.
  private let lists: [Int]
  /// The entries of each candidate.
  private let offers: [[Int]]
  /// For each list, the value of the best entry that could take the place of another entry.
  private var spares: [Double] = []

  /// - Parameters:
  ///   - assignment: The choice, within the ceiling.
  ///   - pools: The entries of all lists.
  ///   - top: The greatest length of a list.
  ///   - least: The number of lists that each candidate should have.
  ///   - ceiling: The ceiling.
  init(
    _ assignment: ListAssignment, _ pools: AssignmentEntries, top: Int, least: [Int], _ ceiling: LikesCeiling
  ) {
    (self.assignment, self.pools, self.top, self.least) = (assignment, pools, top, least)
    self.ceiling = ceiling
    lists = (0..<pools.listCount).flatMap { list in pools.range(list).map { _ in list } }
    var offers = [[Int]](repeating: [], count: least.count)
    for (entry, candidate) in pools.candidates.enumerated() { offers[Int(candidate)].append(entry) }
    self.offers = offers
  }

  /// The greatest number of passes over all lists. Later passes find few exchanges.
  private static let rounds = 8

  /// Makes exchanges that fill a place or raise the total.
  mutating func run() {
    for _ in 0..<Self.rounds {
      spares = (0..<pools.listCount).map { value(replacement(in: $0, nil)) }
      var isChanged = false
      for list in 0..<pools.listCount where improve(list) { isChanged = true }
      if !isChanged { return }
    }
  }

  /// An exchange between two lists. Its entries are in the order of the changes.
  private struct Exchange {
    /// The entry that the list gives up; `nil` if it has an empty place.
    var out: Int?
    var taken: Int
    /// The entry of the same candidate that the other list gives up.
    var other: Int
    /// The entry that the other list takes; `nil` if its place stays empty.
    var replacement: Int?
    var gain: Double
  }

  /// Makes the best exchange for each entry that `list` may take.
  private mutating func improve(_ list: Int) -> Bool {
    var isChanged = false
    var (isGivable, out) = out(of: list)
    var freed = freedValues(out)
    for taken in pools.range(list) where !assignment.isChosen[taken] && isGivable {
      guard let best = bestExchange(list, taken, out, freed), best.gain > 1e-9 else { continue }
      if let out = best.out { assignment.remove(out, of: list, pools) }
      assignment.remove(best.other, of: lists[best.other], pools)
      assignment.insert(taken, of: list, pools)
      if let replacement = best.replacement { assignment.insert(replacement, of: lists[best.other], pools) }
      for changed in [list, lists[best.other]] { spares[changed] = value(replacement(in: changed, nil)) }
      (isGivable, out) = self.out(of: list)
      freed = freedValues(out)
      isChanged = true
    }
    return isChanged
  }

  /// Returns the value of the candidate of `out` on each list that could take the candidate, by list.
  private func freedValues(_ out: Int?) -> [Int: Double] {
    guard let out else { return [:] }
    var values: [Int: Double] = [:]
    for entry in offers[Int(pools.candidates[out])] where !assignment.isChosen[entry] {
      values[lists[entry]] = pools.values[entry]
    }
    return values
  }

  private func bestExchange(_ list: Int, _ taken: Int, _ out: Int?, _ freed: [Int: Double]) -> Exchange? {
    var best: Exchange?
    let candidate = Int(pools.candidates[taken])
    let own = pools.values[taken] - value(out)
    for other in offers[candidate] where assignment.isChosen[other] {
      let sum = assignment.likes[candidate] - pools.chances[other] + pools.chances[taken]
      guard ceiling.allows(sum) else { continue }
      // The search for a replacement would take most of the time without this estimate of its value.
      let estimate = max(spares[lists[other]], freed[lists[other]] ?? -.infinity)
      guard own - pools.values[other] + estimate > best?.gain ?? 0 else { continue }
      let replacement = replacement(in: lists[other], out)
      let gain = own - pools.values[other] + value(replacement)
      if gain > best?.gain ?? 0 {
        best = Exchange(out: out, taken: taken, other: other, replacement: replacement, gain: gain)
      }
    }
    return best
  }

  /// Returns the entry that `list` gives up; `nil` if the list has an empty place. This entry is the worst
  /// entry whose candidate stays on enough lists without it. A list that needs all of its entries cannot give
  /// up an entry.
  private func out(of list: Int) -> (isGivable: Bool, out: Int?) {
    if assignment.lengths[list] < top { return (true, nil) }
    let worst = assignment.worstSpare(list, pools, least)
    return (worst != nil, worst)
  }

  /// Returns the best entry that `list` can take if another list gives up the entry `out`.
  private func replacement(in list: Int, _ out: Int?) -> Int? {
    var best: Int?
    for entry in pools.range(list) where !assignment.isChosen[entry] && pools.values[entry] > value(best) {
      let candidate = pools.candidates[entry]
      var sum = assignment.likes[Int(candidate)] + pools.chances[entry]
      if let out, pools.candidates[out] == candidate { sum -= pools.chances[out] }
      if ceiling.allows(sum) { best = entry }
    }
    return best
  }

  private func value(_ entry: Int?) -> Double {
    entry.map { pools.values[$0] } ?? assignment.valueOfEmptyPlace
  }
}
