/// The number of interactions that the candidate made as a user.
package struct ActivityFeature: FeatureKind {
  package var names: [String] { ["activity"] }
}

extension ActivityFeature {
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    try settings.requireDeeds(setting, "activity")
    return Self()
  }
}
