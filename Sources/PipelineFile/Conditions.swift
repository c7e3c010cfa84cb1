internal import Tables

// Conditions on candidates, the same for all users: `only: [active, { category: [plumbing, electrics] }]` and
// `free_within: 7d`. And on users: `for: [{ role: [investor] }]`.

extension Pipeline {
  /// What a candidate must be like to stand on any list, or a user to have one.
  package enum Condition: Hashable, Sendable {
    /// A flag is set.
    case flagged(String)
    /// An attribute, a category or tags, has one of some words.
    case oneOf(String, [String])
    /// An interval begins before the as-of time and so many milliseconds, and ends after the as-of time.
    case free(String, within: Int64)
    /// A category is known.
    case known(String)
    /// The first of some dates that is known is not before the as-of time.
    case notOver([String])

    /// What the funnel calls those who do not meet it; no flag is called so.
    package var name: String {
      switch self {
      case .flagged(let name): "not " + name
      case .oneOf(let name, _): "other " + name
      case .free(let name, _): "not in time: " + name
      case .known(let name): "no " + name
      case .notOver(let names): "over: " + names.joined(separator: ", ")
      }
    }
  }
}

extension Setting {
  /// `[FLAG, { ATTRIBUTE: [WORD, ...] }]`, of `entity`; one of these alone stands for a list of it.
  func conditions(on entity: Pipeline.Entity) throws(PipelineFileError) -> [Pipeline.Condition] {
    let flags = entity.attributes.filter { $0.type == .flag }.map(\.name)
    let worded = entity.attributes.filter { $0.type == .category || $0.type == .tags }.map(\.name)
    var conditions: [Pipeline.Condition] = []
    for element in isSequence ? try elements() : [self] {
      guard element.isMapping else {
        let name = try element.text()
        guard flags.contains(name) else {
          throw element.unknown(name, among: flags, called: "flag of '\(entity.name)'")
        }
        conditions.append(.flagged(name))
        continue
      }
      for (name, words, key) in try element.pairs() {
        guard worded.contains(name) else {
          throw words.unknownKey(
            name, at: key, among: worded, called: "category or tags of '\(entity.name)'")
        }
        var chosen: [String] = []
        for word in words.isSequence ? try words.elements() : [words] { chosen.append(try word.text()) }
        guard !chosen.isEmpty else { throw words.mistake("\(words.label) names no word") }
        conditions.append(.oneOf(name, chosen))
      }
    }
    return conditions
  }

  /// `7d` where `candidates` have one attribute of intervals, or `{ from: ATTRIBUTE, within: 7d }`.
  func freeWithin(_ candidates: Pipeline.Entity) throws(PipelineFileError) -> Pipeline.Condition {
    let names = candidates.attributes.filter { $0.type == .intervals }.map(\.name)
    if isMapping {
      let keys = try mapping(keys: ["from", "within"])
      let from = try required("from", in: keys)
      let name = try from.text()
      guard names.contains(name) else {
        throw from.unknown(name, among: names, called: "intervals of '\(candidates.name)'")
      }
      return .free(name, within: try required("within", in: keys).duration())
    }
    guard let name = names.first, names.count == 1 else {
      throw mistake(
        names.isEmpty
          ? "'\(path)' needs intervals, and '\(candidates.name)' has none"
          : "'\(path)' must say which of \(names.joined(separator: ", ")) is meant",
        advice: names.isEmpty
          ? "Add an attribute of type 'intervals' to it." : "Write { from: \(names[0]), within: ... }.")
    }
    return .free(name, within: try duration())
  }

  /// `DATE` of `candidates`, or `[DATE, DATE, ...]`, of which the first that is known counts.
  func notOver(_ candidates: Pipeline.Entity) throws(PipelineFileError) -> Pipeline.Condition {
    let dates = candidates.attributes.filter { $0.type == .date }.map(\.name)
    var names: [String] = []
    for element in isSequence ? try elements() : [self] {
      let name = try element.text()
      guard dates.contains(name) else {
        throw element.unknown(name, among: dates, called: "date of '\(candidates.name)'")
      }
      guard !names.contains(name) else { throw element.mistake("'\(name)' stands twice") }
      names.append(name)
    }
    guard !names.isEmpty else { throw mistake("\(label) names no date") }
    return .notOver(names)
  }

  /// The name of a category of `candidates`.
  func category(of candidates: Pipeline.Entity) throws(PipelineFileError) -> String {
    let name = try text()
    let categories = candidates.attributes.filter { $0.type == .category }.map(\.name)
    guard categories.contains(name) else {
      throw unknown(name, among: categories, called: "category of '\(candidates.name)'")
    }
    return name
  }

  /// The name of a number of `entity` that its exports tell.
  func number(of entity: Pipeline.Entity) throws(PipelineFileError) -> String {
    let name = try text()
    let numbers = entity.attributes.filter { $0.type == .number }.map(\.name)
    guard numbers.contains(name) else {
      throw unknown(name, among: numbers, called: "number of '\(entity.name)'")
    }
    return name
  }
}
