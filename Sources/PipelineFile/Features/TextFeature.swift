internal import RunSchemas

/// How often words occur in a text of the candidates, hashed into a vector.
package struct TextFeature: FeatureKind {
  package var attribute: String
  package var dimensions: Int

  /// The search's bound on a text's contribution is loose, and looser with every dimension.
  private static let mostDimensions = 64

  package var names: [String] { [attribute] }
  package var columnStems: [String] { [attribute + "#"] }
}

extension TextFeature {
  /// `ATTRIBUTE` or `{ from: ATTRIBUTE, dimensions: 64 }`
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
