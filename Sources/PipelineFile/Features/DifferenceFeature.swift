internal import RunSchemas

/// The candidate's number minus the user's number, as an absolute value unless `isSigned`. Differences
/// between dates are in years.
package struct DifferenceFeature: FeatureKind {
  package var pair: Pipeline.AttributePair
  package var isSigned: Bool

  package var names: [String] { ["difference_\(pair.name)"] }
}

extension DifferenceFeature {
  /// Reads `ATTRIBUTE` or `{ user: ATTRIBUTE, candidate: ATTRIBUTE, signed: true }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    let pair = try settings.pair(setting, [.number, .date], besides: ["signed"])
    let isSigned = try setting.isMapping ? setting.value(of: "signed")?.boolean() : nil
    return Self(pair: pair, isSigned: isSigned ?? false)
  }
}
