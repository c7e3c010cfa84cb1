internal import RunSchemas

/// The candidate's number minus the user's number, as an absolute value unless `isSigned`. Differences
/// between dates are in years.
package struct DifferenceFeature: FeatureKind {
  package var pair: Pipeline.AttributePair
  package var isSigned: Bool
  /// Whether the feature is the difference between the logarithms of both numbers.
  package var isLogarithm = false

  package var names: [String] { [(isLogarithm ? "log_" : "") + "difference_\(pair.name)"] }
}

extension DifferenceFeature {
  /// Reads `ATTRIBUTE` or `{ user: ATTRIBUTE, candidate: ATTRIBUTE, signed: true, log: true }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    let isLogarithm = try setting.isMapping ? setting.value(of: "log")?.boolean() ?? false : false
    let pair = try settings.pair(
      setting, isLogarithm ? [.number] : [.number, .date], besides: ["signed", "log"])
    let isSigned = try setting.isMapping ? setting.value(of: "signed")?.boolean() : nil
    return Self(pair: pair, isSigned: isSigned ?? false, isLogarithm: isLogarithm)
  }
}
