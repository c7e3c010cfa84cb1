/// The candidates that are excluded for one user alone, each with the first rule that excludes it. The set is
/// a small hash table that a worker reuses from user to user.
package struct ExclusionSet: Sendable {
  struct ExcludedCandidate {
    /// The candidate; `UInt32.max` in a free slot.
    fileprivate(set) var candidate = UInt32.max
    /// The index of the rule among the ranking's exclusions.
    fileprivate(set) var rule: UInt16 = 0
    fileprivate(set) var hasInteracted = false
  }

  private var table = [ExcludedCandidate](repeating: ExcludedCandidate(), count: 64)
  /// The indices of the occupied slots in `table`.
  private var taken: [Int] = []

  var entries: some Sequence<ExcludedCandidate> { taken.lazy.map { table[$0] } }

  package mutating func removeAll() {
    for place in taken { table[place] = ExcludedCandidate() }
    taken.removeAll(keepingCapacity: true)
  }

  /// Records that `rule` excludes `candidate`, and whether the user has interacted with the candidate.
  package mutating func insert(_ candidate: UInt32, rule: Int, hasInteracted: Bool = false) {
    if 2 * (taken.count + 1) > table.count { grow() }
    let place = place(of: candidate)
    if table[place].candidate == .max {
      table[place] = ExcludedCandidate(candidate: candidate, rule: UInt16(rule), hasInteracted: hasInteracted)
      taken.append(place)
    } else {
      table[place].rule = min(table[place].rule, UInt16(rule))
      table[place].hasInteracted = table[place].hasInteracted || hasInteracted
    }
  }

  package func contains(_ candidate: UInt32) -> Bool {
    table[place(of: candidate)].candidate == candidate
  }

  /// Returns the slot that contains `candidate`, or the free slot for it.
  private func place(of candidate: UInt32) -> Int {
    // Fibonacci hashing: the upper bits of the product with 2³² divided by the golden ratio.
    var place = Int((candidate &* 2_654_435_769) >> UInt32(32 - table.count.trailingZeroBitCount))
    while table[place].candidate != candidate, table[place].candidate != .max {
      place = (place + 1) & (table.count - 1)
    }
    return place
  }

  private mutating func grow() {
    let entries = taken.map { table[$0] }
    table = Array(repeating: ExcludedCandidate(), count: 2 * table.count)
    taken.removeAll(keepingCapacity: true)
    for entry in entries {
      let place = place(of: entry.candidate)
      table[place] = entry
      taken.append(place)
    }
  }
}
