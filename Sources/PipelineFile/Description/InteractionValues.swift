// The value of an interaction: `value: { from: status, map: { done: { from: stars }, no_show: 1, cancelled:
// ignore }, range: [1, 5], liked_from: 4 }`.

extension Pipeline {
  package struct ValueField: Hashable, Sendable {
    /// The field with the value; empty if `constant` is set.
    package var from: String
    /// The value of every row, for exports without a field for the value; `nil` if a field contains the
    /// value.
    package var constant: Double?
    /// The meanings of the field's texts; `nil` if the field holds the number itself.
    package var map: [String: Meaning]?
    /// The range of exported numbers, inclusive.
    package var range: ClosedRange<Double>?
    /// The minimum value of a like; smaller values are passes. If `nil`, positive values are likes and
    /// negative values are passes.
    package var likedFrom: Double?
    /// Whether only the latest interaction of each pair counts.
    package var isLatestOnly = false

    /// Whether the snapshot may contain interactions that no longer count.
    package var hasEnded: Bool { isLatestOnly || (map?.values.contains(.takenBack) ?? false) }
  }

  /// The meaning of one text in the value's field.
  package enum Meaning: Hashable, Sendable {
    case number(Double)
    /// The value is the number in another field.
    case field(String)
    /// The row is not an interaction.
    case ignored
    /// The earlier interactions of the pair no longer count.
    case takenBack
  }
}

extension Pipeline.ValueField {
  /// The numbers to which the texts map; `nil` if the field has no map.
  package var numbers: [String: Double]? {
    map?.compactMapValues { if case .number(let number) = $0 { number } else { nil } }
  }

  /// All possible values: the constant, or the values of the map. The result is `nil` if there is neither a
  /// constant nor a map, or if numbers come from fields. NaN represents the value of `takenBack`.
  package var knownValues: [Double]? {
    if let constant { return [constant] }
    guard let map, let numbers, otherFields.isEmpty else { return nil }
    // If the map ignores all rows, the result is empty. Rows that take interactions back have the value NaN.
    return Array(numbers.values) + (map.values.contains(.takenBack) ? [.nan] : [])
  }

  /// The fields besides `from` that hold numbers, sorted.
  package var otherFields: [String] {
    Set((map ?? [:]).values.compactMap { if case .field(let name) = $0 { name } else { nil } }).sorted()
  }

  /// Whether the values distinguish likes from passes. If `range` is above 0, as for stars, and `likedFrom`
  /// is `nil`, every interaction would be a like.
  package var definesLikes: Bool { likedFrom != nil || !(range.map { $0.lowerBound > 0 } ?? false) }

  /// The greatest absolute value of `constant`. Much greater numbers would overflow in a fit.
  private static let greatestConstant = 1e6

  init(_ setting: Setting) throws(PipelineFileError) {
    guard setting.isMapping else {
      from = try setting.text()
      return
    }
    let keys = try setting.mapping(keys: ["from", "map", "range", "liked_from", "latest", "constant"])
    if let constant = keys["constant"] {
      if let other = ["from", "map", "range"].compactMap({ keys[$0] }).first {
        throw other.mistake(
          "'\(other.path)' has no effect, because 'constant' sets the value of every row",
          advice: "Remove this key.")
      }
      from = ""
      let value = try constant.number()
      guard abs(value) <= Self.greatestConstant else {
        throw constant.mistake(
          "\(constant.label) is \(value), but must be between -\(Self.greatestConstant) and \(Self.greatestConstant)",
          advice: "Write 1 for a like, and -1 for a pass.")
      }
      self.constant = value
    } else {
      from = try setting.required("from", in: keys).text()
    }
    if let latest = keys["latest"] { isLatestOnly = try latest.boolean() }
    if let setting = keys["range"] { range = try setting.closedRange() }
    if let setting = keys["liked_from"] {
      let least = try setting.number()
      if let range, !range.contains(least) {
        throw setting.mistake(
          "\(setting.label) is \(least), which is outside the range of the value, \(range.lowerBound) to \(range.upperBound)"
        )
      }
      likedFrom = least
    }
    guard let mapping = keys["map"] else { return }
    var map: [String: Pipeline.Meaning] = [:]
    for (text, value, _) in try mapping.pairs() { map[text] = try Pipeline.Meaning(value, range) }
    guard !map.isEmpty else {
      throw mapping.mistake(
        "'\(mapping.path)' is empty", advice: "Map at least one text, or remove 'map'.")
    }
    guard map.values.contains(where: { $0 != .takenBack }) else {
      throw mapping.mistake(
        "'\(mapping.path)' contains only 'taken_back', so the source has no interactions to take back",
        advice: "Map at least one text to a number.")
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
    if let range, !range.contains(number) {
      throw setting.mistake(
        "\(setting.label) is \(number), which is outside the range of the value, \(range.lowerBound) to \(range.upperBound)"
      )
    }
    self = .number(number)
  }
}

extension Pipeline.Interaction {
  /// Rejects the setting if the interaction's values do not define likes.
  func requireLikes(_ setting: Setting) throws(PipelineFileError) {
    guard !value.definesLikes else { return }
    throw setting.mistake(
      "'\(setting.path)' needs likes, but all values of '\(name)' are above 0, so likes and passes cannot be distinguished",
      advice: "Add 'liked_from: NUMBER', the lowest value of a like, to the value of '\(name)'.")
  }
}
