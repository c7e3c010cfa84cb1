import Testing

@testable import Text

/// The escapes of JSON strings. Each text begins after the backslash.
struct JSONEscapeTests {
  /// Returns the characters of the escape and the length of its text.
  private static func read(_ text: String) throws(JSONEscape.Flaw) -> (bytes: [UInt8], length: Int) {
    var (index, bytes) = (0, [UInt8]())
    try JSONEscape.append(Array(text.utf8).span, at: &index, to: &bytes)
    return (bytes, index)
  }

  private static func hexadecimal(_ unit: some BinaryInteger) -> String {
    let digits = String(unit, radix: 16, uppercase: unit.isMultiple(of: 2))
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  @Test(arguments: [
    ("\"", "\"", 1), ("\\x", "\\", 1), ("/", "/", 1), ("b", "\u{8}", 1), ("f", "\u{C}", 1), ("nn", "\n", 1),
    ("r", "\r", 1),
    ("t", "\t", 1), ("u0041", "A", 5), ("u00E9b", "é", 5), ("ud83d\\udc15x", "🐕", 11),
    ("uDBFF\\uDFFF", "\u{10FFFF}", 11), ("uD800\\uDC00", "\u{10000}", 11),
  ])
  func `an escape is read as its character`(text: String, character: String, length: Int) throws {
    let found = try Self.read(text)
    #expect(found.bytes == Array(character.utf8) && found.length == length)
  }

  @Test(
    arguments: [
      ("", .unterminated), ("x", .unknown), ("B", .unknown), ("0", .unknown), ("u", .unterminated),
      ("u004", .unterminated),
      ("u00g1", .unknown), ("u004:", .unknown), ("u/041", .unknown), ("u@041", .unknown), ("u`041", .unknown),
      ("uG041", .unknown),
      ("ud83d", .surrogate), ("ud83dx", .surrogate), ("ud83d\\", .surrogate), ("ud83d\\n", .surrogate),
      ("ud83dxu0041", .surrogate), ("ud83d\\xdc15", .surrogate), ("ud83d\\u0041", .surrogate),
      ("ud83d\\ud83d", .surrogate),
      ("ud83d\\udbff", .surrogate), ("ud83d\\ue000", .surrogate), ("ud83d\\udc1", .unterminated),
      ("udc15", .surrogate),
      ("udc15\\udc15", .surrogate), ("udc15\\u", .surrogate), ("udc15\\u00g0", .surrogate),
      ("udc00\\udc00", .surrogate), ("udfff\\udc00", .surrogate),
    ] as [(String, JSONEscape.Flaw)])
  func `a wrong escape has a fault`(text: String, flaw: JSONEscape.Flaw) {
    #expect(throws: flaw) { try Self.read(text) }
  }

  @Test func `every code unit is its character, or half of a pair`() throws {
    for unit in 0...0xFFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(unit) else { continue }
      guard try Self.read("u" + Self.hexadecimal(unit)).bytes == Array(String(scalar).utf8) else {
        Issue.record("\(unit)")
        return
      }
    }
    for value in stride(from: 0x10000, through: 0x10FFFF, by: 257) as StrideThrough<UInt32> {
      let text = String(try #require(Unicode.Scalar(value)))
      let escape = text.utf16.map { "\\u" + Self.hexadecimal($0) }.joined().dropFirst()
      guard try Self.read(String(escape)).bytes == Array(text.utf8) else {
        Issue.record("\(value)")
        return
      }
    }
  }
}
