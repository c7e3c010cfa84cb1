internal import Glibc
internal import LeastSquares

/// The posterior of one user's parameters, given the user's rows.
///
/// With A = Σ z z' and b = Σ z y, prior mean m, variances S and noise s2, the posterior is normal with
///
///     covariance C = (A / s2 + S⁻¹)⁻¹,    mean t = m + d,    d = C (b - A m) / s2
///
/// The mean also minimizes Σ (y - z·t)² + s2 (t - m)' S⁻¹ (t - m). With D = √S, the computation uses C = D K
/// D and K = (D A D / s2 + I)⁻¹. A small variance does not make K ill-conditioned, and a variance of 0 is
/// allowed. For a free parameter, the element of D is 1 and the element of the identity is 0.
///
/// Source: Laird and Ware 1982, doi:10.2307/2529876.
struct Posterior {
  let prior: GaussianPrior
  /// The diagonal of D.
  let roots: [Double]
  private let identity: [Double]
  /// The upper triangle of K, column by column.
  private(set) var inverse: [Double]
  /// The logarithm of the determinant of K's inverse.
  private(set) var logDeterminant = 0.0
  private(set) var deviation: [Double]
  /// K D (b - A m) / s2; d is D times this vector.
  private(set) var scaledDeviation: [Double]
  /// Σ (y - z·m)²; `residualSumOfSquares` is Σ (y - z·t)².
  private(set) var squaresAtMean = 0.0
  private(set) var residualSumOfSquares = 0.0
  private var work: [Double]
  private var gradient: [Double]
  private var lowRank = LowRankInverse()

  /// The smallest number of parameters for which `LowRankInverse` is used. It exists for models with many
  /// columns, such as one column for each of 250 words.
  private static let leastWide = 128

  init(_ prior: GaussianPrior) {
    self.prior = prior
    roots = prior.variances.map { $0 == .infinity ? 1 : $0.squareRoot() }
    identity = prior.variances.map { $0 == .infinity ? 0 : 1 }
    let zeros = [Double](repeating: 0, count: prior.order)
    (deviation, scaledDeviation, work, gradient) = (zeros, zeros, zeros, zeros)
    inverse = [Double](repeating: 0, count: prior.order * prior.order)
  }

  /// Computes K for rows with the sums `sums`.
  ///
  /// - Throws: `LeastSquaresError` if the rows do not determine a free parameter.
  mutating func factor(_ sums: SumsOfProducts) throws(LeastSquaresError) {
    // With few rows, D A D / s2 has a low rank.
    if prior.order >= Self.leastWide, 4 * sums.count <= prior.order, !identity.contains(0) {
      setScaledProducts(sums)
      if let logarithm = lowRank.invert(&inverse, order: prior.order) {
        logDeterminant = logarithm
        return
      }
    }
    setScaledProducts(sums)
    for k in 0..<prior.order { inverse[k * prior.order + k] += identity[k] }
    logDeterminant = try PositiveDefinite.invert(&inverse, order: prior.order)
  }

  /// Sets `inverse` to D A D / s2.
  private mutating func setScaledProducts(_ sums: SumsOfProducts) {
    var place = 0
    for k in 0..<prior.order {
      let factor = roots[k] / prior.noise
      for j in 0...k {
        inverse[k * prior.order + j] = sums.products[place] * roots[j] * factor
        place += 1
      }
    }
  }

  /// Sets K to an earlier result of `factor`. K depends on the sums, the variances and the noise, but not on
  /// the prior mean.
  mutating func restore(inverse: [Double], logDeterminant: Double) {
    self.inverse = inverse
    self.logDeterminant = logDeterminant
  }

  /// Computes the posterior mean and the residual sum of squares. Call `factor` or `restore` for `sums`
  /// first, unless all prior variances are 0.
  mutating func solve(_ sums: SumsOfProducts) {
    let p = prior.order
    sums.multiply(prior.mean, into: &work)
    squaresAtMean = sums.squares
    for j in 0..<p {
      squaresAtMean += prior.mean[j] * (work[j] - 2 * sums.moments[j])
      gradient[j] = (sums.moments[j] - work[j]) / prior.noise
      work[j] = roots[j] * gradient[j]
    }
    squaresAtMean = max(0, squaresAtMean)
    PositiveDefinite.multiply(inverse, order: p, work, into: &scaledDeviation)
    for j in 0..<p { deviation[j] = roots[j] * scaledDeviation[j] }
    // Σ (y - z·t)² = Σ (y - z·m)² - 2 d·(b - A m) + d·A d.
    residualSumOfSquares = squaresAtMean
    sums.multiply(deviation, into: &work)
    for j in 0..<p {
      residualSumOfSquares += deviation[j] * (work[j] - 2 * prior.noise * gradient[j])
    }
    residualSumOfSquares = max(0, residualSumOfSquares)
  }

  /// The posterior mean t.
  var mean: [Double] { zip(prior.mean, deviation).map { $0 + $1 } }

  /// Returns the posterior variance of parameter `j`.
  func variance(_ j: Int) -> Double { roots[j] * roots[j] * inverse[j * prior.order + j] }

  /// The sum over the rows of the variance of z·t: the trace of A C.
  var predictionVariances: Double {
    var trace = 0.0
    for j in 0..<prior.order { trace += 1 - identity[j] * inverse[j * prior.order + j] }
    return prior.noise * max(0, trace)
  }

  /// Returns the variance of the prediction z·t for one z, without the noise.
  mutating func predictionVariance(_ z: [Double]) -> Double {
    for j in 0..<prior.order { gradient[j] = roots[j] * z[j] }
    PositiveDefinite.multiply(inverse, order: prior.order, gradient, into: &work)
    return max(0, zip(gradient, work).reduce(0) { $0 + $1.0 * $1.1 })
  }

  /// Returns the log marginal likelihood of the values, with the parameters integrated out. All prior
  /// variances must be finite.
  func logLikelihood(count: Int) -> Double {
    var explained = 0.0
    for j in 0..<prior.order {
      // `solve` has set `gradient` to (b - A m) / s2, so the sum is d·(b - A m) / s2.
      explained += gradient[j] * deviation[j]
    }
    let noise = prior.noise
    return -0.5
      * (Double(count) * log(2 * .pi * noise) + logDeterminant + squaresAtMean / noise - explained)
  }
}
