/// JSON as bytes, appended piece by piece. For files of a million lines, this type is much faster than an
/// encoder.
package struct JSONText: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Appends punctuation, keys and other text that is already JSON.
  package mutating func append(raw text: StaticString) {
    text.withUTF8Buffer { text in
      // Commas and brackets occur tens of millions of times in lists, so calls that copy memory would
      // dominate the cost.
      if text.count == 1 { unsafe bytes.append(text[0]) } else { unsafe bytes.append(contentsOf: text) }
    }
  }

  /// Appends `text`, which must be UTF-8, as a JSON string.
  ///
  /// Escapes the characters that RFC 8259 requires (quote, backslash, U+0000 to U+001F) and U+007F. Other
  /// characters are unchanged.
  package mutating func append(string text: Span<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    if Self.isPlain(text) {
      bytes.append(text)
      bytes.append(UInt8(ascii: "\""))
      return
    }
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: append(raw: "\\n")
      case 0x0D: append(raw: "\\r")
      case 0x09: append(raw: "\\t")
      case 0..<0x20, 0x7F:
        append(raw: "\\u00")
        bytes += [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends the shortest decimal that parses to `value`; `null` if it is not finite.
  package mutating func append(number value: Double) {
    if value.isFinite { bytes.append(contentsOf: value.description.utf8) } else { append(raw: "null") }
  }

  /// Appends a number rounded to one decimal; `null` if it is not finite. After rounding, a negative number,
  /// or a number of at least 1e14, has the format of `append(number:)`.
  package mutating func append(tenths value: Double) {
    let tenths = (value * 10).rounded()
    guard tenths >= 0, tenths < 1e15 else { return append(number: tenths / 10) }
    bytes.append(decimal: UInt64(tenths), places: 1)
  }

  /// Appends a positive number with at most twelve significant digits.
  package mutating func append(twelveDigits value: Double) {
    bytes.append(twelveDigits: value)
  }

  package mutating func append(integer value: Int) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: UInt64(value.magnitude), places: 0)
  }

  /// Appends text that is already JSON.
  package mutating func append(raw text: Span<UInt8>) {
    bytes.append(text)
  }

  /// Returns whether `text` needs no escape. Nearly every id is such a text.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      let byte = text[index]
      if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        return false
      }
    }
    return true
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

extension JSONText {
  /// Returns `text`, which must be UTF-8, as a JSON string with quotes.
  package static func quoted(_ text: [UInt8]) -> [UInt8] {
    var quoted = JSONText()
    quoted.append(string: text.span)
    return quoted.bytes
  }
}
