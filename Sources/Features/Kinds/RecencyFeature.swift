internal import Columns
internal import Files
internal import Glibc
internal import PipelineFile
internal import RunSchemas
internal import Text

extension FeatureBinding {
  /// ln(1 + days since the last interaction that the candidate did, as of the as-of time); NaN where there is none.
  func bind(_ feature: RecencyFeature) -> BoundValues {
    let asOf = snapshot.manifest.asOf
    let values = (0..<candidates.count).map { row -> Double in
      // In the order of time: the last of each kind is its newest.
      let newest = done.compactMap { table in table.range(ofUser: row).last.map { table.at[$0] } }.max()
      guard let newest else { return .nan }
      // The snapshot holds nothing that is later.
      return log1p(max(Double(asOf.milliseconds - newest), 0) / 86_400_000)
    }
    return BoundValues(NumberShape(values, low: "recent", high: "long_ago"), isPublic: false)
  }
}
