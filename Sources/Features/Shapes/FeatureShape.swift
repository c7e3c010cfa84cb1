/// The layout of a feature's values. Scoring, searches, reasons and learning read features through this
/// protocol.
///
/// Several kinds of features can share a shape. Most shapes have one value per pair, in one column with one
/// coefficient (`ValueShape`). Two shapes have several columns: `CodeShape` for a code of a vocabulary, and
/// `VectorShape` for a vector.
///
/// A missing number is NaN, and a missing code is `CategoryColumn.missing`.
package protocol FeatureShape: Sendable {
  /// Returns the index in `words` of the word for the candidate's value; `nil` if the value has no word.
  ///
  /// `mean` is the mean of the shape's first column over the learning rows.
  func word(of pair: FeaturePair, mean: Double) -> Int?

  /// Returns the part of the values that depends only on the user at row `user`.
  func own(ofUser user: Int) -> UserOwnValue

  /// Returns the summary of one candidate. Summaries of candidates are merged into the summary of a group.
  func summary(of candidate: Int) -> FeatureSummary

  /// Writes the values of all columns to a row of a feature space, starting at `first`.
  func write(_ pair: FeaturePair, to row: inout [Double], at first: Int)

  /// Writes the columns of one user's learning rows: element i of column k goes to
  /// `base + k * rows.stride + i`. `LearningBlock` does not call this method for categories.
  func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int)

  /// The candidates' columns that the shape reads when it writes learning rows.
  var learningColumns: LearningColumns { get }

  /// The form in which a search stores and bounds the values.
  var form: SearchForm { get }

  /// The values that coefficients multiply.
  var terms: ShapeTerms { get }

  /// The words for values in reasons.
  var words: [String] { get }
}

/// The values of a shape that coefficients multiply.
package enum ShapeTerms: Sendable {
  /// One code per candidate, with one coefficient per word.
  case codes([UInt32])
  /// One value x per pair, with one coefficient w. The contribution is w (x - mean), and 0 if x is missing.
  case value(any ValueShape)
  /// One vector per candidate, with one coefficient per dimension.
  case vector(CandidateVectors)
}

/// The form in which a search handles a shape. It determines which data the search stores per candidate, and
/// how the search bounds the values of many candidates at once.
package enum SearchForm: Sendable {
  /// A code per candidate. A table contains the contribution of each code.
  case code
  /// A number per candidate.
  case number
  /// A number per candidate, from which the user's number is subtracted.
  case difference
  /// The absolute value of a difference.
  case absoluteDifference
  /// A code per candidate. The value is 1 if the candidate's code equals the user's code, otherwise 0.
  case sameCode
  /// A distance in kilometers.
  case distance
  /// No stored data: the search computes each pair's value separately, and `ValueShape.bound` returns the
  /// bounds. A `ValueShape` has this form unless it declares another form.
  case pair
  /// No stored data: the search computes each dot product separately.
  case vector
}

/// The part of a shape's values that depends only on the user.
package struct UserOwnValue {
  /// Whether the user's part is missing. If so, all values of the user are missing.
  package var isMissing = false
  /// The user's number, which the forms with a difference subtract from the candidate's number.
  package var number = 0.0
  /// The user's code, which the form `.sameCode` compares with the candidate's code.
  package var code: UInt32 = 0
}

extension FeatureShape {
  package func own(ofUser user: Int) -> UserOwnValue { UserOwnValue() }
}

/// A shape with one value per pair: one column and one coefficient.
///
/// A conforming type implements the values and their range in a group of candidates. Protocol extensions
/// derive most other members.
package protocol ValueShape: FeatureShape {
  /// Returns the value for a prediction; NaN if it is missing.
  func value(user: Int, candidate: Int, distance: Double) -> Double

  /// Returns the value for a learning row; by default, the value for a prediction.
  func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double

  /// Returns a function from a group's summary to the range of values for the user at row `user`.
  func bound(ofUser user: Int) -> ValueBound

  /// The smallest value that gets the second of the two words; `nil` means the mean of the learning rows.
  var wordThreshold: Double? { get }

  /// The candidates' numbers; `nil` if `form` does not store numbers.
  var candidateNumbers: [Double]? { get }

  /// The candidates' codes; `nil` if `form` does not store codes.
  var candidateCodes: [UInt32]? { get }
}

extension ValueShape {
  package var form: SearchForm { .pair }
  package var terms: ShapeTerms { .value(self) }
  package var wordThreshold: Double? { nil }
  package var candidateNumbers: [Double]? { nil }
  package var candidateCodes: [UInt32]? { nil }
  package var learningColumns: LearningColumns { LearningColumns(codes: nil) }

  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double {
    value(user: pair.user, candidate: pair.candidate, distance: pair.distance)
  }

  package func word(of pair: FeaturePair, mean: Double) -> Int? {
    let value = value(user: pair.user, candidate: pair.candidate, distance: pair.distance)
    return value.isNaN ? nil : value < wordThreshold ?? mean ? 0 : 1
  }

  package func write(_ pair: FeaturePair, to row: inout [Double], at first: Int) {
    row[first] =
      pair.interaction.map { learnedValue($0, of: pair) }
      ?? value(user: pair.user, candidate: pair.candidate, distance: pair.distance)
  }

  package func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int) {
    for place in 0..<rows.count {
      let pair = FeaturePair(
        user: rows.user, candidate: rows.candidates[place], distance: .nan,
        interaction: rows.interactions.lowerBound + place)
      values[base + place] = learnedValue(rows.interactions.lowerBound + place, of: pair)
    }
  }
}
