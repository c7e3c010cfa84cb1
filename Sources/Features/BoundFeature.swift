/// A feature in a space.
package struct BoundFeature: Sendable {
  package var shape: any FeatureShape
  /// The others follow it.
  package var firstColumn: Int
  /// How many columns it has.
  package var width: Int
  /// As reasons call it: `business_field`, `latitude`, `distance_km`.
  package var name: String
  /// Which entry of the pipeline file's `features` it comes from: a position is two features of one entry.
  package var entry: Int
  /// Whether it may be a published reason. What others did to a candidate, and what the candidate did to others, is private.
  package var isPublic = true

  package var columns: Range<Int> { firstColumn..<firstColumn + width }

  /// Whether it is a code per row in a `LearningBlock`.
  package var isCategory: Bool { shape.form == .code }
}
