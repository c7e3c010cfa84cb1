internal import Glibc

/// The logarithm that the setting `log` of a feature applies: sign(x) ln(1 + |x|).
///
/// The function is defined for all numbers. It increases with x, keeps the sign, and is close to x near 0.
/// The difference between the logarithms of two large numbers depends almost only on their ratio.
package enum SignedLogarithm {
  /// Returns the logarithm of `value`; NaN if `value` is NaN.
  @inline(__always)
  package static func of(_ value: Double) -> Double {
    value < 0 ? -log1p(-value) : log1p(value)
  }
}
