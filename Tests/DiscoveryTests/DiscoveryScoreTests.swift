import Columns
import Concurrency
import Files
import LeastSquares
import RunSchemas
import StageFixture
import TestSupport
import Testing
import Text

@testable import Discovery

struct DiscoveryScoreTests {
  @Test func `a score is the sum of coefficients, at least 0, plus the weighted popularity`() {
    #expect(DiscoveryScores.nearby(2, 0.5, weight: 4) == 4)
    #expect(DiscoveryScores.nearby(-1, 0.5, weight: 4) == 2)
    #expect(DiscoveryScores.nearby(2, 0.5, weight: 0) == 2)
  }

  /// Scores of the candidates 4 and 8, divided by (1 + distance) to the power of the exponent.
  @Test(
    arguments: [
      (0, 1, 3, 8), (0, 1, .nan, 8), (1, 0, 3, 1), (1, 1, 3, 2), (1, 1, 0, 8), (0.5, 1, 3, 4),
      (2, 1, 1, 2), (1, 0, .nan, 4.0 / 20_016),
    ] as [(Double, Int, Double, Double)])
  func `a score decays with the distance, and an unknown distance is half the circumference of the earth`(
    exponent: Double, candidate: Int, distance: Double, expected: Double
  ) {
    let scores = UserDiscovery(scores: [4, 8], exponent: exponent)
    #expect(abs(scores.score(candidate: candidate, distance: distance) - expected) < 1e-12)
  }

  /// Two of three users like candidate 0 or 1. The likes of candidate 0 have the times 20 and 0, and the like
  /// of candidate 1 has the time 10.
  @Test(
    arguments: [
      // The weights are 2, 1 and 0. Half an average like is 0.5, and a user has 1.5 likes on average.
      (nil, 20, [2.5 / 3, 1.5 / 3, 0.5 / 3]),
      // The weights are 1.25, 0.5 and 0, and half an average like is 1.75 / 6.
      (10, 20, [37.0 / 42, 19.0 / 42, 7.0 / 42]),
      // A like after the as-of time has the weight 1. The weights are 1.5, 1 and 0.
      (10, 10, [23.0 / 30, 17.0 / 30, 5.0 / 30]),
    ] as [(Int64?, Int64, [Double])])
  func `the popularity is a smoothed share of the weights of likes`(
    halfLife: Int64?, asOf: Int64, expected: [Double]
  ) {
    let liked = LikesByHand.liked([[0, 1], [0], []], candidates: 3, times: [20, 10, 0])
    let found = TrendingPopularity(liked, halfLife: halfLife, asOf: asOf).values
    #expect(found.count == 3)
    for (found, expected) in zip(found, expected) { #expect(abs(Double(found) - expected) < 1e-6) }
  }

  @Test func `without likes all candidates are equally popular`() {
    let liked = LikesByHand.liked([[], []], candidates: 2)
    #expect(TrendingPopularity(liked, halfLife: nil, asOf: 5).values == [1, 1])
    #expect(TrendingPopularity(liked, halfLife: 10, asOf: 5).values == [1, 1])
  }
}
