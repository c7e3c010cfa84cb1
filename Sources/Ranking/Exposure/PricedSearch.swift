internal import PipelineFile
internal import Search

/// A search for the candidates with the greatest differences of sort key and price.
struct PricedSearch: Sendable {
  private enum Prices: Sendable {
    /// One price per row.
    case scan(ScanSearch, [Double])
    case block(BlockSearch, SearchPrices)
  }

  private let recommender: Recommender
  private let prices: Prices

  /// Fails for an order that does not go by scores, because prices cannot be subtracted from it.
  ///
  /// - Parameters:
  ///   - recommender: The ranking.
  ///   - prices: One price per row of the candidates, not NaN. A candidate with an infinite price is not found.
  init?(_ recommender: Recommender, _ prices: [Double]) {
    guard EntryValue(recommender.ranking.order).isScored else { return nil }
    self.recommender = recommender
    switch recommender.search {
    case .scan(let search): self.prices = .scan(search, prices)
    case .block(let search): self.prices = .block(search, search.arranged(prices))
    case .newest: return nil
    }
  }

  /// For each list of the user at row `user`, the rows of the best `top` candidates, best first.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - top: The greatest number of candidates per list.
  ///   - least: For each list, only greater differences of sort key and price count; `nil` for all.
  ///   - workspace: The buffers of the search.
  /// - Returns: The candidates; `nil` for a user without scores.
  func best(
    of user: Int, top: Int, above least: [Double]? = nil, _ workspace: inout SearchWorkspace
  ) -> [[Int]]? {
    switch prices {
    case .scan(let search, let prices):
      return recommender.scorer(of: user).map {
        search.bestPriced(user, scorer: $0, top: top, prices, above: least)
      }
    case .block(let search, let prices):
      recommender.rules.eligibility.write(user, to: &workspace.exclusions)
      return search.bestPriced(user, top: top, prices, above: least, &workspace)
    }
  }
}
