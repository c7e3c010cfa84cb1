import Concurrency
import Foundation
import Testing
import TestSupport

@testable import Text

@Suite struct JSONTextTests {
  private func parsed(_ text: JSONText) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.bytes), options: .fragmentsAllowed)
  }

  @Test func `every control character round-trips and is escaped`() throws {
    for code in (0...0x20).map(UInt8.init) + [0x22, 0x2F, 0x5C, 0x7E, 0x7F] {
      var text = JSONText()
      text.append(string: [UInt8(ascii: "a"), code, UInt8(ascii: "b")].span)
      #expect(try parsed(text) as? String == "a\(Character(UnicodeScalar(code)))b", "\(code)")
      #expect(text.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `random Unicode round-trips scalar by scalar`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      var string = String.UnicodeScalarView()
      while string.count < 20 {
        let limit: UInt32 = [0x80, 0x800, 0x10000, 0x110000].randomElement(using: &random) ?? 0
        if let scalar = UnicodeScalar(UInt32.random(in: 0..<limit, using: &random)) { string.append(scalar) }
      }
      var text = JSONText()
      text.append(string: Array(String(string).utf8).span)
      let back = try #require(try parsed(text) as? String)
      #expect(Array(back.utf8) == Array(String(string).utf8))
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `random numbers round-trip with all their bits`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      var text = JSONText()
      text.append(number: value)
      // JSONSerialization is not used, because it loses bits of numbers on Linux.
      #expect(try JSONDecoder().decode(Double.self, from: Data(text.bytes)) == value)
      #expect(strtod(String(decoding: text.bytes, as: UTF8.self), nil).bitPattern == value.bitPattern)
    }
  }

  @Test(arguments: [
    (0.1, "0.1"), (1e16, "1e+16"), (.leastNonzeroMagnitude, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (.nan, "null"), (.infinity, "null"), (-.infinity, "null"),
  ]) func `a number is its shortest decimal, or null`(value: Double, expected: String) {
    var text = JSONText()
    text.append(number: value)
    #expect(String(decoding: text.bytes, as: UTF8.self) == expected)
  }

  @Test func `pieces are concatenated, and a text can be emptied`() throws {
    var text = JSONText()
    text.append(raw: "[")
    text.append(integer: .min)
    text.append(raw: ",")
    text.append(integer: .max)
    text.append(raw: ",")
    text.append(twelveDigits: 0.7761)
    text.append(raw: Array(",".utf8).span)
    text.append(string: Array("a\"".utf8).span)
    text.append(raw: "]")
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == #"[-9223372036854775808,9223372036854775807,0.7761,"a\""]"#)
    #expect(JSONText.quoted(Array("a\"".utf8)) == Array(#""a\"""#.utf8))
    text.removeAll()
    #expect(text.bytes.isEmpty)
  }
}
