internal import Columns
internal import Files
internal import Glibc
internal import PipelineFile
internal import RunSchemas
internal import Text

extension FeatureBinding {
  /// Binds `recency`: ln(1 + d), where d is the age in days of the newest interaction that the candidate
  /// gave. The value is NaN if the candidate gave no interaction.
  func bind(_ feature: RecencyFeature) -> BoundValues {
    let asOf = snapshot.manifest.asOf
    let values = (0..<candidates.count).map { row -> Double in
      // Interactions are in chronological order, so the last interaction of each kind is the newest.
      let newest = done.compactMap { table in table.range(ofUser: row).last.map { table.at[$0] } }.max()
      guard let newest else { return .nan }
      // `max` is a precaution, because the snapshot contains no interaction after the as-of time.
      return log1p(max(Double(asOf.milliseconds - newest), 0) / 86_400_000)
    }
    return BoundValues(NumberShape(values, low: "recent", high: "long_ago"), isPublic: false)
  }
}
