/// The number of days from the candidate's last interaction as a user to the as-of time, on a logarithmic
/// scale.
package struct RecencyFeature: FeatureKind {
  package var names: [String] { ["recency"] }
}

extension RecencyFeature {
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    try settings.requireDeeds(setting, "recency")
    return Self()
  }
}
