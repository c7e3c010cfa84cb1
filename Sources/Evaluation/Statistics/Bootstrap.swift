internal import Concurrency

/// A bootstrap interval: the middle part, such as 95 %, of a statistic's values on resampled data.
package struct Interval: Hashable, Sendable {
  package var low: Double
  package var high: Double

  package func contains(_ value: Double) -> Bool { low <= value && value <= high }
}

/// Bootstrap intervals of means over users. Users are drawn with replacement.
///
/// Users who share candidates are not independent, so the bootstrap can draw whole groups of users. All
/// statistics of one bootstrap use the same draws, so that differences between statistics are paired.
///
/// Source: Efron, Tibshirani, An Introduction to the Bootstrap (1993), sections 6.2 and 13.3 (percentile
/// interval); Davison, Hinkley, Bootstrap Methods and their Application (1997), section 3.8 (whole groups).
package struct Bootstrap: Sendable {
  /// The number of times that each sample contains each group.
  private let draws: [[UInt16]]
  private let groupOf: [Int]

  /// Draws samples of groups. The same seed gives the same samples on any machine.
  ///
  /// - Parameters:
  ///   - groups: The group number of each user, from 0. With the numbers `0..<count`, every user is a
  ///     separate group.
  ///   - samples: The number of samples; at least 1.
  ///   - seed: The seed of the draws.
  package init(groups: [Int], samples: Int, seed: UInt64) {
    precondition(samples > 0, "a bootstrap needs at least one sample, not \(samples)")
    groupOf = groups
    let count = (groups.max() ?? -1) + 1
    var random = SplitMix64(seed: seed)
    draws = (0..<samples).map { _ in
      var times = [UInt16](repeating: 0, count: count)
      for _ in 0..<count { times[Int(random.next(upperBound: UInt64(count)))] += 1 }
      return times
    }
  }

  /// Returns the interval of the mean of `values`. Users without a value do not count.
  ///
  /// - Parameters:
  ///   - values: One value per user, in the order of `groups`.
  ///   - level: The share of samples whose mean is in the interval, between 0 and 1 exclusive.
  /// - Returns: The interval; `nil` if no sample has a value.
  /// - Complexity: O(samples · groups).
  package func interval(ofMean values: [Double?], level: Double = 0.95) -> Interval? {
    precondition(
      values.count == groupOf.count,
      "each user must have one value, but there are \(values.count) values for \(groupOf.count) users")
    // A sample needs only each group's sum and count.
    let groups = (groupOf.max() ?? -1) + 1
    var sums = [Double](repeating: 0, count: groups)
    var counts = [Double](repeating: 0, count: groups)
    for (value, group) in zip(values, groupOf) {
      guard let value else { continue }
      sums[group] += value
      counts[group] += 1
    }
    let means = draws.compactMap { times -> Double? in
      var sum = 0.0
      var count = 0.0
      for group in times.indices where times[group] > 0 {
        sum += Double(times[group]) * sums[group]
        count += Double(times[group]) * counts[group]
      }
      return count > 0 ? sum / count : nil
    }.sorted()
    guard !means.isEmpty else { return nil }
    let tail = (1 - level) / 2
    return Interval(low: Self.quantile(means, tail), high: Self.quantile(means, 1 - tail))
  }

  /// Returns the quantile of ascending values with linear interpolation (Hyndman and Fan's type 7).
  private static func quantile(_ sorted: [Double], _ share: Double) -> Double {
    let place = share * Double(sorted.count - 1)
    let below = Int(place)
    guard below + 1 < sorted.count else { return sorted[sorted.count - 1] }
    return sorted[below] + (place - Double(below)) * (sorted[below + 1] - sorted[below])
  }
}
