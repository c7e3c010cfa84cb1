/// The distance between user and candidate in kilometers, or its logarithm.
package struct DistanceFeature: FeatureKind {
  package var isLogarithm = false

  package var names: [String] { [isLogarithm ? "log_distance_km" : "distance_km"] }
}

extension DistanceFeature {
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    for entity in [settings.candidates, settings.users] {
      try settings.requirePosition(setting, of: entity, "distance")
    }
    return Self()
  }

  /// Reads `{ log: true }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    var feature = try read(word: setting, settings)
    feature.isLogarithm = try setting.mapping(keys: ["log"])["log"]?.boolean() ?? false
    return feature
  }
}
