import Concurrency
import Foundation
import Testing

@testable import Text

/// Text from data, with escaped control sequences.
struct ShownTextTests {
  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Escapes scalar by scalar.
  private static func slow(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    var shown = ""
    for (index, scalar) in scalars.enumerated() {
      let tail = scalars[(index + 1)...].prefix(5)
      let isEscape =
        scalar == "\\" && tail.first == "u" && tail.count == 5
        && tail.dropFirst().allSatisfy { $0.isASCII && Character($0).isHexDigit }
      if isEscape || isEscaped(scalar) {
        let digits = String(scalar.value, radix: 16)
        shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// Texts of pieces that are nearly escapes, or nearly control characters.
  private static func random(_ random: inout SplitMix64) -> String {
    let pieces = [
      "\\", "u", "\\u", "\\n", "00", "1b", "9F", "g", "0", "a", " ", "\u{1B}", "\n", "\u{1F}", " ", "~",
      "\u{7F}",
      "\u{80}", "\u{9F}", "\u{A0}", "\u{BF}", "é", "\u{2027}", "\u{2028}", "\u{202E}", "\u{202F}", "\u{2065}",
      "\u{2066}", "\u{2069}", "\u{206A}", "\u{20AC}", "日", "🐕",
    ]
    return (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
    }
    .joined()
  }

  @Test func `every character up to U+2100 is encoded as by the slow implementation`() throws {
    for value in (0...0x2100 as ClosedRange<UInt32>) {
      let text = String(try #require(Unicode.Scalar(value)))
      #expect(Array(ShownText.encoded(text).utf8) == Array(Self.slow(text).utf8), "\(value)")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `texts have the form of a slow implementation, and decode to themselves`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let text = Self.random(&random)
      let shown = ShownText.encoded(text)
      #expect(Array(shown.utf8) == Array(Self.slow(text).utf8))
      #expect(ShownText.decoded(Array(shown.utf8)) == Array(text.utf8))
    }
  }

  @Test(arguments: [
    ("\\u0041", "A"), ("\\u00e9\\u65E5", "é日"), ("\\x0041", "\\x0041"), ("u0041", "u0041"),
    ("\\u004", "\\u004"),
    ("\\u00g1", "\\u00g1"), ("\\ud800", "\\ud800"), ("\\u005cu0041", "\\u0041"), ("a\\", "a\\"),
  ])
  func `an escape decodes to its character, and other text is unchanged`(shown: String, text: String) {
    #expect(ShownText.decoded(Array(shown.utf8)) == Array(text.utf8))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `JSON keeps its value and has no control character`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let texts = (0..<20).map { _ in Self.random(&random) }
    let json = try JSONEncoder().encode(texts)
    var bytes: [UInt8] = []
    ShownText.append(json: Array(json).span, to: &bytes)
    let decoded = try JSONDecoder().decode([String].self, from: Data(bytes))
    #expect(decoded.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    #expect(!String(decoding: bytes, as: UTF8.self).unicodeScalars.contains(where: Self.isEscaped))
  }
}
