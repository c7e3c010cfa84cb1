internal import Columns
package import Concurrency
internal import Discovery
internal import Features
package import Files
internal import LeastSquares
package import PipelineFile
internal import RunSchemas
internal import Text

/// Fits the models of a pipeline from the snapshot of a run.
///
/// The module `Models` also chooses the settings of discovery and explains predictions. It does not depend on
/// `Search` or `Ranking`, because a ranking reads the models from the files of the run.
package enum FitStage {
  package static let name = "models"

  /// Fits all models, chooses the settings of rankings by discovery, and writes both to `models` in the run.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file. Without a model, the stage writes no tables.
  ///   - run: The run directory, which contains `snapshot` and `index`.
  ///   - threads: The number of threads; the result does not depend on it.
  ///   - progress: Counts the users of all models.
  ///   - tool: The program's name and version, for the manifest.
  /// - Returns: The manifest; its counts contain `models`, `without_interactions`, the solution `methods`,
  ///   the learning `method`, and, if they apply, `l2`, `prior` and `choice`. These counts describe the
  ///   unnamed model. Named models have the same counts under `by_name`. If all models have names, `models`
  ///   is the total over all models. `discovery` contains the settings of rankings by discovery.
  /// - Throws: `FileError`; `TooManyColumns`; `MissingLibrary`; `NoMemoryForSolving`; `LeastSquaresError`,
  ///   which indicates a bug.
  package static func run(
    _ pipeline: Pipeline, in run: String, threads: Int, progress: WorkProgress = WorkProgress(), tool: String
  ) throws -> Manifest {
    let snapshot = try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema))
    let parents = try Manifest.parents(["snapshot", "index"], in: run)
    var directory = try StageDirectory(name, in: run)
    var counts = try fitAll(
      pipeline, snapshot, run: run, threads: threads, progress, to: &directory)
    let discovered = pipeline.rankings.filter { $0.order.discoveredKind != nil }
    if !discovered.isEmpty {
      var choices: [String: JSONValue] = [:]
      for ranking in discovered {
        progress.step("discovery settings of \(ranking.name)")
        choices[ranking.name] = try DiscoveryFit(ranking, pipeline, snapshot, threads: threads).json
      }
      counts = .object(counts.members.merging([DiscoverySettings.key: .object(choices)]) { own, _ in own })
    }
    return try directory.complete(
      Manifest(
        tool: tool, stage: name, pipeline: pipeline.name, configuration: pipeline.configuration,
        asOf: snapshot.manifest.asOf, seed: pipeline.seed, counts: counts,
        parents: parents))
  }

  /// Loads the linear algebra library, and checks that `threads` threads can allocate the memory for solving
  /// at the same time. Call this function before the threads start.
  ///
  /// - Throws: `MissingLibrary`, `NoMemoryForSolving`.
  package static func prepareToSolve(threads: Int) throws {
    try LinearAlgebraLibrary.load()
    try SolvingMemory.require(threads: threads)
  }

  /// Fits all models, and returns the counts for the manifest.
  private static func fitAll(
    _ pipeline: Pipeline, _ snapshot: Snapshot, run: String, threads: Int, _ progress: WorkProgress,
    to directory: inout StageDirectory
  ) throws -> JSONValue {
    progress.begin(
      "users", total: pipeline.models.reduce(0) { $0 + entities(of: $1, pipeline, snapshot).users.count })
    var own: [String: JSONValue]?
    if let model = pipeline.model {
      own = try fit(model, pipeline, snapshot, run: run, threads: threads, progress, to: &directory).members
    }
    guard !pipeline.namedModels.isEmpty else {
      return .object(own ?? ["models": 0, "without_interactions": 0, "methods": [:]])
    }
    var byName: [String: JSONValue] = [:]
    for model in pipeline.namedModels {
      guard let name = model.name else { preconditionFailure("a named model must have a name") }
      byName[name] = try fit(
        model, pipeline, snapshot, run: run, threads: threads, progress, to: &directory)
    }
    let count = byName.values.reduce(0) { $0 + ($1["models"]?.integerValue ?? 0) }
    let counts = own ?? ["models": .integer(count)]
    return .object(counts.merging(["by_name": .object(byName)]) { _, new in new })
  }

  /// Fits `model`, writes its tables, and returns its counts for the manifest.
  private static func fit(
    _ model: Pipeline.Model, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String, threads: Int,
    _ progress: WorkProgress, to directory: inout StageDirectory
  ) throws -> JSONValue {
    progress.step(model.name.map { "rows of \($0)" } ?? "rows")
    var (table, drawn) = try LearnedTable.make(
      model, pipeline, snapshot, run: run, threads: threads, to: &directory)
    let response = LearnedTable.bounds(of: table, learnsFrom: model.learnsFrom, pipeline)
    if let response { table = LearnedTable.bounded(table, by: response) }
    let folder = model.name.map { $0 + "/" } ?? ""
    let space = FeatureSpace(
      model, pipeline, snapshot, learning: table,
      mostColumns: model.method == .createml ? nil : TooManyColumns.most, threads: threads)
    var form = space.form
    form.response = response
    let facts = form.json.merging(drawn.map { ["negatives": .integer($0)] } ?? [:]) { _, new in new }
    try prepareToSolve(threads: threads)
    if model.method == .createml {
      let fits = try fitAll(LearningRows(table: table, space: space), threads: threads, progress)
      try ModelTable.write(
        fits.map(\.models), columns: space.columns, to: &directory, in: folder, threads: threads)
      let methods = fits.reduce(into: [:]) { $0.merge($1.methods, uniquingKeysWith: +) }
      let count = methods.values.reduce(0, +)
      return counts(
        model.method, models: count, without: table.userOffsets.count - 1 - count, methods, facts)
    }
    let (users, candidates) = entities(of: model, pipeline, snapshot)
    let fitting = SharedFitting(
      rows: LearningRows(table: table, space: space), users: users, candidates: candidates,
      seed: pipeline.seed, threads: threads, progress: progress)
    let fit = try fitting.fit(model, to: &directory, in: folder)
    let active = fit.models.activeUsers
    let counts = counts(
      model.method, models: active, without: users.count - active, fit.methods,
      fit.facts.merging(facts) { own, _ in own })
    let prior = fit.prior
    try fit.models.finish(prior, columns: space.columns, to: &directory, threads: threads)
    return counts
  }

  private static func counts(
    _ method: Pipeline.Method, models: Int, without: Int, _ methods: [String: Int],
    _ facts: [String: JSONValue] = [:]
  ) -> JSONValue {
    let counts: [String: JSONValue] = [
      "models": .integer(models), "without_interactions": .integer(without), "methods": JSONValue(methods),
      "method": .string(method.name),
    ]
    return .object(counts.merging(facts) { own, _ in own })
  }

  /// Returns the users and candidates of the interactions that `model` learns from.
  private static func entities(of model: Pipeline.Model, _ pipeline: Pipeline, _ snapshot: Snapshot) -> (
    users: EntityTable, candidates: EntityTable
  ) {
    guard let kind = pipeline.interaction(model.learnsFrom),
      let users = snapshot.entities[kind.user.entity],
      let candidates = snapshot.entities[kind.candidate.entity]
    else { preconditionFailure("the snapshot does not contain the model's users or candidates") }
    return (users, candidates)
  }

  /// The models of consecutive users, and the number of models that each method solved.
  private struct OwnFits: Sendable {
    var models = OwnModels()
    var methods: [String: Int] = [:]
  }

  private static func fitAll(
    _ rows: LearningRows, threads: Int, _ progress: WorkProgress
  ) throws(LeastSquaresError) -> [OwnFits] {
    try parallelMap(count: rows.userCount, chunkSize: LearningRows.chunkSize, threads: threads) {
      (chunk) throws(LeastSquaresError) in
      var regression = CreateMLRegression(rows)
      var fits = OwnFits()
      for user in chunk {
        guard let method = try regression.fit(user, into: &fits.models) else { continue }
        fits.methods[method.rawValue, default: 0] += 1
      }
      progress.add(chunk.count)
      return fits
    }
  }
}

extension Pipeline.Method {
  /// The method's name in the manifest.
  fileprivate var name: String {
    switch self {
    case .createml: "createml"
    case .ridge: "ridge"
    case .everybody: "everybody"
    case .population: "population"
    }
  }
}
