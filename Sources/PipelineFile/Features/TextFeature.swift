internal import RunSchemas

/// The word frequencies of a text of the candidates, as a vector made by feature hashing.
package struct TextFeature: FeatureKind {
  package var attribute: String
  package var dimensions: Int

  /// The maximum number of dimensions. The search's bound on a text's contribution becomes looser with every
  /// dimension, so more dimensions would slow down the search.
  private static let mostDimensions = 64

  package var names: [String] { [attribute] }
  package var columnStems: [String] { [attribute + "#"] }
}

extension TextFeature {
  /// Reads `ATTRIBUTE` or `{ from: ATTRIBUTE, dimensions: 64 }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    guard setting.isMapping else {
      let name = try settings.attribute(setting, of: settings.candidates, [.text])
      return Self(attribute: name, dimensions: mostDimensions)
    }
    let keys = try setting.mapping(keys: ["from", "dimensions"])
    let from = try setting.required("from", in: keys)
    let name = try settings.attribute(from, of: settings.candidates, [.text])
    let dimensions = try keys["dimensions"]?.integer(2...mostDimensions)
    return Self(attribute: name, dimensions: dimensions ?? mostDimensions)
  }
}
