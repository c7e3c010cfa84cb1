internal import RunSchemas

// Reads `expect: { ... }` of an entity, or of a kind of check-in, interaction or request.

/// The names that `expect` may refer to.
struct ExpectedNames {
  /// The name of the source, for messages.
  var owner: String
  var unique: [String]
  var ranges: [String]
  /// The names for `missing_at_most`; `nil` if this key is not allowed. The key has no use if every row
  /// without a value is rejected.
  var missing: [String]?
  /// Whether rows have a time. `newest_at_most` is allowed only for such rows.
  var hasTime: Bool

  static func entity(_ entity: Pipeline.Entity) -> ExpectedNames {
    let attributes = entity.attributes.map(\.name)
    let hasPosition = entity.hasPosition
    return ExpectedNames(
      owner: entity.name, unique: attributes,
      ranges: entity.attributes.filter { $0.type == .number }.map(\.name)
        + (hasPosition ? ["latitude", "longitude"] : []),
      missing: attributes + (hasPosition ? ["position"] : []),
      hasTime: entity.created != nil || entity.updated != nil)
  }

  /// Returns the names for check-ins and requests. Expectations on attributes of check-ins belong to the
  /// entity.
  static func events(_ name: String) -> ExpectedNames {
    ExpectedNames(owner: name, unique: [], ranges: [], missing: nil, hasTime: true)
  }

  static func interaction(_ name: String) -> ExpectedNames {
    ExpectedNames(
      owner: name, unique: ["user", "candidate", "at", "value"], ranges: ["value"], missing: nil,
      hasTime: true)
  }
}

extension Pipeline.Expectations {
  init(_ setting: Setting, _ names: ExpectedNames) throws(PipelineFileError) {
    self.init()
    let keys = try setting.mapping(
      keys: ["rows", "newest_at_most", "complete"]
        + (names.unique.isEmpty && names.missing == nil ? [] : ["unique", "range"])
        + (names.missing == nil ? [] : ["missing_at_most"]))
    if let rows = keys["rows"] { try readRows(rows) }
    if let complete = keys["complete"] {
      let keys = try complete.mapping(keys: ["marker", "rows_in"])
      marker = try keys["marker"]?.fileName()
      rowsIn = try keys["rows_in"]?.fileName()
    }
    if let newest = keys["newest_at_most"] {
      newestAtMost = try newest.duration()
      guard names.hasTime else {
        throw newest.mistake(
          "'\(newest.path)' needs a time, but '\(names.owner)' has neither 'created' nor 'updated'",
          advice: "Add one of them, or remove the expectation.")
      }
    }
    for element in try keys["unique"]?.elements() ?? [] {
      let set = try element.uniqueNames(names)
      guard !unique.contains(set) else {
        throw element.mistake(
          "\(element.label) repeats an earlier entry", advice: "Remove one of the two.")
      }
      unique.append(set)
    }
    for (name, range, key) in try keys["range"]?.pairs() ?? [] {
      guard names.ranges.contains(name) else {
        throw range.unknownKey(
          name, at: key, among: names.ranges, called: "number attribute", of: names.owner)
      }
      ranges[name] = try range.closedRange()
    }
    for (name, share, key) in try keys["missing_at_most"]?.pairs() ?? [] {
      let valid = names.missing ?? []
      guard valid.contains(name) else {
        throw share.unknownKey(name, at: key, among: valid, called: "attribute", of: names.owner)
      }
      missingAtMost[name] = try share.share()
    }
  }

  private mutating func readRows(_ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["at_least", "at_most", "drop_at_most", "grow_at_most"])
    atLeast = try keys["at_least"]?.integer(0...Int.max)
    atMost = try keys["at_most"]?.integer(0...Int.max)
    dropAtMost = try keys["drop_at_most"]?.share()
    growAtMost = try keys["grow_at_most"]?.share(atMost: 1_000_000)
    if let atLeast, let atMost, atLeast > atMost {
      throw setting.mistake(
        "'\(setting.path)' expects at least \(atLeast) and at most \(atMost) rows, which is impossible",
        advice: "Correct one of the two.")
    }
  }
}

extension Setting {
  /// Reads an entry of `unique`: one name, or a list of names that are unique together.
  fileprivate func uniqueNames(_ names: ExpectedNames) throws(PipelineFileError) -> [String] {
    var set: [String] = []
    for element in isSequence ? try elements() : [self] {
      let name = try element.text()
      guard names.unique.contains(name) else {
        throw element.unknown(name, among: names.unique, called: "attribute", of: names.owner)
      }
      guard !set.contains(name) else {
        throw element.mistake("'\(name)' occurs twice in \(label)", advice: "Remove one of them.")
      }
      set.append(name)
    }
    guard !set.isEmpty else {
      throw mistake("\(label) names no attribute", advice: "Name at least one attribute.")
    }
    return set
  }

  /// Reads the name or the path of a file.
  fileprivate func fileName() throws(PipelineFileError) -> String {
    let text = try text()
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw mistake("\(label) must name a file", advice: "Write the name or the path of the file.")
    }
    return text
  }

  /// Reads `[LOWEST, HIGHEST]`, both inclusive.
  func closedRange() throws(PipelineFileError) -> ClosedRange<Double> {
    let bounds = try elements()
    guard bounds.count == 2 else {
      throw mistake("\(label) must be [lowest, highest], not a list of length \(bounds.count)")
    }
    let (low, high) = (try bounds[0].number(), try bounds[1].number())
    guard low <= high else {
      throw mistake("\(label) is [\(low), \(high)], but must start with the lower bound")
    }
    return low...high
  }
}
