import Testing

@testable import ServingStore

/// A document, the erased id, and the document after the erasure. The last value is `nil` if the
/// document does not change.
struct EditedDocument: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var document: String
  var erased: String
  var expected: String?

  static let all = [
    EditedDocument(
      testDescription: "lists by word, one of them full",
      document:
        #"{"user":"u","lists":{"a":{"recommendations":[{"rank":1,"candidate":"a"},{"rank":2,"candidate":"b"}],"shortfall":null},"car":{"recommendations":[{"rank":1,"candidate":"c"},{"rank":2,"candidate":"a"}],"shortfall":"none_left"},"d":{"recommendations":[],"shortfall":null}}}"#,
      erased: "a",
      expected:
        #"{"user":"u","lists":{"a":{"recommendations":[{"rank":1,"candidate":"b"}],"shortfall":"none_left"},"car":{"recommendations":[{"rank":1,"candidate":"c"}],"shortfall":"none_left"},"d":{"recommendations":[],"shortfall":null}}}"#
    ),
    EditedDocument(
      testDescription: "a word that equals the erased id",
      document:
        #"{"user":"u","lists":{"a":{"recommendations":[{"rank":1,"candidate":"b"}],"shortfall":null}}}"#,
      erased: "a", expected: nil),
    EditedDocument(
      testDescription: "the first of three candidates",
      document:
        #"{"user":"u","recommendations":[{"rank":1,"candidate":"a"},{"rank":2,"candidate":"b"},{"rank":3,"candidate":"c"}],"shortfall":null}"#,
      erased: "a",
      expected:
        #"{"user":"u","recommendations":[{"rank":1,"candidate":"b"},{"rank":2,"candidate":"c"}],"shortfall":"none_left"}"#
    ),
    EditedDocument(
      testDescription: "the last candidate of a short list",
      document:
        #"{"user":"u","recommendations":[{"rank":1,"candidate":"a"},{"rank":2,"candidate":"b"}],"shortfall":"none_in_radius"}"#,
      erased: "b",
      expected: #"{"user":"u","recommendations":[{"rank":1,"candidate":"a"}],"shortfall":"none_in_radius"}"#),
    EditedDocument(
      testDescription: "the only candidate",
      document: #"{"user":"u","recommendations":[{"rank":1,"candidate":"a"}],"shortfall":null}"#, erased: "a",
      expected: #"{"user":"u","recommendations":[],"shortfall":"none_left"}"#),
    EditedDocument(
      testDescription: "an id that occurs twice, in a document with spaces",
      document:
        #" { "user" : "u" , "recommendations" : [ {"rank": 1 , "candidate" : "a"} , {"rank": 2,"candidate":"b"},{"rank":3, "candidate":"a"} ] , "shortfall" : null } "#,
      erased: "a",
      expected:
        #" { "user" : "u" , "recommendations" : [ {"rank": 1,"candidate":"b"} ] , "shortfall" : "none_left" } "#
    ),
    EditedDocument(
      testDescription: "an id that the document writes with escapes",
      document: #"{"recommendations":[{"candidate":"\u0061\/"}],"shortfall":null}"#, erased: "a/",
      expected: #"{"recommendations":[],"shortfall":"none_left"}"#),
    EditedDocument(
      testDescription: "a shortfall before the recommendations",
      document:
        #"{"shortfall":null,"recommendations":[{"candidate":"a"},{"candidate":"b"}],"more":{"x":[1,{}]}}"#,
      erased: "a",
      expected: #"{"shortfall":"none_left","recommendations":[{"candidate":"b"}],"more":{"x":[1,{}]}}"#),
    EditedDocument(
      testDescription: "an id that occurs only in a reason, as a key and as the user",
      document:
        #"{"user":"a","recommendations":[{"rank":1,"candidate":"b","reasons":[{"feature":"a","a":"a"}]}],"shortfall":null}"#,
      erased: "a", expected: nil),
    EditedDocument(
      testDescription: "an id that begins or ends other ids",
      document: #"{"recommendations":[{"candidate":"u10"},{"candidate":"1"},{"candidate":"xu1"}]}"#,
      erased: "u1", expected: nil),
    EditedDocument(
      testDescription: "an id that is only canonically equivalent",
      document: "{\"recommendations\":[{\"candidate\":\"\u{E9}\"}]}", erased: "e\u{301}", expected: nil),
    EditedDocument(
      testDescription: "entries that are not objects, and ranks that are not numbers",
      document:
        #"{"recommendations":[7, {"candidate":"a"},"a",{"rank":"2","candidate":"b"} ,{"rank":5}],"shortfall":null}"#,
      erased: "a",
      expected:
        #"{"recommendations":[7,"a",{"rank":"2","candidate":"b"} ,{"rank":4}],"shortfall":"none_left"}"#),
    EditedDocument(testDescription: "no list", document: "[1,2]", erased: "a", expected: nil),
    EditedDocument(testDescription: "a number", document: "17", erased: "a", expected: nil),
    EditedDocument(
      testDescription: "recommendations of another form", document: #"{"recommendations":{"candidate":"a"}}"#,
      erased: "a", expected: nil),
  ]
}

@Test(arguments: EditedDocument.all)
func `only erased candidates are removed from a document`(_ test: EditedDocument) throws {
  let edited = try ListDocument(Array(test.document.utf8)).removing { $0 == Array(test.erased.utf8) }
  #expect(edited.map { String(decoding: $0.text, as: UTF8.self) } == test.expected)
  let wasFull = { (text: String) in text.split(separator: ":null", omittingEmptySubsequences: false).count - 1
  }
  #expect(
    edited?.shortened
      == test.expected.map {
        wasFull(test.document.replacing(" ", with: "")) - wasFull($0.replacing(" ", with: ""))
      })
  let count = { (text: String) in text.split(separator: "candidate", omittingEmptySubsequences: false).count }
  #expect(edited?.removed == test.expected.map { count(test.document) - count($0) })
}

@Test(arguments: [
  #"{"recommendations":[{"candidate":"a"]}"#, #"{"recommendations":["#, #"{"user":"a"#, "{", "{\"a\"}", "{,}",
  #"{"a":}"#, #"{"a":"\x"}"#, #"{"recommendations":[]}{"x":"a"}"#, #"{"recommendations":[]} x"#,
])
func `malformed documents are rejected`(document: String) {
  #expect(throws: ListDocument.Flaw.self) { try ListDocument(Array(document.utf8)) }
}
