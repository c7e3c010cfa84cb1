package import Columns
package import PipelineFile
package import RunSchemas
internal import Text

/// The matches of one entry of `matches` in the pipeline file, with the ids of both sides.
package struct FoundMatches {
  package let matches: [Match]
  /// The ids of the rows in `Match.first`. `otherIDs` contains the ids of the rows in `Match.second`.
  package let ids: StringColumn
  package let otherIDs: StringColumn

  /// Finds the matches of one definition.
  ///
  /// - Parameters:
  ///   - list: The definition of the matches.
  ///   - pipeline: The pipeline file with that definition.
  ///   - snapshot: The snapshot with the interactions or requests that the definition names.
  ///   - threads: The number of threads; the result does not depend on it.
  package init(
    _ list: Pipeline.MatchList, _ pipeline: Pipeline, _ snapshot: Snapshot, threads: Int = 1
  ) {
    switch list.origin {
    case .mutual(let name):
      guard let kind = pipeline.interaction(name), let table = snapshot.interactions[name],
        let people = snapshot.entities[kind.user.entity]
      else { preconditionFailure("the snapshot does not contain '\(name)'") }
      (ids, otherIDs) = (people.ids, people.ids)
      matches = table.matches(threads: threads)
    case .accepted(let name):
      guard let kind = pipeline.requests(name), let askers = snapshot.entities[kind.user.entity],
        let addressees = snapshot.entities[pipeline.addressee(of: kind)]
      else { preconditionFailure("the snapshot does not contain '\(name)'") }
      (ids, otherIDs) = (askers.ids, addressees.ids)
      matches = snapshot.friendships(kind, pipeline)
    }
  }
}

extension InteractionTable {
  /// Returns all matches, sorted by both ids.
  ///
  /// A like that repeats an earlier like does not change the time of the match. A like after a pass or any
  /// other interaction starts the match anew.
  ///
  /// - Parameter threads: The number of threads; the result does not depend on it.
  /// - Returns: The matches, each pair once.
  /// - Complexity: O(n log k) for n interactions and at most k interactions per user.
  package func matches(threads: Int = 1) -> [Match] {
    MutualLikes(self, threads: threads).matches(threads: threads)
  }
}
