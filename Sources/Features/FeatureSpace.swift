internal import Geohash
package import PipelineFile
package import RunSchemas

/// The feature values of user-candidate pairs: the features of a pipeline, bound to the columns of a snapshot.
///
/// The module turns attributes into feature values, scores and reasons, with one file per kind of feature. It does not depend on
/// `Models`, `Search` or `Ranking`, because all three use it and must see the same values.
///
/// Each feature has one or more columns; a model has a coefficient per column. Values are held in memory, one per row,
/// because fitting and ranking read them at random.
package struct FeatureSpace: Sendable {
  package let features: [BoundFeature]
  /// The names of the columns: `business_field=Technology`, `experience_years`, `latitude`.
  package let columns: [String]
  package let candidates: Positions
  package let users: Positions

  /// A space of these features, whose columns follow each other in order.
  package init(features: [BoundFeature], columns: [String], candidates: Positions, users: Positions) {
    self.features = features
    self.columns = columns
    self.candidates = candidates
    self.users = users
  }

  /// A space without features: only positions.
  package static func empty(candidates: Positions, users: Positions) -> FeatureSpace {
    FeatureSpace(features: [], columns: [], candidates: candidates, users: users)
  }

  /// Binds the features of `model` to `snapshot`.
  ///
  /// The pipeline file was checked: a table or attribute that is missing here is a bug.
  /// `threads` workers count what candidates received; the space does not depend on them. `learning` is what is learned
  /// from, where that is more than the interactions of the snapshot.
  package init(
    _ model: Pipeline.Model, _ pipeline: Pipeline, _ snapshot: Snapshot, learning: InteractionTable? = nil,
    threads: Int = 1
  ) {
    self.init(
      model.features, learnsFrom: model.learnsFrom, pipeline, snapshot, learning: learning, threads: threads)
  }

  /// Binds `entries`, of candidates and users of the interactions `kind`.
  package init(
    _ entries: [Pipeline.Feature], learnsFrom kind: String, _ pipeline: Pipeline, _ snapshot: Snapshot,
    learning: InteractionTable? = nil, threads: Int = 1
  ) {
    guard let interaction = pipeline.interaction(kind),
      let users = snapshot.entities[interaction.user.entity],
      let candidates = snapshot.entities[interaction.candidate.entity]
    else { preconditionFailure("the snapshot does not hold what the model learns from") }
    self.candidates = Positions(candidates)
    self.users =
      interaction.user.entity == interaction.candidate.entity ? self.candidates : Positions(users)
    var binding = FeatureBinding(
      interaction: interaction, users: users, candidates: candidates,
      positions: (self.users, self.candidates), pipeline, snapshot, learning: learning, threads: threads)
    for (number, entry) in entries.enumerated() { binding.add(entry, number: number) }
    features = binding.features
    columns = binding.columns
  }
}

extension FeatureSpace {
  /// Writes the value of every column for one pair, NaN where it is missing.
  ///
  /// - Parameters:
  ///   - row: One element per column.
  ///   - user: Row of the user.
  ///   - candidate: Row of the candidate.
  ///   - distance: Kilometers between them; NaN where unknown.
  ///   - interaction: Index of the interaction that is learned from, whose own outcome is left out of what others did
  ///     to the candidate; `nil` for a prediction.
  /// - Complexity: O(columns).
  package func fill(
    _ row: inout [Double], user: Int, candidate: Int, distance: Double, learningFrom interaction: Int?
  ) {
    precondition(row.count == columns.count, "\(row.count) elements for \(columns.count) columns")
    let pair = FeaturePair(user: user, candidate: candidate, distance: distance, interaction: interaction)
    for feature in features { feature.shape.write(pair, to: &row, at: feature.firstColumn) }
  }
}
