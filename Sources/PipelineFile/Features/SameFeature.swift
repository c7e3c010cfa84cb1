internal import RunSchemas

/// Whether user and candidate have the same category.
package struct SameFeature: FeatureKind {
  package var pair: Pipeline.AttributePair

  package var names: [String] { ["same_\(pair.name)"] }
}

extension SameFeature {
  /// Reads `ATTRIBUTE`, which both entities have, or `{ user: ATTRIBUTE, candidate: ATTRIBUTE }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(pair: try settings.pair(setting, [.category]))
  }
}
