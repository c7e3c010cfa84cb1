internal import Glibc
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  /// Binds `activity`: ln(1 + n) for the n interactions of all kinds that the candidate gave.
  func bind(_ feature: ActivityFeature) -> BoundValues {
    let values = (0..<candidates.count).map { row in
      log1p(Double(done.reduce(0) { $0 + $1.range(ofUser: row).count }))
    }
    return BoundValues(NumberShape(values), isPublic: false)
  }
}
