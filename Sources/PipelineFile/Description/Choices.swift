// Candidates that a user chose: `among: { owner: follows }`, `among: follows`.

extension Pipeline {
  /// Restricts a user's candidates to candidates that the user likes, or to candidates with an owner that the
  /// user likes.
  package enum Choice: Hashable, Sendable {
    /// The user likes the candidate itself, in this kind of interaction.
    case liked(by: String)
    /// The user likes the candidate's owner, in this kind of interaction.
    case owned(by: String)
  }
}

extension Pipeline.Choice {
  /// Reads `INTERACTION` or `{ owner: INTERACTION }`.
  init(
    _ setting: Setting, users: String, candidates: String, _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    let isOwned = setting.isMapping
    let name = isOwned ? try setting.required("owner", in: setting.mapping(keys: ["owner"])) : setting
    let kind = try name.interaction(pipeline)
    let chosen = isOwned ? pipeline.entity(candidates)?.owner?.entity : candidates
    guard let chosen else {
      throw name.mistake(
        "the entity '\(candidates)' has no owner", advice: "Add 'owner: FIELD' to the entity.")
    }
    guard kind.user.entity == users, kind.candidate.entity == chosen else {
      throw name.mistake(
        "'\(kind.name)' goes from '\(kind.user.entity)' to '\(kind.candidate.entity)', but must go from '\(users)' to '\(chosen)'",
        advice: "Name another kind of interaction.")
    }
    try kind.requireLikes(name)
    self = isOwned ? .owned(by: kind.name) : .liked(by: kind.name)
  }
}
