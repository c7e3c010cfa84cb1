internal import RunSchemas

/// The context for reading feature kinds: the entities of the features, and helpers that several kinds use.
struct FeatureSettings {
  let pipeline: Pipeline
  /// The kind of interaction that the model learns from.
  let interaction: Pipeline.Interaction
  let users: Pipeline.Entity
  let candidates: Pipeline.Entity

  init(_ interaction: Pipeline.Interaction, _ pipeline: Pipeline) {
    guard let users = pipeline.entity(interaction.user.entity),
      let candidates = pipeline.entity(interaction.candidate.entity)
    else { preconditionFailure("the entity names were checked before") }
    self.pipeline = pipeline
    self.interaction = interaction
    self.users = users
    self.candidates = candidates
  }

  func requirePosition(_ setting: Setting, of entity: Pipeline.Entity, _ key: String)
    throws(PipelineFileError)
  {
    guard !entity.hasPosition else { return }
    throw setting.mistake(
      "the feature '\(key)' needs positions, but '\(entity.name)' has none",
      advice: "Add 'position: { latitude: ..., longitude: ... }' to the entity, or remove the feature.")
  }

  /// Checks that the pipeline file has interactions in which the candidates are the users.
  func requireDeeds(_ setting: Setting, _ key: String) throws(PipelineFileError) {
    guard pipeline.interactions(by: candidates.name).isEmpty else { return }
    throw setting.mistake(
      "the feature '\(key)' needs interactions by '\(candidates.name)', but the pipeline file has none",
      advice: "Add such interactions, or remove the feature.")
  }

  /// Returns the kind of interaction in which a feature counts the likes that each candidate received.
  ///
  /// - Parameters:
  ///   - of: The setting that names the kind; `nil` for the kind that the model learns from.
  ///   - feature: The feature's entry, for messages.
  /// - Returns: A kind of interaction that has the model's candidates and defines likes.
  /// - Throws: `PipelineFileError` if the kind does not exist, has other candidates or does not define likes.
  func liked(_ of: Setting?, in feature: Setting) throws(PipelineFileError) -> Pipeline.Interaction {
    guard let of else {
      try interaction.requireLikes(feature)
      return interaction
    }
    let kind = try of.interaction(pipeline)
    guard kind.candidate.entity == candidates.name else {
      throw of.mistake(
        "the candidates of '\(kind.name)' are '\(kind.candidate.entity)', but the candidates of the model are "
          + "'\(candidates.name)'",
        advice: "Name a kind of interaction whose candidates are '\(candidates.name)'.")
    }
    try kind.requireLikes(of)
    return kind
  }

  /// Reads `ATTRIBUTE`, the name of an attribute of both entities, or `{ user: ATTRIBUTE, candidate:
  /// ATTRIBUTE }`. Both attributes must have the same type, which must be in `types`.
  func pair(_ setting: Setting, _ types: [AttributeType], besides others: [String] = [])
    throws(PipelineFileError) -> Pipeline.AttributePair
  {
    guard setting.isMapping else {
      let name = try attribute(setting, of: users, types)
      return Pipeline.AttributePair(user: name, candidate: try attribute(setting, likeUsers: name))
    }
    let keys = try setting.mapping(keys: ["user", "candidate"] + others)
    let user = try attribute(setting.required("user", in: keys), of: users, types)
    let candidate = try attribute(setting.required("candidate", in: keys), likeUsers: user)
    return Pipeline.AttributePair(user: user, candidate: candidate)
  }

  /// Reads the name of an attribute of the candidates. It must have the same type as the users' attribute
  /// `user`.
  private func attribute(_ setting: Setting, likeUsers user: String) throws(PipelineFileError) -> String {
    try attribute(setting, of: candidates, users.attribute(user).map { [$0.type] } ?? [])
  }

  /// Reads the name of an attribute of `entity` with one of the `types`.
  func attribute(_ setting: Setting, of entity: Pipeline.Entity, _ types: [AttributeType])
    throws(PipelineFileError) -> String
  {
    let name = try setting.text()
    let fitting = entity.attributes.filter { types.contains($0.type) }.map(\.name)
    guard fitting.contains(name) else {
      let kind = types.map(\.rawValue).joined(separator: " or ")
      throw setting.unknown(name, among: fitting, called: "\(kind) attribute", of: entity.name)
    }
    return name
  }
}

extension Pipeline {
  /// An attribute of the user and an attribute of the candidate. Both have the same type.
  package struct AttributePair: Hashable, Sendable {
    package var user: String
    package var candidate: String

    /// The part of a column name after the feature's name: `field` or `wants_offers`.
    var name: String { user == candidate ? user : "\(user)_\(candidate)" }
  }
}
