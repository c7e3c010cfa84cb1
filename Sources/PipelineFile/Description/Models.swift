// Several models in one pipeline: `models: { NAME: {...} }`, in addition to `model` or instead of `model`.

extension Pipeline {
  /// All models: the unnamed model first, then the named models, sorted by name.
  package var models: [Model] { (model.map { [$0] } ?? []) + namedModels }

  /// Whether `fit` has anything to learn: a model, or the settings of a discovery order.
  package var isFitted: Bool { !models.isEmpty || rankings.contains { $0.order.discoveredKind != nil } }

  /// Returns the model whose scores order the lists of `ranking`, or `nil` if the order uses no scores.
  package func model(of ranking: Ranking) -> Model? {
    ranking.order.usesScores ? models.first { $0.name == ranking.model } : nil
  }

  /// The evaluated model: the model that the section `evaluation` names, or else the first model; `nil` if
  /// the pipeline has no model.
  package var evaluatedModel: Model? {
    guard let name = evaluation?.model else { return models.first }
    return models.first { $0.name == name }
  }

  /// Returns whether `model` learns how `users` like `candidates`.
  func scores(_ model: Model, _ users: String, _ candidates: String) -> Bool {
    interaction(model.learnsFrom).map { $0.user.entity == users && $0.candidate.entity == candidates }
      ?? false
  }

  /// Returns the model that scores the ranking described by `keys`, or `nil` if no model scores it.
  ///
  /// If the ranking names a model, the result is this model. Otherwise, the result is the first model that
  /// can score `candidates` for `users`, beginning with the unnamed model. If no model can score them, but
  /// the ranking is ordered by score, the result is the unnamed model. The caller then reports that this
  /// model cannot score the candidates.
  ///
  /// - Throws: `PipelineFileError` in three cases: `order_by` has a mistake; the named model does not exist
  ///   or has no effect on the order; or the ranking names no model, although several named models fit.
  func model(
    for keys: [String: Setting], _ ranking: Setting, users: String, candidates: String
  ) throws(PipelineFileError) -> Model? {
    guard let entity = entity(candidates) else {
      preconditionFailure("the entity name was checked before")
    }
    let order = try keys["order_by"].map { (order) throws(PipelineFileError) in
      try Order(order, users: users, entity, self)
    }
    if let setting = keys["model"] {
      let name = try setting.text()
      guard let model = namedModels.first(where: { $0.name == name }) else {
        throw setting.unknown(name, among: namedModels.compactMap(\.name), called: "model")
      }
      guard order?.usesScores ?? true else {
        throw setting.mistake(
          "'\(setting.path)' has no effect on a list that is not ordered by score", advice: "Remove this key."
        )
      }
      return model
    }
    if let model, scores(model, users, candidates) { return model }
    let fitting = namedModels.filter { scores($0, users, candidates) }
    guard fitting.count <= 1 || order?.usesScores == false else {
      throw ranking.mistake(
        "\(ranking.label) needs 'model', because several models can score its lists",
        advice: "Add 'model: NAME'; valid here: \(fitting.compactMap(\.name).joined(separator: ", ")).")
    }
    return fitting.first ?? (order?.usesScores == true ? model : nil)
  }
}

extension Pipeline.Model {
  /// Returns the path of the model's directory. For a named model, it is the subdirectory of `stage` with the
  /// model's name. For the unnamed model, it is `stage` itself.
  package func directory(in stage: String) -> String { name.map { stage + "/" + $0 } ?? stage }
}
