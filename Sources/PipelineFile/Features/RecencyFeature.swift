/// The time from the last interaction that the candidate made to the as-of time.
package struct RecencyFeature: FeatureKind {
  package var names: [String] { ["recency"] }
}

extension RecencyFeature {
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    try settings.requireDeeds(setting, "recency")
    return Self()
  }
}
