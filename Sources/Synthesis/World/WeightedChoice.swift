internal import Algorithms
internal import Concurrency

/// Draws an index with a probability proportional to its weight.
struct WeightedChoice: Sendable {
  /// The running sums of the weights.
  private let sums: [Double]

  /// - Parameter weights: The weights, finite and not negative. A draw needs at least one positive weight.
  init(_ weights: [Double]) {
    var total = 0.0
    sums = weights.map { weight in
      precondition(weight >= 0 && weight.isFinite, "a weight must be finite and at least 0, not \(weight)")
      total += weight
      return total
    }
  }

  var isEmpty: Bool { (sums.last ?? 0) <= 0 }

  /// Draws an index whose weight is not zero.
  ///
  /// - Complexity: O(log n).
  func next(using generator: inout SplitMix64) -> Int {
    precondition(!isEmpty, "a draw needs at least one positive weight")
    return index(at: generator.nextUnit() * (sums.last ?? 0))
  }

  /// Returns the first index whose running sum is above `position`, or the last index if `position` is at
  /// least the total.
  func index(at position: Double) -> Int {
    min(sums.partitioningIndex { $0 > position }, sums.count - 1)
  }

  /// Returns the sum of the weights before `index`.
  func sum(before index: Int) -> Double {
    index > 0 ? sums[index - 1] : 0
  }
}
