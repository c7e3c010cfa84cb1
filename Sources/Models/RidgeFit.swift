internal import Concurrency
internal import Features
internal import Files
internal import Glibc
internal import LeastSquares
internal import PipelineFile
internal import RunSchemas
internal import Text

// Plain ridge regressions minimize Σ (y - b - x·w)² + l2 Σ w². The columns are standardized as with
// `prior: population`, and b is free.

extension SharedFitting {
  /// Fits one regression per user, all with the same penalty.
  func ridge(
    _ penalty: Pipeline.Penalty, _ scales: ColumnScales, to directory: inout StageDirectory, in folder: String
  ) throws -> SharedFit {
    let penalty =
      switch penalty {
      case .fixed(let value): value
      case .automatic: try leaveOneOutPenalty(scales)
      }
    let prior = Self.prior(penalty: penalty, order: scales.parameterCount)
    var fit = SharedFit(
      prior: PriorTable(columns: scales.shared, groups: []),
      models: try models(
        [prior], scales, hasErrors: false, group: { _ in 0 }, hasModelWithoutRows: false, to: &directory,
        in: folder))
    fit.methods = ["cholesky": fit.models.activeUsers]
    fit.facts["l2"] = .number(penalty)
    return fit
  }

  /// Fits one regression for all users, who share its coefficients.
  func everybody(
    _ penalty: Pipeline.Penalty, _ scales: ColumnScales, to directory: inout StageDirectory, in folder: String
  ) throws -> SharedFit {
    let order = scales.parameterCount
    let chunkSize = rows.chunkSize(bytes: 8 * (order * (order + 1) / 2))
    let chunks = parallelMap(count: rows.userCount, chunkSize: chunkSize, threads: threads) { chunk in
      var sums = UserSums(rows, scales)
      var total = SumsOfProducts(order: scales.parameterCount)
      for user in chunk {
        sums.loadInFull(user)
        total += sums.full
      }
      return total
    }
    var total = SumsOfProducts(order: scales.parameterCount)
    for chunk in chunks { total += chunk }
    let (used, posterior) = try Self.everybody(penalty, total)
    let freedom = Double(total.count) - posterior.predictionVariances
    let noise = freedom > 0 ? posterior.residualSumOfSquares / freedom : 0
    var shared = posterior.prior
    shared.mean = posterior.mean
    shared.variances = shared.variances.indices.map { noise * posterior.variance($0) }
    shared.noise = noise
    var fit = SharedFit(
      prior: PriorTable(columns: scales.shared, groups: [scales.group(shared, name: "")]),
      models: try Self.writing(sharedModels(shared, scales), to: &directory, in: folder))
    fit.methods = ["cholesky": 1]
    fit.facts["l2"] = .number(used)
    return fit
  }

  /// Returns the chosen penalty, and the solution for the sums `total` with noise 1.
  ///
  /// An automatic penalty minimizes the generalized cross-validation error. If several penalties have the
  /// same error, the largest is chosen. The error is proportional to RSS / (n - tr H)², where H is the hat
  /// matrix (Golub, Heath and Wahba 1979, doi:10.1080/00401706.1979.10489751).
  static func everybody(_ penalty: Pipeline.Penalty, _ total: SumsOfProducts) throws(LeastSquaresError) -> (
    penalty: Double, solution: Posterior
  ) {
    let candidates =
      switch penalty {
      case .fixed(let value): [value]
      case .automatic: grid.map { $0 * Double(total.count) }
      }
    var best: (error: Double, penalty: Double, solution: Posterior)?
    for candidate in candidates {
      var posterior = Posterior(prior(penalty: candidate, order: total.order))
      try posterior.factor(total)
      posterior.solve(total)
      let freedom = Double(total.count) - posterior.predictionVariances
      let error = freedom > 0 ? posterior.residualSumOfSquares / (freedom * freedom) : .infinity
      if error <= best?.error ?? .infinity { best = (error, candidate, posterior) }
    }
    guard let best else { preconditionFailure("the cross-validation error of every penalty is NaN") }
    return (best.penalty, best.solution)
  }

  /// The tried penalties per row, ascending: powers of √10 from 10⁻⁶, which has almost no effect, to 100,
  /// which shrinks all coefficients nearly to 0.
  static let grid = (-12...4).map { pow(10, Double($0) / 2) }

  /// Returns a prior whose posterior mean is the ridge solution: b is free, w ~ N(0, 1 / penalty), and the
  /// noise variance is 1.
  package static func prior(penalty: Double, order: Int) -> GaussianPrior {
    var variances = [Double](repeating: 1 / penalty, count: order)
    variances[0] = .infinity
    return GaussianPrior(mean: [Double](repeating: 0, count: order), variances: variances, noise: 1)
  }

  /// Returns the shared regression as the model of each user, with the user's own number of rows and residual
  /// sum of squares.
  private func sharedModels(_ shared: GaussianPrior, _ scales: ColumnScales) -> [SharedModels] {
    let figures = scales.figures(of: shared)
    let square = scales.responseDeviation * scales.responseDeviation
    var posterior = shared
    posterior.variances = [Double](repeating: 0, count: shared.order)
    posterior.noise = 1
    let fixed = posterior
    return parallelMap(count: rows.userCount, chunkSize: LearningRows.chunkSize, threads: threads) { chunk in
      var models = SharedModels()
      var sums = UserSums(rows, scales)
      var fit = Posterior(fixed)
      for user in chunk {
        sums.loadInFull(user)
        fit.solve(sums.full)
        var own = figures
        own.observations = sums.full.count
        own.residualSumOfSquares = fit.residualSumOfSquares * square
        models.append(own, group: 0)
      }
      progress.add(chunk.count)
      return models
    }
  }
}

extension SharedFitting {
  /// Returns the penalty with the smallest sum of leave-one-out errors over a sample of users. If several
  /// penalties have the same error, the largest is chosen.
  ///
  /// Users with a single row are skipped, because no row would remain to learn from.
  private func leaveOneOutPenalty(_ scales: ColumnScales) throws(LeastSquaresError) -> Double {
    let order = scales.parameterCount
    let sample = LearningSample(rows, ids: users.ids, seed: seed).users(
      limit: LearningSample.limit(order: order)
    ).filter { rows.table.range(ofUser: $0).count > 1 }
    // Unlike `grid`, these penalties are not multiplied by the number of rows, because most users have only a
    // few dozen rows.
    let candidates = (-4...8).map { pow(10, Double($0) / 2) }
    let priors = candidates.map { Self.prior(penalty: $0, order: order) }
    let chunks = try parallelMap(count: sample.count, chunkSize: LearningRows.chunkSize, threads: threads) {
      (chunk) throws(LeastSquaresError) in
      var errors = [Double](repeating: 0, count: candidates.count)
      var sums = UserSums(rows, scales)
      var posteriors = priors.map { UserPosterior($0, sums.layout) }
      for place in chunk {
        sums.load(sample[place])
        for candidate in candidates.indices {
          try posteriors[candidate].solve(sums.compact, hasVariances: false)
          errors[candidate] += posteriors[candidate].leaveOneOutError(sums.rows)
        }
      }
      return errors
    }
    var totals = [Double](repeating: 0, count: candidates.count)
    for chunk in chunks {
      for candidate in candidates.indices { totals[candidate] += chunk[candidate] }
    }
    var best = candidates.count - 1
    for candidate in candidates.indices.reversed() where totals[candidate] < totals[best] {
      best = candidate
    }
    return candidates[best]
  }
}
