internal import Columns

/// The best `capacity` of the recommendations that were offered, best first.
package struct TopList: Sendable {
  private struct ListedCandidate {
    var found: Recommendation
    /// Of the candidate's id.
    var hash: UInt64
    /// A mix of both ids, computed when a tie needs it; 0 until then.
    var mix: UInt64 = 0
  }

  /// How many are compared one by one, from the end on.
  private static let near = 8

  package let capacity: Int
  package let order: RecommendationOrder
  /// What goes before score and distance; `nil` is nothing.
  private let keys: CandidateKeys?
  private var entries: [ListedCandidate] = []

  package init(capacity: Int, order: RecommendationOrder, keys: CandidateKeys? = nil) {
    precondition(capacity > 0, "capacity is \(capacity)")
    self.capacity = capacity
    self.order = order
    self.keys = keys
    // Long lists mostly stay shorter.
    entries.reserveCapacity(min(capacity, 32))
  }

  package var best: [Recommendation] { entries.map(\.found) }

  /// How many more it takes before the first one has to go.
  package var room: Int { capacity - entries.count }

  /// The last one of a full list, `nil` while there is room.
  package var last: Recommendation? {
    entries.count == capacity ? entries[capacity - 1].found : nil
  }

  /// Takes `candidate` in if it is among the best so far.
  ///
  /// - Parameters:
  ///   - candidate: A candidate that was not offered before.
  ///   - hash: The hash of the candidate's id.
  ///   - isExcluded: Called only for candidates that would enter the list.
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
    // From the end on: searches through trees offer good ones first, so that most go near it. For the others by halves.
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
    // If the score is not one of the keys, there is no score, so it decides nothing.
    if let keys, let isBefore = keys.precedes(new.found, other) { return isBefore }
    if let isBefore = RecommendationOrder.precedesByMeasure(new.found, other) { return isBefore }
    if new.mix == 0 { new.mix = order.mix(new.hash) }
    if entries[place].mix == 0 { entries[place].mix = order.mix(entries[place].hash) }
    return RecommendationOrder.precedesByMix(new.found, new.mix, other, entries[place].mix)
  }
}
