import Testing
import Text

@testable import Publishing

struct ServedListTests {
  private func lines(
    _ json: String, top: Int? = nil, word: String? = nil, showing: [String] = [], width: Int? = nil
  ) throws
    -> [String]?
  {
    try ServedDocument(Array(json.utf8)).lines(top: top, word: word, showing: showing, width: width)
  }

  private static let list = #"""
    {"user":"u","recommendations":[
    {"rank":1,"candidate":"b","score":0.834,"distance_km":12.44,"reasons":[
    {"feature":"field=Technology","contribution":0.52},{"feature":"latitude=south","contribution":0.005},
    {"feature":"age=high","contribution":0.01},{"feature":"verified=no","contribution":0.2},
    {"feature":"verified=yes","contribution":0.2},{"feature":"year=[1,2)","contribution":0.1},
    {"feature":"overlap","contribution":0.0049}]},
    {"rank":2,"candidate":"long\u001b","score":null,"distance_km":null,"reasons":[],
    "shown":{"position":{"latitude":1.5,"longitude":-2},"name":"Café","free":true,"tags":["x","y"]}}],
    "shortfall":"none_in_radius"}
    """#

  @Test func `columns are aligned, and small reasons are left out`() throws {
    #expect(
      try lines(Self.list, showing: ["position", "name"]) == [
        "  rank  candidate   score  distance  reasons",
        "     1  b            0.83   12.4 km  "
          + "Technology +0.52, south +0.01, high age +0.01, not verified +0.20, verified +0.20, year [1,2) +0.10",
        "     2  long\\u001b      -         -  1.5 -2, Café, free, x, y",
        "  no more: no other candidate is within the radius",
      ])
    let narrow = try #require(try lines(Self.list, showing: ["position", "name"], width: 80))
    #expect(narrow.count == 6 && narrow.allSatisfy { $0.terminalColumns <= 80 }, "\(narrow)")
    #expect(narrow[2].hasPrefix(String(repeating: " ", count: 37) + "high age"), "\(narrow)")
    // `top` shortens this list, so the list has no shortfall.
    #expect(try lines(Self.list, top: 1)?.count == 2)
  }

  /// Ids are printed completely, so a user can copy them. Control characters are escaped once.
  @Test func `ids and fields are shown whole`() throws {
    let (id, name) = (String(repeating: "i", count: 90), String(repeating: "n", count: 90))
    let entry =
      #"{"rank":1,"candidate":"\#(id)","score":1,"distance_km":null,"reasons":[],"shown":{"a":"\#(name)","b":"\u001b"}}"#
    let document = #"{"recommendations":[\#(entry)],"shortfall":null}"#
    let line = try #require(try lines(document, width: 80)?.joined(separator: "\n"))
    #expect(
      line.contains(id) && line.contains(name) && line.contains(#" \u001b"#) && !line.contains("005c"),
      "\(line)")
    var text = CSVText()
    try ServedDocument(Array(document.utf8)).append(
      to: &text, ranking: "near", top: nil, word: nil, showing: [])
    #expect(text.rows.first?.hasSuffix(#"\#(name), \u001b""#) == true, "\(text.rows)")
  }

  @Test(arguments: [
    ("overlap", "overlap"), ("field=Art", "Art"), ("age=high", "high age"), ("a=b=c", "b=c"),
    ("year=2000", "year 2000"),
    ("rate=>= 5", "rate >= 5"), ("new=yes", "new"), ("new=no", "not new"),
  ])
  func `a reason is shown in plain words`(feature: String, words: String) throws {
    let reason = "{\"feature\":\"\(feature)\",\"contribution\":0.3}"
    let entry = "{\"rank\":1,\"candidate\":\"b\",\"score\":1,\"distance_km\":null,\"reasons\":[\(reason)]}"
    #expect(
      try lines("{\"recommendations\":[\(entry)],\"shortfall\":null}")?.last?.hasSuffix("  \(words) +0.30")
        == true)
  }

  @Test(arguments: [
    ("no_position", "the user's position is unknown"), ("none_left", "no candidate is left to show"),
    ("none_above_minimum", "the scores of the other candidates are too low"), ("other", "other"),
  ])
  func `an empty list has a reason`(shortfall: String, words: String) throws {
    #expect(
      try lines(#"{"recommendations":[],"shortfall":"\#(shortfall)"}"#) == ["  empty: \(words)"])
  }

  @Test func `lists per word follow their words, in byte order`() throws {
    let empty = #"{"recommendations":[],"shortfall":"none_left"}"#
    let document = #"{"user":"u","lists":{"é":\#(empty),"b":\#(empty),"Z":\#(empty)}}"#
    let header = "  word  rank  candidate  score  distance  reasons"
    func none(_ word: String) -> String { "  " + word.padded(to: 40) + "empty: no candidate is left to show" }
    #expect(try lines(document) == [header, none("Z"), none("b"), none("é")])
    #expect(try lines(document, word: "b") == [header, none("b")])
    var text = CSVText()
    try ServedDocument(Array(Self.list.utf8)).append(
      to: &text, ranking: "near", top: 1, word: nil, showing: [])
    #expect(
      text.rows == [
        "near,,1,b,0.834,12.44,\"Technology +0.52, south +0.01, high age +0.01, not verified +0.20, verified +0.20, "
          + "year [1,2) +0.10\","
      ])
    #expect(try lines(document, word: "e\u{301}") == nil, "words are compared byte for byte")
    #expect(try lines(#"{"user":"u","lists":{}}"#) == ["  no list for any word"])
  }

  @Test func `intervals are shown with both ends, and missing values are left out`() throws {
    let span = #"{"from":"2026-05-01T08:00:00Z","to":"2026-05-01T12:00:00Z"}"#
    #expect(
      try ServedAttributes.values(
        Array(#"{"slots":[\#(span),\#(span)],"name":null,"age":7,"open":false,"tags":[]}"#.utf8),
        ["slots", "name", "age", "open", "tags"], of: "users") == [
          "2026-05-01T08:00:00Z/2026-05-01T12:00:00Z, 2026-05-01T08:00:00Z/2026-05-01T12:00:00Z", "age 7",
        ])
  }

  private static let byWord = #"""
    {"user":"u","lists":{"b":{"recommendations":[{"rank":1,"candidate":"z","score":null,"distance_km":null,
    "reasons":[{"feature":"color=red","contribution":0.2}]}],"shortfall":null},
    "a":{"recommendations":[{"rank":1,"candidate":"x","score":0.5,"distance_km":1.0,"reasons":[]},
    {"rank":2,"candidate":"y","score":null,"distance_km":null,"reasons":[]}],"shortfall":"none_left"}}}
    """#

  @Test func `each word is in its first row only, and a short list has a last row`() throws {
    let header = "  word  rank  candidate  score  distance  reasons"
    #expect(
      try lines(Self.byWord) == [
        header, "  a        1  x           0.50    1.0 km", "           2  y              -         -",
        "                                          no more: no candidate is left to show",
        "  b        1  z              -         -  red +0.20",
      ])
    #expect(
      try lines(Self.byWord, top: 1) == [
        header, "  a        1  x           0.50    1.0 km",
        "  b        1  z              -         -  red +0.20",
      ])
    var text = CSVText()
    try ServedDocument(Array(Self.byWord.utf8)).append(
      to: &text, ranking: "near", top: nil, word: nil, showing: [])
    #expect(text.rows == ["near,a,1,x,0.5,1.0,,", "near,a,2,y,,,,", "near,b,1,z,,,red +0.20,"])
    var one = CSVText()
    try ServedDocument(Array(Self.byWord.utf8)).append(
      to: &one, ranking: "near", top: 1, word: "a", showing: [])
    #expect(one.rows == ["near,a,1,x,0.5,1.0,,"])
  }

  /// The arguments are the document, the maximum number of entries, the word, and the line.
  @Test(
    arguments: [
      (words, nil, nil, words), (words, nil, "b", #"{"lists":{"b":{"recommendations":[3]}},"user":"u"}"#),
      (words, 1, nil, #"{"lists":{"a":{"recommendations":[1]},"b":{"recommendations":[3]}},"user":"u"}"#),
      (words, 1, "a", #"{"lists":{"a":{"recommendations":[1]}},"user":"u"}"#),
      (words, 9, "a", #"{"lists":{"a":{"recommendations":[1,2]}},"user":"u"}"#), (words, nil, "c", nil),
      (words, 1, "A", nil), (single, nil, nil, single),
      (single, 2, nil, #"{"recommendations":[1,2],"user":"/"}"#),
      (single, 0, nil, #"{"recommendations":[],"user":"/"}"#), (single, nil, "a", nil), (single, 1, "a", nil),
      (#"{"user":"u","lists":{}}"#, 1, nil, #"{"lists":{},"user":"u"}"#),
      (#"{"user":"u","lists":{}}"#, 1, "a", nil),
    ] as [(String, Int?, String?, String?)])
  func `JSON has only the chosen word and entries`(
    document: String, top: Int?, word: String?, line: String?
  ) throws {
    #expect(try ServedDocument.json(Array(document.utf8), top: top, word: word) == line)
  }

  private static let words =
    #"{"user":"u","lists":{"b":{"recommendations":[3]},"a":{"recommendations":[1,2]}}}"#
  private static let single = #"{"user":"/","recommendations":[1,2,3]}"#

  @Test func `attributes have the order of their names, and each type has its own form`() throws {
    let json = #"{"b":"text","a":7,"n":0.125,"yes":true,"no":false,"tags":["x","y"],"none":null,"more":1}"#
    #expect(
      try ServedAttributes.values(
        Array(json.utf8), ["yes", "b", "a", "n", "no", "tags", "none", "absent"], of: "users")
        == ["yes", "text", "a 7", "n 0.125", "x, y"])
    let shown: JSONValue = [
      "z": 1, "a": "first", "position": ["latitude": .number(1.5), "longitude": 2], "name": "N",
    ]
    #expect(shown.words(["position", "name"]) == ["1.5 2", "N", "first", "z 1"])
    #expect(shown.words([]) == ["first", "N", "1.5 2", "z 1"])
  }
}
