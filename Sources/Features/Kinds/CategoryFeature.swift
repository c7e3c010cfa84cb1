internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  /// Binds `category`: a column for each word, or for each of the most frequent words and one for all others.
  func bind(_ feature: CategoryFeature) -> BoundValues {
    let column = candidates.category(feature.attribute)
    let words =
      if let form {
        // An erasure may have removed the last candidate with a word.
        form.features[feature.attribute]?.words?.filter { column.vocabulary.row(of: Array($0.utf8)) != nil }
      } else {
        SharedWords.kept(column, learning, limit: feature.mostWords)
      }
    guard let words else { return BoundValues(codes: column.codes.elements, column.vocabulary.strings) }
    var bound = BoundValues(codes: SharedWords.codes(column, words), words + [SharedWords.other])
    bound.form.words = words
    bound.form.sharing = column.vocabulary.count - words.count
    return bound
  }
}
