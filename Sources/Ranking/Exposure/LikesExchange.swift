/// Improves a choice under a ceiling of expected likes by exchanges between two lists.
///
/// One list takes a candidate who is at the ceiling, and another list gives the candidate up and takes somebody else.
/// The last places under a ceiling often need such an exchange, because the chances of different users differ.
struct LikesExchange {
  private(set) var assignment: ListAssignment
  private let pools: AssignmentEntries
  private let top: Int
  private let least: [Int]
  private let likes: Double
  /// The list of each entry.
  private let lists: [Int]
  /// The entries of each candidate.
  private let offers: [[Int]]

  /// - Parameters:
  ///   - assignment: The choice, within the ceiling.
  ///   - pools: The entries of all lists.
  ///   - top: The greatest length of a list.
  ///   - least: The number of lists that each candidate should have.
  ///   - likes: The greatest number of expected likes of each candidate.
  init(
    _ assignment: ListAssignment, _ pools: AssignmentEntries, top: Int, least: [Int], likes: Double
  ) {
    (self.assignment, self.pools, self.top, self.least, self.likes) = (assignment, pools, top, least, likes)
    lists = (0..<pools.listCount).flatMap { list in pools.range(list).map { _ in list } }
    var offers = [[Int]](repeating: [], count: least.count)
    for (entry, candidate) in pools.candidates.enumerated() { offers[Int(candidate)].append(entry) }
    self.offers = offers
  }

  /// Makes exchanges until no exchange fills a place or raises the total.
  mutating func run() {
    var isChanged = true
    while isChanged {
      isChanged = false
      for list in 0..<pools.listCount where improve(list) { isChanged = true }
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
    for taken in pools.range(list) where !assignment.isChosen[taken] {
      guard let best = bestExchange(list, taken), best.gain > 1e-9 else { continue }
      if let out = best.out { assignment.remove(out, of: list, pools) }
      assignment.remove(best.other, of: lists[best.other], pools)
      assignment.insert(taken, of: list, pools)
      if let replacement = best.replacement { assignment.insert(replacement, of: lists[best.other], pools) }
      isChanged = true
    }
    return isChanged
  }

  private func bestExchange(_ list: Int, _ taken: Int) -> Exchange? {
    var best: Exchange?
    let candidate = Int(pools.candidates[taken])
    for other in offers[candidate] where assignment.isChosen[other] {
      let sum = assignment.likes[candidate] - pools.chances[other] + pools.chances[taken]
      guard isWithin(sum) else { continue }
      for out in outs(of: list) {
        let replacement = replacement(in: lists[other], without: other, out)
        let gain = value(taken) - value(out) - value(other) + value(replacement)
        if gain > best?.gain ?? 0 {
          best = Exchange(out: out, taken: taken, other: other, replacement: replacement, gain: gain)
        }
      }
    }
    return best
  }

  /// The entries that `list` can give up: none of them if it has an empty place.
  private func outs(of list: Int) -> [Int?] {
    if assignment.lengths[list] < top { return [nil] }
    return pools.range(list).filter { assignment.isChosen[$0] && isSpare($0) }
  }

  /// Whether the candidate of a chosen entry stays on enough lists without it.
  private func isSpare(_ entry: Int) -> Bool {
    let candidate = Int(pools.candidates[entry])
    return assignment.appearances[candidate] > least[candidate]
  }

  /// The best entry of `list` for the place of `removed`, if the entry `out` of another list is given up.
  private func replacement(in list: Int, without removed: Int, _ out: Int?) -> Int? {
    var best: Int?
    for entry in pools.range(list) where entry != removed && !assignment.isChosen[entry] {
      let candidate = pools.candidates[entry]
      var sum = assignment.likes[Int(candidate)] + pools.chances[entry]
      if let out, pools.candidates[out] == candidate { sum -= pools.chances[out] }
      if isWithin(sum), value(entry) > value(best) { best = entry }
    }
    return best
  }

  private func isWithin(_ sum: Double) -> Bool { sum <= likes * (1 - 1e-12) }

  private func value(_ entry: Int?) -> Double {
    entry.map { pools.values[$0] } ?? assignment.valueOfEmptyPlace
  }
}
