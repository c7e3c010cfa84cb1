/// All lists of one user under one ranking: a single list, or one list for each word.
package struct UserLists: Sendable {
  /// The lists, in the order of their words.
  package var lists: [SearchResult]
  /// The sum of the counts of all lists and of the candidates that belong to no list; `nil` if a list has no
  /// counts.
  package var counts: SearchCounts?
  /// The number of surplus counts in `counts`. A candidate with several tags can belong to n lists. The
  /// candidate is then counted n times, and adds n - 1 to this number.
  package var repeated = 0

  /// Collects the lists of one user and adds up their counts.
  ///
  /// - Parameters:
  ///   - lists: The lists, in the order of their words.
  ///   - exclusions: The number of the ranking's exclusions.
  ///   - unlisted: The counts of the candidates that belong to no list; `nil` if there are none.
  package init(_ lists: [SearchResult], exclusions: Int, unlisted: SearchCounts? = nil) {
    self.lists = lists
    guard lists.allSatisfy({ $0.counts != nil }) else { return }
    var counts = unlisted ?? SearchCounts(exclusions: exclusions)
    for list in lists { if let counted = list.counts { counts += counted } }
    self.counts = counts
  }
}
