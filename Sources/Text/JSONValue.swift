internal import Foundation

/// Any JSON value, for the parts of a manifest whose shape depends on the pipeline.
package enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package subscript(_ key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  package var integerValue: Int? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  /// The number as a Double; `nil` for any other value.
  package var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  package var stringValue: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The elements of an array; empty for any other value.
  package var elements: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  package var members: [String: JSONValue] {
    guard case .object(let members) = self else { return [:] }
    return members
  }

  /// The sum of the integers of an object; 0 for any other value.
  package var total: Int {
    members.values.reduce(0) { $0 + ($1.integerValue ?? 0) }
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }

  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(stringLiteral value: String) { self = .string(value) }

  package init(_ counts: [String: Int]) {
    self = .object(counts.mapValues { .integer($0) })
  }
}

extension JSONValue: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // The most frequent kinds come first, because each failed attempt creates an error.
    if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Double.self) {
      self = Self.number(value, in: container)
    } else if let value = try? container.decode([String: JSONValue].self) {
      self = .object(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if container.decodeNil() {
      self = .null
    } else {
      self = .array(try container.decode([JSONValue].self))
    }
  }

  /// Returns the number in `container`. `value` is this number as a Double. A whole number that fits in 64
  /// bits becomes an integer.
  ///
  /// Below 2^53, a Double represents each integer exactly. A larger number is decoded again, because the
  /// Double may be rounded.
  private static func number(_ value: Double, in container: any SingleValueDecodingContainer) -> JSONValue {
    if value.magnitude < 0x1p53 {
      return Int(exactly: value).map(JSONValue.integer) ?? .number(value)
    }
    return (try? container.decode(Int.self)).map(JSONValue.integer) ?? .number(value)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value):
      // A whole number is parsed as an integer, so it is written as an integer. Text that this function wrote
      // thus stays the same when it is parsed and written again.
      if let integer = Int(exactly: value) {
        try container.encode(integer)
      } else {
        try container.encode(value)
      }
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension JSONValue {
  /// The value with sorted keys, an indentation of two spaces and a final newline.
  package var pretty: [UInt8] { Self.encoded(self) }

  /// Returns `value` in the format of `pretty`. The value must not contain NaN or infinity, which JSON cannot
  /// express.
  package static func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(value)) + Array("\n".utf8)
    } catch {
      preconditionFailure("a value could not be encoded: \(error)")
    }
  }
}
