/// All lists of one user under one ranking: one, or one for each word.
package struct UserLists: Sendable {
  /// In the order of words.
  package var lists: [SearchResult]
  /// Of all lists together, and of candidates who are on none; `nil` where nobody counted.
  package var counts: SearchCounts?
  /// On how many lists candidates stand in `counts` beyond one each, as those with several tags do.
  package var repeated = 0

  /// The lists of one user under so many exclusions, with what was counted of candidates who are on none of them.
  package init(_ lists: [SearchResult], exclusions: Int, unlisted: SearchCounts? = nil) {
    self.lists = lists
    guard lists.allSatisfy({ $0.counts != nil }) else { return }
    var counts = unlisted ?? SearchCounts(exclusions: exclusions)
    for list in lists { if let counted = list.counts { counts += counted } }
    self.counts = counts
  }
}
