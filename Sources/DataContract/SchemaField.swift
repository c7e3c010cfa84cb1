internal import PipelineFile
internal import RunSchemas
internal import Text

/// One field of a Table Schema.
struct SchemaField {
  enum SchemaFieldType: String {
    case string, number, integer, boolean, datetime
    /// The type of tags and intervals in all formats except CSV and TSV. The value may be a list or a text.
    /// In a Realtime Database, tags may also be an object of flags.
    case any

    init(_ type: AttributeType, isDelimited: Bool) {
      switch type {
      case .tags, .intervals: self = isDelimited ? .string : .any
      case .date: self = .datetime
      case .category, .text: self = .string
      case .number: self = .number
      case .flag: self = .boolean
      }
    }
  }

  var name: String
  var kind: SchemaFieldType
  var descriptions: [String]
  var isRequired = false
  var isUnique = false
  /// The inclusive limits of a number; `nil` for no limit.
  var minimum: Double?
  var maximum: Double?
  /// The allowed values; `nil` if any value is allowed.
  var choices: [String]?

  mutating func limit(to range: ClosedRange<Double>) {
    minimum = max(minimum ?? range.lowerBound, range.lowerBound)
    maximum = min(maximum ?? range.upperBound, range.upperBound)
  }

  /// Adds the constraints of `other`, which describes the same field.
  mutating func merge(_ other: SchemaField) {
    // A field of the type `string` or `any` accepts every text, so the type of `other` replaces these types.
    if kind == .string || kind == .any {
      kind = other.kind
      choices = choices ?? other.choices
    }
    descriptions += other.descriptions
    isRequired = isRequired || other.isRequired
    isUnique = isUnique || other.isUnique
    if let lower = other.minimum { minimum = max(minimum ?? lower, lower) }
    if let upper = other.maximum { maximum = min(maximum ?? upper, upper) }
  }

  var json: JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(name), "type": .string(kind.rawValue),
      "description": .string(descriptions.joined(separator: " ")),
    ]
    switch kind {
    case .datetime: members["format"] = "any"
    case .boolean:
      // `parseFlag` accepts these texts in any letter case. The schema lists only the usual spellings.
      members["trueValues"] = .array(["true", "True", "TRUE", "1"])
      members["falseValues"] = .array(["false", "False", "FALSE", "0"])
    case .string, .number, .integer, .any: members["format"] = "default"
    }
    var constraints: [String: JSONValue] = [:]
    if isRequired { constraints["required"] = .boolean(true) }
    if isUnique { constraints["unique"] = .boolean(true) }
    if kind == .number || kind == .integer {
      if let minimum { constraints["minimum"] = .number(minimum) }
      if let maximum { constraints["maximum"] = .number(maximum) }
    }
    if kind == .string, let choices { constraints["enum"] = .array(choices.map(JSONValue.string)) }
    if !constraints.isEmpty { members["constraints"] = .object(constraints) }
    return .object(members)
  }
}
