/// A feature with one column per word. Rare words can share a column.
package protocol WordFeature: FeatureKind {
  /// The name of the feature in the manifest of the model. Different features of a model have different
  /// names.
  var formName: String { get }
  /// Returns whether `word` is a word of this feature with a separate column. `word` is the part of a
  /// column's name after the feature's name.
  func isOwnWord(_ word: String) -> Bool
}

extension CategoryFeature: WordFeature {
  package var formName: String { attribute }

  package func isOwnWord(_ word: String) -> Bool { !word.utf8.elementsEqual("other".utf8) }
}

extension GeohashFeature: WordFeature {
  package var formName: String { "geohash of precision \(precision)" }

  /// The name of the shared column. It cannot be the name of a cell, because geohashes do not contain the
  /// letter o.
  package var otherCells: String { "other\(precision)" }

  package func isOwnWord(_ word: String) -> Bool {
    word.utf8.count == precision && !word.utf8.contains(UInt8(ascii: "o"))
  }
}

extension TagsFeature: WordFeature {
  package var formName: String { attribute }

  package func isOwnWord(_ word: String) -> Bool { !word.utf8.elementsEqual("other".utf8) }
}
