internal import Glibc
internal import LeastSquares
internal import Reproducible

/// Mean, variances and noise of a population's parameters, learned from its people's sums of products.
///
/// Maximises the likelihood of all values with each person's own parameters integrated out. A pass works out everyone's
/// posterior, then the mean by generalised least squares given the variances (ECME), then variances and noise by their
/// expectations (EM). As EM crawls where a variance is near 0, steps are lengthened while the likelihood rises, and
/// taken back where it falls.
///
/// Sources: Laird and Ware 1982, doi:10.2307/2529876; Liu and Rubin 1994, doi:10.1093/biomet/81.4.633; Salakhutdinov and
/// Roweis 2003, Adaptive overrelaxed bound optimization methods (ICML).
struct PriorEstimation: Sendable {
  /// The least variance of a parameter, in units of the values' variance for columns of unit variance.
  ///
  /// A coefficient whose standard deviation over people is a hundredth of the values' moves no list; and one person's
  /// own rows then weigh as much as the population only from some ten thousand on. With 0, a variance could never grow
  /// again.
  static let leastVariance = 1e-4
  /// The least noise in the same units: values that columns explain exactly.
  static let leastNoise = 1e-6
  static let largest = 1e6
  /// The precision with which the population's mean of a coefficient is taken to be 0: next to none, but enough for
  /// columns that depend on each other, as all the dummies of a category do.
  static let weakPrecision = 1e-3

  /// Added to the information on the mean, by parameter.
  var precisions: [Double]
  var maximumPasses = 60
  /// A pass that adds less to the logarithm of the likelihood is the last: no test could tell the difference.
  var tolerance = 0.01
  var threads = 1

  struct Result: Sendable {
    var prior: GaussianPrior
    /// The information on the mean, Σ Z' V⁻¹ Z, upper triangle by columns, and Σ Z' V⁻¹ y: as the rows have it.
    var information: [Double]
    var moments: [Double]
    var passes = 0
    var hasConverged = false
    /// After each pass that was not taken back: never falling.
    var logLikelihoods: [Double] = []
  }

  /// Where every estimation starts: people differ a little in everything, mostly in how much they like at all.
  static func start(order: Int) -> GaussianPrior {
    var variances = [Double](repeating: 0.02, count: order)
    variances[0] = 0.2
    return GaussianPrior(mean: [Double](repeating: 0, count: order), variances: variances, noise: 0.8)
  }

  /// Learns from `people`, those with rows among them.
  ///
  /// - Throws: `LeastSquaresError` only for a bug.
  func estimate(_ people: [SumsOfProducts], from start: GaussianPrior) throws(LeastSquaresError) -> Result {
    let people = people.filter { $0.count > 0 }
    let order = start.order
    var result = Result(
      prior: start, information: [Double](repeating: 0, count: order * order),
      moments: [Double](repeating: 0, count: order))
    guard !people.isEmpty else { return result }
    var prior = start
    var (last, fallback, step) = (-Double.infinity, start, 1.0)
    while result.passes < maximumPasses {
      result.passes += 1
      let marginal = try marginalMoments(people, prior)
      prior.mean = try mean(marginal.information, marginal.moments)
      let expected = expectations(people, prior, marginal.factors)
      let likelihood = expected.logLikelihood + penalty(prior.mean)
      if step > 1, !(likelihood >= last) {
        (prior, step) = (fallback, 1)
        continue
      }
      result.prior = prior
      (result.information, result.moments) = (marginal.information, marginal.moments)
      result.logLikelihoods.append(likelihood)
      if likelihood - last < tolerance {
        result.hasConverged = true
        break
      }
      last = likelihood
      fallback = next(prior, expected, people.count, step: 1)
      step = min(16, step * 1.5)
      prior = next(prior, expected, people.count, step: step)
    }
    return result
  }

  /// The variances and the noise as `expected` has them, `step` times as far from those of `prior` in logarithms.
  private func next(_ prior: GaussianPrior, _ expected: Expectations, _ people: Int, step: Double)
    -> GaussianPrior
  {
    func moved(_ old: Double, to new: Double, least: Double) -> Double {
      min(max(old * pow(max(new, least) / old, step), least), Self.largest)
    }
    var next = prior
    for j in next.variances.indices {
      next.variances[j] = moved(
        prior.variances[j], to: expected.squares[j] / Double(people), least: Self.leastVariance)
    }
    next.noise = moved(
      prior.noise, to: expected.residuals / Double(expected.rows), least: Self.leastNoise)
    return next
  }

  private func penalty(_ mean: [Double]) -> Double {
    -0.5 * zip(precisions, mean).reduce(0) { $0 + $1.0 * $1.1 * $1.1 }
  }

  /// (information + precisions)⁻¹ moments.
  private func mean(_ information: [Double], _ moments: [Double]) throws(LeastSquaresError) -> [Double] {
    let order = moments.count
    var (matrix, mean) = (information, moments)
    let largest = (0..<order).reduce(0) { max($0, information[$1 * order + $1]) }
    // The second for the factor's sake alone, where columns depend on each other.
    for j in 0..<order { matrix[j * order + j] += precisions[j] + 1e-12 * largest }
    try PositiveDefinite.solve(&matrix, order: order, &mean)
    return mean
  }
}

extension PriorEstimation {
  /// People per chunk: fixed, as sums are made per chunk.
  private static let chunkSize = 64

  private struct Marginal {
    var information: [Double]
    var moments: [Double]
    /// K and its logarithm, by person.
    var factors: [(inverse: [Double], logDeterminant: Double)] = []
  }

  /// Σ Z' V⁻¹ Z = Σ S⁻¹ (S - C) S⁻¹ and Σ Z' V⁻¹ y = Σ S⁻¹ C b / s2.
  private func marginalMoments(_ people: [SumsOfProducts], _ prior: GaussianPrior)
    throws(LeastSquaresError) -> Marginal
  {
    let order = prior.order
    let origin = GaussianPrior(
      mean: [Double](repeating: 0, count: order), variances: prior.variances, noise: prior.noise)
    let empty = Marginal(
      information: [Double](repeating: 0, count: order * order),
      moments: [Double](repeating: 0, count: order))
    let chunks = try parallelMap(count: people.count, chunkSize: Self.chunkSize, threads: threads) {
      (chunk) throws(LeastSquaresError) in
      var part = empty
      var posterior = Posterior(origin)
      let roots = posterior.roots
      for person in chunk {
        try posterior.factor(people[person])
        posterior.solve(people[person])
        for k in 0..<order {
          part.moments[k] += posterior.scaledDeviation[k] / roots[k]
          for j in 0...k {
            let element = posterior.inverse[k * order + j]
            part.information[k * order + j] += ((j == k ? 1 : 0) - element) / (roots[j] * roots[k])
          }
        }
        part.factors.append((posterior.inverse, posterior.logDeterminant))
      }
      return part
    }
    return chunks.reduce(into: empty) { whole, part in
      for place in whole.information.indices { whole.information[place] += part.information[place] }
      for place in whole.moments.indices { whole.moments[place] += part.moments[place] }
      whole.factors += part.factors
    }
  }

  private struct Expectations {
    var logLikelihood = 0.0
    /// By parameter, Σ (d² + C).
    var squares: [Double]
    /// Σ (y - z·t)², with what is not known of t.
    var residuals = 0.0
    var rows = 0
  }

  private func expectations(
    _ people: [SumsOfProducts], _ prior: GaussianPrior,
    _ factors: [(inverse: [Double], logDeterminant: Double)]
  ) -> Expectations {
    let empty = Expectations(squares: [Double](repeating: 0, count: prior.order))
    let chunks = parallelMap(count: people.count, chunkSize: Self.chunkSize, threads: threads) { chunk in
      var part = empty
      var posterior = Posterior(prior)
      for person in chunk {
        let sums = people[person]
        posterior.restore(
          inverse: factors[person].inverse, logDeterminant: factors[person].logDeterminant)
        posterior.solve(sums)
        part.logLikelihood += posterior.logLikelihood(count: sums.count)
        for j in 0..<prior.order {
          part.squares[j] += posterior.deviation[j] * posterior.deviation[j] + posterior.variance(j)
        }
        part.residuals += posterior.residualSumOfSquares + posterior.predictionVariances
        part.rows += sums.count
      }
      return part
    }
    return chunks.reduce(into: empty) { whole, part in
      whole.logLikelihood += part.logLikelihood
      for j in whole.squares.indices { whole.squares[j] += part.squares[j] }
      whole.residuals += part.residuals
      whole.rows += part.rows
    }
  }
}
