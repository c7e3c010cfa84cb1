internal import RunSchemas

/// A category of the candidates: one column of 0 and 1 for each word.
package struct CategoryFeature: FeatureKind {
  /// The candidates' category attribute.
  package var attribute: String

  package var names: [String] { [attribute] }
  package var columnStems: [String] { [attribute + "="] }
}

extension CategoryFeature {
  /// Reads `ATTRIBUTE`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(attribute: try settings.attribute(setting, of: settings.candidates, [.category]))
  }
}
