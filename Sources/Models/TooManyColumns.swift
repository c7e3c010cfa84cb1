internal import Features
package import System
internal import Text

/// A model on more columns than systems are solved with: each user's takes the third power of their number in time, and
/// the second in memory.
package struct TooManyColumns: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// A thousand take about a second per user and 8 MB per matrix.
  package static let most = 1000

  /// Columns whose values differ among the learning rows.
  package var count: Int
  /// The feature with most of them, as reasons call it, and how many are its own.
  package var feature: String
  package var featureCount: Int

  package init(count: Int, feature: String, featureCount: Int) {
    self.count = count
    self.feature = feature
    self.featureCount = featureCount
  }

  package var exitStatus: ExitStatus { .badPipelineFile }

  package var description: String {
    "model: its features have \(count.grouped) columns whose values differ, and a model that leans on others or has an "
      + "l2 has \(Self.most.grouped) at most; \(featureCount.grouped) are of '\(feature)'. Make a geohash coarser, put "
      + "numbers into fewer bins, sort words into fewer categories, or leave the feature out."
  }
}

extension ColumnScales {
  /// - Throws: `TooManyColumns`.
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
