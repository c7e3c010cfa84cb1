package import PipelineFile

/// One user's list and the counts of its search.
package struct SearchResult: Hashable, Sendable {
  package var best: [Recommendation]
  package var shortfall: Shortfall?
  /// The counts; `nil` if the search did not count.
  package var counts: SearchCounts?

  package init(best: [Recommendation], shortfall: Shortfall?, counts: SearchCounts?) {
    self.best = best
    self.shortfall = shortfall
    self.counts = counts
  }
}

/// The number of candidates that each rule removed from a user's list.
///
/// The counts do not depend on the search method. A full list ends the search, so it is unknown how many of
/// the other eligible candidates are below the minimum score. All other eligible candidates then count as
/// beyond the top.
package struct SearchCounts: Hashable, Sendable {
  /// The number of candidates within the radius or, in a ranking without a radius, of all candidates.
  package var inReach = 0
  /// The number of candidates excluded by each of the ranking's exclusions. A candidate counts for the first
  /// exclusion that applies.
  package var excluded: [Int]
  /// For a list that is not full, the number of eligible candidates whose scores are not above the minimum.
  package var notAboveMinimum = 0
  /// For a full list, the number of all other eligible candidates.
  package var beyondTop = 0
  package var listed = 0

  /// Creates zero counts for the given number of exclusions.
  package init(exclusions: Int) { excluded = Array(repeating: 0, count: exclusions) }

  /// Changes the number of listed candidates to `count`. The candidates that leave the list count as beyond
  /// the top.
  package mutating func relist(_ count: Int) {
    beyondTop += listed - count
    listed = count
  }

  /// Replaces `old`, a part of this sum, with `new`, the same part after `relist`. Does nothing if either is
  /// `nil`.
  package mutating func move(from old: SearchCounts?, to new: SearchCounts?) {
    guard let old, let new else { return }
    beyondTop += new.beyondTop - old.beyondTop
    listed += new.listed - old.listed
  }

  package static func += (left: inout SearchCounts, right: SearchCounts) {
    left.inReach += right.inReach
    for index in left.excluded.indices { left.excluded[index] += right.excluded[index] }
    left.notAboveMinimum += right.notAboveMinimum
    left.beyondTop += right.beyondTop
    left.listed += right.listed
  }
}

extension SearchResult {
  /// Creates the result of a search that counted every candidate.
  ///
  /// - Parameters:
  ///   - best: The list.
  ///   - counts: The counts of candidates in reach and of excluded candidates.
  ///   - interactedInReach: The number of excluded candidates in reach that the user has interacted with.
  ///   - ranking: The ranking, for its rules.
  ///   - top: The length of a full list.
  package init(
    best: [Recommendation], counts: SearchCounts, interactedInReach: Int, ranking: Pipeline.Ranking, top: Int
  ) {
    var counts = counts
    counts.listed = best.count
    self.best = best
    let others = counts.inReach - counts.excluded.reduce(0, +) - best.count
    if best.count == top {
      counts.beyondTop = others
      shortfall = nil
    } else {
      // Without scores, `others` is 0 here, because a list that is not full contains every eligible
      // candidate.
      counts.notAboveMinimum = others
      if others > 0 {
        shortfall = .noneAboveMinimum
      } else if interactedInReach > 0 || ranking.radiusInKilometers == nil {
        shortfall = .noneLeft
      } else {
        shortfall = .noneInRadius
      }
    }
    self.counts = counts
  }

  /// Returns the empty list of a user without a position, in a ranking with a radius. All counts are 0.
  package static func withoutPosition(_ ranking: Pipeline.Ranking) -> SearchResult {
    SearchResult(
      best: [], shortfall: .noPosition,
      counts: SearchCounts(exclusions: ranking.exclusions.count))
  }
}
