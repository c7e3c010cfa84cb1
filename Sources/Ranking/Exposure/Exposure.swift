internal import Glibc

/// The distribution of exposure among the eligible candidates.
package struct Exposure: Hashable, Sendable {
  /// The candidates' exposures in ascending order. Candidates who are never shown have an exposure of 0.
  package let sorted: [Double]

  /// Creates the distribution from the exposures of all eligible candidates. The exposures must be
  /// non-negative, and at least one candidate must be eligible.
  package init(_ exposures: [Double]) {
    precondition(
      !exposures.isEmpty && exposures.allSatisfy { $0 >= 0 }, "exposures must be present and non-negative")
    sorted = exposures.sorted()
  }

  /// Returns the exposure that a place on a list gives: 1 / log2(place + 1), with places counted from 1.
  package static func discount(atPlace place: Int) -> Double { 1 / log2(Double(place + 1)) }

  /// The number of candidates who are never shown.
  package var neverShown: Int { sorted.count { $0 == 0 } }

  /// The share of candidates who are shown at all.
  package var coverage: Double { Double(sorted.count - neverShown) / Double(sorted.count) }

  /// The largest exposure of a candidate as a share of all exposure; 0 if no candidate is shown.
  package var largestShare: Double {
    let total = sorted.reduce(0, +)
    return total == 0 ? 0 : (sorted.last ?? 0) / total
  }

  /// The Gini coefficient: 0 if all n candidates have the same exposure, or if no candidate is shown. The
  /// coefficient is (n - 1) / n if only one candidate is shown.
  ///
  /// Source: Sen, On Economic Inequality (1973), section 2.4: Σ (2i - n - 1) xᵢ / (n Σ xᵢ) for ascending x.
  package var gini: Double {
    let n = Double(sorted.count)
    var weighted = 0.0
    var total = 0.0
    for (index, exposure) in sorted.enumerated() {
      weighted += (2 * Double(index + 1) - n - 1) * exposure
      total += exposure
    }
    return total == 0 ? 0 : weighted / (n * total)
  }

  /// Returns points of the Lorenz curve. Point i, from 0 to `steps`, describes the least exposed candidates,
  /// who are the share `i / steps` of all candidates. The value of the point is their share of all exposure.
  /// Between candidates, the curve is linear.
  package func lorenz(steps: Int) -> [Double] {
    var sums = [0.0]
    for exposure in sorted { sums.append(sums[sums.count - 1] + exposure) }
    let total = sums[sums.count - 1]
    return (0...steps).map { step in
      let place = Double(step) / Double(steps) * Double(sorted.count)
      let below = min(Int(place), sorted.count)
      let rest = below < sorted.count ? (place - Double(below)) * sorted[below] : 0
      // If no candidate is shown, all exposures are equal, so the curve is the diagonal.
      return total == 0 ? Double(step) / Double(steps) : (sums[below] + rest) / total
    }
  }
}
