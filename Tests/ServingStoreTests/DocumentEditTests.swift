import Testing

@testable import ServingStore

/// The parts of documents that an erasure reads or changes.
struct DocumentEditTests {
  private static let bucket =
    #"{"entities":3,"latitude":1.50,"counts":{"size":{"large":1,"small":2},"color":{"red":3}},"x":[]}"#

  @Test(
    arguments: [
      (
        #"{"size":"small","n":1,"none":null}"#,
        #"{"entities":2,"latitude":1.50,"counts":{"size":{"large":1,"small":1},"color":{"red":3}},"x":[]}"#
      ),
      (
        #"{"color":"red","size":"large"}"#,
        #"{"entities":2,"latitude":1.50,"counts":{"size":{"small":2},"color":{"red":2}},"x":[]}"#
      ),
      // A word without a count, a word of another category, and a text in a list change no count.
      (
        #"{"size":"tiny","color":"small","tags":["red"],"other":{"size":"small"}}"#,
        #"{"entities":2,"latitude":1.50,"counts":{"size":{"large":1,"small":2},"color":{"red":3}},"x":[]}"#
      ),
      (
        nil,
        #"{"entities":2,"latitude":1.50,"counts":{"size":{"large":1,"small":2},"color":{"red":3}},"x":[]}"#
      ),
      (
        "[1]",
        #"{"entities":2,"latitude":1.50,"counts":{"size":{"large":1,"small":2},"color":{"red":3}},"x":[]}"#
      ),
    ] as [(String?, String)])
  func `a bucket loses one entity and its words`(attributes: String?, expected: String) throws {
    let left = try BucketDocument.leaving(Self.bucket.utf8Bytes, attributes: attributes?.utf8Bytes)
    #expect(left.map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test(
    arguments: [
      (#"{"entities":1,"counts":{"size":{"small":1}}}"#, nil), (#"{"entities":0}"#, nil), ("{}", nil),
      (#"{"entities":2}"#, #"{"entities":1}"#), (#"{"entities":"many"}"#, nil),
      (
        #" { "counts" : { "size" : { "small" : 1 } } , "entities" : 10 } "#,
        #" { "counts" : { "size" : {} } , "entities" : 9 } "#
      ),
      (
        #"{"entities":2,"counts":{"size":{"a\"b":4,"none":0,"small":1}}}"#,
        #"{"entities":1,"counts":{"size":{"a\"b":4}}}"#
      ),
      (#"{"entities":2,"counts":{"size":{}}}"#, #"{"entities":1,"counts":{"size":{}}}"#),
    ] as [(String, String?)])
  func `a bucket without entities is removed`(bucket: String, expected: String?) throws {
    let left = try BucketDocument.leaving(bucket.utf8Bytes, attributes: #"{"size":"small"}"#.utf8Bytes)
    #expect(left.map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test(arguments: [
    ("[]", "{}"), ("{", "{}"), ("", "{}"), (#"{"entities":2,"counts":3}"#, "{}"), (#"{"entities":}"#, "{}"),
    (#"{"entities":2}"#, "{"), (#"{"entities":2}"#, #"{"size":}"#), (#"{"entities":2}"#, #"{"size":"s"#),
  ])
  func `a bucket or attributes of another form are rejected`(bucket: String, attributes: String) {
    #expect(throws: ListDocument.Flaw.self) {
      try BucketDocument.leaving(bucket.utf8Bytes, attributes: attributes.utf8Bytes)
    }
  }

  @Test(
    arguments: [
      (
        #"{"id":"a","candidate":"b","user":"c","name":"d","other":{"id":"e"},"list":["id","f"]}"#,
        ["a", "b", "c"]
      ),
      (#" { "user" : "\u0061\/" } "#, ["a/"]), (#"{"id":7,"candidate":null,"user":{"id":"x"}}"#, []),
      (#"{"ID":"a","ids":"b"}"#, []), ("{}", []), ("[{\"id\":\"a\"}]", []), ("\"id\"", []), ("", []),
    ] as [(String, [String])])
  func `an entry names its entity in three members`(entry: String, ids: [String]) throws {
    #expect(try EntryDocument.ids(entry.utf8Bytes) == ids.map(\.utf8Bytes))
  }

  @Test(arguments: ["{", #"{"id":"a"#, #"{"id":"a""#, #"{"id"}"#, #"{"id":"\x"}"#])
  func `a malformed entry is rejected`(entry: String) {
    #expect(throws: ListDocument.Flaw.self) { try EntryDocument.ids(entry.utf8Bytes) }
  }

  @Test(
    arguments: [
      (
        #"{"user":"u","recommendations":[{"candidate":"b"},7,{"rank":2,"candidate":"a"},{"candidate":8}]}"#,
        ["b", "a"], [nil]
      ),
      (#"{"shortfall":"none_left","recommendations":[]}"#, [], ["none_left"]),
      (#"{"shortfall":null}"#, [], [nil]), (#"{"shortfall":7}"#, [], [nil]),
      (
        #"{"lists":{"x":{"recommendations":[{"candidate":"b"}],"shortfall":null},"y":{"shortfall":"few"},"z":{}}}"#,
        ["b"], [nil, "few", nil]
      ),
      (
        #"{"lists":{"x":7,"y":{"recommendations":[{"candidate":"c"}]}},"recommendations":[{"candidate":"a"}]}"#,
        ["a", "c"], [nil, nil]
      ),
      (#"{"user":"u"}"#, [], []), ("[]", [], []), (#"{"lists":["x"]}"#, [], []),
    ] as [(String, [String], [String?])])
  func `a document has the candidates and shortfalls of its lists`(
    text: String, candidates: [String], shortfalls: [String?]
  ) throws {
    let document = try ListDocument(text.utf8Bytes)
    #expect(document.candidates == candidates.map(\.utf8Bytes))
    #expect(document.shortfalls == shortfalls)
  }

  @Test(
    arguments: [
      (" [1,{\"a\":[]}] x", "[1,{\"a\":[]}]"), ("{}1", "{}"), ("\n\t\r \"a\\\"]\" 1", "\"a\\\"]\""),
      ("1,2", "1"), ("12:3", "12"), ("1]", "1"), ("1}", "1"), ("1[", "1"), ("1{", "1"), ("1\"", "1"),
      ("tru e", "tru"), ("1\n", "1"), ("1\r", "1"), ("1\t", "1"), ("-0.5e3", "-0.5e3"), ("", nil),
      ("  ", nil),
      ("]", nil), ("}", nil), (",", nil), (":1", nil), ("[1", nil), ("{\"a\":", nil), ("\"a", nil),
      ("[\"", nil),
    ] as [(String, String?)])
  func `a value ends where its text ends`(text: String, value: String?) {
    var scanner = JSONScanner(text.utf8Bytes)
    let found = try? scanner.value()
    #expect(found.map { String(decoding: text.utf8Bytes[$0], as: UTF8.self) } == value)
    if let found { #expect(scanner.index == found.upperBound) }
  }
}
