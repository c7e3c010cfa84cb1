// Reads `publish`: the stores, the guards and the published data.

extension Pipeline.Publication {
  init(_ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: [
      "store", "keep", "guards", "attributes", "positions",
    ])
    let store = try setting.required("store", in: keys)
    stores = []
    for element in store.isSequence ? try store.elements() : [store] { stores.append(try element.text()) }
    if stores.isEmpty {
      throw store.mistake("\(store.label) names no store", advice: "Name at least one, such as sqlite:PATH.")
    }
    if let keep = keys["keep"] { self.keep = try keep.integer(1...1000) }
    if let guards = keys["guards"] {
      let keys = try guards.mapping(keys: [
        "users_drop_at_most", "lists_empty_at_most", "auc_at_least", "ndcg_drop_at_most", "not_worse_than",
      ])
      usersDropAtMost = try keys["users_drop_at_most"]?.share()
      listsEmptyAtMost = try keys["lists_empty_at_most"]?.share()
      quality.aucAtLeast = try keys["auc_at_least"]?.number(above: 0, atMost: 1)
      quality.ndcgDropAtMost = try keys["ndcg_drop_at_most"]?.share()
      quality.notWorseThan = try keys["not_worse_than"]?.choice(Baseline.self)
    }
    for (name, list) in try keys["attributes"]?.namedSettings() ?? [] {
      guard let entity = pipeline.entity(name) else {
        throw list.unknown(name, among: pipeline.entities.map(\.name), called: "entity")
      }
      let valid = entity.shownNames
      attributes[name] = []
      for element in try list.elements() {
        let attribute = try element.text()
        guard valid.contains(attribute) else {
          throw element.unknown(attribute, among: valid, called: "attribute", of: name)
        }
        attributes[name, default: []].append(attribute)
      }
    }
    if let positions = keys["positions"] { self.positions = try Self.positions(positions, pipeline) }
  }

  /// Reads a list of entities, or a mapping from entities to exclusions.
  private static func positions(_ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError)
    -> [Pipeline.PublishedPositions]
  {
    var published: [Pipeline.PublishedPositions] = []
    let names = pipeline.entities.map(\.name)
    if setting.isSequence {
      for element in try setting.elements() {
        published.append(Pipeline.PublishedPositions(entity: try element.positionedEntity(pipeline)))
      }
    } else {
      for (name, settings) in try setting.namedSettings() {
        guard names.contains(name) else {
          throw settings.unknown(name, among: names, called: "entity")
        }
        try settings.requirePosition(of: name, pipeline)
        let keys = try settings.mapping(keys: ["exclude"])
        var positions = Pipeline.PublishedPositions(entity: name)
        for element in try keys["exclude"]?.elements() ?? [] {
          positions.exclusions.append(try element.flagExclusion(of: pipeline.entity(name)))
        }
        published.append(positions)
      }
    }
    return published.sorted { $0.entity < $1.entity }
  }
}

extension Setting {
  fileprivate func positionedEntity(_ pipeline: Pipeline) throws(PipelineFileError) -> String {
    let name = try entityName(pipeline.entities.map(\.name))
    try requirePosition(of: name, pipeline)
    return name
  }

  fileprivate func requirePosition(of name: String, _ pipeline: Pipeline) throws(PipelineFileError) {
    guard pipeline.entity(name)?.position != nil else {
      if pipeline.entity(name)?.checkIns != nil {
        throw mistake(
          "positions of '\(name)' come from check-ins, and 'publish.positions' accepts no entity with check-ins",
          advice: "Remove '\(name)' from 'publish.positions'. Lists use these positions anyway.")
      }
      throw mistake(
        "the entity '\(name)' has no positions to publish",
        advice:
          "Add 'position: { latitude: ..., longitude: ... }' to the entity, or remove '\(name)' from 'publish.positions'."
      )
    }
  }
}
