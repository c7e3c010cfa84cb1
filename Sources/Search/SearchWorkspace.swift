internal import Geohash
package import RunSchemas

/// The buffers of a search, to be kept from one user to the next, and from one ranking to another. One per worker.
package struct SearchWorkspace: ~Copyable {
  var tree = TreeWorkspace()
  /// The user's model.
  package var model = ColumnModel()
  /// The same, laid out for the search.
  package var score = UserScore()
  /// The order by distance alone, laid out for the search.
  var distanceOrder = UserScore()
  /// The candidates in reach of the last origin. People are snapped to cells, so neighbors often share one. `owner` identifies
  /// the counts: other candidates, flags or radii have other ones.
  var lastReach: (owner: ReachCounts, origin: Coordinate, counts: SearchCounts)?

  package init() {}

  /// The candidates that the next user does not get, for a block search.
  package var exclusions: ExclusionSet {
    _read { yield tree.exclusions }
    _modify { yield &tree.exclusions }
  }

  /// What the search visited, for measurements.
  package var effort: SearchEffort { tree.effort }
}
