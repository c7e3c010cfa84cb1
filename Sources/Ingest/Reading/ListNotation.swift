/// A list in the text of one field, as databases and programs write it into CSV files:
///
/// - a PostgreSQL array: `{en,"fr, be",NULL}`
/// - a JSON array: `["en","fr, be",null]`
/// - a Python list: `['en', 'fr, be', None]`
///
/// In all notations, an element can also lack quotes: `{en}`, `[en, 7]`.
struct ListNotation {
  private let text: [UInt8]
  private var index = 0
  private let end: Int
  private let isPostgreSQL: Bool

  /// Returns the elements of the list in `text`, without nulls. The result is `nil` if the text is not a
  /// complete list in one of the notations, or if an element is a list.
  static func elements(_ text: [UInt8]) -> [[UInt8]]? {
    guard var list = Self(text) else { return nil }
    return list.elements()
  }

  private init?(_ text: [UInt8]) {
    guard let first = text.firstIndex(where: { !Self.isSpace($0) }),
      let last = text.lastIndex(where: { !Self.isSpace($0) }), first < last
    else { return nil }
    switch (text[first], text[last]) {
    case (UInt8(ascii: "{"), UInt8(ascii: "}")): isPostgreSQL = true
    case (UInt8(ascii: "["), UInt8(ascii: "]")): isPostgreSQL = false
    default: return nil
    }
    self.text = text
    (index, end) = (first + 1, last)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r")
  }

  private mutating func skipSpaces() {
    while index < end, Self.isSpace(text[index]) { index += 1 }
  }

  private mutating func elements() -> [[UInt8]]? {
    var elements: [[UInt8]] = []
    while true {
      skipSpaces()
      // The list is empty, or a comma precedes the closing bracket, which Python allows.
      if index == end { return elements }
      let byte = text[index]
      if byte == UInt8(ascii: "\"") || (byte == UInt8(ascii: "'") && !isPostgreSQL) {
        index += 1
        guard let element = quoted(by: byte) else { return nil }
        elements.append(element)
      } else {
        guard let element = bare() else { return nil }
        if !isNull(element) { elements.append(element) }
      }
      skipSpaces()
      if index == end { return elements }
      guard text[index] == UInt8(ascii: ",") else { return nil }
      index += 1
    }
  }

  /// Returns the element without quotes that begins at `index`, without the spaces after it. The result is
  /// `nil` if there is no valid element.
  private mutating func bare() -> [UInt8]? {
    var element: [UInt8] = []
    while index < end, text[index] != UInt8(ascii: ",") {
      let byte = text[index]
      // A bracket or a quote inside a bare word means that the text is not a list.
      if #"[]{}""#.utf8.contains(byte) { return nil }
      if byte == UInt8(ascii: "\\"), isPostgreSQL {
        index += 1
        guard index < end else { return nil }
      }
      element.append(text[index])
      index += 1
    }
    while let last = element.last, Self.isSpace(last) { element.removeLast() }
    // Before the comma, an element is absent.
    return element.isEmpty ? nil : element
  }

  private func isNull(_ element: [UInt8]) -> Bool {
    let lower = element.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    return lower.elementsEqual("null".utf8)
      || (!isPostgreSQL && (lower.elementsEqual("none".utf8) || lower.elementsEqual("nan".utf8)))
  }

  /// Returns the element up to the closing `quote`. The result is `nil` if the closing quote is absent or an
  /// escape sequence is invalid.
  private mutating func quoted(by quote: UInt8) -> [UInt8]? {
    var element: [UInt8] = []
    while index < end {
      let byte = text[index]
      index += 1
      if byte == quote { return element }
      guard byte == UInt8(ascii: "\\") else {
        element.append(byte)
        continue
      }
      guard index < end else { return nil }
      let escaped = text[index]
      index += 1
      if isPostgreSQL {
        element.append(escaped)
      } else {
        guard let bytes = character(escaped) else { return nil }
        element += bytes
      }
    }
    return nil
  }

  /// Returns the character of an escape sequence in a JSON or Python string, as UTF-8; `nil` if the sequence
  /// is invalid. `escaped` is the byte after the backslash.
  private mutating func character(_ escaped: UInt8) -> [UInt8]? {
    switch escaped {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [escaped]
    case UInt8(ascii: "n"): return [UInt8(ascii: "\n")]
    case UInt8(ascii: "t"): return [UInt8(ascii: "\t")]
    case UInt8(ascii: "r"): return [UInt8(ascii: "\r")]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "x"): return hexadecimal(2).flatMap(Self.utf8)
    case UInt8(ascii: "u"): return unit().flatMap(Self.utf8)
    default: return nil
    }
  }

  /// Returns the code point of `\uXXXX`. If this is a high surrogate, the low surrogate must follow.
  private mutating func unit() -> UInt32? {
    guard let high = hexadecimal(4) else { return nil }
    guard (0xD800..<0xDC00).contains(high) else { return high }
    guard index + 1 < end, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else {
      return nil
    }
    index += 2
    guard let low = hexadecimal(4), (0xDC00..<0xE000).contains(low) else { return nil }
    return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
  }

  private mutating func hexadecimal(_ digits: Int) -> UInt32? {
    guard index + digits <= end else { return nil }
    let written = String(decoding: text[index..<index + digits], as: UTF8.self)
    // `UInt32(_:radix:)` also accepts a sign.
    let number = written.allSatisfy(\.isHexDigit) ? UInt32(written, radix: 16) : nil
    index += digits
    return number
  }

  private static func utf8(_ code: UInt32) -> [UInt8]? {
    Unicode.Scalar(code).map { Array(String(Character($0)).utf8) }
  }
}
