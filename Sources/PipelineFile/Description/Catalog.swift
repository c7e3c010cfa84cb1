internal import RunSchemas

// Lists that belong to a key such as a county, not to a user: `{ catalog: dogs, by: [county] }`.

extension Pipeline {
  /// All candidates of one entity, grouped by the words of category or tags attributes.
  package struct Catalog: Hashable, Sendable {
    package var name: String
    package var candidates: String
    /// The category and tags attributes that define the keys. A key consists of one word of each attribute.
    package var by: [String]
    /// The exclusions. A catalog can exclude candidates only by flags and conditions.
    package var exclusions: [Exclusion] = []
    /// The sort keys, in order. Candidates with equal keys are sorted by id.
    package var order: [OrderKey] = [.newest]
    /// The maximum number of entries per key; `nil` for no limit.
    package var top: Int?
    package var shown: [ShownField] = []

    /// The earlier name of the key `catalog`.
    static let earlierKey = "directory"
  }
}

extension Pipeline.Catalog {
  init(_ name: String, _ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    let keys = try setting.mapping(
      keys: ["catalog", "by", "exclude", "not_over", "order_by", "top", "show"],
      renamed: [Self.earlierKey: "catalog"])
    let candidates = try setting.required("catalog", in: keys)
    self.name = name
    self.candidates = try candidates.entityName(pipeline.entities.map(\.name))
    guard let entity = pipeline.entity(self.candidates) else {
      preconditionFailure("the entity name was checked before")
    }
    by = []
    let categories = entity.attributes.filter { $0.type == .category || $0.type == .tags }.map(\.name)
    let key = try setting.required("by", in: keys)
    for element in key.isSequence ? try key.elements() : [key] {
      let category = try element.text()
      guard categories.contains(category) else {
        throw element.unknown(
          category, among: categories, called: "category or tags attribute", of: entity.name)
      }
      guard !by.contains(category) else {
        throw element.mistake("'\(category)' occurs twice in \(key.label)", advice: "Remove one of them.")
      }
      by.append(category)
    }
    guard !by.isEmpty else {
      throw key.mistake(
        "\(key.label) names no category", advice: "Name at least one category or tags attribute.")
    }
    for element in try keys["exclude"]?.elements() ?? [] {
      exclusions.append(try element.flagExclusion(of: entity))
    }
    if let over = keys["not_over"] { exclusions.append(.unless(try over.notOver(entity))) }
    // A catalog has no user, so candidates have neither a distance nor a score.
    if let setting = keys["order_by"] {
      order = try setting.orderKeys(of: entity, words: ["newest": .newest])
    }
    guard entity.created != nil || !order.contains(.newest) else {
      throw (keys["order_by"] ?? setting).mistake(
        "the order 'newest' of the catalog '\(name)' needs creation times, but the entity '\(entity.name)' has no 'created'",
        advice:
          "Add 'created: FIELD' to the entity, or order by a number or date, as in 'order_by: [price asc]'.")
    }
    top = try keys["top"]?.integer(1...1_000_000)
    if let show = keys["show"] { shown = try show.shownFields(of: entity) }
  }
}
