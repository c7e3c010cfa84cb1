/// A feature of a feature space, bound to the data of a snapshot.
package struct BoundFeature: Sendable {
  package var shape: any FeatureShape
  /// The index of the feature's first column. The feature's other columns follow.
  package var firstColumn: Int
  /// The number of columns.
  package var width: Int
  /// The feature's name in reasons, such as `business_field`, `latitude` or `distance_km`.
  package var name: String
  /// The index of the feature's entry in the pipeline file's `features`. The entry `position` becomes two
  /// features.
  package var entry: Int
  /// Whether users may see the feature as a reason. For example, most features that are computed from a
  /// candidate's interactions are private.
  package var isPublic = true

  package var columns: Range<Int> { firstColumn..<firstColumn + width }

  /// Whether a `LearningBlock` stores the feature as one code per row.
  package var isCategory: Bool { shape.form == .code }
}
