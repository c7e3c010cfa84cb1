internal import Glibc
internal import Text

/// A linear axis of numbers: its range, its ticks, and their places.
///
/// The distance between ticks is 1, 2 or 5 times a power of ten.
struct NumberAxis {
  /// The range of the axis.
  let range: ClosedRange<Double>
  /// The values of the ticks, which lie in the range, in ascending order.
  let ticks: [Double]
  /// The two ends of the axis in CSS pixels. The first end belongs to the lower bound of the range.
  let ends: (Double, Double)
  private let decimals: Int
  private let isShare: Bool

  /// Creates an axis that contains `values`. Without a finite value, the axis ranges from 0 to 1.
  ///
  /// - Parameters:
  ///   - values: The values that the axis must contain. Infinite values and NaN are ignored.
  ///   - isNice: Whether the range extends to whole ticks. Otherwise, the range ends at the extreme values.
  ///   - isShare: Whether ticks are written in percent.
  ///   - count: The approximate number of ticks.
  ///   - ends: The ends of the axis in CSS pixels.
  init(
    _ values: [Double], isNice: Bool = true, isShare: Bool = false, ticks count: Int, ends: (Double, Double)
  ) {
    let finite = values.filter(\.isFinite)
    var (low, high) = (finite.min() ?? 0, finite.max() ?? 1)
    if low == high {
      // If all values are equal, the range still needs a width. The value is then in the middle of the range,
      // unless it is a share near 0 or 1.
      let margin = max(abs(low) * 0.1, 0.05)
      // A range of shares stays between 0 and 1.
      let whole = isShare && (0...1).contains(low) ? 0...1 : -Double.infinity...Double.infinity
      (low, high) = (max(low - margin, whole.lowerBound), min(high + margin, whole.upperBound))
    }
    let step = Self.step(atLeast: high / Double(count) - low / Double(count))
    let steps =
      isNice ? (low / step).rounded(.down)...(high / step).rounded(.up) : (low / step)...(high / step)
    range = isNice ? steps.lowerBound * step...steps.upperBound * step : low...high
    ticks = stride(from: steps.lowerBound.rounded(.up), through: steps.upperBound.rounded(.down), by: 1).map {
      $0 * step
    }
    decimals = max(0, Int(-log10(step * (isShare ? 100 : 1) * 1.000_001).rounded(.down)))
    (self.isShare, self.ends) = (isShare, ends)
  }

  /// Returns the place of `value` in CSS pixels. A value outside the range is placed at the nearer end.
  func place(_ value: Double) -> Double {
    let clamped = min(max(value, range.lowerBound), range.upperBound)
    // The numbers are halved before the subtraction, so that the difference of two large numbers does not
    // overflow.
    let share = (clamped / 2 - range.lowerBound / 2) / (range.upperBound / 2 - range.lowerBound / 2)
    return ends.0 + share * (ends.1 - ends.0)
  }

  /// Returns the text at a tick; in percent for shares.
  func text(_ tick: Double) -> String {
    guard abs(tick) < 1e9 else { return tick.short }
    let text = (isShare ? tick * 100 : tick).fixed(decimals)
    let isZero = text.allSatisfy { "-0.".contains($0) }
    let signed = text.hasPrefix("-") ? (isZero ? "" : "\u{2212}") + text.dropFirst() : text
    return isShare ? signed + " %" : signed
  }

  /// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `least`.
  private static func step(atLeast least: Double) -> Double {
    let power = pow(10, log10(least).rounded(.down))
    return ([1, 2, 5].first { $0 * power >= least } ?? 10) * power
  }
}
