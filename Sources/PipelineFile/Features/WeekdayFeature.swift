internal import RunSchemas

/// The weekday, in UTC, of a date of the candidates, as a category.
package struct WeekdayFeature: FeatureKind {
  /// The candidates' date attribute.
  package var attribute: String

  package var names: [String] { ["weekday_\(attribute)"] }
  package var columnStems: [String] { ["weekday_\(attribute)="] }
}

extension WeekdayFeature {
  /// Reads `ATTRIBUTE`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(attribute: try settings.attribute(setting, of: settings.candidates, [.date]))
  }
}
