import Foundation
import Testing

@testable import Text

@Suite struct JSONValueTests {
  @Test(
    arguments: [
      ("null", .null), ("true", .boolean(true)), ("false", .boolean(false)), ("0", .integer(0)),
      ("1", .integer(1)), ("-7", .integer(-7)), ("0.5", .number(0.5)), ("\"1\"", .string("1")),
      ("[]", .array([])), ("[null,[1]]", .array([.null, .array([.integer(1)])])), ("{}", .object([:])),
      ("{\"a\":null}", .object(["a": .null])),
    ] as [(String, JSONValue)])
  func `each kind of value round-trips`(text: String, value: JSONValue) throws {
    #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == value)
    let written = String(decoding: value.pretty, as: UTF8.self).filter { !$0.isWhitespace }
    #expect(written == text)
  }

  @Test(
    "whole numbers are integers, even if a Double would round them",
    arguments: [
      ("9007199254740991", .integer(9_007_199_254_740_991)),
      ("9007199254740993", .integer(9_007_199_254_740_993)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775807", .integer(.max)),
      ("1.0", .integer(1)), ("2e3", .integer(2000)), ("-0.0", .integer(0)),
      ("9223372036854775808", .number(0x1p63)), ("1e30", .number(1e30)),
    ] as [(String, JSONValue)])
  func wholeNumbers(text: String, value: JSONValue) throws {
    #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == value)
  }

  @Test func `only the matching kind of value has members, elements or a number`() {
    let object: JSONValue = ["a": 1, "b": .number(0.5), "c": 2]
    #expect(object["a"]?.integerValue == 1 && object["b"]?.integerValue == nil && object["d"] == nil)
    #expect(object["a"]?.numberValue == 1 && object["b"]?.numberValue == 0.5)
    #expect(object.total == 3 && JSONValue.integer(3).total == 0)
    #expect(JSONValue.array([1]).elements == [1] && object.elements.isEmpty)
    #expect(JSONValue.string("x").stringValue == "x" && JSONValue.null.stringValue == nil)
    #expect(JSONValue.null["a"] == nil && JSONValue.null.members.isEmpty)
  }
}
