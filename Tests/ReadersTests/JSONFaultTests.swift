import Testing

@testable import Readers

/// A record must have the same fault in every JSON format.
@Suite struct JSONFaultTests {
  private static let deep = String(repeating: "[", count: 1030) + String(repeating: "]", count: 1030)
  private static let values: [(String, RecordFault.Rule)] = [
    ("1e999", .numberOutOfRange), ("-1e309", .numberOutOfRange), ("[1e400]", .numberOutOfRange),
    (#""\ud83d""#, .loneSurrogate), (#""\udc00x""#, .loneSurrogate), (#"{"\ud83d":1}"#, .loneSurrogate),
    (deep, .nestingTooDeep), ("01", .badJSON), (#""\x""#, .badJSON), ("1.e1", .badJSON),
    // simdjson has one code for a malformed number and for a number outside the range of a double.
    ("1E+999", .numberOutOfRange), ("[0,-0.5e1,1E-2,1e+2,1e999]", .numberOutOfRange),
    (#"{"1e":"01\"2.","n":1e999}"#, .numberOutOfRange),
    ("1e", .badJSON), ("-1E", .badJSON), ("1.5e+", .badJSON), ("1e-", .badJSON), ("1.", .badJSON),
    ("-", .badJSON), ("-01", .badJSON), ("[1e999,1e]", .badJSON), ("[1e999,1x]", .badJSON),
    ("[1e999,.5]", .badJSON), ("[1e999,+1]", .badJSON),
    // simdjson also has one code for an invalid escape and for an unpaired surrogate.
    (#""\"\\\/\b\f\n\r\t\u00e9\uD83D""#, .loneSurrogate), (#""\ud83d\v""#, .badJSON),
    (#""\ud83d\u12g4""#, .badJSON),
  ]

  private static func file(_ format: ExportFormat, _ records: [String]) -> String {
    switch format {
    case .jsonl: records.joined(separator: "\n")
    case .parse: "{\"results\":[" + records.joined(separator: ",\n") + "]}"
    case .firestore: "{\"documents\":[" + records.joined(separator: ",\n") + "]}"
    case .realtime:
      "{\"t\":{" + records.enumerated().map { "\"k\($0)\":\($1)" }.joined(separator: ",\n") + "}}"
    default: "[" + records.joined(separator: ",\n") + "]"
    }
  }

  private static func record(_ format: ExportFormat, _ value: String) -> String {
    format == .firestore
      ? "{\"fields\":{\"a\":{\"integerValue\":\"1\"},\"b\":{\"x\":\(value)}}}" : "{\"a\":1,\"b\":\(value)}"
  }

  @Test(arguments: [ExportFormat.jsonl, .json, .firestore, .parse, .realtime])
  func `a record that cannot be represented is a fault of its own rule`(_ format: ExportFormat)
    throws
  {
    let good = Self.record(format, "0")
    for (value, rule) in Self.values {
      let bad = Self.record(format, value)
      let records = try read(
        Self.file(format, [good, bad, bad, good]), format, ["a"], ExportOptions(table: "t"))
      #expect(records.map(\.rule) == [nil, rule, rule, nil], "\(value.prefix(20))")
      #expect(records.map(\.number) == [1, 2, 3, 4])
      #expect(records.last == .row(4, 1))
    }
    let twice =
      format == .firestore
      ? #"{"fields":{"a":{"integerValue":1},"a":{"integerValue":2}}}"# : #"{"a":1,"a":2}"#
    let records = try read(Self.file(format, [good, twice, good]), format, ["a"], ExportOptions(table: "t"))
    #expect(records.map(\.rule) == [nil, .duplicateKey, nil])
  }

  /// Following the advice about a file of 0 bytes must give an export without records.
  @Test(arguments: [
    (ExportFormat.json, "[]"), (.firestore, "{\"documents\":[]}"), (.parse, "{\"results\":[]}"),
  ])
  func `the advice for a file of 0 bytes works`(format: ExportFormat, text: String) throws {
    let error = try #require(failure("", format, ["a"]))
    #expect(error.code == .badJSON && error.reason.contains(text), "\(error)")
    #expect(try read(text, format, ["a"]) == [])
  }

  @Test(arguments: [ExportFormat.json, .firestore, .parse])
  func `a file of white space is not called empty`(format: ExportFormat) throws {
    for (text, words) in [
      ("", "is empty"), ("\u{FEFF}", "is empty"), (" \r\n\t", "contains only white space"),
      ("\u{FEFF}\n", "contains only white space"),
    ] {
      let error = try #require(failure(text, format, ["a"]))
      #expect(error.code == .badJSON && error.reason.hasPrefix("the file \(words); write "), "\(error)")
    }
  }

  @Test(arguments: [
    #"{"fields":{"a":{"integerValue":1}},"fields":{}}"#, #"{"fields":{},"fields":{"a":{"integerValue":1}}}"#,
    #"{"name":"x/1","name":"x/2"}"#, #"{"document":{"name":"x"},"document":{"name":"y"}}"#,
    #"{"document":{"fields":{},"fields":{}}}"#,
    #"{"fields":{"p":{"geoPointValue":{"latitude":1,"latitude":2}}}}"#,
    #"{"fields":{"m":{"mapValue":{"fields":{},"fields":{"k":{"integerValue":1}}}}}}"#,
    #"{"name":"x","createTime":"1","createTime":"2"}"#,
  ])
  func `a Firestore document with a duplicate key is a fault`(_ document: String) throws {
    let fields = ["a", "p.latitude", "m.k", "createTime"]
    var messages: [String] = []
    try ExportReader(
      bytes: Array("[\(document),{\"name\":\"z\"}]".utf8), name: "x", format: .firestore, fields: fields
    )
    .forEachRecord { messages.append($0.fault.map { "\($0.rule): \($0.message)" } ?? "") }
    #expect(messages == ["duplicateKey: a required key occurs twice", ""])
  }

  @Test func `a message names the rule and contains no text of the record`() throws {
    for (value, _) in Self.values {
      try ExportReader(
        bytes: Array("[{\"a\":\"secret\",\"b\":\(value)}]".utf8), name: "x", format: .json, fields: ["a"]
      )
      .forEachRecord { record in
        let message = record.fault?.message ?? ""
        #expect(message.contains("simdjson") && !message.contains("secret"))
      }
    }
  }
}
