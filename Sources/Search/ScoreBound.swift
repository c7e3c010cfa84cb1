package import Features

/// An upper bound on one user's score in a group of candidates.
///
/// A score is a sum in a fixed order. The bound adds the features' greatest contributions in the same order.
/// Floating-point addition and multiplication are monotonic despite rounding: a ≤ b implies a + c ≤ b + c
/// and, for c ≥ 0, a c ≤ b c. Therefore, a bound that applies the score's own operations to extreme values is
/// never below a score. If the operations differ, the extremes are widened: distances by `ChordBounds`, dot
/// products of text vectors by `norm(_:_:)`.
package struct ScoreBound: Sendable {
  private enum BoundedFeature: Sendable {
    /// The greatest contribution for each code modulo 64, and the contribution of a missing code.
    case codes([Double], missing: Double)
    case value(ValueBound, coefficient: Double, mean: Double)
    /// The norm of the coefficients, widened by the rounding errors.
    case vector(norm: Double, constant: Double)
    case nothing
  }

  private let base: Double
  private let features: [BoundedFeature]

  package init(_ scorer: Scorer) {
    base = scorer.base
    features = scorer.contributors.map { contributor in
      switch contributor {
      case .codes(_, let table, let missing):
        return .codes(Self.greatest(table), missing: missing)
      case .value(let shape, let coefficient, let mean):
        return .value(shape.bound(ofUser: scorer.user), coefficient: coefficient, mean: mean)
      case .vector(let vectors, let coefficients, let constant):
        return .vector(norm: Self.norm(coefficients, vectors.dimensions), constant: constant)
      case .nothing: return .nothing
      }
    }
  }

  private static func greatest(_ table: [Double]) -> [Double] {
    var greatest = [Double](repeating: -.infinity, count: 64)
    for (code, contribution) in table.enumerated() {
      greatest[code % 64] = max(greatest[code % 64], contribution)
    }
    return greatest
  }

  private static func norm(_ coefficients: [Double], _ dimensions: Int) -> Double {
    // The rounding error of a sum of n products is at most n half units in the last place of the sum of
    // magnitudes. By the Cauchy-Schwarz inequality, this sum is at most the product of both norms. Computing
    // the norms adds an error of about n half units.
    let slack = 1 + 4 * Double(dimensions + 8) * Double.ulpOfOne
    let norm = coefficients.reduce(0) { $0 + $1 * $1 }.squareRoot()
    // Each product that underflows loses less than the smallest normal number.
    let lost = Double(dimensions) * Double.leastNormalMagnitude
    return norm * slack + lost
  }

  /// Returns an upper bound on the scores of all candidates in a group.
  ///
  /// - Parameters:
  ///   - summaries: The summaries of the group, one per feature, starting at `offset`.
  ///   - offset: The index of the group's first summary.
  ///   - distances: The range of the group's distances from the user.
  /// - Returns: The bound; infinity if no bound is known.
  package func upperBound(
    _ summaries: Span<FeatureSummary>, from offset: Int, _ distances: GroupDistances
  ) -> Double {
    var bound = base
    for index in features.indices {
      if case .nothing = features[index] { continue }
      bound += mostContribution(of: index, summaries[offset + index], distances)
    }
    return bound.isNaN ? .infinity : bound
  }

  /// Returns an upper bound on the contribution of the feature at `index` in a group.
  package func mostContribution(
    of index: Int, _ summary: FeatureSummary, _ distances: GroupDistances = GroupDistances()
  ) -> Double {
    switch features[index] {
    case .codes(let greatest, let missing):
      var most = summary.hasMissing ? missing : -Double.infinity
      var rest = summary.codes
      while rest != 0 {
        most = max(most, greatest[rest.trailingZeroBitCount])
        rest &= rest - 1
      }
      return most
    case .value(let bound, let coefficient, let mean):
      let range = bound(summary, distances)
      var most = -Double.infinity
      // A linear function has its maximum at an end of the interval.
      if range.low <= range.high { most = coefficient * ((coefficient > 0 ? range.high : range.low) - mean) }
      return range.hasMissing ? max(most, 0) : most
    case .vector(let norm, let constant):
      // The norm of a group is the norm of its longest vector. The widening in `norm(_:_:)` covers the
      // rounding of both norms.
      return summary.hasValues ? norm * summary.high + constant : -.infinity
    case .nothing:
      return 0
    }
  }
}
