/// The best `capacity` of the recommendations that were offered, best first.
struct TopList: Sendable {
  private struct Entry {
    var found: Recommendation
    /// Of the candidate's id.
    var hash: UInt64
    /// Of both ids, once a tie has asked for it; 0 where nobody knows it yet.
    var mix: UInt64 = 0
  }

  let capacity: Int
  let order: RecommendationOrder
  /// What goes before score and distance; `nil` is nothing.
  private let keys: CandidateKeys?
  private var entries: [Entry] = []

  init(capacity: Int, order: RecommendationOrder, keys: CandidateKeys? = nil) {
    precondition(capacity > 0, "capacity is \(capacity)")
    self.capacity = capacity
    self.order = order
    self.keys = keys
  }

  var best: [Recommendation] { entries.map(\.found) }

  /// How many more it takes before the first one has to go.
  var room: Int { capacity - entries.count }

  /// The last one of a full list, `nil` while there is room.
  var last: Recommendation? {
    entries.count == capacity ? entries[capacity - 1].found : nil
  }

  /// Takes `candidate` in if it is among the best so far.
  ///
  /// - Parameters:
  ///   - candidate: Not one that was offered before.
  ///   - hash: That of the candidate's id.
  ///   - isExcluded: Asked only about those who would be taken in.
  /// - Returns: Whether it was.
  /// - Complexity: O(1) for one that is not, which most are; O(`capacity`) for one that is.
  @discardableResult
  mutating func offer(
    _ candidate: Recommendation, hash: UInt64, isExcluded: @autoclosure () -> Bool = false
  ) -> Bool {
    var new = Entry(found: candidate, hash: hash)
    var (low, high) = (0, entries.count)
    if high == capacity {
      high -= 1
      if !precedes(&new, entryAt: high) { return false }
    }
    if isExcluded() { return false }
    while low < high {
      let middle = (low + high) / 2
      if precedes(&new, entryAt: middle) { high = middle } else { low = middle + 1 }
    }
    if entries.count < capacity { entries.append(new) }
    var places = entries.mutableSpan
    var place = places.count - 1
    while place > low {
      places[place] = places[place - 1]
      place -= 1
    }
    places[low] = new
    return true
  }

  private mutating func precedes(_ new: inout Entry, entryAt place: Int) -> Bool {
    let other = entries[place].found
    // A score that is no key decides nothing: there is none then.
    if let keys, let isBefore = keys.precedes(new.found, other) { return isBefore }
    if let isBefore = RecommendationOrder.precedesByMeasure(new.found, other) { return isBefore }
    if new.mix == 0 { new.mix = order.mix(new.hash) }
    if entries[place].mix == 0 { entries[place].mix = order.mix(entries[place].hash) }
    return RecommendationOrder.precedesByMix(new.found, new.mix, other, entries[place].mix)
  }
}
