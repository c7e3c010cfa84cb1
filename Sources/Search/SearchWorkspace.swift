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
  /// The candidates in reach of the last origin: people are snapped to cells, and neighbours often share one.
  /// `owner` is whose: other candidates, flags or radii give other counts.
  var lastReach: (owner: ReachCounts, origin: Coordinate, counts: SearchCounts)?

  package init() {}

  /// The candidates that the user whose lists come next does not get, for a search through blocks.
  package var exclusions: ExclusionSet {
    _read { yield tree.exclusions }
    _modify { yield &tree.exclusions }
  }

  /// What was looked at, for measurements.
  package var effort: SearchEffort { tree.effort }
}

/// The buffers of a search through a tree.
struct TreeWorkspace {
  /// Nodes and blocks that may still hold somebody, a heap with the most promising one in front.
  var frontier = Frontier()
  var nearby = LastDistance()
  /// Those of the user.
  var exclusions = ExclusionSet()
  var effort = SearchEffort()
}

/// What searches through blocks looked at: the same on every machine, unlike their time.
package struct SearchEffort: Sendable {
  /// Nodes whose children were bounded.
  package var nodes = 0
  /// Candidates that were bounded, in whole blocks.
  package var bounded = 0
  /// Candidates whose distances were worked out.
  package var scored = 0
  /// Nodes and blocks that were bounded once more, exactly.
  package var exactBounds = 0

  package init() {}

  package static func += (left: inout SearchEffort, right: SearchEffort) {
    left.nodes += right.nodes
    left.bounded += right.bounded
    left.scored += right.scored
    left.exactBounds += right.exactBounds
  }
}
