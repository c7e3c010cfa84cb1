internal import Glibc
package import Text

/// The bounds within which a model learns from a number, so that one value such as `1e100` does not determine
/// the scale of all scores. Learning treats a value beyond a bound as missing. In scores, the bound replaces
/// the value.
///
/// Each side of the median has a fence at the distance d·(q/d)². Here d is the median distance of the side's
/// values from the median, and q is the distance that 2% of these values exceed. For a normal distribution,
/// the fence is at 8 standard deviations. If the logarithm is normal with a standard deviation of 1, the
/// upper fence is at about 4.5 standard deviations of the logarithm. The reason is that q/d grows with the
/// tail. The bound is the last value within the fence, rounded outward. Data without values beyond a fence
/// are therefore unchanged.
///
/// The value farthest from the median never determines q, so a single value cannot determine its own fence.
/// If only one value is on a side, the fence of the other side applies. If all other values equal the median
/// m, the fence is at the distance 9 max(|m|, 1).
package struct NumberBounds: Hashable, Sendable {
  package var low: Double
  package var high: Double
  /// The number of values beyond a bound.
  package var beyond = 0

  /// The share of the values on each side that do not influence the fence. These are the values farthest from
  /// the median.
  private static let tail = 0.02
  /// The smallest number of values for which fences are computed. With fewer values, the bounds include every
  /// value.
  private static let fewest = 3
  /// The lower limit of q/d. It keeps the fence wide for values with little spread, such as a few different
  /// prices.
  private static let leastSpread = 3.0

  package init(low: Double, high: Double) {
    (self.low, self.high) = (low, high)
  }

  /// Computes the bounds of `values`. NaN values are ignored; the result is `nil` if there are no other
  /// values.
  package init?(of values: [Double]) {
    let sorted = values.filter { !$0.isNaN }.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    guard sorted.count >= Self.fewest else {
      (low, high) = (first, last)
      return
    }
    let median = sorted[(sorted.count - 1) / 2]
    let below = Array(sorted.prefix { $0 < median }.map { median - $0 }.reversed())
    let above = sorted.drop { $0 <= median }.map { $0 - median }
    // A single value on one side must not determine its own fence.
    let lower = Self.fence(below.count == 1 ? above : below, median)
    let upper = Self.fence(above.count == 1 ? below : above, median)
    // The bounds always include the median.
    let least = sorted.first { median - $0 <= lower } ?? first
    let most = sorted.last { $0 - median <= upper } ?? last
    (low, high) = Self.roundedOutward(least, most)
    beyond = sorted.count { $0 < low || $0 > high }
  }

  /// Computes the bounds of distances in kilometers from a sample of them. The lower bound is 0. The upper
  /// bound is the fence, rounded up to two digits, or `radius` if the radius is smaller. Unlike the bounds of
  /// all values, it does not depend on single values. NaN values are ignored; the result is `nil` if there
  /// are no other values.
  package init?(ofDistances sample: [Double], within radius: Double?) {
    let sorted = sample.filter { !$0.isNaN }.sorted()
    guard let last = sorted.last else { return nil }
    guard sorted.count >= Self.fewest else {
      (low, high) = (0, min(last, radius ?? .infinity))
      return
    }
    let median = sorted[(sorted.count - 1) / 2]
    let above = sorted.drop { $0 <= median }.map { $0 - median }
    let below = Array(sorted.prefix { $0 < median }.map { median - $0 }.reversed())
    let fence = median + Self.fence(above.count == 1 ? below : above, median)
    let step = pow(10, floor(log10(fence)) - 1)
    (low, high) = (0, min(ceil(fence / step) * step, radius ?? .infinity))
  }

  /// Returns the distance of the fence from the median. `distances` contains the distances of all values on
  /// one side, ascending.
  private static func fence(_ distances: [Double], _ median: Double) -> Double {
    guard !distances.isEmpty else { return leastSpread * leastSpread * max(abs(median), 1) }
    if distances.count == 1 { return leastSpread * leastSpread * distances[0] }
    let middle = distances[(distances.count - 1) / 2]
    let rank = Int((Double(distances.count) * (1 - tail)).rounded(.up))
    let outer = distances[min(rank, distances.count - 1) - 1]
    let spread = max(outer / middle, leastSpread)
    return middle * spread * spread
  }

  /// Rounds both bounds outward to multiples of a step. The step is a hundredth to a tenth of the difference
  /// between the bounds. Without rounding, a bound would reveal the value of one person.
  private static func roundedOutward(_ low: Double, _ high: Double) -> (low: Double, high: Double) {
    guard low < high else { return (low, high) }
    let step = pow(10, floor(log10(high - low)) - 1)
    let (outerLow, outerHigh) = (floor(low / step) * step, ceil(high / step) * step)
    // An extreme difference makes the step 0 or infinite, and the products NaN. `min` and `max` then return
    // the original bounds.
    return (min(low, outerLow), max(high, outerHigh))
  }

  /// Returns the value that a score uses for `value`. NaN stays NaN.
  @inline(__always)
  package func callAsFunction(_ value: Double) -> Double {
    value < low ? low : value > high ? high : value
  }

  /// Returns the values that a score uses for `values`.
  package func callAsFunction(_ values: [Double]) -> [Double] {
    beyond(values) ? values.map { self($0) } : values
  }

  /// Returns the values that learning uses: a value beyond a bound becomes NaN.
  package func withoutBeyond(_ values: [Double]) -> [Double] {
    beyond(values) ? values.map { $0 < low || $0 > high ? .nan : $0 } : values
  }

  /// Returns whether any of the values is beyond a bound. If not, callers return the original array without a
  /// copy.
  private func beyond(_ values: [Double]) -> Bool { values.contains { $0 < low || $0 > high } }
}

extension NumberBounds {
  /// The bounds as `[low, high]`.
  package var json: JSONValue { .array([.number(low), .number(high)]) }

  /// Reads the bounds in the form that `json` returns; `nil` if the value has another form.
  package init?(_ json: JSONValue) {
    let ends = json.elements.compactMap(\.numberValue)
    guard ends.count == 2 else { return nil }
    self.init(low: ends[0], high: ends[1])
  }
}
