// Candidates that a user chose: `among: { owner: follows }`, `among: follows`.

extension Pipeline {
  /// The owners whose belongings are candidates of a user: those whom the user likes by one kind of interaction.
  package enum Choice: Hashable, Sendable {
    /// The candidates themselves.
    case liked(by: String)
    /// What belongs to them.
    case owned(by: String)
  }
}

extension Pipeline.Choice {
  /// `INTERACTION`, or `{ owner: INTERACTION }`.
  init(
    _ setting: Setting, users: String, candidates: String, _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    let isOwned = setting.isMapping
    let name = isOwned ? try setting.required("owner", in: setting.mapping(keys: ["owner"])) : setting
    let kind = try name.interaction(pipeline)
    let chosen = isOwned ? pipeline.entity(candidates)?.owner?.entity : candidates
    guard let chosen else {
      throw name.mistake("'\(candidates)' have no owner", advice: "Add 'owner: FIELD' to the entity.")
    }
    guard kind.user.entity == users, kind.candidate.entity == chosen else {
      throw name.mistake(
        "'\(kind.name)' go from '\(kind.user.entity)' to '\(kind.candidate.entity)', and this needs those of '\(users)' with '\(chosen)'"
      )
    }
    try kind.requireLikes(name)
    self = isOwned ? .owned(by: kind.name) : .liked(by: kind.name)
  }
}
