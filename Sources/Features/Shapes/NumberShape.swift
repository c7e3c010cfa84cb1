/// A number that depends only on the candidate.
package protocol CandidateNumbers: ValueShape {
  /// One value per candidate.
  var values: [Double] { get }
}

extension CandidateNumbers {
  package var form: SearchForm { .number }
  package var words: [String] { ["low", "high"] }
  package var candidateNumbers: [Double]? { values }

  package func value(user: Int, candidate: Int, distance: Double) -> Double { values[candidate] }

  package func summary(of candidate: Int) -> FeatureSummary { FeatureSummary(number: values[candidate]) }

  package func bound(ofUser user: Int) -> ValueBound {
    { group, _ in ValueRange(low: group.low, high: group.high, hasMissing: group.hasMissing) }
  }
}

/// One number per candidate. The caller limits the numbers for predictions to the bounds. For learning rows,
/// numbers beyond the bounds are missing.
package struct NumberShape: CandidateNumbers {
  package let values: [Double]
  /// The numbers for learning rows, one per candidate; NaN if the number is missing or beyond the bounds.
  private let learned: [Double]
  /// The word for values below the mean, and the word for all other values.
  package let words: [String]

  package init(
    _ values: [Double], learned: [Double]? = nil, low: String = "low", high: String = "high"
  ) {
    self.values = values
    self.learned = learned ?? values
    words = [low, high]
  }

  package var learningColumns: LearningColumns { LearningColumns(numbers: [learned]) }

  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double { learned[pair.candidate] }
}
