/// CSV as bytes, appended field by field: RFC 4180, with LF at the end of rows.
///
/// The text is safe to open in a spreadsheet. A text that begins with `=`, `+`, `-`, `@` or an apostrophe
/// gets an apostrophe before it, so that a spreadsheet does not evaluate the text as a formula. Control
/// characters are escaped as in `ShownText`. Nightjar's own values, such as a score of -0.53, are not
/// escaped.
package struct CSVText: Sendable {
  package private(set) var bytes: [UInt8] = []
  private var isAtRowStart = true

  package init() {}

  /// Appends UTF-8 text from the data, escaped and quoted if necessary. `decoded` is the inverse for an
  /// unquoted field.
  package mutating func append(text: Span<UInt8>) {
    separate()
    if Self.isPlain(text) {
      bytes.append(text)
      return
    }
    let start = bytes.count
    if !text.isEmpty, Self.isGuarded(text[0]) { bytes.append(UInt8(ascii: "'")) }
    ShownText.append(text, to: &bytes)
    quote(from: start)
  }

  package mutating func append(text: String) {
    append(text: Array(text.utf8).span)
  }

  /// Appends one of Nightjar's own words, numbers or times without escapes. The field is quoted if necessary.
  package mutating func append(plain field: String) {
    separate()
    let start = bytes.count
    bytes.append(contentsOf: field.utf8)
    quote(from: start)
  }

  /// Appends an integer in the format of `String`.
  package mutating func append(integer value: Int) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: UInt64(value.magnitude), places: 0)
  }

  /// Appends the fields of `other`, which must not contain the end of a row.
  package mutating func append(fieldOf other: CSVText) {
    separate()
    bytes.append(other.bytes.span)
  }

  /// Appends the JSON number at `place` in `json`. An empty range gives an empty field.
  package mutating func append(numberIn json: JSONText, _ place: Range<Int>) {
    separate()
    bytes.append(json.bytes.span.extracting(place))
  }

  package mutating func endRow() {
    bytes.append(0x0A)
    isAtRowStart = true
  }

  /// Appends a header row of Nightjar's own column names.
  package mutating func append(header names: [String]) {
    for name in names { append(plain: name) }
    endRow()
  }

  /// The rows as text. No field contains a line break, because control characters are escaped.
  package var rows: [String] {
    bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    isAtRowStart = true
  }

  /// Returns the field that `append(text:)` writes for `text`.
  package static func field(_ text: [UInt8]) -> [UInt8] {
    var csv = CSVText()
    csv.append(text: text.span)
    return csv.bytes
  }

  /// Returns the original of a text that `append(text:)` wrote. `field` must already be unquoted.
  package static func decoded(_ field: [UInt8]) -> [UInt8] {
    ShownText.decoded(field.first == UInt8(ascii: "'") ? Array(field.dropFirst()) : field)
  }

  /// Returns whether `text` needs no apostrophe, escape or quotes. Nearly every id is such a text.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        continue
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
        if index == 0 { return false }
      default: return false
      }
    }
    return true
  }

  private static func isGuarded(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "'"): true
    // Some spreadsheets ignore a tab or CR before a formula. Both characters are escaped, so they
    // cannot precede a formula.
    default: false
    }
  }

  /// Quotes the field that starts at `start` if its content requires it.
  private mutating func quote(from start: Int) {
    var quotes = 0
    var needsQuotes = false
    for index in start..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        quotes += 1
        needsQuotes = true
      case UInt8(ascii: ","), 0x0A, 0x0D: needsQuotes = true
      default: continue
      }
    }
    guard needsQuotes else { return }
    let field = bytes[start...]
    var quoted: [UInt8] = []
    quoted.reserveCapacity(field.count + quotes + 2)
    quoted.append(UInt8(ascii: "\""))
    for byte in field {
      if byte == UInt8(ascii: "\"") { quoted.append(byte) }
      quoted.append(byte)
    }
    quoted.append(UInt8(ascii: "\""))
    bytes.replaceSubrange(start..., with: quoted)
  }

  private mutating func separate() {
    if !isAtRowStart { bytes.append(UInt8(ascii: ",")) }
    isAtRowStart = false
  }
}
