import Concurrency
import PipelineFile
import Testing

@testable import Ranking
@testable import Search

/// Searches by value minus price, against a sort of all candidates.
@Suite struct PricedSearchTests {
  /// Random prices: ties, negative prices, prices far greater than scores, and infinite prices.
  private static func prices(_ count: Int, seed: UInt64) -> [Double] {
    var random = SplitMix64(seed: seed)
    let greatest = [0.5, 3, 1e6][Int(seed % 3)]
    return (0..<count).map { _ in
      switch Int.random(in: 0..<10, using: &random) {
      case 0: .infinity
      case 1...3: 0
      case 4...5: Double(Int.random(in: -2...2, using: &random)) / 4
      default: greatest * (random.nextUnit() - 0.3)
      }
    }
  }

  /// The rows of the best candidates, by the scores and rules of single pairs.
  private static func expected(
    _ recommender: Recommender, user: Int, top: Int, _ prices: [Double]
  ) -> [Int] {
    let view = recommender.view(of: user)
    let order = recommender.people.order(forUser: user)
    var all: [Recommendation] = []
    for candidate in prices.indices where prices[candidate] < .infinity {
      let (score, distance) = view.score(candidate: candidate)
      guard view.isEligible(candidate: candidate) else { continue }
      if let score, !(score > recommender.ranking.minimumScore) { continue }
      // Half the circumference of the Earth is 20 015 km.
      let unit = recommender.ranking.radiusInKilometers ?? 20_016
      let value = score ?? (distance.isNaN ? -2 : -(distance / unit))
      all.append(
        Recommendation(candidate: candidate, score: value - prices[candidate], distance: distance))
    }
    func mix(_ found: Recommendation) -> UInt64 {
      order.mix(recommender.people.candidateHashes[found.candidate])
    }
    all.sort {
      RecommendationOrder.precedesByMeasure($0, $1)
        ?? RecommendationOrder.precedesByMix($0, mix($0), $1, mix($1))
    }
    return all.prefix(top).map(\.candidate)
  }

  @Test(arguments: 700..<760 as Range<UInt64>)
  func `the best candidates by value minus price equal a full sort`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed)
    for method in [Recommender.Method.scan, .block] {
      let recommender = try world.recommender(method)
      let prices = Self.prices(recommender.candidateCount, seed: seed)
      let search = PricedSearch(recommender, EntryValue(recommender), prices)
      var workspace = SearchWorkspace()
      for user in 0..<recommender.userCount {
        let found = search.best(of: user, top: 12, &workspace)
        #expect(found == [Self.expected(recommender, user: user, top: 12, prices)], "\(method) \(user)")
      }
    }
  }

  @Test func `without prices, the best candidates equal the list`() throws {
    var compared = 0
    for seed in 760..<775 as Range<UInt64> {
      let world = try SearchWorld(seed: seed)
      let recommender = try world.recommender(.block)
      let free = [Double](repeating: 0, count: recommender.candidateCount)
      let search = PricedSearch(recommender, EntryValue(recommender), free)
      var workspace = SearchWorkspace()
      var other = SearchWorkspace()
      for user in 0..<recommender.userCount {
        let found = search.best(of: user, top: world.ranking.top, &workspace)
        #expect(found[0] == recommender.search(user: user, using: &other).best.map(\.candidate))
        compared += found[0].count
      }
    }
    #expect(compared > 1000, "\(compared)")
  }
}
