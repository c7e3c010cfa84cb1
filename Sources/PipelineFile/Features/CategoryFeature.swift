internal import RunSchemas

/// A category of the candidates, one-hot encoded.
package struct CategoryFeature: FeatureKind {
  /// The candidates' category attribute.
  package var attribute: String
  /// The maximum number of words with separate columns. All other words share the column `other`.
  package var mostWords = CategoryFeature.usualWords

  package static let usualWords = 250

  package var names: [String] { [attribute] }
  package var columnStems: [String] { [attribute + "="] }

  package init(attribute: String) { self.attribute = attribute }
}

extension CategoryFeature {
  /// Reads `ATTRIBUTE` or `{ from: ATTRIBUTE, at_most_words: 100 }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    guard setting.isMapping else {
      return Self(attribute: try settings.attribute(setting, of: settings.candidates, [.category]))
    }
    let keys = try setting.mapping(keys: ["from", "at_most_words"])
    let from = try setting.required("from", in: keys)
    var feature = Self(attribute: try settings.attribute(from, of: settings.candidates, [.category]))
    if let most = keys["at_most_words"] { feature.mostWords = try most.integer(1...100_000) }
    return feature
  }
}
