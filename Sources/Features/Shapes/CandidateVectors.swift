/// One vector per candidate, such as the word frequencies of a text, or one element for each tag.
package struct CandidateVectors: Sendable {
  package let dimensions: Int
  /// The components in row-major order: `rows × dimensions`.
  package let components: [Float]
  /// An upper bound on the Euclidean norms of all vectors.
  package let greatestNorm: Double

  package init(dimensions: Int, components: [Float]) {
    self.dimensions = dimensions
    self.components = components
    var greatest = 0.0
    for row in 0..<(dimensions == 0 ? 0 : components.count / dimensions) {
      var squares = 0.0
      for place in row * dimensions..<(row + 1) * dimensions {
        squares += Double(components[place]) * Double(components[place])
      }
      greatest = max(greatest, squares)
    }
    greatestNorm = greatest.squareRoot() * 1.001
  }

  package subscript(row: Int) -> ArraySlice<Float> {
    components[row * dimensions..<(row + 1) * dimensions]
  }
}
