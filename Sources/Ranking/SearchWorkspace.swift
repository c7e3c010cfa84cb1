internal import Features
internal import Geohash
internal import Tables

/// The buffers of a search, to be kept from one user to the next, and from one ranking to another. One per worker.
package struct SearchWorkspace: ~Copyable {
  /// Nodes and blocks that may still hold somebody, a heap with the most promising one in front.
  var frontier = Frontier()
  var nearby = LastDistance()
  var exclusions = ExclusionSet()
  /// The user's model.
  var model = ColumnModel()
  var score = UserScore()
  /// The candidates in reach of the last origin: people are snapped to cells, and neighbours often share one.
  /// `owner` is whose: other candidates, flags or radii give other counts.
  var lastReach: (owner: ReachCounts.Identity, origin: Coordinate, counts: SearchCounts)?
  /// What was looked at, for measurements.
  package var effort = SearchEffort()

  package init() {}
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

  static func += (left: inout SearchEffort, right: SearchEffort) {
    left.nodes += right.nodes
    left.bounded += right.bounded
    left.scored += right.scored
    left.exactBounds += right.exactBounds
  }
}
