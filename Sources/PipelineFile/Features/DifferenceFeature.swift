internal import RunSchemas

/// The candidate's number less the user's; without its sign unless `isSigned`. Of two dates, in years.
package struct DifferenceFeature: FeatureKind {
  package var pair: Pipeline.AttributePair
  package var isSigned: Bool

  package var names: [String] { ["difference_\(pair.name)"] }
}

extension DifferenceFeature {
  /// `ATTRIBUTE` or `{ user: ATTRIBUTE, candidate: ATTRIBUTE, signed: true }`
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    let pair = try settings.pair(setting, [.number, .date], besides: ["signed"])
    let isSigned = try setting.isMapping ? setting.value(of: "signed")?.boolean() : nil
    return Self(pair: pair, isSigned: isSigned ?? false)
  }
}
