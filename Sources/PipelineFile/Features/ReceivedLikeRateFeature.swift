internal import RunSchemas

/// The smoothed share of likes among the decisions about a candidate.
package struct ReceivedLikeRateFeature: FeatureKind {
  /// The kind of interaction whose likes and passes are counted.
  package var interaction: String
  /// The weight of the population's share of likes, as a number of decisions; above 0.
  package var smoothing: Double
  /// Whether the share is adjusted for how often the deciding users give likes.
  package var isAdjusted: Bool
  /// Whether the model learns from `interaction`. If so, the share in a learning row leaves out the decision
  /// of this row.
  package var isLearnedFrom: Bool

  package init(
    interaction: String, smoothing: Double = 5, isAdjusted: Bool = true, isLearnedFrom: Bool = true
  ) {
    self.interaction = interaction
    self.smoothing = smoothing
    self.isAdjusted = isAdjusted
    self.isLearnedFrom = isLearnedFrom
  }

  package var names: [String] {
    [isLearnedFrom ? "received_like_rate" : "received_like_rate_\(interaction)"]
  }
}

extension ReceivedLikeRateFeature {
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(interaction: try settings.liked(nil, in: setting).name)
  }

  /// Reads `{ of: INTERACTION, smoothing: 5, adjusted: false }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    let keys = try setting.mapping(keys: ["of", "smoothing", "adjusted"])
    let kind = try settings.liked(keys["of"], in: setting)
    var rate = Self(interaction: kind.name, isLearnedFrom: kind.name == settings.interaction.name)
    if let smoothing = keys["smoothing"] {
      rate.smoothing = try smoothing.number(above: 0, atMost: 1_000_000)
    }
    if let adjusted = keys["adjusted"] { rate.isAdjusted = try adjusted.boolean() }
    return rate
  }
}
