internal import Concurrency
internal import Glibc
internal import LeastSquares

/// The estimation of a population's prior (mean, variances and noise) from the sums of products of each
/// user's rows.
///
/// It maximizes the marginal likelihood of all values, with each user's parameters integrated out. A pass
/// computes every posterior, then the mean by generalized least squares given the variances (ECME), then
/// variances and noise. An EM step for variances and noise never lowers the likelihood, but it converges
/// slowly if a variance is near 0. So a pass takes a Fisher scoring step. If this step lowers the likelihood,
/// the next pass discards it and takes the EM step instead.
///
/// The objective is the log likelihood of standardized columns and values, plus three penalty terms:
/// - Half the logarithm of each variance. By chance, the maximum of the likelihood can be at a variance of 0,
///   with all users alike and standard errors of 0. This term moves an estimate near 0 by about one standard
///   error, and other estimates very little (Chung et al. 2013, doi:10.1007/s11336-013-9328-2).
/// - The negative of each variance. Otherwise a variance that the data do not inform would grow without
///   bound.
/// - The log density of two priors. The prior on the coefficients of the mean has the standard deviation 2,
///   and the prior on the noise has the weight of one row. Without this term, k columns would explain k rows
///   exactly and predict absurd values for other users. In Fusion's bundled exports, with 1 873 users, the
///   second and the third term move the estimates by less than 0.0003 standard errors.
///
/// Sources: Laird and Ware 1982, doi:10.2307/2529876; Liu and Rubin 1994, doi:10.1093/biomet/81.4.633;
/// Jennrich and Schluchter 1986 on scoring, doi:10.2307/2530695.
struct PriorEstimation: Sendable {
  /// The smallest variance of a parameter, for columns and values of unit variance.
  ///
  /// A coefficient whose standard deviation is a hundredth of the values' standard deviation hardly affects
  /// lists. At this variance, a user needs about ten thousand rows to outweigh the population.
  static let leastVariance = 1e-4
  /// The largest variance of a parameter. It limits the estimates from a few users with few rows.
  static let largestVariance = 100.0
  /// The smallest noise variance, for values of unit variance. It applies if the columns explain the values
  /// exactly.
  static let leastNoise = 1e-6
  /// The prior precision of a coefficient's population mean; the prior mean is 0. This weak prior regularizes
  /// the fit if there are few rows or linearly dependent columns, such as all dummies of a category.
  static let weakPrecision = 0.25
  /// The penalty on the log likelihood per unit of a variance; see the second penalty term of
  /// `PriorEstimation`.
  static let rateOfVariance = 1.0
  /// The weight of the prior on the noise, as the number of pseudo-rows with the noise of `start`.
  static let rowsOfNoise = 1.0

  /// The prior precision of the mean, one element per parameter.
  var precisions: [Double]
  var maximumPasses = 60
  /// The estimation ends when both the last gain in log likelihood and the expected next gain are below this
  /// value. No statistical test could detect such a small gain.
  var tolerance = 0.01
  var threads = 1
  var progress = WorkProgress()

  struct Result: Sendable {
    var prior: GaussianPrior
    /// The information on the mean, Σ Z' V⁻¹ Z, upper triangle by columns; `moments` is Σ Z' V⁻¹ y. Here, Z
    /// and y are the rows and values of one user, and V = Z S Z' + s2 I is the covariance of y. Both sums
    /// exclude the prior precisions.
    var information: [Double]
    var moments: [Double]
    var passes = 0
    var hasConverged = false
    /// The penalized log likelihood after each accepted pass.
    var logLikelihoods: [Double] = []
  }

  /// The initial noise, which is also the mode of the prior on the noise.
  private static let noise = 0.8

  /// Returns the initial prior of an estimation without an earlier result. All variances are small, and the
  /// base has the largest variance.
  static func start(order: Int) -> GaussianPrior {
    var variances = [Double](repeating: 0.02, count: order)
    variances[0] = 0.2
    return GaussianPrior(mean: [Double](repeating: 0, count: order), variances: variances, noise: noise)
  }

  /// Estimates the prior from those `people` who have rows.
  ///
  /// - Throws: `LeastSquaresError`, which indicates a bug.
  func estimate(_ people: [SumsOfProducts], from start: GaussianPrior) throws(LeastSquaresError) -> Result {
    let people = people.filter { $0.count > 0 }
    let order = start.order
    var result = Result(
      prior: start, information: [Double](repeating: 0, count: order * order),
      moments: [Double](repeating: 0, count: order))
    guard !people.isEmpty else { return result }
    var prior = start
    var (last, fallback) = (-Double.infinity, nil as GaussianPrior?)
    while result.passes < maximumPasses {
      result.passes += 1
      progress.step("prior, pass \(result.passes)")
      let marginal = try marginalMoments(people, prior)
      prior.mean = try mean(marginal.information, marginal.moments)
      let expected = expectations(people, prior, marginal.factors)
      let likelihood = expected.logLikelihood + logDensity(prior)
      if let expectation = fallback, !(likelihood >= last) {
        (prior, fallback) = (expectation, nil)
        continue
      }
      result.prior = prior
      (result.information, result.moments) = (marginal.information, marginal.moments)
      result.logLikelihoods.append(likelihood)
      let scoring = try scoringStep(prior, marginal, expected)
      if likelihood - last < tolerance, scoring.gain < tolerance {
        result.hasConverged = true
        break
      }
      last = likelihood
      fallback = expectationStep(prior, expected, people.count)
      prior = scoring.prior
    }
    return result
  }

  /// Returns the prior after the EM step: the expected variances and noise, given the posteriors of all
  /// users.
  private func expectationStep(_ prior: GaussianPrior, _ expected: Expectations, _ people: Int)
    -> GaussianPrior
  {
    var next = prior
    next.variances = expected.squares.map {
      min(Self.largestVariance, max(Self.leastVariance, $0 / Double(max(1, people - 1))))
    }
    next.noise = max(
      Self.leastNoise,
      (expected.residuals + Self.rowsOfNoise * Self.noise) / (Double(expected.rows) + Self.rowsOfNoise))
    return next
  }

  /// Returns the prior after one Fisher scoring step for variances and noise, and the approximate gain in log
  /// likelihood.
  ///
  /// The step excludes each variance that is at its lower bound and has a score of at most 0. One step
  /// reduces a variance to no less than a tenth of its value. It increases a variance to no more than 100
  /// times its value or 1, whichever is larger. The limits are needed because the quadratic approximation is
  /// valid only locally.
  private func scoringStep(_ prior: GaussianPrior, _ marginal: Marginal, _ expected: Expectations)
    throws(LeastSquaresError) -> (prior: GaussianPrior, gain: Double)
  {
    let order = prior.order
    let old = prior.variances + [prior.noise]
    let least = prior.variances.map { _ in Self.leastVariance } + [Self.leastNoise]
    // The score of a variance is 1/2 Σ (q² - Z' V⁻¹ Z), where q = S⁻¹ d and d is the deviation of
    // `Posterior`.
    var score = old.indices.map { 0.5 * (expected.scores[$0] - marginal.traces[$0]) }
    for j in 0..<order { score[j] += 0.5 / old[j] - Self.rateOfVariance }
    score[order] += 0.5 * Self.rowsOfNoise * (Self.noise - old[order]) / (old[order] * old[order])
    let free = old.indices.filter { old[$0] > least[$0] || score[$0] > 0 }
    var matrix = [Double](repeating: 0, count: free.count * free.count)
    for (k, column) in free.enumerated() {
      for (j, row) in free.prefix(k + 1).enumerated() {
        matrix[k * free.count + j] = 0.5 * marginal.curvature[column * (order + 1) + row]
      }
      matrix[k * free.count + k] *= 1 + 1e-9
      let own = column < order ? 1 : Self.rowsOfNoise
      matrix[k * free.count + k] += 0.5 * own / (old[column] * old[column])
    }
    var step = free.map { score[$0] }
    // The likelihood can be flat if columns are linearly dependent. The pass then takes the EM step.
    guard (try? PositiveDefinite.solve(&matrix, order: free.count, &step)) != nil else {
      return (expectationStep(prior, expected, marginal.factors.count), .infinity)
    }
    var next = old
    var gain = 0.0
    for (place, own) in zip(free, step) {
      let moved = old[place] + own
      next[place] = max(moved.isFinite ? moved : old[place], old[place] / 10, least[place])
      next[place] = min(next[place], max(100 * old[place], 1), Self.largestVariance)
      gain += 0.5 * score[place] * (next[place] - old[place])
    }
    return (
      GaussianPrior(mean: prior.mean, variances: Array(next.dropLast()), noise: next[order]), gain
    )
  }

  /// Returns the sum of the penalty terms on the log likelihood.
  private func logDensity(_ prior: GaussianPrior) -> Double {
    0.5
      * (prior.variances.reduce(0) { $0 + log($1) - 2 * Self.rateOfVariance * $1 }
        - Self.rowsOfNoise * (log(prior.noise) + Self.noise / prior.noise)
        - zip(precisions, prior.mean).reduce(0) { $0 + $1.0 * $1.1 * $1.1 })
  }

  /// Returns the mean by generalized least squares: (information + precisions)⁻¹ moments.
  private func mean(_ information: [Double], _ moments: [Double]) throws(LeastSquaresError) -> [Double] {
    let order = moments.count
    var (matrix, mean) = (information, moments)
    let largest = (0..<order).reduce(0) { max($0, information[$1 * order + $1]) }
    // The small term `1e-12 * largest` keeps the matrix positive definite if columns are linearly dependent.
    for j in 0..<order { matrix[j * order + j] += precisions[j] + 1e-12 * largest }
    try PositiveDefinite.solve(&matrix, order: order, &mean)
    return mean
  }
}

extension PriorEstimation {
  /// The number of users per chunk. It is fixed, because sums are computed per chunk, and their rounding must
  /// not depend on the number of threads.
  private static let chunkSize = 64

  /// The quantities that depend on variances and noise, but not on the mean.
  fileprivate struct Marginal {
    var information: [Double]
    var moments: [Double]
    /// Twice the Fisher information on variances and noise, upper triangle by columns. `traces` is the
    /// expected value of `Expectations.scores`: Σ Z' V⁻¹ Z per variance, then Σ tr V⁻¹.
    var curvature: [Double]
    var traces: [Double]
    /// The matrix K of `Posterior` and the log determinant of its inverse, per user.
    var factors: [(inverse: [Double], logDeterminant: Double)] = []
  }

  /// Computes Σ Z' V⁻¹ Z as Σ S⁻¹ (S - C) S⁻¹, and Σ Z' V⁻¹ y as Σ S⁻¹ C b / s2, with C and b of `Posterior`.
  private func marginalMoments(_ people: [SumsOfProducts], _ prior: GaussianPrior)
    throws(LeastSquaresError) -> Marginal
  {
    let order = prior.order
    let origin = GaussianPrior(
      mean: [Double](repeating: 0, count: order), variances: prior.variances, noise: prior.noise)
    let empty = Marginal(
      information: [Double](repeating: 0, count: order * order),
      moments: [Double](repeating: 0, count: order),
      curvature: [Double](repeating: 0, count: (order + 1) * (order + 1)),
      traces: [Double](repeating: 0, count: order + 1))
    let chunks = try parallelMap(count: people.count, chunkSize: Self.chunkSize, threads: threads) {
      (chunk) throws(LeastSquaresError) in
      var part = empty
      var posterior = Posterior(origin)
      for person in chunk {
        try posterior.factor(people[person])
        posterior.solve(people[person])
        part.add(posterior, count: people[person].count)
      }
      return part
    }
    return chunks.reduce(into: empty) { whole, part in
      for place in whole.information.indices { whole.information[place] += part.information[place] }
      for place in whole.moments.indices { whole.moments[place] += part.moments[place] }
      for place in whole.curvature.indices { whole.curvature[place] += part.curvature[place] }
      for place in whole.traces.indices { whole.traces[place] += part.traces[place] }
      whole.factors += part.factors
    }
  }

  private struct Expectations {
    var logLikelihood = 0.0
    /// Σ (S⁻¹ d)² per variance, then Σ (y - z·t)² / s2².
    var scores: [Double]
    /// Σ (d² + C) per parameter.
    var squares: [Double]
    /// Σ (y - z·t)², including the uncertainty of t.
    var residuals = 0.0
    var rows = 0
  }

  private func expectations(
    _ people: [SumsOfProducts], _ prior: GaussianPrior,
    _ factors: [(inverse: [Double], logDeterminant: Double)]
  ) -> Expectations {
    let empty = Expectations(
      scores: [Double](repeating: 0, count: prior.order + 1),
      squares: [Double](repeating: 0, count: prior.order))
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
          let score = posterior.scaledDeviation[j] / posterior.roots[j]
          part.scores[j] += score * score
        }
        part.scores[prior.order] += posterior.residualSumOfSquares / (prior.noise * prior.noise)
        part.residuals += posterior.residualSumOfSquares + posterior.predictionVariances
        part.rows += sums.count
      }
      return part
    }
    return chunks.reduce(into: empty) { whole, part in
      whole.logLikelihood += part.logLikelihood
      for j in whole.squares.indices { whole.squares[j] += part.squares[j] }
      for j in whole.scores.indices { whole.scores[j] += part.scores[j] }
      whole.residuals += part.residuals
      whole.rows += part.rows
    }
  }
}

extension PriorEstimation.Marginal {
  /// Adds one user with `count` rows; `posterior` contains the user's K and K D b / s2.
  ///
  /// Let W = Z' V⁻¹ Z = D⁻¹ (I - K) D⁻¹, n the number of rows, and p the number of parameters. Twice the
  /// Fisher information is W_jk² for two variances, (K - K²)_jj / (S_j s2) for a variance and the noise, and
  /// (n - p + tr K²) / s2² for the noise.
  fileprivate mutating func add(_ posterior: Posterior, count: Int) {
    let order = posterior.prior.order
    let noise = posterior.prior.noise
    let roots = posterior.roots
    var (trace, squares) = (0.0, [Double](repeating: 0, count: order))
    for k in 0..<order {
      moments[k] += posterior.scaledDeviation[k] / roots[k]
      for j in 0...k {
        let element = posterior.inverse[k * order + j]
        let own = ((j == k ? 1 : 0) - element) / (roots[j] * roots[k])
        information[k * order + j] += own
        curvature[k * (order + 1) + j] += own * own
        squares[j] += element * element
        if j < k { squares[k] += element * element }
      }
      let diagonal = posterior.inverse[k * order + k]
      trace += diagonal
      traces[k] += (1 - diagonal) / (roots[k] * roots[k])
    }
    for j in 0..<order {
      let diagonal = posterior.inverse[j * order + j]
      curvature[order * (order + 1) + j] += (diagonal - squares[j]) / (roots[j] * roots[j] * noise)
    }
    let freedom = Double(count - order)
    curvature[order * (order + 1) + order] += (freedom + squares.reduce(0, +)) / (noise * noise)
    traces[order] += (freedom + trace) / noise
    factors.append((posterior.inverse, posterior.logDeterminant))
  }
}
