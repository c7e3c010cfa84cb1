/// The best `capacity` of the recommendations that were offered, best first.
struct TopList: Sendable {
  let capacity: Int
  let order: RecommendationOrder
  private(set) var best: [Recommendation] = []

  init(capacity: Int, order: RecommendationOrder) {
    precondition(capacity > 0, "capacity is \(capacity)")
    self.capacity = capacity
    self.order = order
  }

  /// The last one of a full list, `nil` while there is room.
  var last: Recommendation? {
    best.count == capacity ? best[capacity - 1] : nil
  }

  /// Whether `candidate` is among the best so far.
  func takes(_ candidate: Recommendation) -> Bool {
    last.map { order.precedes(candidate, $0) } ?? true
  }

  /// Takes `candidate` in if it is among the best so far.
  ///
  /// - Complexity: O(1) for one that is not, which most are; O(`capacity`) for one that is.
  mutating func offer(_ candidate: Recommendation) {
    guard takes(candidate) else { return }
    var low = 0
    var high = best.count == capacity ? capacity - 1 : best.count
    while low < high {
      let middle = (low + high) / 2
      if order.precedes(best[middle], candidate) { low = middle + 1 } else { high = middle }
    }
    if best.count < capacity { best.append(candidate) }
    var places = best.mutableSpan
    var place = places.count - 1
    while place > low {
      places[place] = places[place - 1]
      place -= 1
    }
    places[low] = candidate
  }
}
