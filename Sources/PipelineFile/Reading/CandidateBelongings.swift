// Interactions with the owner of the candidate. For example, a like of a post counts for its author:
// `candidate: { from: post, entity: musicians, of: posts, once: true }`.

extension Pipeline.Interaction {
  /// Reads which entity's ids are in the field of `setting`, if they are not the candidates' own.
  mutating func readBelongings(
    _ setting: Setting, _ entities: [Pipeline.Entity]
  ) throws(PipelineFileError) {
    let once = setting.value(of: "once")
    guard let of = setting.value(of: "of") else {
      if let once {
        throw once.mistake(
          "'\(once.path)' keeps a user's first interaction with each row of 'of', and 'of' is missing",
          advice: "Add 'of: ENTITY', or write 'latest: true' into the value: then a pair's latest one counts."
        )
      }
      return
    }
    let name = try of.entityName(entities.map(\.name))
    guard let owner = entities.first(where: { $0.name == name })?.owner, owner.entity == candidate.entity
    else {
      throw of.mistake(
        "'\(name)' do not belong to '\(candidate.entity)', the candidates of these interactions",
        advice: "Name an entity whose 'owner' is one of '\(candidate.entity)'.")
    }
    candidate.of = name
    guard let once else { return }
    candidate.isOnce = try once.boolean()
    if candidate.isOnce, value.hasEnded {
      throw once.mistake(
        "'\(once.path)' keeps a user's first interaction with each of '\(name)', and the value a pair's latest",
        advice: "Remove 'once', or 'latest' and 'taken_back'.")
    }
  }
}
