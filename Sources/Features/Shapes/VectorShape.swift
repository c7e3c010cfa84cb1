/// One vector per candidate, with one column per dimension.
package struct VectorShape: FeatureShape {
  package let vectors: CandidateVectors

  package init(_ vectors: CandidateVectors) { self.vectors = vectors }

  package var form: SearchForm { .vector }
  package var terms: ShapeTerms { .vector(vectors) }
  package var words: [String] { vectors.reasonWords }
  package var learningColumns: LearningColumns { LearningColumns(numbers: []) }

  /// Returns `nil`, because the word depends on the coefficients; see `CandidateVectors.strongestWord`.
  package func word(of pair: FeaturePair, mean: Double) -> Int? { nil }

  /// Returns a summary that contains the Euclidean norm of the candidate's vector.
  package func summary(of candidate: Int) -> FeatureSummary {
    FeatureSummary(number: vectors[candidate].reduce(0) { $0 + Double($1) * Double($1) }.squareRoot())
  }

  package func write(_ pair: FeaturePair, to row: inout [Double], at first: Int) {
    for (dimension, component) in vectors[pair.candidate].enumerated() {
      row[first + dimension] = Double(component)
    }
  }

  package func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int) {
    for place in 0..<rows.count {
      for (dimension, component) in vectors[rows.candidates[place]].enumerated() {
        values[base + dimension * rows.stride + place] = Double(component)
      }
    }
  }
}
