internal import Glibc

/// The logarithm that the setting `log` of a feature applies: sign(x) log(1 + |x|), with the natural logarithm.
///
/// It is defined for all numbers, grows with x, keeps 0 and the sign, and is about x for small x. Large
/// numbers, such as incomes, followers and distances, then differ by their ratio.
package enum SignedLogarithm {
  /// Returns the logarithm of `value`; NaN stays NaN.
  @inline(__always)
  package static func of(_ value: Double) -> Double {
    value < 0 ? -log1p(-value) : log1p(value)
  }
}
