/// A feature of a feature space, bound to the data of a snapshot.
package struct BoundFeature: Sendable {
  package var shape: any FeatureShape
  /// The index of the feature's first column. Its other columns follow.
  package var firstColumn: Int
  /// The number of columns.
  package var width: Int
  /// The feature's name in reasons, such as `business_field`, `latitude` or `distance_km`.
  package var name: String
  /// The index of the feature's entry in the pipeline file's `features`. A position entry becomes two
  /// features.
  package var entry: Int
  /// Whether the feature may be a published reason. For example, most features of the interactions that a
  /// candidate received or gave are private.
  package var isPublic = true

  package var columns: Range<Int> { firstColumn..<firstColumn + width }

  /// Whether a `LearningBlock` stores the feature as one code per row.
  package var isCategory: Bool { shape.form == .code }
}
