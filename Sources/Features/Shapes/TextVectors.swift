/// One vector per candidate, of unit Euclidean length; the zero vector if the text has no word.
package struct TextVectors: Sendable {
  package let dimensions: Int
  /// The components in row-major order: `rows × dimensions`.
  package let components: [Float]

  package init(dimensions: Int, components: [Float]) {
    self.dimensions = dimensions
    self.components = components
  }

  package subscript(row: Int) -> ArraySlice<Float> {
    components[row * dimensions..<(row + 1) * dimensions]
  }
}
