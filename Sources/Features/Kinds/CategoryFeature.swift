internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: CategoryFeature) -> BoundValues {
    let column = candidates.category(feature.attribute)
    return BoundValues(codes: column.codes.elements, column.vocabulary.strings)
  }
}
