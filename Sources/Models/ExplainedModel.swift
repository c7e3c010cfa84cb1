internal import Columns
internal import Features
package import Files
internal import Geohash
package import PipelineFile
package import RunSchemas
internal import System
internal import Text

/// The fitted models of all users for one `model` entry of a pipeline file, with the data to explain scores.
package struct ExplainedModel {
  package let models: ModelTable
  private let space: FeatureSpace
  private let users: EntityTable
  private let candidates: EntityTable
  /// The rankings with `order_by: mutual` that use the model.
  private let mutual: [(name: String, order: Pipeline.MutualOrder)]
  /// The interactions that the models learn from; `nil` if `mutual` is empty.
  private let decisions: InteractionTable?
  /// The standard errors of predictions; `nil` if the models have none.
  private let errors: PredictionError?

  /// Reads the models of a run and the snapshot from which they were learned.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - name: The model's name; `nil` for the unnamed model, or for the only named model.
  ///   - run: The directory of the run that learned the model.
  /// - Throws: `StageFailure` if the pipeline has no such model, or if `name` is `nil` and several named
  ///   models are possible; `FileError`.
  package init(_ pipeline: Pipeline, model name: String?, run: String) throws {
    guard let model = try Self.model(name, of: pipeline), let kind = pipeline.interaction(model.learnsFrom)
    else {
      throw StageFailure(
        .badPipelineFile,
        "\(pipeline.file) has no 'model', so scores cannot be explained. Add 'model' to the file, and run the pipeline again."
      )
    }
    let snapshot = try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema))
    guard let users = snapshot.entities[kind.user.entity],
      let candidates = snapshot.entities[kind.candidate.entity]
    else { preconditionFailure("the snapshot does not contain the model's users or candidates") }
    var learned = try LearnedTable.read(model, snapshot, run: run)
    space = try FeatureSpace(learned: model, in: run, pipeline, snapshot, learning: learned)
    if let response = space.form.response {
      learned = learned.map { LearnedTable.bounded($0, by: response) }
    }
    self.users = users
    self.candidates = candidates
    mutual = pipeline.rankings.compactMap { ranking in
      pipeline.model(of: ranking)?.name == model.name
        ? ranking.order.mutual.map { (name: ranking.name, order: $0) } : nil
    }
    decisions = mutual.isEmpty ? nil : snapshot.interactions[kind.name]
    models = try ModelTable(
      model.directory(in: run + "/models"), columns: space.columns, users: users.count, isBlockwise: true)
    let counts = try Manifest(of: run + "/models").counts
    errors = learned.flatMap { [models, space] table in
      PredictionError(
        models, counts: model.name.flatMap { counts["by_name"]?[$0] } ?? counts, table: table, space: space)
    }
  }

  /// Returns the model with the name `name`. If `name` is `nil`, returns the unnamed model or, if all models
  /// have names, the only model. The result is `nil` if the pipeline has no model.
  static func model(_ name: String?, of pipeline: Pipeline) throws -> Pipeline.Model? {
    let names = pipeline.models.compactMap(\.name)
    guard let name else {
      if let unnamed = pipeline.model { return unnamed }
      guard names.count <= 1 else {
        throw StageFailure(
          .usage,
          "the pipeline '\(pipeline.name)' has several named models. Choose one with --model: \(names.joined(separator: ", "))."
        )
      }
      return pipeline.models.first
    }
    guard let model = pipeline.models.first(where: { $0.name == name }) else {
      throw StageFailure(
        .usage,
        "the pipeline has no model '\(name)'. "
          + (names.isEmpty
            ? "It has no named models, so omit --model."
            : "Choose one with --model: \(names.joined(separator: ", ")).")
      )
    }
    return model
  }

  /// Returns the row number of the user with this id.
  ///
  /// - Throws: `StageFailure` if the snapshot has no such id.
  package func row(ofUser id: String) throws -> Int {
    try Self.row(of: id, in: users, "--user")
  }

  /// Returns the model of the user at `row`; `nil` if the user has none. The function checks only the file
  /// blocks that contain the terms of this model.
  ///
  /// - Throws: `FileError` if the model is damaged.
  package func model(ofUser row: Int) throws(FileError) -> UserModel? {
    try models.check(row: row)
    return models[row]
  }

  /// Returns the row number of `id`, the value of the command-line option `option`.
  private static func row(of id: String, in table: EntityTable, _ option: String) throws -> Int {
    guard let row = table.row(of: id) else {
      throw StageFailure(
        .missingInput,
        "the snapshot does not contain the id in \(option). Ids match byte for byte, so check the spelling. "
          + "If ingest rejected the row with this id, snapshot/rejects.csv may list it.")
    }
    return Int(row)
  }

  /// Returns the intercept and every coefficient, in original units. If the models have a population prior,
  /// the table also contains the standard errors and the population's coefficients.
  package func coefficients(_ model: UserModel, row: Int) -> ExplainTable {
    let facts = [("interactions", Double(model.observations)), ("base", model.base)]
    guard let prior = models.prior else {
      var table = ExplainTable(columns: ["column", "coefficient", "learning_mean"])
      table.add("(intercept)", [model.intercept, nil])
      for term in model.terms {
        table.add(models.columns.string(Int(term.column)), [term.coefficient, term.mean])
      }
      table.facts = facts
      return table
    }
    var table = ExplainTable(
      columns: ["column", "coefficient", "standard_error", "population", "learning_mean"])
    let group = models.group(row).map { prior.model(ofGroup: $0) }
    table.add("(intercept)", [model.intercept, nil, group?.intercept, nil])
    table.add("(base)", [model.base, model.baseStandardError, group?.base, nil])
    for (place, term) in model.terms.enumerated() {
      table.add(
        models.columns.string(Int(term.column)),
        [term.coefficient, term.standardError, group?.terms[place].coefficient, term.mean])
    }
    table.facts =
      facts + (models.predictionStandardError(row).map { [("prediction_standard_error", $0)] } ?? [])
    return table
  }

  /// Returns the chance that `person` likes `user` according to the person's decision; `nil` if there is no
  /// decision or `order` does not use it.
  private func knownChance(of person: Int, for user: Int, _ order: Pipeline.MutualOrder) -> Double? {
    guard let decisions,
      let index = decisions.range(ofUser: person).last(where: { Int(decisions.candidate[$0]) == user })
    else { return nil }
    return MutualChance.known(decisions.value[index], in: decisions, order)
  }

  /// Returns a table of the base, one contribution per feature, and their sum, the score. If a ranking with
  /// `order_by: mutual` uses the model, a second column explains the candidate's score for the user. The
  /// facts then contain the chance of each like, and the chance of both likes.
  ///
  /// - Throws: `StageFailure` if the snapshot has no such candidate; `FileError` if the candidate's model is
  ///   damaged; `LeastSquaresError`, which indicates a bug.
  package func prediction(_ model: UserModel, user: Int, candidate id: String) throws -> ExplainTable {
    let candidate = try Self.row(of: id, in: candidates, "--candidate")
    let distance = space.candidates.distanceInKilometers(
      from: space.users[user].map(DistanceOrigin.init), to: candidate)
    let own = terms(model, of: user, about: candidate, distance)
    var table = ExplainTable(
      columns: ["term", "contribution"] + (mutual.isEmpty ? [] : ["candidate_contribution"]))
    table.facts = distance.isNaN ? [] : [("distance_km", distance)]
    if mutual.isEmpty {
      for (name, value) in own.terms { table.add(name, [value]) }
      table.add("(score)", [own.score])
    } else {
      let other = try self.model(ofUser: candidate).map { terms($0, of: candidate, about: user, distance) }
      let values = Dictionary(other?.terms ?? [], uniquingKeysWith: { first, _ in first })
      for (name, value) in own.terms { table.add(name, [value, values[name]]) }
      let names = Set(own.terms.map(\.name))
      for (name, value) in other?.terms ?? [] where !names.contains(name) { table.add(name, [nil, value]) }
      table.add("(score)", [own.score, other?.score])
      let chance = MutualChance.ofLike(own.score)
      let predicted = other.map { MutualChance.ofLike($0.score) } ?? MutualChance.unknown
      for (name, order) in mutual {
        let other = knownChance(of: candidate, for: user, order) ?? predicted
        table.facts += [
          ("\(name).chance", chance), ("\(name).candidate_chance", other),
          ("\(name).mutual_chance", MutualChance.ofBoth(user: chance, candidate: other, order)),
        ]
      }
    }
    if let error = try errors?.standardError(user: user, candidate: candidate, distance: distance) {
      table.facts += [
        ("standard_error", error.prediction), ("noise_standard_deviation", error.noise),
      ]
    }
    return table
  }

  /// Returns the base, the contribution of each feature, and their sum: the score of `other` for `person`.
  private func terms(
    _ model: UserModel, of person: Int, about other: Int, _ distance: Double
  ) -> (terms: [(name: String, value: Double)], score: Double) {
    let scorer = Scorer(model, of: person, in: space)
    let reasons = space.reasons(scorer, model: model, user: person, candidate: other, distance: distance)
    return (
      [("(base)", scorer.base)] + reasons.map { ($0.feature, $0.contribution) },
      scorer.score(candidate: other, distance: distance)
    )
  }
}
