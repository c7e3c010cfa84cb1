package import Files
internal import Geohash
package import PipelineFile
package import RunSchemas

/// The features of a model, bound to the columns of a snapshot. The space computes the feature values for a
/// user and a candidate.
///
/// The module `Features` turns attributes into feature values, scores and reasons. `Models`, `Search` and
/// `Ranking` use this module, so all of them compute the same values. The module does not depend on these
/// three.
///
/// Each feature has one or more columns, and a model has one coefficient per column. Attribute values stay in
/// memory, because fitting and ranking read them in random order.
package struct FeatureSpace: Sendable {
  package let features: [BoundFeature]
  /// The names of the columns, such as `business_field=Technology`, `experience_years` or `latitude`.
  package let columns: [String]
  package let candidates: Positions
  package let users: Positions
  /// The words with their own columns, and the bounds of numbers.
  package let form: LearnedForm

  /// Creates a space of `features`. Their columns must be adjacent and in the order of the features.
  package init(features: [BoundFeature], columns: [String], candidates: Positions, users: Positions) {
    self.features = features
    self.columns = columns
    self.candidates = candidates
    self.users = users
    form = LearnedForm()
  }

  /// Returns a space with positions but without features.
  package static func empty(candidates: Positions, users: Positions) -> FeatureSpace {
    FeatureSpace(features: [], columns: [], candidates: candidates, users: users)
  }

  /// Binds the features of `model` to `snapshot`.
  ///
  /// A missing table or attribute causes a trap, because the pipeline file was checked before. `threads`
  /// workers count the interactions that candidates received; the space does not depend on the number of
  /// workers. If `learning` is not `nil`, it replaces the snapshot's interactions as learning rows, for
  /// example because it also contains sampled negatives.
  ///
  /// `form` is the form of the fitted model. If it is `nil`, the initializer derives the form from the data,
  /// as in a fit. In this case, rare words share columns if more than `mostColumns` columns would vary
  /// between learning rows.
  package init(
    _ model: Pipeline.Model, _ pipeline: Pipeline, _ snapshot: Snapshot, learning: InteractionTable? = nil,
    form: LearnedForm? = nil, mostColumns: Int? = nil, threads: Int = 1
  ) {
    self.init(
      model.features, learnsFrom: model.learnsFrom, pipeline, snapshot, learning: learning, form: form,
      mostColumns: mostColumns, threads: threads)
  }

  /// Binds the features of `model`, which was learned in `run`, to `snapshot`.
  ///
  /// - Throws: `FileError` if the models in `run` cannot be read.
  package init(
    learned model: Pipeline.Model, in run: String, _ pipeline: Pipeline, _ snapshot: Snapshot,
    learning: InteractionTable? = nil
  ) throws(FileError) {
    self.init(
      model, pipeline, snapshot, learning: learning, form: try LearnedForm(of: model, in: run + "/models"))
  }

  /// Binds `entries` for the users and candidates of the interactions `kind`. The initializer for a model
  /// describes the other parameters.
  package init(
    _ entries: [Pipeline.Feature], learnsFrom kind: String, _ pipeline: Pipeline, _ snapshot: Snapshot,
    learning: InteractionTable? = nil, form: LearnedForm? = nil, mostColumns: Int? = nil, threads: Int = 1
  ) {
    guard let interaction = pipeline.interaction(kind),
      let users = snapshot.entities[interaction.user.entity],
      let candidates = snapshot.entities[interaction.candidate.entity]
    else {
      preconditionFailure("the snapshot does not contain the model's interactions, users or candidates")
    }
    self.candidates = Positions(candidates)
    self.users =
      interaction.user.entity == interaction.candidate.entity ? self.candidates : Positions(users)
    let positions = (self.users, self.candidates)
    func bind(mostWords: Int? = nil) -> FeatureBinding {
      var binding = FeatureBinding(
        interaction: interaction, users: users, candidates: candidates, positions: positions, pipeline,
        snapshot, learning: learning, form: form, mostWords: mostWords, threads: threads)
      for (number, entry) in entries.enumerated() { binding.add(entry, number: number) }
      return binding
    }
    var binding = bind()
    if form == nil, let words = mostColumns.flatMap({ binding.wordsFitting($0) }) {
      binding = bind(mostWords: words)
    }
    features = binding.features
    columns = binding.columns
    self.form = form ?? binding.found
  }
}

extension FeatureSpace {
  /// Writes the value of every column for one pair; NaN means a missing value.
  ///
  /// - Parameters:
  ///   - row: One element per column.
  ///   - user: The row of the user.
  ///   - candidate: The row of the candidate.
  ///   - distance: Kilometers between user and candidate; NaN if unknown.
  ///   - interaction: The index of the learning row; `nil` for a prediction. The values of a learning row
  ///     exclude the row's own outcome from the interactions that the candidate received.
  /// - Complexity: O(columns).
  package func fill(
    _ row: inout [Double], user: Int, candidate: Int, distance: Double, learningFrom interaction: Int?
  ) {
    precondition(row.count == columns.count, "the row has \(row.count) elements for \(columns.count) columns")
    let pair = FeaturePair(user: user, candidate: candidate, distance: distance, interaction: interaction)
    for feature in features { feature.shape.write(pair, to: &row, at: feature.firstColumn) }
  }
}
