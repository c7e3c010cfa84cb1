internal import RunSchemas

/// How much of their tags user and candidate share.
package struct OverlapFeature: FeatureKind {
  package var pair: Pipeline.AttributePair

  package var names: [String] { ["overlap_\(pair.name)"] }
}

extension OverlapFeature {
  /// `ATTRIBUTE` of both, or `{ user: ATTRIBUTE, candidate: ATTRIBUTE }`
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(pair: try settings.pair(setting, [.tags]))
  }
}
