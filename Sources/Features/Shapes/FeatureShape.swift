/// How the values of a feature are laid out, and all that scores, bounds, searches, reasons and learning ask of them.
///
/// A kind of feature makes one of few shapes of what it reads. Most have one value for a pair, in one column with one
/// coefficient (`ValueShape`). Two have several columns: a code of a vocabulary (`CodeShape`), and a vector (`VectorShape`).
///
/// Numbers are NaN where they are missing, codes `CategoryColumn.missing`.
package protocol FeatureShape: Sendable {
  /// The index among `words` of the word for the candidate's value; `nil` if it has none.
  ///
  /// `mean` is the learning mean of the shape's first column.
  func word(of pair: FeaturePair, mean: Double) -> Int?

  /// What its values take of the user at row `user`.
  func own(ofUser user: Int) -> UserOwnValue

  /// What one candidate can be, for bounds of a group.
  func summary(of candidate: Int) -> FeatureSummary

  /// Writes the values of all columns, the first at `first`, to a row of a feature space.
  func write(_ pair: FeaturePair, to row: inout [Double], at first: Int)

  /// Writes the columns of the learning rows of one user: element i of column k goes to `base + k * rows.stride + i`. Not asked
  /// of codes.
  func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int)

  /// What learning rows read of each candidate.
  var learningColumns: LearningColumns { get }

  /// What a search keeps of it, and how it bounds it.
  var form: SearchForm { get }

  /// What contributes to scores.
  var terms: ShapeTerms { get }

  /// What values can be called in reasons.
  var words: [String] { get }
}

/// What of a shape contributes to scores.
package enum ShapeTerms: Sendable {
  /// By candidate its code: a coefficient per word.
  case codes([UInt32])
  /// One coefficient w: w (x - mean), and 0 where x is missing.
  case value(any ValueShape)
  /// By candidate its vector: a coefficient per dimension.
  case vector(TextVectors)
}

/// How a search handles a shape: what it stores per candidate, and how it bounds many candidates at once.
package enum SearchForm: Sendable {
  /// A code per candidate, whose contribution a table gives.
  case code
  /// A number per candidate.
  case number
  /// A number per candidate, less the user's.
  case difference
  /// The same without its sign.
  case absoluteDifference
  /// A code per candidate: 1 where it is the user's, else 0.
  case sameCode
  /// Kilometers.
  case distance
  /// Nothing: values are worked out pair by pair, and bounded by `ValueShape.bound`. What a new shape begins with.
  case pair
  /// Nothing: products of vectors are worked out one by one.
  case vector
}

/// What the values of a shape take of the user.
package struct UserOwnValue {
  /// Without it all values of the user are missing.
  package var isMissing = false
  /// Of a difference.
  package var number = 0.0
  /// Of equal codes.
  package var code: UInt32 = 0
}

extension FeatureShape {
  package func own(ofUser user: Int) -> UserOwnValue { UserOwnValue() }
}

/// A shape with one value for a pair: one column, one coefficient.
///
/// A shape of its own says what its values are, and in which range they lie in a group of candidates. All else follows.
package protocol ValueShape: FeatureShape {
  /// The value for a prediction; NaN where it is missing.
  func value(user: Int, candidate: Int, distance: Double) -> Double

  /// The value for a learning row, where that differs from a prediction's.
  func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double

  /// In which range the values of the user at row `user` lie, by what is known of a group.
  func bound(ofUser user: Int) -> ValueBound

  /// From where on a value has the second of both words; `nil` is the mean of the learning rows.
  var wordThreshold: Double? { get }

  /// The candidates' numbers, of the forms that keep one.
  var candidateNumbers: [Double]? { get }

  /// The candidates' codes, of the forms that keep one.
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
