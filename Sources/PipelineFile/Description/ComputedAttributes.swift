internal import RunSchemas

// Attributes that are computed from interactions: `computed: { workers: { rating: { shrunken_mean_of: reviews
// } } }`.

extension Pipeline {
  /// A number that is computed from the interactions that each row of an entity received.
  package struct ComputedAttribute: Hashable, Sendable {
    package var name: String
    /// The kind of interaction. Its candidates are the rows that get the number.
    package var interaction: String
    package var measure: Measure
  }

  /// How the number is computed from the received interactions.
  package enum Measure: Hashable, Sendable {
    /// The number of interactions.
    case count
    /// The mean of the values, shrunk toward the mean of the group. The group consists of all rows with the
    /// same word of the category `group`, or of all rows if `group` is `nil`. `strength` is the weight of the
    /// group's mean, as a number of values.
    case shrunkenMean(strength: Double, group: String?)
  }
}

extension Pipeline {
  /// Reads the computed attributes of all entities. The interactions must have been read before.
  mutating func readComputed(_ setting: Setting) throws(PipelineFileError) {
    for (name, attributes) in try setting.namedSettings() {
      guard let index = entities.firstIndex(where: { $0.name == name }) else {
        throw attributes.unknown(name, among: entities.map(\.name), called: "entity")
      }
      for (attribute, setting) in try attributes.namedSettings() {
        guard entities[index].attribute(attribute) == nil else {
          throw setting.mistake(
            "'\(name)' already has an attribute '\(attribute)'", advice: "Rename one of the two."
          )
        }
        entities[index].computed.append(try ComputedAttribute(attribute, setting, entities[index], self))
      }
    }
  }
}

extension Pipeline.ComputedAttribute {
  private static let measures = ["shrunken_mean_of", "count_of"]

  fileprivate init(
    _ name: String, _ setting: Setting, _ entity: Pipeline.Entity, _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: Self.measures + ["strength", "by"])
    let chosen = Self.measures.filter { keys[$0] != nil }
    guard let kind = chosen.first, chosen.count == 1, let of = keys[kind] else {
      throw setting.mistake(
        "\(setting.label) has \(chosen.count) of the keys \(Self.measures.map { "'\($0)'" }.joined(separator: " and ")), but must have exactly one"
      )
    }
    let interaction = try of.interaction(pipeline)
    guard interaction.candidate.entity == entity.name else {
      throw of.mistake(
        "'\(interaction.name)' goes to '\(interaction.candidate.entity)', but must go to '\(entity.name)'",
        advice: "Name a kind of interaction whose candidates are '\(entity.name)'.")
    }
    self.name = name
    self.interaction = interaction.name
    if kind == "count_of" {
      for key in ["strength", "by"] {
        if let other = keys[key] {
          throw other.mistake("'\(other.path)' is only for 'shrunken_mean_of'", advice: "Remove this key.")
        }
      }
      measure = .count
      return
    }
    let strength = try setting.required("strength", in: keys).number()
    guard (0...1_000_000).contains(strength) else {
      throw setting.mistake("'\(setting.path).strength' must be a number from 0 to 1000000, not \(strength)")
    }
    var group: String?
    if let by = keys["by"] {
      let name = try by.text()
      let categories = entity.attributes.filter { $0.type == .category }.map(\.name)
      guard categories.contains(name) else {
        throw by.unknown(name, among: categories, called: "category attribute", of: entity.name)
      }
      group = name
    }
    measure = .shrunkenMean(strength: strength, group: group)
  }
}

extension Pipeline.Entity {
  /// The names of the attributes that may be shown or published, including computed ones, sorted.
  package var shownNames: [String] { (attributes.map(\.name) + computed.map(\.name)).sorted() }

  /// The names of all number attributes, including computed ones, sorted.
  package var numberNames: [String] {
    (attributes.filter { $0.type == .number }.map(\.name) + computed.map(\.name)).sorted()
  }

  package func computedAttribute(_ name: String) -> Pipeline.ComputedAttribute? {
    computed.first { $0.name == name }
  }
}
