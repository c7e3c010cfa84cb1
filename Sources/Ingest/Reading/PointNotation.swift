internal import Readers
internal import Text

/// Two coordinates in one field. The field contains a list of two numbers, such as the `coordinates` of
/// GeoJSON; a text such as `52.5,13.4`, `(52.5, 13.4)` or `[52.5, 13.4]`; or a text in WKT such as
/// `POINT(13.4 52.5)`. A third number, such as the height, is ignored.
enum PointNotation {
  /// Returns the first and the second number of `value`; `nil` if the value has another form. With `isWKT`,
  /// the value must be a text in WKT. Otherwise, it must be a list or a text that is not WKT.
  static func numbers(_ value: FieldValue, isWKT: Bool) -> (Double, Double)? {
    switch value {
    case .list(let list): isWKT ? nil : list.orderedTexts.flatMap(pair)
    case .text(let text): numbers(in: Array(copying: text.span), isWKT: isWKT)
    case .missing, .boolean, .integer, .number, .structure: nil
    }
  }

  static func numbers(in text: [UInt8], isWKT: Bool) -> (Double, Double)? {
    var body = text[...]
    if isWKT {
      // EWKT, the text form of PostGIS, can begin with the number of the coordinate system, which is ignored.
      if let end = body.firstIndex(of: UInt8(ascii: ";")), hasPrefix(body, "srid=") {
        body = body[(end + 1)...]
      }
      body = trimmed(body)
      guard hasPrefix(body, "point") else { return nil }
      body = trimmed(body.dropFirst("point".utf8.count))
      // `POINT Z` has a third number, the height.
      if hasPrefix(body, "z") { body = trimmed(body.dropFirst()) }
      guard body.first == UInt8(ascii: "(") else { return nil }
    }
    body = trimmed(body)
    let brackets = [(UInt8(ascii: "("), UInt8(ascii: ")")), (UInt8(ascii: "["), UInt8(ascii: "]"))]
    if let (_, close) = brackets.first(where: { $0.0 == body.first }) {
      guard body.count >= 2, body.last == close else { return nil }
      body = body.dropFirst().dropLast()
    }
    return pair(parts(of: body, isWKT: isWKT).map { Array($0) })
  }

  /// Returns the parts between commas, between semicolons or, if the text has neither, between spaces. A part
  /// can be empty, so that a missing coordinate is not replaced by the next number.
  private static func parts(of text: ArraySlice<UInt8>, isWKT: Bool) -> [ArraySlice<UInt8>] {
    let separators = ",;".utf8.filter { !isWKT && text.contains($0) }
    guard let separator = separators.first else { return text.split { $0 == UInt8(ascii: " ") || $0 == 9 } }
    return text.split(separator: separator, omittingEmptySubsequences: false).map(trimmed)
  }

  private static func pair(_ texts: [[UInt8]]) -> (Double, Double)? {
    guard (2...3).contains(texts.count) else { return nil }
    let numbers = texts.compactMap { parseNumber($0.span) }
    return numbers.count == texts.count ? (numbers[0], numbers[1]) : nil
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let spaces = " \t\r\n".utf8
    let start = text.drop { spaces.contains($0) }
    guard let last = start.lastIndex(where: { !spaces.contains($0) }) else { return [] }
    return start[...last]
  }

  /// Returns whether `text` begins with the lowercase word `prefix`, in any letter case.
  private static func hasPrefix(_ text: ArraySlice<UInt8>, _ prefix: String) -> Bool {
    text.count >= prefix.utf8.count
      && zip(text, prefix.utf8).allSatisfy { byte, letter in
        byte == letter || ((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == letter)
      }
  }
}
