internal import RunSchemas

/// The tags of the candidates, with one column for each of the most frequent tags.
package struct TagsFeature: FeatureKind {
  /// The candidates' attribute of type `tags`.
  package var attribute: String
  /// The maximum number of tags with columns of their own. All other tags share the column `other`.
  package var mostWords = TagsFeature.usualWords

  package static let usualWords = 50
  /// The largest number of tags with columns of their own. A search stores and adds one number for each of
  /// these columns and each candidate.
  private static let greatestLimit = 250

  package var names: [String] { [attribute] }
  package var columnStems: [String] { [attribute + "="] }

  package init(attribute: String) { self.attribute = attribute }
}

extension TagsFeature {
  /// Reads `ATTRIBUTE` or `{ from: ATTRIBUTE, at_most_words: 20 }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    guard setting.isMapping else {
      return Self(attribute: try settings.attribute(setting, of: settings.candidates, [.tags]))
    }
    let keys = try setting.mapping(keys: ["from", "at_most_words"])
    let from = try setting.required("from", in: keys)
    var feature = Self(attribute: try settings.attribute(from, of: settings.candidates, [.tags]))
    if let most = keys["at_most_words"] { feature.mostWords = try most.integer(1...greatestLimit) }
    return feature
  }
}
