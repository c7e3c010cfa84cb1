/// One vector per candidate, such as the weights of the words in a text, or one component per tag.
package struct CandidateVectors: Sendable {
  package let dimensions: Int
  /// The components in row-major order: `rows × dimensions`.
  package let components: [Float]
  /// The word of each dimension; empty if the dimensions have no meaning of their own.
  package let words: [String]
  /// An upper bound on the Euclidean norms of all vectors.
  package let greatestNorm: Double

  package init(dimensions: Int, components: [Float], words: [String] = []) {
    precondition(
      words.isEmpty || words.count == dimensions, "\(words.count) words for \(dimensions) dimensions")
    self.words = words
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

  /// The word of a vector that is 0, if the dimensions have words.
  private static let none = "none"

  /// The words of reasons: one for each dimension, and one for a vector that is 0; empty if the dimensions
  /// have no words.
  package var reasonWords: [String] { words.isEmpty ? [] : words + [Self.none] }

  /// Returns the dimension with the greatest contribution to the product of the coefficients and the vector
  /// of `row`. If several dimensions contribute equally, the result is the first of them. If the vector is 0,
  /// the result is the number of dimensions, which is the index of its word in `reasonWords`. The result is
  /// `nil` if the dimensions have no words.
  package func strongestWord(of row: Int, coefficient: (Int) -> Double) -> Int? {
    guard !words.isEmpty else { return nil }
    var (strongest, most) = (dimensions, -Double.infinity)
    for (dimension, component) in self[row].enumerated() where component != 0 {
      let amount = coefficient(dimension) * Double(component)
      if amount > most { (strongest, most) = (dimension, amount) }
    }
    return strongest
  }
}
