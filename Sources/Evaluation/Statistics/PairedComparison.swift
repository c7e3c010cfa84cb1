internal import Foundation

/// The paired differences between the values of two methods over the same users.
package struct PairedComparison: Hashable, Sendable {
  /// The number of users with both values.
  package let users: Int
  /// The mean of the differences, first minus second; `nil` if there are no users.
  package let mean: Double?
  /// The sample standard deviation of the differences (divisor n - 1); `nil` for fewer than two users.
  package let standardDeviation: Double?

  /// Compares `first` with `second` over the users with both values.
  package init(_ first: [Double?], _ second: [Double?]) {
    precondition(
      first.count == second.count,
      "both methods must have the same users, but they have \(first.count) and \(second.count) values")
    let differences = zip(first, second).compactMap { first, second in
      first.flatMap { first in second.map { first - $0 } }
    }
    let count = differences.count
    users = count
    guard count > 0 else {
      (mean, standardDeviation) = (nil, nil)
      return
    }
    let mean = differences.reduce(0, +) / Double(count)
    self.mean = mean
    let squares = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    standardDeviation = count > 1 ? sqrt(squares / Double(count - 1)) : nil
  }

  /// Cohen's d of paired values: the mean divided by the standard deviation; `nil` if the deviation is
  /// missing or 0.
  ///
  /// Source: Cohen, Statistical Power Analysis (2nd ed., 1988), section 2.3.5 (d_z).
  package var effectSize: Double? {
    guard let mean, let standardDeviation, standardDeviation > 0 else { return nil }
    return mean / standardDeviation
  }

  /// The p-value of a two-sided paired t-test; `nil` for fewer than two users. If the standard deviation is
  /// 0, the p-value is 1 for a mean of 0, and otherwise 0.
  package var pValue: Double? {
    guard let mean, let standardDeviation else { return nil }
    guard standardDeviation > 0 else { return mean == 0 ? 1 : 0 }
    let t = mean / (standardDeviation / sqrt(Double(users)))
    return StudentT.twoSidedTail(t, degrees: Double(users - 1))
  }
}

/// Corrects p-values for multiple comparisons by Holm's method.
///
/// Source: Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
///
/// - Parameter pValues: The p-values of all comparisons, each from 0 to 1.
/// - Returns: The adjusted p-values in the same order, from 0 to 1. Each is at least as large as the original
///   p-value.
package func holmAdjusted(_ pValues: [Double]) -> [Double] {
  var adjusted = pValues
  var largest = 0.0
  for (place, index) in pValues.indices.sorted(by: { (pValues[$0], $0) < (pValues[$1], $1) }).enumerated() {
    largest = max(largest, min(1, Double(pValues.count - place) * pValues[index]))
    adjusted[index] = largest
  }
  return adjusted
}
