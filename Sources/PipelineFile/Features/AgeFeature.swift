internal import RunSchemas

/// The number of years from a date of the candidate to the as-of time.
package struct AgeFeature: FeatureKind {
  /// The candidates' date attribute.
  package var attribute: String

  package var names: [String] { ["age_\(attribute)"] }
}

extension AgeFeature {
  /// Reads `ATTRIBUTE`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(attribute: try settings.attribute(setting, of: settings.candidates, [.date]))
  }
}
