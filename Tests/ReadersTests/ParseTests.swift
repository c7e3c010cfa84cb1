import Testing

@testable import Readers

@Suite struct ParseTests {
  private static let fields = ["objectId", "name", "at", "user", "place.latitude", "photo"]
  private static let first = #"""
    {"objectId":"a1","name":"Éa","at":{"__type":"Date","iso":"2026-11-20T23:58:12.000Z"},
    "user":{"__type":"Pointer","className":"_User","objectId":"u1"},
    "place":{"__type":"GeoPoint","latitude":53.35,"longitude":-6.26},
    "photo":{"__type":"File","name":"x.jpg","url":"https://x"},"createdAt":"2026-01-01T00:00:00.000Z"}
    """#
  private static let second = #"{"objectId":"a2","name":"","user":null}"#
  private static let expected: [[ReadRecord.Cell]] = [
    ["a1", "Éa", "2026-11-20T23:58:12.000Z", "u1", .number(53.35), "x.jpg"], ["a2", nil, nil, nil, nil, nil],
  ]

  @Test func `every form of an export gives the same objects`() throws {
    let (first, second) = (Self.first, Self.second)
    let line = first.replacing("\n", with: "")
    let forms = [
      "{\"results\":[\(first),\(second)]}", "[\(first),\n\(second)]", "\(line)\n\(second)\n",
      "{\"results\":[\(first)]}\n{\"results\":[\(second)]}",
      "{\"results\":[\(first)]}{\"results\":[\(second)]}",
      "{\"count\":2,\"results\":[\(first),\(second)],\"more\":{\"results\":[1]}}", "\(first)\n\(second)",
      "{\"results\":[]}\n{\"results\":[\(first),\(second)]}", "\u{FEFF}\(line)\r\n\(second)",
      "{\"\\u0072esults\":[\(first),\(second)]}", "{\"results\":[\(first)]}\n\(second)",
    ]
    for form in forms {
      #expect(try read(form, .parse, Self.fields).map(\.cells) == Self.expected, "\(form)")
    }
  }

  @Test(
    arguments: [
      (#"{"__type":"Date","iso":"2026-01-01"}"#, "2026-01-01"),
      (#"{"iso":"x","__type":"Date"}"#, "x"),
      (#"{"__type":"Pointer","className":"C","objectId":"o"}"#, "o"),
      (#"{"__type":"Object","className":"C","objectId":"o","x":{"y":1}}"#, "o"),
      (#"{"__type":"File","name":"n","url":"u"}"#, "n"), (#"{"__type":"Bytes","base64":"AQ=="}"#, "AQ=="),
      (#"{"__type":"Date","iso":""}"#, nil), (#"{"__type":"Date","iso":"NA"}"#, nil), ("null", nil),
      (#"{"__type":"GeoPoint","latitude":1,"longitude":2}"#, .structure),
      (#"{"__type":"Polygon","coordinates":[[0,0],[0,1],[1,1]]}"#, .structure),
      (#"{"__type":"Relation","className":"C"}"#, .structure), (#"{"*":{"read":true}}"#, .structure),
      // These objects lack a required member.
      (#"{"__type":"Date"}"#, .structure), (#"{"__type":"Date","iso":7}"#, .structure),
      (#"{"__type":"Date","iso":null}"#, .structure), (#"{"__type":"Date","objectId":"o"}"#, .structure),
      (#"{"__type":"Pointer","className":"C"}"#, .structure), (#"{"__type":"File","url":"u"}"#, .structure),
      (#"{"__type":"Bytes"}"#, .structure), (#"{"__type":7,"iso":"x"}"#, .structure),
      (#"{"__type":"date","iso":"x"}"#, .structure), (#"{"__type":"","iso":"x"}"#, .structure),
      (#"{"__type":{"__type":"Date"},"iso":"x"}"#, .structure),
      (#"[{"__type":"Date","iso":"x"}]"#, .structure),
      ("[]", .structure), ("{}", .structure), ("7", 7), ("true", .boolean(true)),
    ] as [(String, ReadRecord.Cell)])
  func `a typed object becomes one value`(_ value: String, _ cell: ReadRecord.Cell) throws {
    let options = ExportOptions(missing: ["NA"])
    let text = "{\"results\":[{\"v\":\(value)}]}"
    #expect(try read(text, .parse, ["v"], options) == [ReadRecord(number: 1, cells: [cell])])
    // Only exports of Parse have typed objects.
    if value.hasPrefix("{") {
      #expect(try read("[{\"v\":\(value)}]", .json, ["v"]) == [ReadRecord(number: 1, cells: [.structure])])
    }
  }

  @Test func `members of typed objects can be requested by path`() throws {
    let text = #"""
      [{"user":{"__type":"Object","className":"_User","objectId":"u1","city":{"__type":"Pointer","objectId":"c"}},
      "place":{"__type":"GeoPoint","latitude":1,"longitude":-2.5},"photo":{"__type":"File","name":"n","url":"u"}},
      {"user":{"__type":"Pointer","objectId":"u2"},"place":7},{}]
      """#
    let fields = [
      "user", "user.objectId", "user.className", "user.city", "user.city.objectId", "place.latitude",
      "place.longitude", "place", "photo.url", "photo.__type",
    ]
    #expect(
      try read(text, .parse, fields) == [
        ReadRecord(
          number: 1, cells: ["u1", "u1", "_User", "c", "c", 1, .number(-2.5), .structure, "u", "File"]),
        .row(2, "u2", "u2", nil, nil, nil, nil, nil, 7, nil, nil),
        .row(3, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil),
      ])
  }

  @Test(arguments: [
    #"{"__type":"Date","iso":"a","iso":"b"}"#, #"{"__type":"Date","__type":"Date","iso":"a"}"#,
    #"{"__type":"Pointer","objectId":"a","object\u0049d":"b"}"#,
  ])
  func `a typed object with a duplicate key is a fault`(_ value: String) throws {
    let records = try read("[{\"v\":\(value)},{\"v\":1}]", .parse, ["v"])
    #expect(records.map(\.rule) == [.duplicateKey, nil])
    #expect(try read("[{\"v\":\(value)}]", .parse, ["w"]) == [.row(1, nil)])
  }

  @Test(arguments: [
    ("{\"results\":{}}", ExportError.Code.wrongShape), ("{\"results\":null}", .wrongShape),
    ("{\"results\":7}\n{\"results\":[]}", .wrongShape), ("{\"results\":[],\"results\":[{}]}", .wrongShape),
    ("{\"results\":[]", .badJSON), ("{\"results\":[{}", .badJSON), ("{\"results\":[]}x", .badJSON),
    ("{\"results\":[]}\n[]", .badJSON), ("{\"results\":[],}", .badJSON),
    ("{\"results\":[],\"\\q\":1}", .badJSON),
    ("{\"results\":[{\"a\":tru}]}", .badJSON), ("", .badJSON), ("\u{FEFF} \n", .badJSON), ("7", .wrongShape),
    ("\"results\"", .wrongShape), ("null", .wrongShape), ("results", .wrongShape),
  ])
  func `a file that is not a response is an error`(_ text: String, _ code: ExportError.Code) {
    #expect(failure(text, .parse, ["a"])?.code == code)
  }

  @Test func `Parse's error response has none of the fields`() throws {
    for text in [#"{"code":101,"error":"Object not found."}"#, "{\"code\":1,\n\"error\":\"unauthorized\"}"] {
      let read = outcome(Array(text.utf8), .parse, ["objectId"])
      #expect(read.records == [.row(1, nil)])
      #expect(read.summary?.neverPresent == ["objectId"] && read.summary?.namesSeen == ["code", "error"])
    }
  }

  @Test func `each line is checked separately, including the first`() throws {
    let good = "{\"a\":1}"
    for bad in [
      "{\"a\":\"\\q\"}", "{\"\\q\":1}", "{\"\\ud83d\":1}", "[]", "7", "{\"a\":1e999}", "{\"a\":01}",
      "{\"a\":1,}",
    ] {
      for text in ["\(good)\n\(bad)\n\(good)", "\(bad)\n\(good)\n\(bad)"] where text.hasPrefix("{") {
        // A text whose end cannot be found is skipped: a comma must be followed by a key.
        if text.hasPrefix("{\"a\":1,}") { continue }
        let records = try read(text, .parse, ["a"])
        #expect(records.count == 3 && records.map(\.number) == [1, 2, 3], "\(text)")
        #expect(records.contains(.row(text.hasPrefix(good) ? 1 : 2, 1)))
        #expect(records[text.hasPrefix(good) ? 1 : 0].rule != nil)
      }
    }
  }
}
