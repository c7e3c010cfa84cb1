internal import RunSchemas

/// The day of the week, UTC, of a date of the candidates, as a category.
package struct WeekdayFeature: FeatureKind {
  /// Of the candidates.
  package var attribute: String

  package var names: [String] { ["weekday_\(attribute)"] }
  package var columnStems: [String] { ["weekday_\(attribute)="] }
}

extension WeekdayFeature {
  /// `ATTRIBUTE`
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(attribute: try settings.attribute(setting, of: settings.candidates, [.date]))
  }
}
