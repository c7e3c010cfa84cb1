internal import Features
package import System
internal import Text

/// The error for a model with too many columns. The time per user is cubic in the number of columns, and the
/// memory is quadratic.
package struct TooManyColumns: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// The largest number of columns. A thousand columns take about a second per user and 8 MB per matrix.
  package static let most = 1000

  /// The number of columns whose values differ among the learning rows.
  package var count: Int
  /// The name of the feature with the most columns; `featureCount` is the number of its columns.
  package var feature: String
  package var featureCount: Int

  package init(count: Int, feature: String, featureCount: Int) {
    self.count = count
    self.feature = feature
    self.featureCount = featureCount
  }

  package var exitStatus: ExitStatus { .badPipelineFile }

  package var description: String {
    "model: the features have \(count.grouped) non-constant columns, but a model with 'prior' or 'l2' can have at most "
      + "\(Self.most.grouped). The feature '\(feature)' has \(featureCount.grouped) of the columns. Reduce its 'bins' or "
      + "'dimensions', or remove a feature."
  }
}

extension ColumnScales {
  /// Checks the number of columns.
  ///
  /// - Throws: `TooManyColumns` if there are more than `TooManyColumns.most` columns.
  func requireFew(in space: FeatureSpace) throws(TooManyColumns) {
    guard columns.count > TooManyColumns.most else { return }
    let kept = Set(columns)
    var (largest, most) = ("", 0)
    for feature in space.features {
      let own = feature.columns.count { kept.contains($0) }
      if own > most { (largest, most) = (feature.name, own) }
    }
    throw TooManyColumns(count: columns.count, feature: largest, featureCount: most)
  }
}
