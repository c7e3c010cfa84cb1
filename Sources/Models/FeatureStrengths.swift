internal import LeastSquares

/// Estimates from the learning rows how strongly each feature entry of a pipeline file affects the
/// population's taste.
///
/// The coefficients of an entry in the population's mean have the prior N(0, 1 / precision), with one
/// precision per entry. The precisions maximize the marginal likelihood (the evidence), with the mean
/// integrated out. If an entry explains no more than chance, its precision goes to infinity, and its
/// coefficients go to 0. At a maximum of the evidence, precision = γ / Σ m² with γ = k - precision tr V.
/// Here, m are the entry's k coefficients, and V is their posterior covariance.
///
/// Sources: MacKay 1992, doi:10.1162/neco.1992.4.3.415; Tipping 2001, Sparse Bayesian learning and the
/// relevance vector machine (JMLR 1).
struct FeatureStrengths {
  /// The feature entry of each parameter; `nil` for the base.
  let entries: [Int?]

  /// The largest precision. At this precision, the prior standard deviation of a coefficient is a thousandth
  /// of the values' standard deviation.
  static let largestPrecision = 1e6

  /// Estimates the precision of each parameter. The base keeps its precision.
  ///
  /// - Parameters:
  ///   - information: The information on the mean, as in `PriorEstimation.Result`.
  ///   - moments: The moments, as in `PriorEstimation.Result`.
  ///   - least: The lower bound on each precision. The search starts from this bound, or from 1 if the bound
  ///     is smaller.
  /// - Returns: One precision per parameter.
  /// - Throws: `LeastSquaresError`, which indicates a bug.
  func precisions(information: [Double], moments: [Double], least: [Double]) throws(LeastSquaresError)
    -> [Double]
  {
    let order = moments.count
    let groups = Dictionary(grouping: entries.indices.filter { entries[$0] != nil }) { entries[$0] ?? -1 }
      .sorted { $0.key < $1.key }.map(\.value)
    var precisions = least
    // Start from a weak prior with a precision of at least 1, that is, a standard deviation of at most the
    // values' standard deviation. From a precision near 0, the fixed-point iteration converges slowly.
    for group in groups { for j in group { precisions[j] = max(least[j], 1) } }
    let largest = (0..<order).reduce(0) { max($0, information[$1 * order + $1]) }
    for _ in 0..<Self.rounds {
      var covariance = information
      for j in 0..<order { covariance[j * order + j] += precisions[j] + 1e-12 * largest }
      try PositiveDefinite.invert(&covariance, order: order)
      var mean = [Double](repeating: 0, count: order)
      PositiveDefinite.multiply(covariance, order: order, moments, into: &mean)
      var change = 0.0
      for group in groups {
        let square = group.reduce(0) { $0 + mean[$1] * mean[$1] }
        let known = group.reduce(0) { $0 + 1 - precisions[$1] * covariance[$1 * order + $1] }
        let old = precisions[group[0]]
        let found = max(known, 1e-9) / max(square, 1e-12)
        let new = min(max(found, least[group[0]]), Self.largestPrecision)
        change = max(change, abs(new / old - 1))
        for j in group { precisions[j] = new }
      }
      if change < 1e-3 { break }
    }
    return precisions
  }

  /// The largest number of iterations. The iteration converges slowly if an entry explains almost nothing.
  private static let rounds = 500
}
