import Concurrency
import Foundation
import Testing
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

/// Returns the bytes of a field with the content `text`, without its quotes.
private func field(_ text: String) -> [UInt8] {
  var csv = CSVText()
  csv.append(text: text)
  csv.endRow()
  let rows = plainCSV(csv.bytes)
  guard rows.count == 1, let fields = rows.first, fields.count == 1 else {
    Issue.record("\(text.debugDescription) is \(rows.count) rows")
    return []
  }
  return fields[0]
}

/// Expects that `field` contains no formula for a spreadsheet and no control sequence, and that
/// decoding it gives `text`.
private func expectHarmless(_ field: [UInt8], _ text: String) {
  let shown = String(decoding: field, as: UTF8.self)
  if let first = shown.unicodeScalars.first { #expect(!"=+-@\t\r".unicodeScalars.contains(first), "\(text)") }
  for scalar in shown.unicodeScalars {
    let isTurning = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    #expect(
      scalar.properties.generalCategory != .control && scalar != "\u{2028}" && scalar != "\u{2029}"
        && !isTurning, "\(text)")
  }
  #expect(CSVText.decoded(field) == Array(text.utf8))
  #expect(Array(unguarded(shown).utf8) == Array(text.utf8), "the other decoder must give the same text")
}

@Suite struct CSVTextTests {
  private static let pieces = [
    "a", "é", "\"", ",", "\n", "\r", "\r\n", " ", "\t", "🐕", "", "\0", "=1+1", "+", "-", "@", "'", "\\", "u",
    "001b",
    "\\u001b", "\\u005c", "\u{1B}[2J", "\u{7F}", "\u{80}", "\u{9F}", "\u{A0}", "\u{2027}", "\u{2028}",
    "\u{202A}",
    "\u{202E}", "\u{202F}", "\u{2065}", "\u{2066}", "\u{2069}", "\u{206A}", "D800", "\\uD800", "\\uFFFF", "0",
    "9F",
  ]

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `another parser reads a table back`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let columns = Int.random(in: 1...5, using: &random)
    let table = (0..<Int.random(in: 1...20, using: &random)).map { _ in
      (0..<columns).map { _ in
        (0..<Int.random(in: 0...6, using: &random))
          .map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
      }
    }
    var text = CSVText()
    for row in table {
      for field in row { text.append(text: field) }
      text.endRow()
    }
    let found = plainCSV(text.bytes)
    #expect(found.map(\.count) == table.map(\.count))
    for (field, text) in zip(found.joined(), table.joined()) { expectHarmless(field, text) }
  }

  @Test(.enabled(if: SharedData.exists("third-party/nasty/blns/blns.json")))
  func `every naughty string is safe and round-trips`() throws {
    let data = try Data(contentsOf: SharedData.url("third-party/nasty/blns/blns.json"))
    let strings = try JSONDecoder().decode([String].self, from: data)
    #expect(strings.count > 500)
    for string in strings { expectHarmless(field(string), string) }
  }

  @Test func `every character is safe and round-trips, alone and between others`() {
    for code in 0...0xFFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(code), code < 0x3000 || code % 97 == 0 else { continue }
      for text in [String(scalar), "x\(scalar)001b", "\\\(scalar)"] { expectHarmless(field(text), text) }
    }
  }

  @Test(arguments: [0, 9, 10, -1, 123_456, .max, .min])
  func `an integer is written unchanged`(value: Int) {
    var text = CSVText()
    text.append(integer: value)
    text.append(integer: 7)
    text.endRow()
    #expect(String(decoding: text.bytes, as: UTF8.self) == "\(value),7\n")
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("-2", "'-2"), ("'x", "''x"), ("@a", "'@a"), ("a=1", "a=1"), ("\t=1", #"\u0009=1"#),
    ("a\r\nb", #"a\u000d\u000ab"#), (#"C:\users"#, #"C:\users"#), (#"\u001b"#, #"\u005cu001b"#),
    (#"\u001"#, #"\u001"#), (#"\\"#, #"\\"#), ("\u{202E}abc", #"\u202eabc"#), ("\u{85}", #"\u0085"#),
  ]) func `texts have their CSV form`(text: String, expected: String) {
    #expect(String(decoding: field(text), as: UTF8.self) == expected)
  }

  @Test(arguments: [
    (["a", "b"], "a,b\n"), (["", ""], ",\n"), (["a,b"], "\"a,b\"\n"), (["a\"b"], "\"a\"\"b\"\n"),
    (["=\""], "\"'=\"\"\"\n"), ([" a "], " a \n"),
  ]) func `only fields that need quotes have them`(row: [String], expected: String) {
    var text = CSVText()
    for field in row { text.append(text: field) }
    text.endRow()
    #expect(String(decoding: text.bytes, as: UTF8.self) == expected)
  }

  @Test func `plain text is unchanged`() {
    var text = CSVText()
    text.append(header: ["a", "b"])
    text.append(plain: "-0.53")
    text.append(plain: "+1,5")
    text.endRow()
    #expect(String(decoding: text.bytes, as: UTF8.self) == "a,b\n-0.53,\"+1,5\"\n")
  }

  @Test func `a new row starts after all rows are removed`() {
    var text = CSVText()
    text.append(text: "a")
    text.removeAll()
    text.append(text: "b")
    text.endRow()
    #expect(text.bytes == Array("b\n".utf8))
  }
}
