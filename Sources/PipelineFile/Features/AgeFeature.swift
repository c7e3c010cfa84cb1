internal import RunSchemas

/// Years from a date of the candidates to the as-of time.
package struct AgeFeature: FeatureKind {
  /// Of the candidates.
  package var attribute: String

  package var names: [String] { ["age_\(attribute)"] }
}

extension AgeFeature {
  /// `ATTRIBUTE`
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(attribute: try settings.attribute(setting, of: settings.candidates, [.date]))
  }
}
