internal import RunSchemas

/// A category of the candidates: a column of 0 and 1 for each of its words.
package struct CategoryFeature: FeatureKind {
  /// Of the candidates.
  package var attribute: String

  package var names: [String] { [attribute] }
  package var columnStems: [String] { [attribute + "="] }
}

extension CategoryFeature {
  /// `ATTRIBUTE`
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(attribute: try settings.attribute(setting, of: settings.candidates, [.category]))
  }
}
