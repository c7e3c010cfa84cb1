internal import Columns
internal import PipelineFile

extension FeatureBinding {
  /// Binds `category`: one column for each word or, with a limit, one for each of the most frequent words and
  /// one for all other words.
  func bind(_ feature: CategoryFeature) -> BoundValues {
    let column = candidates.category(feature.attribute)
    return bindWords(
      of: feature, codes: column.codes.elements, column.vocabulary.strings, limit: feature.mostWords)
  }
}
