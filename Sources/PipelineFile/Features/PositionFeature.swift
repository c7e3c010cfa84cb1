/// The candidate's latitude and longitude in degrees, as two features.
package struct PositionFeature: FeatureKind {
  package var names: [String] { ["latitude", "longitude"] }
}

extension PositionFeature {
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    try settings.requirePosition(setting, of: settings.candidates, "position")
    return Self()
  }
}
