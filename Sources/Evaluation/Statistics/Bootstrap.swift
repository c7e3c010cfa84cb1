internal import Concurrency

/// An interval that holds the middle part of what a statistic would be on other samples.
package struct Interval: Hashable, Sendable {
  package var low: Double
  package var high: Double

  package func contains(_ value: Double) -> Bool { low <= value && value <= high }
}

/// Intervals of means over users, by drawing users again with replacement.
///
/// Users who share candidates are not independent: by group (a cell, an evening) whole groups are drawn. All statistics of
/// one bootstrap see the same draws, so that differences between them are paired.
///
/// Source: Efron, Tibshirani, An Introduction to the Bootstrap (1993), sections 6.2 and 13.3 (percentile interval); Davison,
/// Hinkley, Bootstrap Methods and their Application (1997), section 3.8 (whole groups).
package struct Bootstrap: Sendable {
  /// By draw: how often each group was drawn.
  private let draws: [[UInt16]]
  private let groupOf: [Int]

  /// Draws so many samples of groups, the same for the same seed on any machine.
  ///
  /// - Parameters:
  ///   - groups: Of each user, the number of the group, from 0; every user alone is `0..<count`.
  ///   - samples: How many times; at least 1.
  ///   - seed: The seed of the draws.
  package init(groups: [Int], samples: Int, seed: UInt64) {
    precondition(samples > 0, "a bootstrap of \(samples) samples")
    groupOf = groups
    let count = (groups.max() ?? -1) + 1
    var random = SplitMix64(seed: seed)
    draws = (0..<samples).map { _ in
      var times = [UInt16](repeating: 0, count: count)
      for _ in 0..<count { times[Int(random.next(upperBound: UInt64(count)))] += 1 }
      return times
    }
  }

  /// The interval of the mean of `values`, one of each user in the groups' order; users without a value do not count.
  ///
  /// - Parameters:
  ///   - values: One of each user.
  ///   - level: The share of samples whose mean lies within, 0 to 1 exclusive.
  /// - Returns: `nil` where no sample has a value.
  /// - Complexity: O(samples · groups).
  package func interval(ofMean values: [Double?], level: Double = 0.95) -> Interval? {
    precondition(values.count == groupOf.count, "\(values.count) values of \(groupOf.count) users")
    // A sample needs no more than each group's sum and count.
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

  /// The quantile of ascending values, between neighbors in a straight line (Hyndman and Fan's type 7).
  private static func quantile(_ sorted: [Double], _ share: Double) -> Double {
    let place = share * Double(sorted.count - 1)
    let below = Int(place)
    guard below + 1 < sorted.count else { return sorted[sorted.count - 1] }
    return sorted[below] + (place - Double(below)) * (sorted[below + 1] - sorted[below])
  }
}
