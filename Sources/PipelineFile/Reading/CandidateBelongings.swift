// Interactions with things that belong to the candidate. For example, a like of a post counts as a like of
// its author: `candidate: { from: post, entity: musicians, of: posts, once: true }`.

extension Pipeline.Interaction {
  /// Reads `of` and `once` of `setting`. `of` is the entity whose ids the field contains. Without `of`, the
  /// field contains the candidates' own ids.
  mutating func readBelongings(
    _ setting: Setting, _ entities: [Pipeline.Entity]
  ) throws(PipelineFileError) {
    let once = setting.value(of: "once")
    guard let of = setting.value(of: "of") else {
      if let once {
        throw once.mistake(
          "'\(once.path)' needs 'of', because it keeps a user's first interaction with each row of the entity in 'of'",
          advice:
            "Add 'of: ENTITY'. To keep the latest interaction of each pair, write 'latest: true' into the value."
        )
      }
      return
    }
    let name = try of.entityName(entities.map(\.name))
    guard let owner = entities.first(where: { $0.name == name })?.owner, owner.entity == candidate.entity
    else {
      throw of.mistake(
        "'\(name)' is not owned by '\(candidate.entity)', the candidates of these interactions",
        advice: "Name an entity whose 'owner' refers to '\(candidate.entity)'.")
    }
    candidate.of = name
    guard let once else { return }
    candidate.isOnce = try once.boolean()
    if candidate.isOnce, value.hasEnded {
      throw once.mistake(
        "'\(once.path)' keeps a user's first interaction with each of '\(name)', but 'latest' or 'taken_back' in the value keeps the latest interaction of a pair",
        advice: "Remove 'once', or 'latest' and 'taken_back'.")
    }
  }
}
