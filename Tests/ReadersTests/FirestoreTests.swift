import Readers
import Testing

@Suite struct FirestoreTests {
  private func document(_ id: String, _ fields: String) -> String {
    #"{"name":"projects/p/databases/(default)/documents/users/\#(id)","fields":{\#(fields)},"#
      + #""createTime":"2026-01-02T03:04:05.678901Z","updateTime":"2026-02-03T04:05:06Z"}"#
  }

  @Test func `typed values become plain ones`() throws {
    let text =
      "["
      + document(
        "u1",
        #""s":{"stringValue":"x"},"e":{"stringValue":""},"i":{"integerValue":"-9223372036854775808"},"#
          + #""j":{"integerValue":7},"d":{"doubleValue":2},"inf":{"doubleValue":"-Infinity"},"#
          + #""b":{"booleanValue":true},"t":{"timestampValue":"2026-11-20T23:58:12Z"},"z":{"nullValue":null},"#
          + #""r":{"referenceValue":"projects/p"},"y":{"bytesValue":"AQ=="},"#
          + #""l":{"arrayValue":{"values":[{"stringValue":"x"}]}},"m":{"mapValue":{"fields":{"k":{"integerValue":"1"}}}},"#
          + #""n":{"mapValue":{}}"#) + "]"
    let fields = [
      "s", "e", "i", "j", "d", "inf", "b", "t", "z", "r", "y", "l", "m", "m.k", "n", "n.k", "s.k",
    ]
    #expect(
      try read(text, .firestore, fields) == [
        ReadRecord(
          number: 1,
          cells: [
            "x", .missing, .integer(.min), 7, .number(2), .number(-.infinity), .boolean(true),
            "2026-11-20T23:58:12Z", .missing, "projects/p", "AQ==", .structure, .structure, 1, .structure,
            .missing,
            .missing,
          ])
      ])
  }

  @Test func `Firestore's NaN is a number`() throws {
    let cells = try #require(
      try read("[" + document("u", #""d":{"doubleValue":"NaN"}"#) + "]", .firestore, ["d"]).first
    ).cells
    guard case .number(let value) = try #require(cells.first) else {
      Issue.record("not a number")
      return
    }
    #expect(value.isNaN)
  }

  @Test func `a position is two numbers, and a missing coordinate is 0`() throws {
    let text = [
      document("a", #""p":{"geoPointValue":{"latitude":53.35,"longitude":-6}}"#),
      document("b", #""p":{"geoPointValue":{"longitude":9.5}}"#),
      document("c", #""p":{"geoPointValue":{}}"#),
      document("d", #""p":{"mapValue":{"fields":{"latitude":{"doubleValue":1}}}}"#),
      document("e", #""q":{"nullValue":null}"#),
    ].joined(separator: "\n")
    #expect(
      try read(text, .firestore, ["p.latitude", "p.longitude", "p", "p.altitude"]) == [
        ReadRecord(number: 1, cells: [.number(53.35), .number(-6), .structure, .missing]),
        ReadRecord(number: 2, cells: [.number(0), .number(9.5), .structure, .missing]),
        ReadRecord(number: 3, cells: [.number(0), .number(0), .structure, .missing]),
        ReadRecord(number: 4, cells: [.number(1), .missing, .structure, .missing]),
        .row(5, nil, nil, nil, nil),
      ])
  }

  @Test func `a document's own id and times replace missing fields`() throws {
    let text = [
      document("u1", ""), document("u2", #""id":{"stringValue":"own"},"createTime":{"nullValue":null}"#),
      #"{"name":"bare"}"#, #"{"fields":{}}"#,
    ].joined(separator: "\n")
    #expect(
      try read(text, .firestore, ["id", "createTime", "updateTime"]) == [
        .row(1, "u1", "2026-01-02T03:04:05.678901Z", "2026-02-03T04:05:06Z"),
        .row(2, "own", nil, "2026-02-03T04:05:06Z"), .row(3, "bare", nil, nil), .row(4, nil, nil, nil),
      ])
  }

  @Test func `all forms of a response give the same documents`() throws {
    let (a, b) = (document("a", ""), document("b", ""))
    let expected = ["a", "b"].map { ReadRecord.Cell.text(Array($0.utf8)) }
    let pretty = { (text: String) in text.replacing(",", with: ",\n ") }
    let forms = [
      "[\(a),\(b)]", "{\"documents\":[\(a),\(b)]}",
      "{ \"nextPageToken\": \"x\", \"documents\" : [\(a),\n\(b)] }\n",
      "{\"documents\":[\(a)],\"nextPageToken\":\"x\"}\n{\"documents\":[\(b)]}", "\(a)\n\(b)\n",
      "\(a)\r\n\n\(b)",
      "[{\"document\":\(a),\"readTime\":\"t\"},{\"document\":\(b),\"readTime\":\"t\"}]",
      pretty(a) + "\n" + pretty(b),
      "[{\"readTime\":\"t\",\"skippedResults\":3},{\"document\":\(a)},{\"document\":\(b)},{\"done\":true}]",
      "{\"document\":\(a)}\n{\"document\":\(b)}\n", pretty("{\"documents\":[\(a),\(b)]}"),
      "\u{FEFF}\(a)\n\(b)",
    ]
    for form in forms {
      #expect(try read(form, .firestore, ["id"]).map(\.cells) == expected.map { [$0] }, "\(form)")
    }
  }

  @Test
  func `lines are counted in a file of lines, and elements elsewhere, including ones without a document`()
    throws
  {
    let a = document("a", "")
    #expect(try read("\n\(a)\n\n\(a)", .firestore, ["id"]).map(\.number) == [2, 4])
    #expect(try read("[{\"readTime\":\"t\"},\(a)]", .firestore, ["id"]).map(\.number) == [2])
    #expect(
      try read("{\"documents\":[\(a)]}\n{\"documents\":[\(a),\(a)]}", .firestore, ["id"]).map(\.number) == [
        1, 2, 3,
      ])
    var units: [PlaceUnit] = []
    for text in [a, "[\(a)]"] {
      try ExportReader(bytes: Array(text.utf8), name: "x", format: .firestore, fields: [])
        .forEachRecord { units.append($0.unit) }
    }
    #expect(units == [.line, .element])
  }

  @Test(arguments: ["{}", "[]", "[{}]", "[{\"readTime\":\"t\"}]", "{\"documents\":[]}", "{}\n{}"])
  func `an empty collection has no records`(_ text: String) throws {
    #expect(try read(text, .firestore, ["id"]) == [])
  }

  @Test(arguments: [
    #""x""#, "7", "{}", #"{"stringValue":"a","integerValue":"1"}"#, #"{"stringvalue":"a"}"#,
    #"{"stringValue":1}"#,
    #"{"integerValue":"1.5"}"#, #"{"integerValue":""}"#, #"{"integerValue":"9223372036854775808"}"#,
    #"{"integerValue":1.5}"#, #"{"doubleValue":"1"}"#, #"{"booleanValue":"true"}"#, #"{"geoPointValue":[]}"#,
    #"{"mapValue":7}"#, #"{"mapValue":{"fields":[]}}"#, #"{"mapValue":{"fields":{"k":1}}}"#,
    #"{"nullValue":0}"#,
    #"{"geoPointValue":{"k":1,"latitude":null}}"#,
  ])
  func `a field that is not a typed value is a fault if it is requested`(_ value: String) throws {
    let good = document("b", #""v":{"integerValue":"1"}"#)
    let text = document("a", "\"v\":\(value)") + "\n" + good
    let records = try read(text, .firestore, ["v", "v.k", "v.latitude"])
    #expect(records.map(\.rule) == [.badFirestoreValue, nil])
    #expect(try read(text, .firestore, ["id"]) == [.row(1, "a"), .row(2, "b")])
  }

  @Test func `an object that is not a document is a fault`() throws {
    let text = "[{\"a\":1},{\"document\":7},{\"document\":{}},{\"name\":\"a\",\"fields\":7},7]"
    #expect(
      try read(text, .firestore, ["id"]).map(\.rule) == [
        .badFirestoreValue, .badFirestoreValue, .badFirestoreValue, .badFirestoreValue, .notAnObject,
      ])
  }

  @Test(arguments: [
    ("", ExportError.Code.badJSON), ("7", .wrongShape), ("{\"documents\":{}}", .wrongShape),
    ("{\"documents\":[{}}", .badJSON), ("{\"documents\":[{}]", .badJSON),
    ("{\"documents\":[{}],\"x\":tru}", .badJSON),
    ("{\"documents\":[]} x", .badJSON), ("{\"documents\":[],\"\\q\":1}", .badJSON),
    ("{\n\"name\":\"x\"", .badJSON),
    ("{\n\"name\":\"x\"}\n[]", .badJSON), ("[{\"name\":tru}]", .badJSON),
  ])
  func `a file that is not a response is an error`(_ text: String, _ code: ExportError.Code) {
    #expect(failure(text, .firestore, ["id"])?.code == code)
  }

  @Test func `a bad line among documents per line is a fault of that line`() throws {
    let text = document("a", "") + "\n{\"name\":\n" + document("b", "")
    #expect(
      try read(text, .firestore, ["id"]) == [.row(1, "a"), .fault(2, .badJSON, "{\"name\":"), .row(3, "b")])
  }

  @Test func `reported names are the names of the documents' fields`() throws {
    let text = document("a", #""userName":{"stringValue":"x"}"#)
    let summary = try ExportReader(
      bytes: Array(text.utf8), name: "x", format: .firestore, fields: ["username", "id"]
    )
    .all().summary
    #expect(summary.neverPresent == ["username"])
    #expect(summary.namesSeen == ["userName"])
  }

  @Test func `a file truncated at any byte never traps`() {
    let bytes = Array(("{\"documents\":[" + document("é", #""s":{"stringValue":"\\"}"#) + "]}").utf8)
    for end in 0..<bytes.count { #expect(failure(bytes: Array(bytes[..<end]), .firestore, ["s"]) != nil) }
    #expect(failure(bytes: bytes, .firestore, ["s"]) == nil)
  }
}
