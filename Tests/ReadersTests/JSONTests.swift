import Foundation
import Testing
import TestSupport
import Text

@testable import Readers

@Suite struct JSONLinesTests {
  @Test func `each line is an object with any line end, and blank lines are skipped`() throws {
    let text = "\u{FEFF}{\"a\":\"x\"}\r\n\n \t\r\n{\"a\":1}\n{\"a\":2.5}"
    #expect(
      try read(text, .jsonl, ["a"]) == [
        .row(1, "x"), .row(4, 1), ReadRecord(number: 5, cells: [.number(2.5)]),
      ])
    #expect(try read("", .jsonl, ["a"]) == [])
  }

  @Test func `values of every kind are read`() throws {
    let text = #"{"t":"é\u00e9\n\"","i":-7,"n":1e3,"y":true,"o":{"x":1},"l":[1],"z":null,"e":""}"#
    #expect(
      try read(text, .jsonl, ["t", "i", "n", "y", "o", "l", "z", "e", "absent", "o.x"]) == [
        ReadRecord(
          number: 1,
          cells: [
            "éé\n\"", -7, .number(1000), .boolean(true), .structure, .structure, .missing, .missing, .missing,
            1,
          ])
      ])
  }

  @Test func `a path leads through objects, and a backslash escapes a dot in a key`() throws {
    let text = #"{"a.b":1,"a":{"b":2,"c.d":{"e\\":3}},"s":"x","a\u0000b":4}"#
    let fields = ["a.b", #"a\.b"#, #"a.c\.d.e\\"#, "s.t", "a.b.c", "a\u{0}b"]
    #expect(try read(text, .jsonl, fields) == [.row(1, 2, 1, 3, nil, nil, 4)])
  }

  @Test(arguments: ["", ".", "a.", ".a", "a..b", #"a\"#, #"a\b"#])
  func `a path with an empty key is rejected`(_ field: String) {
    #expect(failure("{}", .jsonl, [field])?.code == .badField)
  }

  @Test func `integers of any size are read`() throws {
    let text =
      #"{"a":9223372036854775807,"b":-9223372036854775808,"c":9223372036854775808,"d":-9223372036854775809,"#
      + #""e":123456789012345678901234567890,"f":"99999999999999999999","g":18446744073709551616}"#
    #expect(
      try read(text, .jsonl, ["a", "b", "c", "d", "e", "f", "g"]) == [
        ReadRecord(
          number: 1,
          cells: [
            .integer(.max), .integer(.min), .number(9_223_372_036_854_775_808),
            .number(-9_223_372_036_854_775_808),
            .number(1.2345678901234568e29), "99999999999999999999",
            .number(18_446_744_073_709_551_616),
          ])
      ])
  }

  @Test func `a bad line is a fault of that line`() throws {
    let lines = [
      #"{"a":1"#, #"{"a":1e999}"#, #"{"a":1}{"a":2}"#, "[1]", "7", #"{"a":NaN}"#,
      #"{"a":99999999999999999999x}"#,
      #"{"a":"99999999999999999999}"#, "{\"a\":\"tab\t\"}", #"{"a":2}"#,
    ]
    let records = try read(lines.joined(separator: "\n"), .jsonl, ["a"])
    #expect(
      records.map(\.rule) == [
        .badJSON, .numberOutOfRange, .badJSON, .notAnObject, .notAnObject, .badJSON, .badJSON, .badJSON,
        .badJSON, nil,
      ])
    #expect(records.dropLast().map(\.excerpt) == lines.dropLast())
    #expect(records.last == .row(10, 2))
  }

  @Test func `bytes that are not UTF-8 make only their line a fault`() throws {
    let bytes = Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}\n{\"a\":1}\n".utf8)
    let read = try ExportReader(bytes: bytes, name: "x", format: .jsonl, fields: ["a"]).all()
    #expect(read.records.map(\.rule) == [.badJSON, nil])
  }

  @Test(arguments: [
    (#"{"a":1,"a":2}"#, ["a"], "a"), (#"{"a":1,"\u0061":1}"#, ["a"], "a"),
    (#"{"o":{"b":1,"b":2}}"#, ["a", "o.b"], "o.b"), (#"{"o":{"b":1},"o":{}}"#, ["o.b"], "o.b"),
  ])
  func `a duplicate requested key is a fault`(
    _ text: String, _ fields: [String], _ named: String
  ) throws {
    for format in [ExportFormat.jsonl, .parse] {
      let records = try read(text, format, fields)
      #expect(records.map(\.rule) == [.duplicateKey])
    }
    try ExportReader(bytes: Array(text.utf8), name: "x", format: .jsonl, fields: fields)
      .forEachRecord { #expect($0.fault?.message.contains("'\(named)'") == true) }
  }

  @Test func `other keys may be duplicated`() throws {
    #expect(try read(#"{"a":1,"x":1,"x":2,"o":{"y":1,"y":2}}"#, .jsonl, ["a"]) == [.row(1, 1)])
  }

  @Test func `nesting beyond simdjson's limit is a named fault`() throws {
    let deep = { (levels: Int) in
      "{\"a\":" + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}"
    }
    #expect(try read(deep(1000), .jsonl, ["a"]) == [ReadRecord(number: 1, cells: [.structure])])
    var messages: [String] = []
    try ExportReader(bytes: Array(deep(2000).utf8), name: "x", format: .jsonl, fields: ["a"])
      .forEachRecord { messages.append($0.fault?.message ?? "") }
    #expect(messages.count == 1 && messages[0].contains("DEPTH_ERROR"))
  }

  @Test func `fields that no record has are reported with the nearest name`() throws {
    let text = "{\"userId\":1,\"z\":null}\n{\"loc\":{\"lat\":1},\"userId\":2}\n"
    let fields = ["userID", "z", "lok.lat", "loc.lat", "loc.lon"]
    let summary = try ExportReader(bytes: Array(text.utf8), name: "x", format: .jsonl, fields: fields).all()
      .summary
    #expect(summary.neverPresent == ["userID", "lok.lat", "loc.lon"])
    #expect(summary.namesSeen == ["userId", "z", "loc"])
    #expect(summary.nearestName(to: "userID") == "userId")
    #expect(summary.nearestName(to: "lok.lat") == "loc")
    #expect(summary.nearestName(to: "somethingElse") == nil)
    let none = try ExportReader(bytes: [], name: "x", format: .jsonl, fields: fields).all().summary
    #expect(none.neverPresent == [])
  }
}

@Suite struct JSONArrayTests {
  @Test func `elements are numbered from 1 with any white space`() throws {
    let text = "\u{FEFF} [\n{\"a\":\"]}\\\"\\\\\"} , {\"a\":[{\"b\":\"[\"}]},{},7,\r\n null,\"x\"\t] \n"
    #expect(
      try read(text, .json, ["a"]) == [
        .row(1, #"]}"\"#), ReadRecord(number: 2, cells: [.structure]), .row(3, nil),
        .fault(4, .notAnObject, "7"), .fault(5, .notAnObject, "null"), .fault(6, .notAnObject, "\"x\""),
      ])
    #expect(try read("[]", .json, ["a"]) == [])
  }

  @Test(arguments: [
    "[", "[{}", "[{},", "[{},]", "[,{}]", "[{} {}]", "[{}]]", "[{}] x", "[{\"a\":[}]", "[{\"a\":1]",
    "[{\"a\":\"]",
    "[{\"a\":\"\\\"}]", "[{\"a\":tru}]", "[{\"a\" 1}]", "[}]", "[:]", "[{}:{}]",
    "[{}\u{B}]", "",
    "[{\"a\":1,}]", "[\u{0}]",
  ])
  func `a file that is not JSON is an error`(_ text: String) {
    #expect(failure(text, .json, ["a"])?.code == .badJSON)
    #expect(validateJSON(Array(text.utf8)) != nil)
  }

  @Test func `an element that cannot be represented is a fault of that element`() throws {
    let deep = String(repeating: "[", count: 1100) + String(repeating: "]", count: 1100)
    let values: [(String, RecordFault.Rule)] = [
      ("1e999", .numberOutOfRange), ("-1e999", .numberOutOfRange), (#""\ud83d""#, .loneSurrogate),
      (#""\udd1e""#, .loneSurrogate), (#""\ud834\ud834""#, .loneSurrogate), (#""\ud834x""#, .loneSurrogate),
      (#""\q""#, .badJSON), (#""\u12g4""#, .badJSON), ("01", .badJSON), ("1.", .badJSON), ("-", .badJSON),
      ("[1e999, 01]", .badJSON), (deep, .nestingTooDeep),
    ]
    for (value, rule) in values {
      let records = try read("[{\"a\":\(value)},{\"a\":1}]", .json, ["a"])
      #expect(records.map(\.rule) == [rule, nil], "\(value.prefix(40))")
      #expect(records.map(\.number) == [1, 2])
    }
  }

  @Test func `an error contains the element and the byte`() throws {
    let error = try #require(failure("[{\"a\":1},\n {\"a\":nope}]", .json, ["a"]))
    #expect(error.place == .element(2, byte: 11))
    #expect(error.description.contains("N_ATOM_ERROR"))
    #expect(failure("[{}\n,\n{}", .json, ["a"])?.place == .byte(8, line: 3))
  }

  @Test(arguments: [("{\"a\":1}", "an object"), ("7", "a number"), ("\"[]\"", "a string"), ("null", "null")])
  func `another kind of value is named`(_ text: String, _ kind: String) throws {
    let error = try #require(failure(text, .json, ["a"]))
    #expect(error.code == .wrongShape)
    #expect(error.reason.contains(kind))
  }

  @Test func `bytes that are not UTF-8 are an error of the file`() {
    let bytes = Array("[\n{\"a\":\"é".utf8) + [0xC3, 0x28] + Array("\"}]".utf8)
    for chunk in [1, 2, 3, 5, 16] {
      let error = Outcome(bytes, .json, ["a"], ExportOptions(), chunk: chunk).error
      #expect(error?.code == .invalidUTF8)
      #expect(error?.place == .byte(10, line: 2), "\(chunk) bytes at a time")
    }
  }

  @Test func `a file truncated at any byte is an error, never a trap`() {
    let bytes = Array(#"[{"a":"é\n","b":{"c":[1,true]}}, {"a":"x\\"}]"#.utf8)
    #expect(failure(bytes: bytes, .json, ["a"]) == nil)
    for end in 0..<bytes.count {
      #expect([.badJSON, .invalidUTF8].contains(failure(bytes: Array(bytes[..<end]), .json, ["a"])?.code))
    }
  }
}

@Suite(.enabled(if: SharedData.exists("third-party/nasty/JSONTestSuite"), "needs ../shared/data"))
struct JSONTestSuiteTests {
  static let files: [URL] = {
    let folder = SharedData.url("third-party/nasty/JSONTestSuite/test_parsing")
    let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (all ?? []).sorted { $0.path < $1.path }
  }()

  /// Reads a file. `Data(contentsOf:)` is not used, because it leaks memory on an empty file and
  /// fails runs under the leak sanitizer.
  static func contents(_ file: URL) throws -> [UInt8] {
    var window = ByteWindow(try FileBytes(file.path), file: file.path, checksUTF8: false, capacity: 1 << 20)
    try window.move(to: 0)
    return Array(copying: window.bytes.extracting(0..<window.count))
  }

  @Test func `y files are JSON, n files are not, and i files do not trap`() throws {
    var counts: [Character: Int] = [:]
    for file in Self.files {
      let bytes = try Self.contents(file)
      let verdict = validateJSON(bytes)
      let kind = try #require(file.lastPathComponent.first)
      counts[kind, default: 0] += 1
      if kind == "y" { #expect(verdict == nil, "\(file.lastPathComponent)") }
      if kind == "n" { #expect(verdict != nil, "\(file.lastPathComponent)") }
    }
    #expect(counts["y", default: 0] >= 95 && counts["n", default: 0] >= 188)
  }

  /// The reader splits the array itself. It must accept the same texts as simdjson.
  @Test func `an array is read without an error if and only if it is JSON`() throws {
    for file in Self.files {
      let bytes = try Self.contents(file)
      let error = failure(bytes: bytes, .json, ["a"])
      guard validateJSON(bytes) == nil else {
        #expect(error != nil || hasBadElement(bytes), "\(file.lastPathComponent)")
        continue
      }
      #expect(error == nil || error?.code == .wrongShape, "\(file.lastPathComponent)")
      // The same must hold for any JSON value inside an element.
      let wrapped = Array("[{\"a\":".utf8) + bytes + Array("},{\"a\":1}]".utf8)
      #expect(failure(bytes: wrapped, .json, ["a"]) == nil, "\(file.lastPathComponent)")
    }
  }
}
