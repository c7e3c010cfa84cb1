/// Numbers in place of sort keys, so that the places of candidates on different lists can be compared.
///
/// If the keys have n different values, the candidates with the first value get numbers from -1/n to 0. The
/// next candidates get numbers from -2/n to -1/n, and so on. Within each interval, the score or the distance
/// determines the number if it is the next key.
package struct KeyValues: Sendable {
  /// The key after the attributes.
  enum Measure: Sendable {
    case score
    case distance
  }

  /// For each candidate, the number of different key values before its own.
  private let ranks: [Double]
  /// The number of different key values.
  private let count: Double
  private let measure: Measure?

  /// - Parameters:
  ///   - columns: The columns of the keys before `measure`, with one element per candidate, smaller values
  ///     first.
  ///   - measure: The key after these columns; `nil` if there is none.
  ///   - count: The number of candidates.
  init(_ columns: [[Double]], _ measure: Measure?, count: Int) {
    func precedes(_ left: Int, _ right: Int) -> Bool {
      for column in columns where column[left] != column[right] { return column[left] < column[right] }
      return false
    }
    var ranks = [Double](repeating: 0, count: count)
    var rank = 0.0
    let sorted = columns.isEmpty ? [] : (0..<count).sorted(by: precedes)
    for (before, row) in zip(sorted, sorted.dropFirst()) {
      if precedes(before, row) { rank += 1 }
      ranks[row] = rank
    }
    (self.ranks, self.measure, self.count) = (ranks, measure, rank + 1)
  }

  /// Returns the value of `candidate` with a score (`nil` if there is no model) and a value by distance (see
  /// `DistanceValue`).
  package func value(_ candidate: Int, score: Double?, distance: Double) -> Double {
    // A score that is the first key is a value already.
    if count == 1, measure == .score, let score { return score }
    let rest: Double =
      switch measure {
      case .score: score.map { (1 - $0 / (1 + abs($0))) / 2 } ?? 1
      case .distance: min(1, -distance)
      case nil: 0
      }
    return -(ranks[candidate] + rest) / count
  }
}
