import Concurrency
import Foundation
import Testing

@testable import Readers

private func number(_ text: String) -> Double? { parseNumber(Array(text.utf8).span) }
private func integer(_ text: String) -> Int64? { parseInteger(Array(text.utf8).span) }
private func flag(_ text: String) -> Bool? { parseFlag(Array(text.utf8).span) }

@Suite struct ParseNumberTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", -0.0), ("+12", 12), ("1.5", 1.5), (".5", 0.5), ("5.", 5), ("1e3", 1000),
      ("1E-3", 0.001), ("0.0000000000000000001", 1e-19), ("0000000000000000000000001.5", 1.5),
      ("9999999999999999999", 1e19), ("99999999999999999999", 1e20),
      ("18446744073709551617", 18446744073709551616),
      ("1e+3", 1000), ("00012", 12), ("0.1", 0.1), ("123456789012345678", 123456789012345680),
      ("9007199254740993", 9007199254740992), ("1e22", 1e22), ("1e23", 1e23),
      ("8.988465674311580e307", 8.98846567431158e307),
      ("1.7976931348623157e308", .greatestFiniteMagnitude), ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0),
      ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown),
      ("0e99999999999999999999", 0), ("0.000000000000000000000000000001e30", 1),
    ] as [(String, Double)])
  func `numbers are rounded to the nearest double`(_ text: String, _ value: Double) {
    #expect(number(text)?.bitPattern == value.bitPattern)
  }

  @Test(arguments: [
    "", " ", " 1", "1 ", "+", "-", ".", "-.", "e5", "1e", "1e+", "1e5.", "1..2", "1.2.3", "0x10", "nan",
    "NaN", "inf",
    "Infinity", "1,000", "1,5", "1_000", "--1", "+-1", "1e400", "-1e400", "1\u{0}", "١", "1f", "1e5x", "12x",
  ])
  func `invalid numbers are rejected`(_ text: String) {
    #expect(number(text) == nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `random decimals equal the standard library's`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func digits(_ range: ClosedRange<Int>) -> String {
      (0..<Int.random(in: range, using: &random)).map { _ in String(random.next() % 10) }.joined()
    }
    for _ in 0..<2000 {
      var text = ["", "-", "+"][Int(random.next() % 3)] + digits(1...20)
      if Bool.random(using: &random) { text += "." + digits(1...20) }
      if Bool.random(using: &random) { text += "e" + ["", "-", "+"][Int(random.next() % 3)] + digits(1...2) }
      let expected = Double(text)
      #expect(number(text)?.bitPattern == expected?.bitPattern, "\(text)")
    }
  }

  @Test func `every double's shortest form round-trips`() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      if value.isFinite { #expect(number("\(value)")?.bitPattern == value.bitPattern) }
    }
  }

  @Test func `numbers with thousands of digits are read`() {
    #expect(number("0." + String(repeating: "0", count: 5000) + "1e5001") == 1)
    #expect(number(String(repeating: "9", count: 400)) == nil)
    #expect(number("1" + String(repeating: "0", count: 5000) + "e-5000") == 1)
  }
}

@Suite struct ParseIntegerTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("+7", 7), ("007", 7), ("9223372036854775807", .max),
      ("-9223372036854775808", .min),
    ] as [(String, Int64)])
  func `integers of up to 64 bits are read`(_ text: String, _ value: Int64) {
    #expect(integer(text) == value)
  }

  @Test(arguments: [
    "", "-", "+", "1.0", "1e3", " 1", "1 ", "9223372036854775808", "-9223372036854775809", "0x1", "1-",
  ])
  func `invalid integers are rejected`(_ text: String) {
    #expect(integer(text) == nil)
  }

  @Test(arguments: [
    ("true", true), ("TRUE", true), ("True", true), ("1", true), ("false", false), ("fAlSe", false),
    ("0", false), ("t", true), ("F", false), ("y", true), ("N", false), ("Yes", true), ("NO", false),
    ("on", true), ("Off", false),
  ])
  func `flags are read`(_ text: String, _ value: Bool) {
    #expect(flag(text) == value)
  }

  @Test(arguments: [
    "", "ja", "x", "2", "01", "true ", "-1", "\u{14}RUE", "\u{14}", "\u{11}", "\u{10}", "1.0", "of", "ye",
  ])
  func `invalid flags are rejected`(_ text: String) {
    #expect(flag(text) == nil)
  }
}

@Suite struct FieldValueTests {
  private func values(
    _ field: String, lists: [String: String] = [:], _ check: (FieldValue) -> Void
  ) throws {
    let reader = try ExportReader(
      bytes: Array("{\"a\":\(field)}".utf8), name: "x", format: .jsonl, fields: ["a"], lists: lists)
    try reader.forEachRecord { check($0[0]) }
  }

  @Test(
    arguments: [
      ("1", 1, 1, 1, true), ("0", 0, 0, 0, false), ("5.0", 5, 5, 5, nil), ("-2.5", -2.5, nil, -3, nil),
      ("\"7\"", 7, 7, 7, nil), ("true", nil, nil, nil, true), ("null", nil, nil, nil, nil),
      ("[1]", nil, nil, nil, nil),
      ("\"1970-01-01\"", nil, nil, 0, nil), ("1e300", 1e300, nil, nil, nil), ("\"\"", nil, nil, nil, nil),
      ("9223372036854775807", 9223372036854775808, .max, nil, nil),
    ] as [(String, Double?, Int64?, Int64?, Bool?)])
  func `JSON and text give the same scalars`(
    _ field: String, _ number: Double?, _ integer: Int64?, _ instant: Int64?, _ flag: Bool?
  ) throws {
    try values(field) { value in
      #expect(value.number == number)
      #expect(value.integer == integer)
      #expect(value.instant() == instant)
      #expect(value.flag == flag)
      #expect(value.isMissing == (field == "null" || field == "\"\""))
    }
    // An element of a list is the same instant.
    try values("[\(field)]", lists: ["a": ";"]) { value in
      guard case .list(let list) = value, case .scalar(let scalar)? = list.elements.first else {
        // A null is no element, and a list in a list is a structure.
        #expect(field == "null" || field == "[1]")
        return
      }
      #expect(scalar.instant == instant)
    }
  }

  @Test func `only the caller distinguishes seconds from milliseconds`() throws {
    try values("1700000000") { #expect($0.moment(unit: .seconds)?.milliseconds == 1_700_000_000_000) }
    try values("1700000000") { #expect($0.instant() == 1_700_000_000) }
    try values("1700000000.1239") { #expect($0.moment(unit: .seconds)?.milliseconds == 1_700_000_000_123) }
    try values("\"1700000000\"") { #expect($0.moment(unit: .seconds)?.milliseconds == 1_700_000_000_000) }
    try values("9007199254740993") { #expect($0.moment(unit: .seconds)?.milliseconds == nil) }
  }

  @Test func `text can be copied, compared and cut`() throws {
    try values("\"caf\u{E9}s\"") { value in
      guard case .text(let text) = value else {
        Issue.record("not text")
        return
      }
      #expect(text.count == 6)
      #expect(text.string == "caf\u{E9}s")
      #expect(text.bytes == Array("caf\u{E9}s".utf8))
      // The macro cannot take a view as an argument.
      let equal = ["caf\u{E9}s", "cafe\u{301}s", "caf\u{E9}", "caf\u{E9}ss"].map { text.equals($0) }
      #expect(equal == [true, false, false, false])
      #expect(text.excerpt(limit: 4) == "caf…")
      #expect(text.excerpt() == "caf\u{E9}s")
    }
  }
}
