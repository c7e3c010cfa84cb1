internal import Columns
internal import RunSchemas

// Conditions on candidates that are the same for all users: `only: [active, { category: [plumbing, electrics]
// }, { price: { at_most: 500 } }]` and `free_within: 7d`. Conditions on users: `for: [{ role: [investor] }]`.
// `ConditionSettings.swift` reads `only` and `for`; this file reads `free_within` and `not_over`.

extension Pipeline {
  /// A condition that a candidate must meet to be listed, or that a user must meet to have a list.
  package enum Condition: Hashable, Sendable {
    /// The flag is set.
    case flagged(String)
    /// The flag is false, or the export has no value for it.
    case notFlagged(String)
    /// The category or tags attribute has one of the words.
    case oneOf(String, [String])
    /// The category or tags attribute has none of the words. A row without any word meets this condition.
    case noneOf(String, [String])
    /// The number or date is known and in the range. The number may be computed; a date is in milliseconds
    /// since 1970 UTC.
    case within(String, ClosedRange<Double>)
    /// An interval of the attribute ends after the as-of time, and begins less than `within` milliseconds
    /// after the as-of time.
    case free(String, within: Int64)
    /// The category is known, or the row has at least one tag.
    case known(String)
    /// The first known date of the attributes is not before the as-of time. A row without a known date does
    /// not meet this condition.
    case notOver([String])

    /// The name under which the funnel counts candidates that do not meet the condition.
    package var name: String {
      switch self {
      case .flagged(let name): "not " + name
      case .notFlagged(let name): name
      case .oneOf(let name, _): "other " + name
      case .noneOf(let name, _): "unwanted " + name
      case .within(let name, _): "out of bounds: " + name
      case .free(let name, _): "not in time: " + name
      case .known(let name): "no " + name
      case .notOver(let names): "over: " + names.joined(separator: ", ")
      }
    }

    /// Returns whether both conditions are equal. Words are compared as bytes, and their order makes no
    /// difference.
    func isSame(as other: Self) -> Bool {
      switch (self, other) {
      case (.oneOf(let left, let words), .oneOf(let right, let others)),
        (.noneOf(let left, let words), .noneOf(let right, let others)):
        left == right && Self.bytes(words) == Self.bytes(others)
      default: self == other
      }
    }

    private static func bytes(_ words: [String]) -> Set<[UInt8]> { Set(words.map { Array($0.utf8) }) }

    /// Returns whether the conditions contradict each other, so that no row can meet both. Two `oneOf`
    /// conditions on the same attribute never count as a contradiction.
    func excludes(_ other: Self) -> Bool {
      switch (self, other) {
      case (.flagged(let left), .notFlagged(let right)), (.notFlagged(let left), .flagged(let right)):
        left == right
      case (.within(let left, let range), .within(let right, let others)):
        left == right && !range.overlaps(others)
      case (.oneOf(let left, let words), .noneOf(let right, let others)),
        (.noneOf(let right, let others), .oneOf(let left, let words)):
        left == right && Self.bytes(words).isSubset(of: Self.bytes(others))
      default: false
      }
    }
  }
}

extension Setting {
  /// Reads `7d` if `candidates` have one attribute of intervals, or `{ from: ATTRIBUTE, within: 7d }`.
  func freeWithin(_ candidates: Pipeline.Entity) throws(PipelineFileError) -> Pipeline.Condition {
    let names = candidates.attributes.filter { $0.type == .intervals }.map(\.name)
    if isMapping {
      let keys = try mapping(keys: ["from", "within"])
      let from = try required("from", in: keys)
      let name = try from.text()
      guard names.contains(name) else {
        throw from.unknown(name, among: names, called: "intervals attribute", of: candidates.name)
      }
      return .free(name, within: try required("within", in: keys).duration())
    }
    guard let name = names.first, names.count == 1 else {
      throw mistake(
        names.isEmpty
          ? "'\(path)' needs intervals, but '\(candidates.name)' has no attribute of type 'intervals'"
          : "'\(path)' must name one of the attributes of type 'intervals': \(names.joined(separator: ", "))",
        advice: names.isEmpty
          ? "Add one, or remove '\(path)'." : "Write { from: \(names[0]), within: ... }.")
    }
    return .free(name, within: try duration())
  }

  /// Reads `DATE` or `[DATE, DATE, ...]`. Each date is an attribute of `candidates`, and the first known date
  /// decides.
  func notOver(_ candidates: Pipeline.Entity) throws(PipelineFileError) -> Pipeline.Condition {
    let dates = candidates.attributes.filter { $0.type == .date }.map(\.name)
    var names: [String] = []
    for element in isSequence ? try elements() : [self] {
      let name = try element.text()
      guard dates.contains(name) else {
        throw element.unknown(name, among: dates, called: "date attribute", of: candidates.name)
      }
      guard !names.contains(name) else {
        throw element.mistake("'\(name)' occurs twice in \(label)", advice: "Remove one of them.")
      }
      names.append(name)
    }
    guard !names.isEmpty else {
      throw mistake("\(label) names no date", advice: "Name a date attribute of '\(candidates.name)'.")
    }
    return .notOver(names)
  }

  /// Reads the name of a category or tags attribute of `candidates`.
  func categoryOrTags(of candidates: Pipeline.Entity) throws(PipelineFileError) -> String {
    let name = try text()
    let valid = candidates.attributes.filter { $0.type == .category || $0.type == .tags }.map(\.name)
    guard valid.contains(name) else {
      throw unknown(name, among: valid, called: "category or tags attribute", of: candidates.name)
    }
    return name
  }

  /// Reads the name of a number attribute of `entity`. Computed attributes are rejected.
  func number(of entity: Pipeline.Entity) throws(PipelineFileError) -> String {
    let name = try text()
    let numbers = entity.attributes.filter { $0.type == .number }.map(\.name)
    guard numbers.contains(name) else {
      throw unknown(name, among: numbers, called: "number attribute", of: entity.name)
    }
    return name
  }
}
