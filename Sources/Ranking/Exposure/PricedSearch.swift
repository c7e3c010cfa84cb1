internal import PipelineFile
internal import Search

/// A search for the candidates with the greatest differences of value and price.
struct PricedSearch: Sendable {
  private enum Prices: Sendable {
    /// One price per row.
    case rows([Double])
    case block(BlockSearch, SearchPrices)
  }

  private let recommender: Recommender
  private let value: EntryValue
  private let prices: Prices

  /// - Parameters:
  ///   - recommender: The ranking.
  ///   - value: The values of candidates.
  ///   - prices: One price per row of the candidates, not NaN. A candidate with an infinite price is not found.
  init(_ recommender: Recommender, _ value: EntryValue, _ prices: [Double]) {
    (self.recommender, self.value) = (recommender, value)
    if case .block(let search) = recommender.search {
      self.prices = .block(search, search.arranged(prices))
    } else {
      self.prices = .rows(prices)
    }
  }

  /// Finds the best `top` candidates for each list of the user at row `user`.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - top: The greatest number of candidates per list.
  ///   - least: For each list, only greater differences of value and price count; `nil` for all.
  ///   - workspace: The buffers of the search.
  /// - Returns: For each list, the rows of the candidates, best first.
  func best(
    of user: Int, top: Int, above least: [Double]? = nil, _ workspace: inout SearchWorkspace
  ) -> [[Int]] {
    switch (prices, recommender.search) {
    case (.block(let search, let prices), _):
      recommender.rules.eligibility.write(user, to: &workspace.exclusions)
      return search.bestPriced(user, top: top, prices, above: least, &workspace)
    case (.rows(let prices), .scan(let search)):
      return search.bestPriced(
        user, scorer: recommender.scorer(of: user), top: top, value, prices, above: least)
    case (.rows(let prices), .newest(let search)):
      return [search.bestPriced(user, top: top, value, prices, above: least?[0])]
    case (.rows, .block): preconditionFailure("a block search needs prices in the order of its trees")
    }
  }
}
