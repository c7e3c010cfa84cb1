internal import RunSchemas

/// The number of users who like a candidate. With a half-life, new likes count more than old ones.
package struct PopularityFeature: FeatureKind {
  /// The kind of interaction whose likes are counted.
  package var interaction: String
  /// The age at which a like counts as half a like, in milliseconds, above 0; `nil` if all likes count the
  /// same.
  package var halfLife: Int64?
  /// Whether the model learns from `interaction`. If so, the number in a learning row leaves out the like of
  /// this row.
  package var isLearnedFrom: Bool

  package init(interaction: String, halfLife: Int64? = nil, isLearnedFrom: Bool = true) {
    self.interaction = interaction
    self.halfLife = halfLife
    self.isLearnedFrom = isLearnedFrom
  }

  package var names: [String] {
    let name = halfLife == nil ? "popularity" : "trend"
    return [isLearnedFrom ? name : "\(name)_\(interaction)"]
  }
}

extension PopularityFeature {
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    Self(interaction: try settings.liked(nil, in: setting).name)
  }

  /// Reads `{ of: INTERACTION, half_life: 30d }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    let keys = try setting.mapping(keys: ["of", "half_life"])
    let kind = try settings.liked(keys["of"], in: setting)
    return Self(
      interaction: kind.name, halfLife: try keys["half_life"]?.duration(),
      isLearnedFrom: kind.name == settings.interaction.name)
  }
}
