/// All lists of one user under one ranking: a single list, or one list for each word.
package struct UserLists: Sendable {
  /// The lists, in the order of words.
  package var lists: [SearchResult]
  /// The counts of all lists together, and of candidates on no list; `nil` if the search did not count.
  package var counts: SearchCounts?
  /// The number of duplicate counts in `counts`. A candidate on several lists, for example with several tags,
  /// counts once per list.
  package var repeated = 0

  /// The lists of one user under `exclusions` exclusion rules. `unlisted` counts the candidates that are on
  /// no list.
  package init(_ lists: [SearchResult], exclusions: Int, unlisted: SearchCounts? = nil) {
    self.lists = lists
    guard lists.allSatisfy({ $0.counts != nil }) else { return }
    var counts = unlisted ?? SearchCounts(exclusions: exclusions)
    for list in lists { if let counted = list.counts { counts += counted } }
    self.counts = counts
  }
}
