// Sampled pairs without an interaction: `negatives: { per_positive: 4, value: 0, within_km: 50 }`.

extension Pipeline {
  /// Negative samples: pairs without an interaction, from which the model learns as if they had one. They are
  /// needed if all interactions are likes.
  package struct Negatives: Hashable, Sendable {
    /// The number of samples for each like of the user, if enough pairs exist.
    package var perPositive: Int
    /// The value of each sample, from which the model learns as from the value of an interaction.
    package var value: Double
    /// The distance within which the model learns; `nil` if the pipeline file does not set it.
    package var reach: Reach?
  }

  /// A maximum distance between a user and a candidate.
  package struct Reach: Hashable, Sendable {
    /// The distance in kilometers, inclusive.
    package var kilometers: Double
    /// A number attribute of the users that replaces the distance for users who have a value.
    package var attribute: String?

    package init(kilometers: Double, attribute: String? = nil) {
      (self.kilometers, self.attribute) = (kilometers, attribute)
    }
  }

  /// Returns the distance within which `model` learns from interactions and draws negatives; `nil` for no
  /// limit. The default is the common radius of the rankings that `model` orders, because these rankings show
  /// no other pairs. If their radii differ, the default is no limit.
  package func reach(of negatives: Negatives, _ model: Model) -> Reach? {
    if let reach = negatives.reach { return reach }
    let reaches = rankings.filter { self.model(of: $0) == model }.map { ranking in
      ranking.radiusInKilometers.map { Reach(kilometers: $0, attribute: ranking.radiusAttribute) }
    }
    guard let first = reaches.first, reaches.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

extension Pipeline.Negatives {
  init(
    _ setting: Setting, _ interaction: Pipeline.Interaction, _ features: [Pipeline.Feature],
    _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["per_positive", "value", "within_km"])
    perPositive = try keys["per_positive"]?.integer(1...100) ?? 4
    value = try keys["value"]?.number() ?? 0
    try interaction.requireLikes(setting)
    if let likedFrom = interaction.value.likedFrom, value >= likedFrom {
      throw setting.mistake(
        "'\(setting.path).value' is \(value), but must be below 'liked_from', \(likedFrom), because negative samples must not count as likes"
      )
    }
    let rates = features.compactMap { $0.kind as? ReceivedLikeRateFeature }
    if rates.contains(where: \.isLearnedFrom) {
      throw setting.mistake(
        "'received_like_rate' is the share of likes among the rows of '\(interaction.name)'. It does not count the sampled negatives, so "
          + "the model would learn a wrong weight",
        advice: "Remove 'received_like_rate', or use an attribute from 'computed' instead.")
    }
    if let radius = keys["within_km"] {
      let (kilometers, attribute) = try radius.radius(
        users: interaction.user.entity, candidates: interaction.candidate.entity, pipeline)
      reach = Pipeline.Reach(kilometers: kilometers, attribute: attribute)
    }
  }
}

extension Setting {
  /// Reads `KILOMETERS` or `{ from: ATTRIBUTE, default: KILOMETERS }`. `ATTRIBUTE` is a number attribute of
  /// the users.
  func radius(
    users: String, candidates: String, _ pipeline: Pipeline
  ) throws(PipelineFileError) -> (kilometers: Double, attribute: String?) {
    guard isMapping else {
      return (try Pipeline.Ranking.radius(self, [users, candidates], pipeline), nil)
    }
    let keys = try mapping(keys: ["from", "default"])
    guard let entity = pipeline.entity(users) else {
      preconditionFailure("the entity names were checked before")
    }
    let name = try required("from", in: keys).number(of: entity)
    let fixed = try required("default", in: keys)
    return (try Pipeline.Ranking.radius(fixed, [users, candidates], pipeline), name)
  }
}
