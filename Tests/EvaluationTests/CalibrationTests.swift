import Testing

@testable import Evaluation

struct CalibrationTests {
  @Test func `figures of four decisions equal a calculation by hand`() throws {
    let calibration = try #require(
      Calibration(predictions: [0.2, 0.4, 0.6, 0.8], isLike: [false, true, false, true]))
    // The Brier score is (0.04 + 0.36 + 0.36 + 0.04) / 4.
    #expect(abs(calibration.brierScore - 0.2) < 1e-15)
    #expect(calibration.brierOfBaseRate == 0.25)
    // The predictions deviate from their mean by -0.3, -0.1, 0.1 and 0.3. The outcomes deviate from their
    // mean by -0.5, 0.5, -0.5 and 0.5. The slope is therefore 0.2 / 0.2.
    #expect(abs(try #require(calibration.slope) - 1) < 1e-12)
    #expect(abs(try #require(calibration.intercept)) < 1e-12)
    #expect(calibration.bins.map(\.decisions) == [1, 1, 1, 1])
  }

  @Test func `predictions outside 0 to 1 are clamped for the Brier score`() throws {
    let calibration = try #require(Calibration(predictions: [-3, 1.5], isLike: [false, true]))
    #expect(calibration.brierScore == 0)
    #expect(try #require(calibration.slope) < 1)
  }

  @Test func `equal predictions share a bin and have no slope`() throws {
    let calibration = try #require(
      Calibration(predictions: Array(repeating: 0.5, count: 25), isLike: (0..<25).map { $0 % 5 == 0 }))
    #expect(calibration.bins == [Calibration.Bin(decisions: 25, meanPrediction: 0.5, liked: 0.2)])
    #expect(calibration.slope == nil && calibration.intercept == nil)
    #expect(Calibration(predictions: [], isLike: []) == nil)
  }

  @Test(arguments: [1, 7, 10, 11, 99, 1000])
  func `bins contain every decision once, in order`(count: Int) throws {
    let predictions = (0..<count).map { Double(($0 * 37) % 50) / 50 }
    let calibration = try #require(
      Calibration(predictions: predictions, isLike: predictions.map { $0 > 0.5 }))
    #expect(calibration.bins.reduce(0) { $0 + $1.decisions } == count)
    #expect(calibration.bins.count <= 10)
    let means = calibration.bins.map(\.meanPrediction)
    #expect(zip(means, means.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `slope and intercept come from a regression of outcomes on predictions`() throws {
    let calibration = try #require(
      Calibration(predictions: [0.2, 0.4, 0.6, 0.8], isLike: [false, false, true, true]))
    // The slope is (0.15 + 0.05 + 0.05 + 0.15) / 0.2 = 2. The intercept is 0.5 - 2 * 0.5.
    #expect(abs(try #require(calibration.slope) - 2) < 1e-12)
    #expect(abs(try #require(calibration.intercept) + 0.5) < 1e-12)
    // The Brier score is (0.04 + 0.16 + 0.16 + 0.04) / 4.
    #expect(abs(calibration.brierScore - 0.1) < 1e-15)
  }

  @Test func `twenty decisions form ten bins of two, each with its mean and its share of likes`() throws {
    let predictions = (0..<20).map { Double($0) / 32 }
    let calibration = try #require(
      Calibration(predictions: predictions.reversed(), isLike: (0..<20).map { $0 < 5 }))
    #expect(calibration.bins.map(\.decisions) == Array(repeating: 2, count: 10))
    let means = (0..<10).map { bin in (2 * Double(bin) + 0.5) / 32 }
    #expect(calibration.bins.map(\.meanPrediction) == means)
    // The five candidates with the highest predictions were liked.
    #expect(calibration.bins.map(\.liked) == [0, 0, 0, 0, 0, 0, 0, 0.5, 1, 1])
    #expect(calibration.brierOfBaseRate == 0.1875 && calibration.decisions == 20)
  }

  /// Only the second method predicts the third decision. The third method makes no predictions.
  @Test func `calibration uses the decisions that all methods with predictions predict`() throws {
    let decisions = ByHand.decisions([[(0, true), (1, false)], [(0, false)]])
    func outcome(_ method: Method, _ predicts: @escaping @Sendable (Int, Int) -> Double?) -> MethodOutcome {
      MethodOutcome(
        method, GivenRanker(given: [[], []], score: { (0, predicts($0, $1)) }), decisions,
        scale: ProbabilityScale(pass: -1, like: 1), threads: 1)
    }
    let calibrations = RankingEvaluation.calibrations(
      of: [
        outcome(.pipeline) { user, candidate in user == 0 ? Double(candidate) : nil },
        outcome(.likeRate) { _, _ in 0 }, outcome(.random) { _, _ in nil },
      ], decisions)
    #expect(calibrations[0]?.decisions == 2 && calibrations[1]?.decisions == 2 && calibrations[2] == nil)
    // A value of 0 means a probability of 0.5, and a value of 1 means a probability of 1.
    #expect(calibrations[0]?.brierScore == 0.625 && calibrations[1]?.brierScore == 0.25)
  }
}

/// Converts predicted values to probabilities.
@Suite struct ProbabilityScaleTests {
  @Test(
    arguments: [
      ([1, -1, 1], 0.5, -1, 1), ([0, 1], 0.5, 0, 1), ([1, 2], 0.5, nil, nil), ([-1, 0], 0.5, nil, nil),
      ([1, 1], 0.5, nil, nil), ([-1, 1, 2], 0.5, nil, nil), ([], 0.5, nil, nil),
      ([0, 3], 4, nil, nil), ([0, 4], 4, 0, 4), ([3, 4], 4, 3, 4),
    ] as [([Double], Double, Double?, Double?)])
  func `a scale needs exactly two values, a pass and a like`(
    _ values: [Double], _ likedFrom: Double, _ pass: Double?, _ like: Double?
  ) {
    let scale = ProbabilityScale(of: values, likedFrom: likedFrom)
    #expect(scale?.pass == pass && scale?.like == like)
  }

  @Test func `a pass is 0, and a like is 1`() {
    let scale = ProbabilityScale(pass: -1, like: 3)
    #expect([-1, 0, 3, 5].map { scale.probability(of: $0) } == [0, 0.25, 1, 1.5])
  }
}
