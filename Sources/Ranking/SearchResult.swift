/// One user's list and what was counted on the way to it.
package struct SearchResult {
  package var best: [Recommendation]
  package var shortfall: Shortfall?
  package var counts: SearchCounts
}

/// How many candidates a search lost at each rule.
package struct SearchCounts: Hashable, Sendable {
  /// Candidates within the radius, or all where there is none.
  package var inReach = 0
  /// By index of the ranking's exclusions: each candidate at the first that it falls under.
  package var excluded: [Int]
  package var notAboveMinimum = 0
  package var beyondTop = 0
  package var listed = 0

  package static func += (left: inout SearchCounts, right: SearchCounts) {
    left.inReach += right.inReach
    for index in left.excluded.indices { left.excluded[index] += right.excluded[index] }
    left.notAboveMinimum += right.notAboveMinimum
    left.beyondTop += right.beyondTop
    left.listed += right.listed
  }
}
