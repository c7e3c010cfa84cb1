import Testing

@testable import Evaluation

struct CalibrationTests {
  @Test func `four decisions by hand`() throws {
    let calibration = try #require(
      Calibration(predictions: [0.2, 0.4, 0.6, 0.8], isLike: [false, true, false, true]))
    // (0.04 + 0.36 + 0.36 + 0.04) / 4
    #expect(abs(calibration.brierScore - 0.2) < 1e-15)
    #expect(calibration.brierOfBaseRate == 0.25)
    // Deviations -0.3, -0.1, 0.1, 0.3 and -0.5, 0.5, -0.5, 0.5: 0.2 / 0.2.
    #expect(abs(try #require(calibration.slope) - 1) < 1e-12)
    #expect(abs(try #require(calibration.intercept)) < 1e-12)
    #expect(calibration.bins.map(\.decisions) == [1, 1, 1, 1])
  }

  @Test func `predictions beyond 0 and 1 count as these in the Brier score`() throws {
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
  func `bins hold every decision once, in order`(count: Int) throws {
    let predictions = (0..<count).map { Double(($0 * 37) % 50) / 50 }
    let calibration = try #require(
      Calibration(predictions: predictions, isLike: predictions.map { $0 > 0.5 }))
    #expect(calibration.bins.reduce(0) { $0 + $1.decisions } == count)
    #expect(calibration.bins.count <= 10)
    let means = calibration.bins.map(\.meanPrediction)
    #expect(zip(means, means.dropFirst()).allSatisfy { $0 < $1 })
  }
}
