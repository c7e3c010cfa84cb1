/// All lists of one user under one ranking: one, or one for each word.
package struct UserLists: Sendable {
  /// In the order of words.
  package var lists: [SearchResult]
  /// The counts of all lists together, and of candidates on no list; `nil` if the search did not count.
  package var counts: SearchCounts?
  /// How often `counts` repeats a candidate that is on several lists, as a candidate with several tags is.
  package var repeated = 0

  /// The lists of one user under `exclusions` exclusion rules. `unlisted` counts the candidates that are on no list.
  package init(_ lists: [SearchResult], exclusions: Int, unlisted: SearchCounts? = nil) {
    self.lists = lists
    guard lists.allSatisfy({ $0.counts != nil }) else { return }
    var counts = unlisted ?? SearchCounts(exclusions: exclusions)
    for list in lists { if let counted = list.counts { counts += counted } }
    self.counts = counts
  }
}
