internal import Geohash
package import PipelineFile
package import RunSchemas

/// What a model can know of a candidate, seen by a user: the features of a pipeline, bound to the columns of a
/// snapshot.
///
/// Each feature has one or more columns; a model has a coefficient per column. Values are held in memory, one per row,
/// because fitting and ranking read them at random.
package struct FeatureSpace: Sendable {
  /// A feature and its first column; the others follow it.
  package struct Feature: Sendable {
    package var values: FeatureValues
    package var firstColumn: Int
    /// How many columns it has.
    package var width: Int
    /// As reasons call it: `business_field`, `latitude`, `distance_km`.
    package var name: String
    /// Which entry of the pipeline file's `features` it comes from: a position is two features of one entry.
    package var entry: Int
    /// Whether it may be a published reason: what others did to a candidate, and what the candidate did to others, is
    /// nobody else's business.
    package var isPublic = true

    package var columns: Range<Int> { firstColumn..<firstColumn + width }
  }

  package let features: [Feature]
  /// The names of the columns: `business_field=Technology`, `experience_years`, `latitude`.
  package let columns: [String]
  package let candidates: Positions
  package let users: Positions

  /// A space of these features, whose columns follow each other in order.
  package init(features: [Feature], columns: [String], candidates: Positions, users: Positions) {
    self.features = features
    self.columns = columns
    self.candidates = candidates
    self.users = users
  }

  /// A space without features: all that is known is where people are.
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
    var binding = FeatureBinding(
      interaction: interaction, users: users, candidates: candidates, pipeline, snapshot,
      learning: learning, threads: threads)
    for (number, entry) in entries.enumerated() { binding.add(entry, number: number) }
    features = binding.features
    columns = binding.columns
    self.candidates = Positions(candidates)
    self.users =
      interaction.user.entity == interaction.candidate.entity ? self.candidates : Positions(users)
  }
}
