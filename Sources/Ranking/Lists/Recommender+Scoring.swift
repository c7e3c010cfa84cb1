package import Discovery
package import Features
internal import Files
package import PipelineFile
package import RunSchemas
internal import Text

extension Recommender {
  /// The order of candidates.
  package enum Scoring: Sendable {
    /// The nearest candidates first, without scores.
    case distance
    /// The predictions of the models that `fit` wrote to the directory. The models have the columns of the
    /// feature space. A user without a model gets the nearest candidates first.
    case models(in: String, FeatureSpace)
    /// Sort keys, and the scoring that the key `score` uses.
    indirect case keys([Pipeline.OrderKey], Scoring)
    /// Discovery scores, which are computed from the likes of all users.
    case discovery(DiscoveryScores)
    /// The chances that both sides like each other, computed from the predictions of the models that `fit`
    /// wrote to the directory. The table contains the decisions from which the models were learned. A user
    /// without a model gets the nearest candidates first.
    case mutual(Pipeline.MutualOrder, in: String, FeatureSpace, decisions: InteractionTable)
  }
}

extension Recommender.Scoring {
  /// Creates the order of `ranking` in the pipeline file, with the models of `run`.
  ///
  /// - Throws: `FileError` if the models cannot be read; for discovery, also `MissingLibrary` and
  ///   `NoMemoryForSolving`.
  package init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String, threads: Int
  ) throws {
    if let kind = ranking.order.discoveredKind {
      let file = run + "/models"
      let counts = try Manifest(of: file).counts
      guard let table = snapshot.interactions[kind],
        let settings = counts[DiscoverySettings.key]?[ranking.name].flatMap(DiscoverySettings.init)
      else {
        throw FileError(
          damaged: file, "its manifest lacks the discovery settings of the ranking '\(ranking.name)'")
      }
      self = .discovery(
        try DiscoveryScores(
          table, settings, positions: snapshot.entities[ranking.candidates].map(Positions.init),
          asOf: snapshot.manifest.asOf.milliseconds, threads: threads))
      return
    }
    var scoring = Recommender.Scoring.distance
    if let model = pipeline.model(of: ranking) {
      let directory = model.directory(in: run + "/models")
      let space = try FeatureSpace(learned: model, in: run, pipeline, snapshot)
      if case .mutual(let order) = ranking.order, let decisions = snapshot.interactions[model.learnsFrom] {
        self = .mutual(order, in: directory, space, decisions: decisions)
        return
      }
      scoring = .models(in: directory, space)
    }
    switch ranking.order {
    case .score, .distance: self = scoring
    case .newest: self = .keys([.newest], scoring)
    case .keys(let keys): self = .keys(keys, scoring)
    case .discovery, .mutual: preconditionFailure("the order '\(ranking.order)' must be handled above")
    }
  }

  /// The directory and feature space of the models; `nil` for an order without models.
  var models: (directory: String, space: FeatureSpace)? {
    switch self {
    case .distance, .discovery: nil
    case .models(let directory, let space), .mutual(_, in: let directory, let space, _): (directory, space)
    case .keys(_, let scoring): scoring.models
    }
  }
}
