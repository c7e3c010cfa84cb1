internal import RunSchemas

/// The Jaccard index of the user's and the candidate's tags.
package struct OverlapFeature: FeatureKind {
  package var pair: Pipeline.AttributePair

  package var names: [String] { ["overlap_\(pair.name)"] }
}

extension OverlapFeature {
  /// Reads `ATTRIBUTE`, which both entities have, or `{ user: ATTRIBUTE, candidate: ATTRIBUTE }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(pair: try settings.pair(setting, [.tags]))
  }
}
