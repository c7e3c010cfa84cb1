// How the pipeline file describes what an interaction is worth:
// `value: { from: status, map: { done: { from: stars }, no_show: 1, cancelled: ignore }, range: [1, 5], liked_from: 4 }`.

extension Pipeline {
  package struct ValueField: Hashable, Sendable {
    package var from: String
    /// The meanings of the field's texts; `nil` if the field holds the number itself.
    package var map: [String: Meaning]?
    /// The range of exported numbers, both ends inclusive.
    package var range: ClosedRange<Double>?
    /// The least value of a like, all below being passes; `nil`: above 0 is a like, under 0 a pass.
    package var likedFrom: Double?
    /// Whether of each pair's interactions the latest alone counts.
    package var isLatestOnly = false

    /// Whether some interactions that the snapshot holds do not count.
    package var hasEnded: Bool { isLatestOnly || (map?.values.contains(.takenBack) ?? false) }
  }

  /// The meaning of one text.
  package enum Meaning: Hashable, Sendable {
    case number(Double)
    /// The number in another field.
    case field(String)
    /// The row is no interaction.
    case ignored
    /// All that the pair had until then counts no more.
    case takenBack
  }
}

extension Pipeline.ValueField {
  /// The numbers that texts mean; `nil` without a map.
  package var numbers: [String: Double]? {
    map?.compactMapValues { if case .number(let number) = $0 { number } else { nil } }
  }

  /// All possible values; `nil` if the export contains numbers.
  package var knownValues: [Double]? {
    guard let map, let numbers, otherFields.isEmpty else { return nil }
    // If all rows are ignored, there is no value and none is needed. A retraction has the value NaN.
    let ended = map.values.contains(.takenBack) ? [Double.nan] : []
    return map.isEmpty ? nil : Array(numbers.values) + ended
  }

  /// The fields that hold numbers besides `from`, in ascending order.
  package var otherFields: [String] {
    Set((map ?? [:]).values.compactMap { if case .field(let name) = $0 { name } else { nil } }).sorted()
  }

  /// Whether it is known which values are likes. Of numbers that are all above 0, as stars are, everyone would be one.
  package var tellsLikes: Bool { likedFrom != nil || !(range.map { $0.lowerBound > 0 } ?? false) }

  init(_ setting: Setting) throws(PipelineFileError) {
    guard setting.isMapping else {
      from = try setting.text()
      return
    }
    let keys = try setting.mapping(keys: ["from", "map", "range", "liked_from", "latest"])
    from = try setting.required("from", in: keys).text()
    if let latest = keys["latest"] { isLatestOnly = try latest.boolean() }
    if let setting = keys["range"] { range = try setting.closedRange() }
    if let setting = keys["liked_from"] {
      let least = try setting.number()
      guard range?.contains(least) ?? true else {
        throw setting.mistake("\(setting.label) is \(least), which is outside of the range of values")
      }
      likedFrom = least
    }
    guard let mapping = keys["map"] else { return }
    var map: [String: Pipeline.Meaning] = [:]
    for (text, value, _) in try mapping.pairs() { map[text] = try Pipeline.Meaning(value, range) }
    guard !map.isEmpty else { throw mapping.mistake("'\(mapping.path)' maps nothing") }
    guard map.values.contains(where: { $0 != .takenBack }) else {
      throw mapping.mistake("'\(mapping.path)' only takes back, and nothing was done that could be")
    }
    self.map = map
  }
}

extension Pipeline.Meaning {
  fileprivate init(_ setting: Setting, _ range: ClosedRange<Double>?) throws(PipelineFileError) {
    if setting.isMapping {
      let keys = try setting.mapping(keys: ["from"])
      self = .field(try setting.required("from", in: keys).text())
      return
    }
    if (try? setting.text()) == "ignore" {
      self = .ignored
      return
    }
    if (try? setting.text()) == "taken_back" {
      self = .takenBack
      return
    }
    guard let number = try? setting.number() else {
      throw setting.mistake(
        "\(setting.label) must be a number, 'ignore', 'taken_back', or the field that holds the number: { from: FIELD }"
      )
    }
    guard range?.contains(number) ?? true else {
      throw setting.mistake("\(setting.label) is \(number), which is outside of the range of values")
    }
    self = .number(number)
  }
}

extension Pipeline.Interaction {
  /// Rejects, for the value at `setting`, interaction values that do not define which ones are likes.
  func requireLikes(_ setting: Setting) throws(PipelineFileError) {
    guard !value.tellsLikes else { return }
    throw setting.mistake(
      "'\(setting.path)' needs to know which '\(name)' are likes, and all their values are above 0",
      advice: "Add 'liked_from: NUMBER' to the value of '\(name)': the least value of a like.")
  }
}
