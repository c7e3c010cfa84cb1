internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  /// Binds `tags`: one column for each tag, with 1 for candidates with the tag and otherwise 0. If there are
  /// more tags than the limit, only the most frequent tags have columns of their own. The other tags share a
  /// column, with 1 for candidates with at least one of these tags and otherwise 0.
  func bind(_ feature: TagsFeature) -> BoundValues {
    let column = candidates.tags(feature.attribute)
    let words = column.vocabulary.strings
    let kept = keptTags(of: feature, column, words)
    let names = kept.map { $0 + [SharedWords.other] } ?? words
    let everyCode = Array(0..<UInt32(words.count))
    let places = kept.map { SharedWords.codes(everyCode, words, $0) } ?? everyCode
    var components = [Float](repeating: 0, count: column.count * names.count)
    let codes = column.codes.elements
    for row in 0..<column.count {
      for code in codes[column.range(row)] { components[row * names.count + Int(places[Int(code)])] = 1 }
    }
    var bound = BoundValues(
      VectorShape(CandidateVectors(dimensions: names.count, components: components, words: names)),
      columns: names.map { "=" + $0 })
    bound.formName = feature.formName
    bound.form.words = kept
    bound.form.sharing = kept.map { words.count - $0.count } ?? 0
    return bound
  }

  /// Returns the tags that have their own columns; `nil` if all tags have their own columns.
  private func keptTags(of feature: TagsFeature, _ column: TagColumn, _ words: [String]) -> [String]? {
    if let form {
      // A tag without candidates gets no column: an erasure may have removed the last candidate with this
      // tag.
      let present = Set(words.map { Array($0.utf8) })
      return form.features[feature.formName]?.words?.filter { present.contains(Array($0.utf8)) }
    }
    var rows = [Int](repeating: 0, count: words.count)
    let codes = column.codes.elements
    for candidate in learning.candidate.elements {
      for code in codes[column.range(Int(candidate))] { rows[Int(code)] += 1 }
    }
    return SharedWords.kept(rows: rows, words, limit: feature.mostWords)
  }
}
