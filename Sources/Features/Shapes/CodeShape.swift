internal import Columns

/// One code per candidate, one-hot encoded: one column for each word of a vocabulary, with 1 for the
/// candidate's word and otherwise 0.
package struct CodeShape: FeatureShape {
  /// One code per candidate.
  package let codes: [UInt32]
  package let words: [String]

  package init(_ codes: [UInt32], _ words: [String]) {
    self.codes = codes
    self.words = words
  }

  package var form: SearchForm { .code }
  package var terms: ShapeTerms { .codes(codes) }
  package var learningColumns: LearningColumns { LearningColumns(codes: codes) }

  package func word(of pair: FeaturePair, mean: Double) -> Int? {
    let code = codes[pair.candidate]
    return code == CategoryColumn.missing ? nil : Int(code)
  }

  package func summary(of candidate: Int) -> FeatureSummary { FeatureSummary(code: codes[candidate]) }

  package func write(_ pair: FeaturePair, to row: inout [Double], at first: Int) {
    let code = codes[pair.candidate]
    let isMissing = code == CategoryColumn.missing
    for column in first..<first + words.count { row[column] = isMissing ? .nan : 0 }
    if !isMissing { row[first + Int(code)] = 1 }
  }

  package func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int) {
    preconditionFailure("a learning block copies codes without a call of this method")
  }
}
