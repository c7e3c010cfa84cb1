package import Discovery
internal import LeastSquares
package import PipelineFile
package import RunSchemas
package import Text

/// The settings of a ranking with `order_by: discovery`, chosen from the interactions in a snapshot.
package struct DiscoveryFit: Sendable {
  package let choice: DiscoveryChoice

  /// Chooses the settings of `ranking`.
  ///
  /// - Parameters:
  ///   - ranking: A ranking with `order_by: discovery`.
  ///   - pipeline: The pipeline file. Its `evaluation` section determines how the interactions are split.
  ///   - snapshot: The snapshot with the ranking's entities and interactions.
  ///   - threads: The number of workers; the result does not depend on it.
  /// - Throws: `MissingLibrary`, `NoMemoryForSolving`.
  package init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, threads: Int
  ) throws {
    guard let kind = ranking.order.discoveredKind, let table = snapshot.interactions[kind] else {
      preconditionFailure("the snapshot does not contain the interactions of '\(ranking.name)'")
    }
    try LinearAlgebraLibrary.load()
    try SolvingMemory.require(threads: threads)
    choice = DiscoveryChoice(DiscoveryTask(ranking, table, pipeline, snapshot), threads: threads)
  }

  /// The settings and the number of compared users, for the manifest. With enough users, the object also
  /// contains nDCG@10 with the defaults and with the chosen settings.
  package var json: JSONValue {
    let measured: [String: JSONValue] =
      choice.users < DiscoveryChoice.leastUsers
      ? [:] : ["ndcg_of_defaults": .number(choice.before), "ndcg": .number(choice.after)]
    return .object(
      choice.settings.json.members.merging(measured) { own, _ in own }
        .merging(["users": .integer(choice.users)]) { own, _ in own })
  }
}

extension DiscoveryTask {
  /// Creates the task of choosing settings for the lists of `ranking`.
  ///
  /// - Parameters:
  ///   - ranking: The ranking, which determines the users, the candidates and the radius.
  ///   - table: The learning interactions of these users with these candidates.
  ///   - pipeline: The pipeline file. Its `evaluation` section determines how the interactions are split.
  ///   - snapshot: The snapshot with the ranking's entities.
  package init(
    _ ranking: Pipeline.Ranking, _ table: InteractionTable, _ pipeline: Pipeline, _ snapshot: Snapshot
  ) {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else { preconditionFailure("the snapshot does not contain the entities of '\(ranking.name)'") }
    self.init(
      table, pipeline.evaluation?.cutsWithinUsers ?? false ? .eachUser : .time,
      users: users, candidates: candidates,
      usesLaterProfiles: pipeline.evaluation?.laterProfiles == .asExported,
      radius: ranking.radiusInKilometers, isAmongThemselves: ranking.users == ranking.candidates,
      seed: pipeline.seed)
  }
}
