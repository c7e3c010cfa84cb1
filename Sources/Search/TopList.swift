internal import Columns

/// The best `capacity` of all offered recommendations, best first.
package struct TopList: Sendable {
  private struct ListedCandidate {
    var found: Recommendation
    /// The hash of the candidate's id.
    var hash: UInt64
    /// A mix of the hashes of both ids, computed when a tie needs it; 0 until then.
    var mix: UInt64 = 0
  }

  /// The number of entries at the end of the list that an insertion compares one by one.
  private static let near = 8

  package let capacity: Int
  package let order: RecommendationOrder
  /// The sort keys that take precedence over score and distance; `nil` for the order by score and distance
  /// alone.
  private let keys: CandidateKeys?
  private var entries: [ListedCandidate] = []

  package init(capacity: Int, order: RecommendationOrder, keys: CandidateKeys? = nil) {
    precondition(capacity > 0, "the capacity of a list must be above 0, but it is \(capacity)")
    self.capacity = capacity
    self.order = order
    self.keys = keys
    // Most lists with a large capacity stay short, so little memory is reserved.
    entries.reserveCapacity(min(capacity, 32))
  }

  package var best: [Recommendation] { entries.map(\.found) }

  /// The number of free entries.
  package var room: Int { capacity - entries.count }

  /// The last entry of a full list; `nil` if the list is not full.
  package var last: Recommendation? {
    entries.count == capacity ? entries[capacity - 1].found : nil
  }

  /// Inserts `candidate` if it is among the best so far.
  ///
  /// - Parameters:
  ///   - candidate: A candidate that was not offered before.
  ///   - hash: The hash of the candidate's id.
  ///   - isExcluded: Whether the candidate is excluded; evaluated only if the candidate would enter the list.
  /// - Returns: Whether the candidate entered the list.
  /// - Complexity: O(1) for the usual rejected candidate; O(`capacity`) for an accepted one.
  @discardableResult
  package mutating func offer(
    _ candidate: Recommendation, hash: UInt64, isExcluded: @autoclosure () -> Bool = false
  ) -> Bool {
    var new = ListedCandidate(found: candidate, hash: hash)
    let isFull = entries.count == capacity
    if isFull, !precedes(&new, entryAt: capacity - 1) { return false }
    if isExcluded() { return false }
    if !isFull { entries.append(new) }
    var place = entries.count - 1
    // The last places are compared one by one, because most insertions are there: tree searches offer good
    // candidates first. Binary search finds all other places.
    let near = max(0, place - Self.near)
    while place > near, precedes(&new, entryAt: place - 1) {
      entries[place] = entries[place - 1]
      place -= 1
    }
    if place == near {
      let target = (0..<near).partitioningIndex { precedes(&new, entryAt: $0) }
      while place > target {
        entries[place] = entries[place - 1]
        place -= 1
      }
    }
    entries[place] = new
    return true
  }

  private mutating func precedes(_ new: inout ListedCandidate, entryAt place: Int) -> Bool {
    let other = entries[place].found
    // If the score is not one of the keys, candidates have no score, and the comparison by score has no
    // effect.
    if let keys, let isBefore = keys.precedes(new.found, other) { return isBefore }
    if let isBefore = RecommendationOrder.precedesByMeasure(new.found, other) { return isBefore }
    if new.mix == 0 { new.mix = order.mix(new.hash) }
    if entries[place].mix == 0 { entries[place].mix = order.mix(entries[place].hash) }
    return RecommendationOrder.precedesByMix(new.found, new.mix, other, entries[place].mix)
  }
}
