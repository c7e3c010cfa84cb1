internal import Columns
internal import Concurrency
internal import Discovery
internal import Features
internal import Files
internal import Index
internal import Models
internal import PipelineFile
internal import Ranking
internal import RunSchemas
internal import Text

/// The pipeline's own ranking and the methods to compare it with, all fitted as of the cut.
struct MethodSet {
  /// The recommender of the pipeline's own ranking.
  let recommender: Recommender
  /// The pipeline's own ranking first, then the baselines.
  private(set) var all: [RankedMethod] = []
  /// The baselines that could not be fitted, with the reasons.
  private(set) var leftOut: [Method: String] = [:]
  /// The counts of `fit` for the pipeline's own model, or for the discovery order; `nil` if there is neither.
  private(set) var fitted: JSONValue?

  /// Fits the models of all methods, except models that `directory` already contains.
  ///
  /// - Parameters:
  ///   - ranking: The ranking to compare.
  ///   - cut: The data as of the cut.
  ///   - directory: The directory with `snapshot` and `index`, which receives the models.
  ///   - threads: The number of workers.
  ///   - progress: Names the current model, and counts the users with a fitted model.
  ///   - tool: The program's name and version, for manifests.
  /// - Throws: `FileError` if a file cannot be read or written; `MissingLibrary` or `NoMemoryForSolving` if
  ///   the linear algebra library cannot be used; `TooManyColumns` if the pipeline's own model has too many
  ///   columns; `LeastSquaresError`, which indicates a bug.
  init(
    _ ranking: Pipeline.Ranking, _ cut: CutWorld, in directory: String, threads: Int,
    _ progress: WorkProgress, tool: String
  ) throws {
    let learner = MethodLearner(
      ranking: ranking, cut: cut, directory: directory, threads: threads, progress: progress, tool: tool)
    let scale = ProbabilityScale(of: cut.learning.value.elements, likedFrom: cut.learning.likedFrom)
    let nearest = try learner.nearest()
    if let model = cut.pipeline.evaluatedModel, ranking.order.usesScores {
      recommender = try learner.learned(
        .pipeline, model, minimumScore: ranking.minimumScore, mutual: ranking.order.mutual)
      fitted = try Manifest(of: directory + "/" + Method.pipeline.rawValue + "/models").counts
      addPipeline(recommender, ranking, scale)
      if ranking.order != .score {
        add(
          .oneSided, try learner.learned(.pipeline, model, minimumScore: ranking.minimumScore), scale)
      }
      let baseline = model.createMLBaseline
      if baseline == model, ranking.minimumScore == 0 {
        addOwn(.createml, ranking)
      } else {
        add(.createml, try learner.learned(.createml, baseline, minimumScore: 0), scale)
      }
      let everybody = model.everybodyBaseline
      if everybody == model, ranking.minimumScore == -.infinity {
        addOwn(.everybody, ranking)
      } else {
        do {
          add(.everybody, try learner.learned(.everybody, everybody, minimumScore: nil), scale)
        } catch let error as TooManyColumns {
          // Only this baseline has too many columns, so the evaluation continues without it.
          leftOut[.everybody] = error.description
        }
      }
    } else if ranking.order.discoveredKind != nil {
      progress.begin(part: "\(ranking.name), discovery settings")
      let fit = try DiscoveryFit(ranking, cut.pipeline, cut.snapshot, threads: threads)
      recommender = try learner.discovered(fit.choice.settings)
      fitted = [DiscoverySettings.key: [ranking.name: fit.json]]
      addPipeline(recommender, ranking, nil)
    } else {
      recommender = nearest
      addPipeline(nearest, ranking, nil)
    }
    progress.begin(part: "\(ranking.name), baselines")
    if cut.learning.hasPasses {
      let rate = ReceivedLikeRateFeature(interaction: cut.kind.name, isAdjusted: false)
      add(.likeRate, try learner.ranked(by: rate, .likeRate), ProbabilityScale(pass: 0, like: 1))
    } else {
      leftOut[.likeRate] =
        "no learning interaction is a pass, so every candidate has the same share of likes; compare with the method '\(Method.popular.rawValue)' instead"
    }
    add(.popular, try learner.ranked(by: PopularityFeature(interaction: cut.kind.name), .popular), nil)
    try addFinding(learner)
    if ranking.order == .distance {
      addOwn(.nearest, ranking)
    } else {
      add(.nearest, nearest, nil)
    }
    let index =
      ranking.radiusInKilometers == nil
      ? nil : try SpatialIndex(directory + "/index", entity: ranking.candidates, count: cut.candidates.count)
    let random = RandomRanker(recommender: nearest, index: index, seed: cut.seed)
    all.append(RankedMethod(method: .random, ranker: random, scale: nil))
  }

  /// Adds the baselines that use only likes and their times: `trending` and `item_to_item`.
  private mutating func addFinding(_ learner: MethodLearner) throws {
    switch learner.trend() {
    case .halfLife(let halfLife):
      let trend = PopularityFeature(interaction: learner.cut.kind.name, halfLife: halfLife)
      add(.trending, try learner.ranked(by: trend, .trending), nil)
    case .noneIsBetter:
      leftOut[.trending] =
        "no half-life is clearly better than equal weights for all likes; compare with the method '\(Method.popular.rawValue)' instead"
    case .tooFewUsers(let users):
      leftOut[.trending] =
        "only \(users.counted("user")) liked a candidate late in the learning part, which is too few to choose a half-life; compare with the method '\(Method.popular.rawValue)' instead"
    }
    let pairs = learner.cut.users.count.multipliedReportingOverflow(by: learner.cut.candidates.count)
    guard !pairs.overflow, pairs.partialValue <= Self.mostPairs else {
      leftOut[.itemToItem] =
        "the data have more than \(Self.mostPairs.grouped) pairs of a user and a candidate, and the method would score each pair; compare with the method '\(Method.popular.rawValue)' instead"
      return
    }
    if let items = try learner.itemToItem() {
      add(.itemToItem, items, nil)
    } else {
      leftOut[.itemToItem] =
        "no two candidates have enough users who like both; compare with the method '\(Method.popular.rawValue)' instead"
    }
  }

  /// The maximum number of pairs that `item_to_item` scores. More pairs would take too long.
  private static let mostPairs = 1_000_000_000

  /// Adds the pipeline's own ranking. If the ranking has limits on exposure, also adds the ranking without
  /// these limits. The other methods have no limits.
  private mutating func addPipeline(
    _ recommender: Recommender, _ ranking: Pipeline.Ranking, _ scale: ProbabilityScale?
  ) {
    let own = RecommenderRanker(recommender: recommender, limits: ranking.exposure)
    all.append(RankedMethod(method: .pipeline, ranker: own, scale: scale))
    if ranking.exposure != nil { add(.withoutExposure, recommender, scale) }
  }

  /// Adds a method that ranks by the pipeline's own scores or distances, without limits on exposure. If
  /// another method already makes these lists, adds `method` to `leftOut` instead.
  private mutating func addOwn(_ method: Method, _ ranking: Pipeline.Ranking) {
    let isOwnOrder = ranking.order == .score || ranking.order == .distance
    let same: Method? = !isOwnOrder ? .oneSided : ranking.exposure != nil ? .withoutExposure : nil
    if let same {
      leftOut[method] = "it is the same as the method '\(same.rawValue)'"
    } else {
      all.append(RankedMethod(method: method, ranker: nil, scale: nil))
    }
  }

  private mutating func add(_ method: Method, _ recommender: Recommender, _ scale: ProbabilityScale?) {
    all.append(
      RankedMethod(method: method, ranker: RecommenderRanker(recommender: recommender), scale: scale))
  }
}

/// One method with its ranker, ready for evaluation.
struct RankedMethod {
  let method: Method
  /// The method's ranker; `nil` if the method equals the pipeline's own ranking.
  let ranker: (any MethodRanker)?
  let scale: ProbabilityScale?
}

/// Learns the models of a method from the cut snapshot, and creates the recommender that uses them.
private struct MethodLearner {
  let ranking: Pipeline.Ranking
  let cut: CutWorld
  let directory: String
  let threads: Int
  let progress: WorkProgress
  let tool: String

  /// Returns the recommender that ranks by `model`. The order is by the user's own score, unless `mutual` is
  /// set. A `minimumScore` of `nil` means that every score is high enough.
  func learned(
    _ method: Method, _ model: Pipeline.Model, minimumScore: Double?, mutual: Pipeline.MutualOrder? = nil
  ) throws -> Recommender {
    // In the copy of the pipeline, this model is the only one, and it has no name.
    var pipeline = cut.pipeline
    var model = model
    model.name = nil
    (pipeline.model, pipeline.namedModels) = (model, [])
    let run = directory + "/" + method.rawValue
    if !Directories.exists(run) {
      try Directories.create(run)
      for stage in ["snapshot", "index"] { try Directories.link(run + "/" + stage, to: "../" + stage) }
      progress.begin(part: "\(ranking.name), model of \(method.rawValue)")
      _ = try FitStage.run(pipeline, in: run, threads: threads, progress: progress, tool: tool)
    }
    var ranking = ranking
    ranking.minimumScore = minimumScore ?? -.infinity
    let (models, space) = (run + "/models", try FeatureSpace(learned: model, in: run, pipeline, cut.snapshot))
    return try Recommender(
      ranking, pipeline, cut.snapshot, run: run,
      scoring: mutual.map { .mutual($0, in: models, space, decisions: cut.learning) }
        ?? .models(in: models, space), threads: threads)
  }

  /// Returns the recommender that ranks candidates by the value of one feature. Its model has only this
  /// feature's column, with the coefficient 1.
  func ranked(by feature: some ListedFeature, _ method: Method) throws -> Recommender {
    let name = method.rawValue
    let space = FeatureSpace(
      [Pipeline.Feature(feature)], learnsFrom: cut.kind.name,
      cut.pipeline, cut.snapshot)
    if !Directories.exists(directory + "/" + name) {
      let model = UserModel(
        observations: 1, base: 0, intercept: 0, residualSumOfSquares: 0,
        terms: [UserModel.Term(column: 0, coefficient: 1, mean: 0)])
      var models = try StageDirectory(name, in: directory)
      try ModelTable.write(
        Array(repeating: model, count: cut.users.count), columns: space.columns, to: &models)
      let source = cut.snapshot.manifest
      _ = try models.complete(
        Manifest(
          tool: tool, stage: name, pipeline: source.pipeline, configuration: source.configuration,
          asOf: source.asOf, seed: source.seed, counts: [:]))
    }
    var ranking = ranking
    ranking.minimumScore = -.infinity
    return try Recommender(
      ranking, cut.pipeline, cut.snapshot, run: directory,
      scoring: .models(in: directory + "/" + name, space))
  }

  /// Returns the recommender that ranks by discovery scores.
  func discovered(_ settings: DiscoverySettings) throws -> Recommender {
    let scores = try DiscoveryScores(
      cut.learning, settings, positions: cut.snapshot.entities[ranking.candidates].map(Positions.init),
      asOf: cut.snapshot.manifest.asOf.milliseconds, threads: threads)
    return try Recommender(ranking, cut.pipeline, cut.snapshot, run: directory, scoring: .discovery(scores))
  }

  /// Chooses the half-life of `trending` from the learning interactions alone.
  func trend() -> DiscoveryChoice.Trend {
    DiscoveryChoice.trend(
      of: DiscoveryTask(ranking, cut.learning, cut.pipeline, cut.snapshot), threads: threads)
  }

  /// Returns the recommender that ranks by item-to-item coefficients alone; `nil` if there are none.
  func itemToItem() throws -> Recommender? {
    let asOf = cut.snapshot.manifest.asOf.milliseconds
    let scores = try DiscoveryScores(
      cut.learning, .itemsAlone, positions: nil, asOf: asOf, threads: threads)
    if scores.lacksItems { return nil }
    var ranking = ranking
    ranking.minimumScore = -.infinity
    return try Recommender(ranking, cut.pipeline, cut.snapshot, run: directory, scoring: .discovery(scores))
  }

  func nearest() throws -> Recommender {
    try Recommender(ranking, cut.pipeline, cut.snapshot, run: directory, scoring: .distance)
  }
}

extension Pipeline.Model {
  /// This model with the method `createml` and only the features that the method supports: categories,
  /// numbers without bins, positions and the distance. If the model has no such feature, it keeps all its
  /// features.
  var createMLBaseline: Pipeline.Model {
    var model = self
    let own = features.filter { feature in
      switch feature.kind {
      case is CategoryFeature, is PositionFeature, is DistanceFeature: true
      case let number as NumberFeature: number.bins == nil
      default: false
      }
    }
    if !own.isEmpty { model.features = own }
    model.method = .createml
    model.isChosenWithinLearning = false
    return model
  }

  var everybodyBaseline: Pipeline.Model {
    var model = self
    model.method = .everybody(.automatic)
    model.isChosenWithinLearning = false
    return model
  }
}
