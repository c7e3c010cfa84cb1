internal import RunSchemas

/// Whether the user likes the candidate, or the candidate's owner, in one kind of interaction.
package struct FollowsFeature: FeatureKind {
  package var choice: Pipeline.Choice

  package var names: [String] {
    switch choice {
    case .liked(let kind): ["\(kind)_candidate"]
    case .owned(let kind): ["\(kind)_owner"]
    }
  }
}

extension FollowsFeature {
  /// Reads a kind of interaction of the users with the candidates or their owners.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    let kind = try setting.interaction(settings.pipeline)
    try kind.requireLikes(setting)
    let (users, candidates) = (settings.users, settings.candidates)
    let owner = candidates.owner?.entity
    guard kind.user.entity == users.name, [candidates.name, owner].contains(kind.candidate.entity) else {
      let others = owner.map { " or to '\($0)', their owner" } ?? ""
      throw setting.mistake(
        "'\(kind.name)' goes from '\(kind.user.entity)' to '\(kind.candidate.entity)', but must go from '\(users.name)' to '\(candidates.name)'\(others)",
        advice: "Name another kind of interaction.")
    }
    return Self(
      choice: kind.candidate.entity == candidates.name ? .liked(by: kind.name) : .owned(by: kind.name))
  }
}
