// Owners of rows: `owner: { from: author, entity: users }`.

extension Pipeline {
  /// Reads `owner` of each entity in `settings`.
  mutating func readOwners(
    _ settings: [(name: String, value: Setting)]
  ) throws(PipelineFileError) {
    for (index, named) in settings.enumerated() {
      guard let setting = named.value.value(of: "owner") else { continue }
      let others = entities.filter { $0.name != named.name }
      guard !others.isEmpty else {
        throw setting.mistake(
          "'\(named.name)' is the only entity, so it cannot have an owner",
          advice: "Add the entity of the owners, or remove 'owner'.")
      }
      var owner = try Reference(setting, others, besides: ["optional"])
      if let optional = setting.isMapping ? setting.value(of: "optional") : nil {
        owner.isOptional = try optional.boolean()
      }
      entities[index].owner = owner
      // Ingest reads the entity of the owners before the entity that they own, so owners must not form a
      // cycle.
      guard !isOwned(owner.entity, by: named.name) else {
        throw setting.mistake(
          "'\(named.name)' belongs to '\(owner.entity)', which belongs to '\(named.name)' directly or indirectly",
          advice: "Remove one of the two owners.")
      }
    }
  }

  /// Returns whether `entity` belongs to `owner`, directly or indirectly.
  private func isOwned(_ entity: String, by owner: String) -> Bool {
    var next = self.entity(entity)
    while let current = next {
      if current.name == owner { return true }
      next = current.owner.flatMap { self.entity($0.entity) }
    }
    return false
  }

  /// The entities, each after the entity of its owners; otherwise sorted by name.
  package var entitiesByOwner: [Entity] {
    var ordered: [Entity] = []
    func add(_ entity: Entity) {
      guard !ordered.contains(where: { $0.name == entity.name }) else { return }
      if let owner = entity.owner.flatMap({ self.entity($0.entity) }) { add(owner) }
      ordered.append(entity)
    }
    for entity in entities { add(entity) }
    return ordered
  }
}
