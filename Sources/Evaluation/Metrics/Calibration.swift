internal import Foundation

/// The agreement between the predicted probabilities of likes and the decisions.
package struct Calibration: Hashable, Sendable {
  /// A group of decisions with about the same prediction.
  package struct Bin: Hashable, Sendable {
    package var decisions: Int
    package var meanPrediction: Double
    /// The share of likes among these decisions.
    package var liked: Double
  }

  package let decisions: Int
  /// The mean of (prediction - outcome)², with predictions clamped to 0...1. A perfect forecast scores 0, and
  /// a constant forecast of 0.5 scores 0.25.
  ///
  /// Source: Brier 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
  package let brierScore: Double
  /// The Brier score of a forecast that always predicts the share of likes among these decisions. A useful
  /// forecast has a lower score.
  package let brierOfBaseRate: Double
  /// The slope of the least-squares line of outcomes (1 or 0) on predictions. Calibrated predictions have a
  /// slope of 1 and an intercept of 0. A slope below 1 means that the predictions are too extreme. The slope
  /// and the intercept are `nil` if all predictions are equal.
  ///
  /// Source: Mincer, Zarnowitz 1969, The Evaluation of Economic Forecasts.
  package let slope: Double?
  /// The intercept of the same line as `slope`.
  package let intercept: Double?
  /// At most ten bins in ascending order of prediction, each with about the same number of decisions. Equal
  /// predictions are always in the same bin.
  package let bins: [Bin]

  /// Computes the calibration; `nil` if there are no predictions.
  ///
  /// - Parameters:
  ///   - predictions: The finite predicted probabilities of likes. They may be outside 0...1, because a
  ///     linear model can predict such values.
  ///   - isLike: Whether each decision was a like.
  package init?(predictions: [Double], isLike: [Bool]) {
    precondition(
      predictions.count == isLike.count,
      "each decision must have one prediction, not \(predictions.count) for \(isLike.count) decisions")
    let count = predictions.count
    guard count > 0 else { return nil }
    decisions = count
    let n = Double(count)
    let outcomes = isLike.map { $0 ? 1.0 : 0 }
    brierScore =
      zip(predictions, outcomes).reduce(0) { sum, pair in
        let error = min(1, max(0, pair.0)) - pair.1
        return sum + error * error
      } / n
    let rate = outcomes.reduce(0, +) / n
    brierOfBaseRate = rate * (1 - rate)

    let mean = Self.mean(predictions)
    var (spread, together) = (0.0, 0.0)
    for (prediction, outcome) in zip(predictions, outcomes) {
      spread += (prediction - mean) * (prediction - mean)
      together += (prediction - mean) * (outcome - rate)
    }
    let slope = spread > 0 && spread.isFinite ? together / spread : nil
    self.slope = slope
    intercept = slope.map { rate - $0 * mean }

    let order = predictions.indices.sorted { (predictions[$0], $0) < (predictions[$1], $1) }
    var bins: [Bin] = []
    var start = 0
    for tenth in 1...10 {
      var end = max(start, count * tenth / 10)
      guard end > start else { continue }
      while end < count, predictions[order[end]] == predictions[order[end - 1]] { end += 1 }
      let members = order[start..<end]
      let size = Double(members.count)
      bins.append(
        Bin(
          decisions: members.count, meanPrediction: Self.mean(members.map { predictions[$0] }),
          liked: members.reduce(0) { $0 + outcomes[$1] } / size))
      start = end
    }
    self.bins = bins
  }

  /// Returns the mean of at least one finite value. If all values are equal, the result is exactly this
  /// value.
  private static func mean(_ values: [Double]) -> Double {
    values[0] + values.reduce(0) { $0 + ($1 - values[0]) } / Double(values.count)
  }
}
