internal import Readers
internal import RunSchemas

// Reads `only` and `for`: `[active, not smoker, { pets: [cat, dog] }, { tags: { not: [loud] } }, { price: {
// at_most: 500 } }]`.

extension Setting {
  /// The maximum number of conditions. The limit exists because the funnel counts each condition separately.
  private static let mostConditions = 100

  /// Reads conditions on attributes of `entity`: `FLAG`, `not FLAG`, words of categories and tags, and bounds
  /// of numbers and dates. A single condition counts as a list of one.
  func conditions(on entity: Pipeline.Entity) throws(PipelineFileError) -> [Pipeline.Condition] {
    var conditions: [Pipeline.Condition] = []
    for element in isSequence ? try elements() : [self] {
      for condition in try element.conditionsHere(on: entity) {
        guard !conditions.contains(where: condition.isSame) else {
          throw element.mistake(
            "\(element.label) repeats an earlier condition", advice: "Remove one of the two.")
        }
        guard !conditions.contains(where: condition.excludes) else {
          throw element.mistake(
            "\(element.label) contradicts an earlier condition, so no row of '\(entity.name)' meets both",
            advice: "Remove one of the two.")
        }
        conditions.append(condition)
      }
    }
    guard conditions.count <= Self.mostConditions else {
      throw mistake("\(label) must have at most \(Self.mostConditions) conditions, not \(conditions.count)")
    }
    return conditions
  }

  private func conditionsHere(on entity: Pipeline.Entity) throws(PipelineFileError) -> [Pipeline.Condition] {
    guard isMapping else {
      let (name, isNegated) = try flag(of: entity)
      return [isNegated ? .notFlagged(name) : .flagged(name)]
    }
    var conditions: [Pipeline.Condition] = []
    for (name, value, key) in try pairs() {
      switch entity.typeOfCondition(name) {
      case .category, .tags:
        let (words, isNegated) = try value.words(of: entity.attribute(name)?.names)
        conditions.append(isNegated ? .noneOf(name, words) : .oneOf(name, words))
      case .number: conditions.append(.within(name, try value.bounds(areDates: false)))
      case .date: conditions.append(.within(name, try value.bounds(areDates: true)))
      case .flag:
        throw value.mistake(
          "'\(name)' in \(label) is a flag, so it must not have a value",
          advice: "Write '\(name)' or 'not \(name)' without braces.", at: key)
      case .text, .intervals, nil:
        throw value.unknownKey(
          name, at: key, among: entity.conditionNames,
          called: "category, tags, number or date attribute", of: entity.name)
      }
    }
    guard !conditions.isEmpty else {
      throw mistake("\(label) names no attribute", advice: "Write { ATTRIBUTE: VALUE }.")
    }
    return conditions
  }

  /// Reads `FLAG` or `not FLAG`.
  private func flag(of entity: Pipeline.Entity) throws(PipelineFileError) -> (name: String, isNegated: Bool) {
    switch try flagExclusion(of: entity) {
    case .flagged(let name): (name, false)
    case .notFlagged(let name): (name, true)
    default: preconditionFailure("a flag was read as another exclusion")
    }
  }

  /// Reads `WORD`, `[WORD, ...]` or `{ not: [WORD, ...] }`. If a category has `names`, each synonym means its
  /// canonical name.
  private func words(
    of names: Pipeline.CanonicalNames?
  ) throws(PipelineFileError) -> (words: [String], isNegated: Bool) {
    guard isMapping else { return (try plainWords(of: names), false) }
    return (try required("not", in: mapping(keys: ["not"])).plainWords(of: names), true)
  }

  private func plainWords(of names: Pipeline.CanonicalNames?) throws(PipelineFileError) -> [String] {
    var words: [String] = []
    for element in isSequence ? try elements() : [self] {
      let text = try element.text()
      guard let word = names == nil ? text : names?.name(of: text) else {
        throw element.unknown(text, among: names?.all ?? [], called: "name")
      }
      words.append(word)
    }
    guard !words.isEmpty else { throw mistake("\(label) names no word", advice: "Name at least one word.") }
    return words
  }

  /// Reads `{ at_least: VALUE, at_most: VALUE }` with one or both keys, inclusive.
  private func bounds(areDates: Bool) throws(PipelineFileError) -> ClosedRange<Double> {
    let keys = try boundSettings()
    var (least, most) = (-Double.infinity, Double.infinity)
    if let bound = keys["at_least"] { least = try bound.bound(isDate: areDates) }
    if let bound = keys["at_most"] { most = try bound.bound(isDate: areDates) }
    guard least <= most else {
      throw mistake(
        "in \(label), 'at_least' is above 'at_most', so no value meets both",
        advice: "Exchange the two bounds, or correct one of them.")
    }
    return least...most
  }

  /// Reads a number or a date. A date becomes milliseconds since 1970 UTC, which a Double represents exactly.
  private func bound(isDate: Bool) throws(PipelineFileError) -> Double {
    isDate ? Double(try date()) : try number()
  }

  /// Reads `{ at_least: ..., at_most: ... }`, and returns the settings of the keys.
  func boundSettings() throws(PipelineFileError) -> [String: Setting] {
    guard isMapping else {
      throw mistake(
        "\(label) must be one or two bounds in braces",
        advice: "Write { at_least: ... }, { at_most: ... }, or { at_least: ..., at_most: ... }.")
    }
    let keys = try mapping(keys: ["at_least", "at_most"])
    guard !keys.isEmpty else {
      throw mistake("\(label) has neither 'at_least' nor 'at_most'", advice: "Add one or both.")
    }
    return keys
  }

  /// Reads a date or a time as milliseconds since 1970 UTC. A date means its start in UTC.
  private func date() throws(PipelineFileError) -> Int64 {
    let text = try text()
    // As in exports, a number is not a date.
    guard Double(text) == nil, let moment = parseInstant(Array(text.utf8).span) else {
      throw mistake(
        "\(label) is '\(text)', but must be a date such as 2026-12-01 or a time such as 2026-12-01T18:00:00Z"
      )
    }
    return moment
  }
}

extension Pipeline.Entity {
  /// Returns the type of the attribute `name`, which may be computed, or `nil` if the attribute does not
  /// exist.
  func typeOfCondition(_ name: String) -> AttributeType? {
    attribute(name)?.type ?? computedAttribute(name).map { _ in .number }
  }

  /// The names of the attributes that a condition in braces may use, sorted.
  var conditionNames: [String] {
    let types: [AttributeType] = [.category, .tags, .date]
    return (attributes.filter { types.contains($0.type) }.map(\.name) + numberNames).sorted()
  }
}
