internal import Geohash
package import RunSchemas

/// The buffers of a search, which a worker reuses from user to user.
package struct SearchWorkspace: ~Copyable {
  var tree = TreeWorkspace()
  /// The user's model.
  package var model = ColumnModel()
  /// The user's model, prepared for the search.
  package var score = UserScore()
  /// The order by distance alone, prepared for the search.
  var distanceOrder = UserScore()
  /// The counts of candidates in reach of the last origin. People are snapped to cells, so neighbors often
  /// share an origin. The counts are valid only for the same `owner`, the object that counted, because they
  /// also depend on its candidates, flags and radius.
  var lastReach: (owner: ReachCounts, origin: Coordinate, counts: SearchCounts)?

  package init() {}

  /// The candidates that the next block search excludes for its user.
  package var exclusions: ExclusionSet {
    _read { yield tree.exclusions }
    _modify { yield &tree.exclusions }
  }

  /// The total work of all searches with this workspace, for measurements.
  package var effort: SearchEffort { tree.effort }
}
