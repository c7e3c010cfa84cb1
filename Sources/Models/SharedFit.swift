internal import Concurrency
internal import Features
internal import Files
internal import LeastSquares
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The fitted models of all users, with their priors and the facts for the manifest. All models have the same
/// columns.
struct SharedFit: ~Copyable {
  var prior = PriorTable(columns: [], groups: [])
  /// The writer that has received the models of all users.
  var models: SharedModelsWriter
  /// The facts for the manifest other than the number of models.
  var facts: [String: JSONValue] = [:]
  /// The number of solved systems for each method name.
  var methods: [String: Int] = [:]
}

/// Fits models by any method except Create ML's. The models of all users have the same columns.
package struct SharedFitting: Sendable {
  let rows: LearningRows
  let users: EntityTable
  let candidates: EntityTable
  let seed: UInt64
  let threads: Int
  var progress = WorkProgress()

  /// Fits the models of all users by the method of `model`, which must not be `createml`, and writes them
  /// into `folder` of `directory`.
  ///
  /// - Throws: `TooManyColumns`; `FileError`; `LeastSquaresError`, which indicates a bug.
  func fit(_ model: Pipeline.Model, to directory: inout StageDirectory, in folder: String) throws -> SharedFit
  {
    guard rows.table.count > 0 else { return try nothing(to: &directory, in: folder) }
    let scales = ColumnScales(rows, threads: threads)
    try scales.requireFew(in: rows.space)
    switch model.method {
    case .createml: preconditionFailure("models of Create ML do not share columns")
    case .ridge(let penalty): return try ridge(penalty, scales, to: &directory, in: folder)
    case .everybody(let penalty): return try everybody(penalty, scales, to: &directory, in: folder)
    case .population(let attribute):
      return try population(
        by: attribute, isChosen: model.isChosenWithinLearning, scales, to: &directory, in: folder)
    }
  }

  /// Returns the result for a table without interactions, in which every user is without a model.
  private func nothing(to directory: inout StageDirectory, in folder: String) throws(FileError) -> SharedFit {
    var models = SharedModels()
    for _ in 0..<rows.userCount {
      models.append(.unknown, group: SharedModels.none)
    }
    return SharedFit(models: try Self.writing([models], to: &directory, in: folder))
  }

  /// Writes `chunks` of models that have no terms of their own, and returns the writer.
  static func writing(
    _ chunks: [SharedModels], to directory: inout StageDirectory, in folder: String
  ) throws(FileError) -> SharedModelsWriter {
    var writer = try SharedModelsWriter(in: &directory, folder: folder, terms: 0)
    for chunk in chunks { try writer.append(digested: chunk) }
    return writer
  }

  /// Returns the sums of products over the rows of each user, in the order of `users`.
  func sums(_ users: [Int], _ scales: ColumnScales) -> [SumsOfProducts] {
    let chunks = parallelMap(count: users.count, chunkSize: LearningRows.chunkSize, threads: threads) {
      chunk in
      var sums = UserSums(rows, scales)
      return chunk.map { place in
        sums.loadInFull(users[place])
        return sums.full
      }
    }
    return chunks.flatMap { $0 }
  }

  /// Learns the model of each user: the posterior under the prior of the user's group. `group` maps a user to
  /// the index of the prior. The function writes each chunk of models into `folder` of `directory` as soon as
  /// it is learned.
  ///
  /// `priors` has one prior per group, in the units of `scales`. `hasErrors` is true if the noise is known,
  /// so that standard errors can be computed. If `hasModelWithoutRows` is true, a user without interactions
  /// gets the group's model.
  ///
  /// - Throws: `FileError`; `LeastSquaresError`, which indicates a bug.
  func models(
    _ priors: [GaussianPrior], _ scales: ColumnScales, hasErrors: Bool, group: @Sendable (Int) -> Int,
    hasModelWithoutRows: Bool, to directory: inout StageDirectory, in folder: String
  ) throws -> SharedModelsWriter {
    let users = rows.userCount
    let ownModels = (0..<users).count { !rows.table.range(ofUser: $0).isEmpty }
    var writer = try SharedModelsWriter(
      in: &directory, folder: folder, terms: ownModels * scales.columns.count)
    let digests = writer.digests
    var next = 0
    try mapInOrder(threads: threads) { () -> Range<Int>? in
      guard next < users else { return nil }
      defer { next += LearningRows.chunkSize }
      return next..<min(next + LearningRows.chunkSize, users)
    } _: { (chunk: Range<Int>) -> SharedModels in
      var fit = ChunkOfModels(rows, scales, priors, hasErrors: hasErrors, users: chunk.count)
      for user in chunk {
        let own = group(user)
        let name = hasModelWithoutRows ? UInt32(own) : SharedModels.none
        if rows.table.range(ofUser: user).isEmpty {
          fit.models.append(
            hasModelWithoutRows ? scales.figures(of: priors[own]) : .unknown, group: name)
        } else {
          try fit.append(user, group: own, name: name)
        }
      }
      progress.add(chunk.count)
      return fit.models
    } pass: {
      digests.update($0)
    } merge: {
      try writer.append(digested: $0)
    }
    return writer
  }
}

/// The models of a chunk of users, fitted by one worker.
private struct ChunkOfModels {
  private let rows: LearningRows
  private let scales: ColumnScales
  private let priors: [GaussianPrior]
  /// Whether the noise is known, so that standard errors can be computed.
  private let hasErrors: Bool
  var models = SharedModels()
  private var sums: UserSums
  /// One posterior per group.
  private var posteriors: [UserPosterior]

  init(
    _ rows: LearningRows, _ scales: ColumnScales, _ priors: [GaussianPrior], hasErrors: Bool, users: Int
  ) {
    self.rows = rows
    self.scales = scales
    self.priors = priors
    self.hasErrors = hasErrors
    models.reserveCapacity(users: users, termsPerUser: scales.columns.count)
    sums = UserSums(rows, scales)
    let layout = sums.layout
    posteriors = priors.map { UserPosterior($0, layout) }
  }

  /// Learns the model of `user`, who has rows, under the prior of `group`, and appends it. `name` is the
  /// number of the group that is stored with the model.
  mutating func append(_ user: Int, group: Int, name: UInt32) throws {
    sums.load(user)
    try posteriors[group].solve(sums.compact, hasVariances: hasErrors)
    let (parameters, squares) = learned(user, group: group)
    let errors = scales.originalDeviations(
      hasErrors ? posteriors[group].variances : [Double](repeating: .nan, count: priors[group].order))
    let count = sums.compact.count
    let figures = SharedModels.Figures(
      observations: count, base: parameters.base, baseError: errors.base,
      intercept: scales.intercept(parameters),
      residualSumOfSquares: squares,
      predictionError: hasErrors
        ? (posteriors[group].predictionVariances / Double(count)).squareRoot()
          * scales.responseDeviation : .nan)
    models.append(
      figures, group: name, coefficients: parameters.coefficients, errors: errors.coefficients)
  }

  /// Returns the parameters and the residual sum of squares under the prior of `group`, in original units.
  private func learned(
    _ user: Int, group: Int
  ) -> (parameters: ColumnScales.Parameters, residualSumOfSquares: Double) {
    var parameters = scales.original(posteriors[group].mean)
    let zeros = { [count = scales.columns.count] in [Double](repeating: 0, count: count) }
    if priors[group].hasNoTaste, let value = rows.onlyValue(of: user) {
      // If all values of a user are equal, all coefficients are set to exactly 0. Rounding would leave
      // coefficients of about 1e-17, and lists would order candidates by this noise.
      return (ColumnScales.Parameters(base: value, coefficients: zeros()), 0)
    }
    // The coefficients are also 0 if all rows of a user have the same feature values.
    if priors[group].hasNoTaste, sums.rows.areAllAlike { parameters.coefficients = zeros() }
    let square = scales.responseDeviation * scales.responseDeviation
    return (parameters, posteriors[group].residualSumOfSquares * square)
  }
}

extension SharedModels.Figures {
  /// The figures of a user without a model.
  static let unknown = SharedModels.Figures(
    observations: 0, base: .nan, baseError: .nan, intercept: .nan, residualSumOfSquares: .nan,
    predictionError: .nan)
}

extension ColumnScales {
  /// Parameters in original units.
  struct Parameters {
    var base: Double
    var coefficients: [Double]
  }

  func original(_ parameters: [Double]) -> Parameters {
    Parameters(
      base: responseMean + responseDeviation * parameters[0],
      coefficients: columns.indices.map { responseDeviation * parameters[$0 + 1] / deviations[$0] })
  }

  /// Returns the square roots of `variances`, in original units.
  func originalDeviations(_ variances: [Double]) -> Parameters {
    Parameters(
      base: responseDeviation * variances[0].squareRoot(),
      coefficients: columns.indices.map {
        responseDeviation * variances[$0 + 1].squareRoot() / deviations[$0]
      })
  }

  /// Returns the prediction if every column is 0, in original units.
  func intercept(_ parameters: Parameters) -> Double {
    zip(parameters.coefficients, means).reduce(parameters.base) { $0 - $1.0 * $1.1 }
  }

  /// Returns the figures of a model that equals its prior, for a user without rows.
  func figures(of prior: GaussianPrior) -> SharedModels.Figures {
    let parameters = original(prior.mean)
    return SharedModels.Figures(
      observations: 0, base: parameters.base, baseError: originalDeviations(prior.variances).base,
      intercept: intercept(parameters), residualSumOfSquares: 0, predictionError: .nan)
  }

  /// Returns the stored form of `prior`, in original units.
  func group(_ prior: GaussianPrior, name: String) -> PriorTable.Group {
    let parameters = original(prior.mean)
    let deviations = originalDeviations(prior.variances)
    return PriorTable.Group(
      name: name, base: parameters.base, baseDeviation: deviations.base,
      noiseDeviation: prior.noise.squareRoot() * responseDeviation, coefficients: parameters.coefficients,
      deviations: deviations.coefficients)
  }

  var shared: [PriorTable.SharedColumn] {
    columns.indices.map {
      PriorTable.SharedColumn(column: UInt32(columns[$0]), mean: means[$0], scale: deviations[$0])
    }
  }
}
