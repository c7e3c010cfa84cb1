import Testing

@testable import Readers

@Suite struct RealtimeTests {
  private func read(_ text: String, _ table: String?, _ fields: String...) throws -> [ReadRecord] {
    try ReadersTests.read(text, .realtime, fields, ExportOptions(table: table))
  }

  private func error(_ text: String, _ table: String?, _ fields: String...) -> ExportError? {
    outcome(Array(text.utf8), .realtime, fields, ExportOptions(table: table)).error
  }

  /// Returns the reason in the summary why records are missing.
  private func gap(_ text: String, _ table: String?, _ fields: String...) -> String? {
    outcome(Array(text.utf8), .realtime, fields, ExportOptions(table: table)).summary?.gap?.reason
  }

  @Test func `the table's path locates records and names their keys`() throws {
    let users = #"{"x":7,"users":{"u1":{"n":1},"u2":{"n":2}},"y":[{}]}"#
    for table in ["users", "users/$key"] {
      #expect(try read(users, table, "$key", "n") == [.row(1, "u1", 1), .row(2, "u2", 2)])
    }
    #expect(try read(users, "users/$id", "$id", "$key") == [.row(1, "u1", nil), .row(2, "u2", nil)])
    let swipes = #"{"swipes":{"u1":{"u2":{"n":1},"u3":{"n":2}},"u4":{},"u5":{"u1":{"n":3}}}}"#
    #expect(
      try read(swipes, "swipes/$swiper/$target", "$target", "n", "$swiper")
        == [.row(1, "u2", 1, "u1"), .row(2, "u3", 2, "u1"), .row(3, "u1", 3, "u5")])
    let likes = #"{"likes":{"u1":{"u2":true}}}"#
    #expect(
      try read(likes, "likes/$user/$liked", "$user", "$liked", "$value")
        == [ReadRecord(number: 1, cells: ["u1", "u2", .boolean(true)])])
    for table in [nil, "", "$key"] {
      #expect(try read(#"{"u1":{"n":1}}"#, table, "$key", "n") == [.row(1, "u1", 1)])
    }
    let deep = #"{"a":{"b":{"k":{"c":{"l":{"n":1}},"d":{}},"m":{"c":null}}}}"#
    #expect(try read(deep, "a/b/$k/c/$l", "$k", "$l", "n") == [.row(1, "k", "l", 1)])
  }

  @Test func `keys are texts in any notation`() throws {
    let text = #"{"t":{"\u0041\"\\\/":{"n":1},"é🐕":{"n":2},"":{"n":3},"a.b":{"n":4},"\ud83d\udc15":{"n":5}}}"#
    #expect(
      try read(text, "t", "$key", "n")
        == [.row(1, "A\"\\/", 1), .row(2, "é🐕", 2), .row(3, nil, 3), .row(4, "a.b", 4), .row(5, "🐕", 5)])
    #expect(try read(#"{"\u0074":{"k":{"n":1}}}"#, "t", "n") == [.row(1, 1)])
    #expect(try read(#"{"é":{"k":{"n":1}}}"#, "\u{E9}", "n") == [.row(1, 1)])
    // Names are compared as bytes, so two encodings of é are different keys.
    #expect(gap(#"{"é":{"k":{"n":1}}}"#, "e\u{301}", "n")?.contains("no table") == true)
  }

  @Test func `a key may be requested twice, and precedes a member of its name`() throws {
    let text = ##"{"t":{"k":{"$key":"own","key":"member"}}}"##
    #expect(try read(text, "t", "$key", "key", "$key") == [.row(1, "k", "member", "k")])
    #expect(try read(text, "t/$id", "$key", "$id") == [.row(1, "own", "k")])
    let summary = outcome(
      Array(text.utf8), .realtime, ["$key", "$kei", "n"], ExportOptions(table: "t")
    ).summary
    #expect(summary?.neverPresent == ["$kei", "n"])
  }

  @Test(
    arguments: [
      ("true", .boolean(true)), ("false", .boolean(false)), ("7", 7), ("-2.5", .number(-2.5)), ("\"x\"", "x"),
      ("\"\"", nil), ("\"NA\"", nil), ("99999999999999999999", .number(1e20)),
    ] as [(String, ReadRecord.Cell)])
  func `a value in place of a record is its $value`(_ value: String, _ cell: ReadRecord.Cell) throws {
    let options = ExportOptions(missing: ["NA"], table: "t")
    let text = "{\"t\":{\"k\":\(value)}}"
    let records = try ReadersTests.read(text, .realtime, ["$value", "$key"], options)
    #expect(records == [ReadRecord(number: 1, cells: [cell, "k"])])
    // The key can be the only requested field. A value that is not an object has no members.
    #expect(try read(text, "t", "$key") == [.row(1, "k")])
    #expect(try read(text, "t") == [.row(1)])
    #expect(try read(text, "t", "$key", "n").map(\.rule) == [.notAnObject])
    #expect(try read(text, "t", "$value", "n").map(\.rule) == [nil])
  }

  @Test func `a value too large for a double is a fault`() throws {
    #expect(
      try read(#"{"t":{"k":1e999,"l":"\ud83d"}}"#, "t", "$value").map(\.rule) == [
        .numberOutOfRange, .loneSurrogate,
      ])
  }

  @Test func `an array in place of a record is a fault`() throws {
    for fields in [["$value"], ["$key"], ["n"]] {
      let records = try ReadersTests.read(
        #"{"t":{"k":[1],"l":[]}}"#, .realtime, fields, ExportOptions(table: "t"))
      #expect(records.map(\.rule) == [.notAnObject, .notAnObject])
    }
  }

  @Test func `arrays are objects with indices as keys, and null is no record`() throws {
    #expect(
      try read(#"{"t":[null,{"n":1},null,{"n":3}]}"#, "t", "$key", "n") == [.row(1, "1", 1), .row(2, "3", 3)])
    #expect(
      try read(#"{"t":[null,[{"n":1}],{"u":{"n":2}}]}"#, "t/$a/$b", "$a", "$b", "n")
        == [.row(1, "1", "0", 1), .row(2, "2", "u", 2)])
    #expect(try read(#"[{"n":1},null]"#, nil, "$key", "n") == [.row(1, "0", 1)])
    #expect(try read(#"[[{"n":1}]]"#, "0", "$key", "n") == [.row(1, "0", 1)])
    #expect(try read(#"{"t":{"a":null,"b":{"n":1}}}"#, "t", "$key") == [.row(1, "b")])
    for (text, table) in [
      (#"{"t":null}"#, "t"), (#"{"t":{}}"#, "t"), (#"{"t":[]}"#, "t"), ("null", ""), ("{}", ""),
    ] {
      #expect(try read(text, table, "n") == [])
    }
    #expect(error(#"{"t":[nope]}"#, "t", "n")?.code == .badJSON)
  }

  @Test func `a duplicate key gives two records, and a duplicate table is read twice`() throws {
    #expect(
      try read(#"{"t":{"k":{"n":1},"k":{"n":2}},"t":{"k":{"n":3}}}"#, "t", "$key", "n").map(\.cells) == [
        ["k", 1], ["k", 2], ["k", 3],
      ])
    #expect(try read(#"{"t":{"k":{"n":1,"n":2}}}"#, "t", "n").map(\.rule) == [.duplicateKey])
  }

  @Test func `a missing table is named with the existing keys`() throws {
    #expect(
      gap(#"{"users":{},"swipes":{}}"#, "userz", "n")
        == "the file has no table 'userz' (did you mean 'users'?); found: users, swipes; correct 'table' in "
        + "the source"
    )
    #expect(gap(#"{"a":{"b":{}}}"#, "a/c", "n")?.contains("no table 'c'") == true)
    #expect(gap(#"{"a":{"b":{}}}"#, "a/c", "n")?.contains("found: b") == true)
    for root in ["{}", "[]", "null"] {
      #expect(gap(root, "t", "n")?.contains("found: nothing") == true)
    }
    #expect(gap(#"{"error":"Permission denied"}"#, "t", "n")?.contains("found: error") == true)
    #expect(gap(#"{"t":{"u":{"n":1}}}"#, "t", "n") == nil)
    // Keys are often people's ids, so the message must not print all of them.
    let people = "{" + (0..<30).map { "\"person\($0)\":{}" }.joined(separator: ",") + "}"
    let reason = try #require(gap(people, "t", "n"))
    #expect(!reason.contains("person") && reason.contains("30 other keys"))
  }

  @Test(arguments: [
    ("users//x", "empty key"), ("/users", "empty key"), ("users/", "empty key"), ("users/$", "empty key"),
    ("$a/$a", "contain a name twice"), ("a/$value", "$value"),
    ((0..<17).map { "k\($0)" }.joined(separator: "/"), "16 keys"),
    ("a/$key/b", "contain a name twice"),
  ])
  func `an invalid path is rejected`(_ table: String, _ word: String) throws {
    let error = try #require(self.error("{}", table, "n"))
    #expect(error.code == .badOption && error.reason.contains(word))
  }

  @Test(arguments: [
    ("{\"t\":7}", ExportError.Code.wrongShape), ("{\"t\":\"x\"}", .wrongShape), ("7", .wrongShape),
    ("true", .wrongShape),
    ("", .badJSON), (" ", .badJSON), ("{\"t\":{}} x", .badJSON), ("{\"t\":{}", .badJSON),
    ("{\"t\":{\"k\":{}", .badJSON),
    ("{\"t\" {}}", .badJSON), ("{\"t\":{\"k\":{},}}", .badJSON), ("{\"t\":{},\"s\":tru}", .badJSON),
    ("{\"t\":{},\"s\":\"\\q\"}", .badJSON), ("{\"t\":{},\"\\q\":1}", .badJSON),
    ("{\"t\":{\"\\q\":1}}", .badJSON),
    ("{\"t\":{\"k\":{\"n\":tru}}}", .badJSON), ("{\"t\":{},\"s\":01}", .badJSON), ("{t:{}}", .badJSON),
    ("{\"t\":[{},]}", .badJSON), ("{\"t\":}", .badJSON), ("{\"t\":{\"a\u{1}\":{}}}", .badJSON),
  ])
  func `a file that is not a tree is an error`(_ text: String, _ code: ExportError.Code) {
    #expect(error(text, "t", "n")?.code == code)
  }

  @Test func `unrequested parts may contain any JSON`() throws {
    let deep = String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
    for other in ["1e999", #""\ud83d""#, deep, "99999999999999999999", #"{"a":1,"a":2}"#] {
      for text in ["{\"s\":\(other),\"t\":{\"k\":{\"n\":1}}}", "{\"t\":{\"k\":{\"n\":1}},\"s\":[\(other)]}"] {
        #expect(try read(text, "t", "n") == [.row(1, 1)], "\(other.prefix(30))")
      }
    }
    #expect(try read(#"{"\ud83d":1,"t":{"k":{"n":1}}}"#, "t", "n") == [.row(1, 1)])
  }

  @Test(arguments: [
    #"[1e999,tru]"#, #"{"a":"\ud83d","b":tru}"#, #"{"\ud83d":1,"b":nope}"#, #"[[1e999,{"x":01}]]"#,
    "[1e999 2]",
  ])
  func `valid unrequested JSON does not hide invalid JSON after it`(_ other: String) {
    #expect(error("{\"s\":\(other),\"t\":{\"k\":{\"n\":1}}}", "t", "n")?.code == .badJSON)
    #expect(error("{\"t\":{\"k\":{\"n\":1}},\"s\":\(other)}", "t", "n")?.code == .badJSON)
  }

  @Test func `a key that no text can represent is a fault of its own`() throws {
    let text = #"{"t":{"a":{"n":1},"\ud83d":{"n":2},"b":{"n":3}}}"#
    #expect(
      try read(text, "t", "$key", "n") == [.row(1, "a", 1), .fault(2, .loneSurrogate, ""), .row(3, "b", 3)])
    let nested = #"{"t":{"\ud83d":{"x":{"n":1},"y":{"n":2}},"b":{"x":{"n":3}}}}"#
    #expect(try read(nested, "t/$a/$b", "$a", "n").map(\.rule) == [.loneSurrogate, nil])
  }

  @Test func `an error contains the byte and the line, with any line ends`() {
    for end in ["\n", "\r\n", "\r"] {
      let text = ["{\"t\":", "{\"k\":{\"n\":1},", "\"l\":{}", "\"m\":{}}}"].joined(separator: end)
      let place = error(text, "t", "n")?.place
      #expect(place == .byte(27 + 3 * (end.utf8.count - 1), line: 4), "\(end.debugDescription)")
    }
  }
}
