internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: DifferenceFeature) -> BoundValues {
    let pair = feature.pair
    return BoundValues(
      DifferenceShape(
        users: users.measure(pair.user), candidates: candidates.measure(pair.candidate),
        isAbsolute: !feature.isSigned))
  }
}

extension EntityTable {
  /// The values of a number attribute, or of a date attribute in years.
  fileprivate func measure(_ name: String) -> [Double] { numbers[name]?.elements ?? years(name) }
}
