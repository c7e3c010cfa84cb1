/// The distance between user and candidate in kilometers.
package struct DistanceFeature: FeatureKind {
  package var names: [String] { ["distance_km"] }
}

extension DistanceFeature {
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    for entity in [settings.candidates, settings.users] {
      try settings.requirePosition(setting, of: entity, "distance")
    }
    return Self()
  }
}
