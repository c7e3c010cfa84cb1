internal import Foundation

/// How the values of two rankings differ over the same users.
package struct PairedComparison: Hashable, Sendable {
  /// How many users have both values.
  package let users: Int
  /// The mean of the differences, first minus second; `nil` without users.
  package let mean: Double?
  /// Their standard deviation, with n - 1; `nil` with fewer than two users.
  package let standardDeviation: Double?

  /// Compares `first` with `second`, user by user, where both have a value.
  package init(_ first: [Double?], _ second: [Double?]) {
    precondition(first.count == second.count, "\(first.count) users compared with \(second.count)")
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

  /// Cohen's d of paired values: the mean by the standard deviation; `nil` where there is no deviation to divide by.
  ///
  /// Source: Cohen, Statistical Power Analysis (2nd ed., 1988), section 2.3.5 (d_z).
  package var effectSize: Double? {
    guard let mean, let standardDeviation, standardDeviation > 0 else { return nil }
    return mean / standardDeviation
  }

  /// The probability of a mean at least as far from 0, were the differences normal around 0 (two-sided paired t-test);
  /// `nil` with fewer than two users. Without any deviation it is 0, or 1 where the mean is 0 too.
  package var pValue: Double? {
    guard let mean, let standardDeviation else { return nil }
    guard standardDeviation > 0 else { return mean == 0 ? 1 : 0 }
    let t = mean / (standardDeviation / sqrt(Double(users)))
    return StudentT.twoSidedTail(t, degrees: Double(users - 1))
  }
}

/// P values corrected for multiple comparisons by Holm's method.
///
/// Source: Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
///
/// - Parameter pValues: Of all comparisons of the family, each 0 to 1.
/// - Returns: The adjusted values in the same order, 0 to 1, none smaller than its own.
package func holmAdjusted(_ pValues: [Double]) -> [Double] {
  var adjusted = pValues
  var largest = 0.0
  for (place, index) in pValues.indices.sorted(by: { (pValues[$0], $0) < (pValues[$1], $1) }).enumerated() {
    largest = max(largest, min(1, Double(pValues.count - place) * pValues[index]))
    adjusted[index] = largest
  }
  return adjusted
}
