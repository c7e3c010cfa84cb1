package import PipelineFile

/// One user's list and what was counted on the way to it.
package struct SearchResult: Hashable, Sendable {
  package var best: [Recommendation]
  package var shortfall: Shortfall?
  /// `nil` where nobody counted.
  package var counts: SearchCounts?

  package init(best: [Recommendation], shortfall: Shortfall?, counts: SearchCounts?) {
    self.best = best
    self.shortfall = shortfall
    self.counts = counts
  }
}

/// How many candidates a user's list lost at each rule.
///
/// What is counted does not depend on how the list was searched. A full list ends the search, so that nobody knows how
/// many of the others would have failed the minimum: they are all beyond the top.
package struct SearchCounts: Hashable, Sendable {
  /// Candidates within the radius, or all where there is none.
  package var inReach = 0
  /// By index of the ranking's exclusions: each candidate at the first that it falls under.
  package var excluded: [Int]
  /// Of a list that is not full: those whose scores are not above the minimum.
  package var notAboveMinimum = 0
  /// Of a full list: everybody else who is eligible.
  package var beyondTop = 0
  package var listed = 0

  /// Nothing counted yet, under so many exclusions.
  package init(exclusions: Int) { excluded = Array(repeating: 0, count: exclusions) }

  package static func += (left: inout SearchCounts, right: SearchCounts) {
    left.inReach += right.inReach
    for index in left.excluded.indices { left.excluded[index] += right.excluded[index] }
    left.notAboveMinimum += right.notAboveMinimum
    left.beyondTop += right.beyondTop
    left.listed += right.listed
  }
}

extension SearchResult {
  /// A complete list.
  ///
  /// - Parameters:
  ///   - best: The list.
  ///   - counts: Candidates in reach and excluded.
  ///   - interactedInReach: Those among the excluded with whom the user has interacted.
  ///   - ranking: Its rules.
  package init(
    best: [Recommendation], counts: SearchCounts, interactedInReach: Int, ranking: Pipeline.Ranking
  ) {
    var counts = counts
    counts.listed = best.count
    self.best = best
    let others = counts.inReach - counts.excluded.reduce(0, +) - best.count
    if best.count == ranking.top {
      counts.beyondTop = others
      shortfall = nil
    } else {
      // Without scores nobody is left here: whoever is eligible is on a list that is not full.
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

  /// The list of a user without a position, in a ranking with a radius.
  package static func withoutPosition(_ ranking: Pipeline.Ranking) -> SearchResult {
    SearchResult(
      best: [], shortfall: .noPosition,
      counts: SearchCounts(exclusions: ranking.exclusions.count))
  }
}
