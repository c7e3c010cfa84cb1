internal import Foundation

/// Student's t distribution.
enum StudentT {
  /// Returns the two-sided tail probability of `t` with `degrees` degrees of freedom. The number of degrees
  /// must be positive. The result has 11 correct digits up to a thousand degrees of freedom, and 9 correct
  /// digits at a million.
  ///
  /// Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 26.7.1 and 26.5.27.
  static func twoSidedTail(_ t: Double, degrees: Double) -> Double {
    t.isInfinite ? 0 : IncompleteBeta.regularized(degrees / (degrees + t * t), a: degrees / 2, b: 0.5)
  }
}

/// The regularized incomplete beta function I_x(a, b).
enum IncompleteBeta {
  /// Returns I_x(a, b) for x in 0...1 and positive a and b.
  ///
  /// Source: DLMF 8.17.22 (the continued fraction), evaluated by Lentz's method as modified by Thompson and
  /// Barnett 1986, doi:10.1016/0021-9991(86)90046-X; DLMF 8.17.4 (the symmetry that keeps x where the
  /// continued fraction converges fast).
  static func regularized(_ x: Double, a: Double, b: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    if x > (a + 1) / (a + b + 2) { return 1 - regularized(1 - x, a: b, b: a) }
    let front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    return front / continuedFraction(x, a, b)
  }

  /// Returns the continued fraction 1 + d₁ / (1 + d₂ / (1 + …)).
  private static func continuedFraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    let tiny = 1e-300
    var value = 1.0
    var c = 1.0
    var d = 0.0
    // The continued fraction converges within O(√max(a, b)) terms, so the limit is large enough.
    for term in 1...100_000 {
      let m = Double(term / 2)
      let coefficient =
        term % 2 == 0
        ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / nonzero(1 + coefficient * d, tiny)
      c = nonzero(1 + coefficient / c, tiny)
      value *= c * d
      if abs(c * d - 1) < 1e-16 { break }
    }
    return value
  }

  private static func nonzero(_ value: Double, _ tiny: Double) -> Double { abs(value) < tiny ? tiny : value }
}
