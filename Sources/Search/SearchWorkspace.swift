internal import Geohash
package import RunSchemas

/// The buffers of a search, reused from user to user and from ranking to ranking. Each worker has its own.
package struct SearchWorkspace: ~Copyable {
  var tree = TreeWorkspace()
  /// The user's model.
  package var model = ColumnModel()
  /// The user's model, prepared for the search.
  package var score = UserScore()
  /// The order by distance alone, prepared for the search.
  var distanceOrder = UserScore()
  /// The counts of candidates in reach of the last origin. People are snapped to cells, so neighbors often
  /// share an origin. `owner` identifies the counter, because counts depend on candidates, flags and radius.
  var lastReach: (owner: ReachCounts, origin: Coordinate, counts: SearchCounts)?

  package init() {}

  /// The candidates that are excluded for the next user, for a block search.
  package var exclusions: ExclusionSet {
    _read { yield tree.exclusions }
    _modify { yield &tree.exclusions }
  }

  /// The amount of work of the search, for measurements.
  package var effort: SearchEffort { tree.effort }
}
