import Concurrency
import Foundation
import Testing

@testable import ServingStore

@Suite struct `The user's id in a line of a list` {
  private struct Document: Decodable {
    var user: String
  }

  private func id(_ line: String) throws -> [UInt8] {
    var id: [UInt8] = [1, 2, 3]
    try ListLine.first(.user, of: Array(line.utf8).span, into: &id)
    return id
  }

  @Test(arguments: [
    (#"{"user":"u17","recommendations":[]}"#, "u17"),
    (#"{"user":"u17"}"#, "u17"),
    (#"{"user":"\"\\\/\b\f\n\r\t","x":1}"#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#"{"user":"\u0041\u00e9\u20AC\u0000","x":1}"#, "A\u{E9}\u{20AC}\u{0}"),
    (#"{"user":"\ud83d\uDE00!","x":1}"#, "\u{1F600}!"),
    (#"{"user":"\udbff\udfff","x":1}"#, "\u{10FFFF}"),
    (#"{"user":"\ud7ff\ue000","x":1}"#, "\u{D7FF}\u{E000}"),
    (#"{"user":"é😀","x":1}"#, "\u{E9}\u{1F600}"),
    (#"{"user":"}","x":1}"#, "}"),
  ])
  func `is unescaped`(line: String, expected: String) throws {
    #expect(try id(line) == Array(expected.utf8))
  }

  @Test(arguments: [
    ("", ListLine.Flaw.start), ("{", .start), (#"{"user":"#, .start), (#"{"user":17}"#, .start),
    (#"{ "user":"u"}"#, .start), (#"{"users":"u"}"#, .start), (#"{"user":"u""}"#, .start),
    (#"{"user":"u"x}"#, .start), (#"{"user":"u","a":1"#, .end), (#"{"user":"u"} "#, .end),
    (#"{"user":"u}"#, .unterminated), (#"{"user":"u\"}"#, .unterminated), (#"{"user":"\u00}"#, .unterminated),
    (#"{"user":""}"#, .empty), ("{\"user\":\"a\u{1}\"}", .control), ("{\"user\":\"a\tb\"}", .control),
    (#"{"user":"\x41"}"#, .escape), (#"{"user":"\u00g1","x":1}"#, .escape), (#"{"user":"\U0041"}"#, .escape),
    (#"{"user":"\u+123","x":1}"#, .escape), (#"{"user":"\ud83d","x":1}"#, .surrogate),
    (#"{"user":"\ud83dx","x":1}"#, .surrogate), (#"{"user":"\ude00","x":1}"#, .surrogate),
    (#"{"user":"\ud83d\n","x":1}"#, .surrogate), (#"{"user":"\ud83d\u0041","x":1}"#, .surrogate),
    (#"{"user":"\ud83d\ud83d","x":1}"#, .surrogate),
  ])
  func `is rejected if the line is malformed`(line: String, flaw: ListLine.Flaw) {
    #expect(throws: flaw) { try id(line) }
  }

  @Test(
    arguments: [
      (#"{"key":"Cork","id":"r1"}"#, "Cork", nil), (#"{"key":"\u00e9"}"#, "\u{E9}", nil),
      (#"{"user":"Cork"}"#, nil, .start), (#"{"key":"}"#, nil, .unterminated), (#"{"key":""}"#, nil, .empty),
      (#"{"key":"x""#, nil, .end), (#"{"key":"#, nil, .start),
    ] as [(String, String?, ListLine.Flaw?)])
  func `is a key in a line of a catalog`(line: String, key: String?, flaw: ListLine.Flaw?) {
    var id: [UInt8] = []
    var found: ListLine.Flaw?
    do throws(ListLine.Flaw) {
      try ListLine.first(.key, of: Array(line.utf8).span, into: &id)
    } catch {
      found = error
    }
    #expect(found == flaw)
    if let key { #expect(id == Array(key.utf8)) }
  }

  @Test func `no prefix of a line is accepted as a line`() throws {
    let line = Array(#"{"user":"\ud83d\ude00\n","recommendations":[],"shortfall":null}"#.utf8)
    for count in line.indices {
      let prefix = String(decoding: line[..<count], as: UTF8.self)
      #expect(throws: ListLine.Flaw.self) { try id(prefix) }
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `equals a JSON decoder's result for any escapes`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var escaped = ""
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let value = [0x80, 0x800, 0x1_0000, 0x11_0000].randomElement(using: &random) ?? 0x80
      guard let scalar = Unicode.Scalar(UInt32.random(in: 0..<UInt32(value), using: &random)) else {
        continue
      }
      if Bool.random(using: &random) || scalar.value < 0x20 || scalar == "\"" || scalar == "\\" {
        for unit in String(scalar).utf16 { escaped += "\\u" + String(format: "%04x", Int(unit)) }
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    escaped += "u"
    let line = "{\"user\":\"\(escaped)\",\"recommendations\":[]}"
    let decoded = try JSONDecoder().decode(Document.self, from: Data(line.utf8))
    #expect(try id(line) == Array(decoded.user.utf8))
  }
}
