internal import Columns
internal import PipelineFile

extension FeatureBinding {
  /// Binds `category`: one column for each word. With a limit, all words except the most frequent ones share
  /// one column.
  func bind(_ feature: CategoryFeature) -> BoundValues {
    let column = candidates.category(feature.attribute)
    return bindWords(
      of: feature, codes: column.codes.elements, column.vocabulary.strings, limit: feature.mostWords)
  }
}
