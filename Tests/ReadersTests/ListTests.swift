import Readers
import Testing

/// Arrays in fields that are requested as lists.
@Suite struct ListTests {
  /// Returns the field `t` of each record, requested as a list.
  private func lists(_ text: String, _ format: ExportFormat, table: String? = nil) throws -> [ReadRecord.Cell]
  {
    var options = ExportOptions()
    options.table = table
    let reader = try ExportReader(
      bytes: Array(text.utf8), name: "x", format: format, fields: ["t"], lists: ["t": ";"], options: options)
    return try reader.all().records.map { record in
      #expect(record.rule == nil, "\(text)")
      return try #require(record.cells.first)
    }
  }

  private func texts(_ texts: String...) -> ReadRecord.Cell { .list(texts.map { Array($0.utf8) }) }

  @Test(arguments: [ExportFormat.json, .jsonl, .parse])
  func `an array of scalars is a list without nulls`(format: ExportFormat) throws {
    func one(_ value: String) throws -> ReadRecord.Cell? {
      let record = #"{"before":["no"],"t":\#(value),"after":["no",[1]]}"#
      return try lists(format == .jsonl ? record : "[\(record)]", format).first
    }
    #expect(try one(#"["a","b","a"]"#) == texts("a", "b", "a"))
    #expect(
      try one(#"["é\n\u0000\"",-7,1.5,1e300,true,false,null,""]"#)
        == texts("é\n\0\"", "-7", "1.5", "1e+300", "true", "false", ""))
    #expect(
      try one("[9223372036854775807,-9223372036854775808,18446744073709551615]")
        == texts("9223372036854775807", "-9223372036854775808", "1.8446744073709552e+19"))
    // A list without elements is a missing value.
    for value in ["[]", "[null]", "null", "\"\""] { #expect(try one(value) == .missing, "\(value)") }
    for value in ["[[1]]", #"["a",["b"]]"#, "{}", #"{"a":true}"#] {
      #expect(try one(value) == .structure, "\(value)")
    }
    // Objects are not texts, but a list of objects may be a set of intervals.
    #expect(try one("[{}]") == .list(nil))
    #expect(try one("\"a;b\"") == "a;b")
    #expect(try one("7") == 7)
  }

  @Test func `an array that is not requested as a list is a structure`() throws {
    #expect(try read(#"[{"t":["a"]}]"#, .json, ["t"]) == [.row(1, .structure)])
  }

  @Test func `consecutive records have separate lists`() throws {
    let text = (0..<50).map { #"{"t":["\#($0)","x"],"u":[\#($0)]}"# }.joined(separator: "\n")
    let found = try lists(text, .jsonl)
    #expect(found == (0..<50).map { texts("\($0)", "x") })
  }

  @Test func `two fields of a record have separate lists`() throws {
    let reader = try ExportReader(
      bytes: Array(#"[{"a":["x"],"b":{"c":["y","z"]},"d":[1]}]"#.utf8), name: "x", format: .json,
      fields: ["a", "b.c", "d"], lists: ["a": ";", "b.c": ";"])
    #expect(try reader.all().records == [.row(1, texts("x"), texts("y", "z"), .structure)])
  }

  @Test func `Parse's pointers in lists become their ids`() throws {
    let pointers = #"[{"__type":"Pointer","className":"T","objectId":"p1"},"x"]"#
    #expect(try lists(#"[{"t":\#(pointers)}]"#, .parse) == [texts("p1", "x")])
    #expect(try lists(#"[{"t":[{"__type":"GeoPoint","latitude":1,"longitude":2}]}]"#, .parse) == [.list(nil)])
  }

  @Test func `Firestore's arrays hold typed values`() throws {
    func one(_ value: String) throws -> ReadRecord.Cell? {
      try lists(#"[{"name":"p/x","fields":{"t":\#(value)}}]"#, .firestore).first
    }
    #expect(
      try one(
        #"{"arrayValue":{"values":[{"stringValue":"a"},{"integerValue":"7"},{"doubleValue":0.5},{"booleanValue":true},{"nullValue":null},{"timestampValue":"2020-01-01T00:00:00Z"}]}}"#
      ) == texts("a", "7", "0.5", "true", "2020-01-01T00:00:00Z"))
    #expect(try one(#"{"arrayValue":{}}"#) == .missing)
    #expect(try one(#"{"arrayValue":{"values":[]}}"#) == .missing)
    #expect(try one(#"{"arrayValue":{"values":[{"doubleValue":"NaN"}]}}"#) == .list(nil))
    #expect(try one(#"{"arrayValue":{"values":[{"mapValue":{}}]}}"#) == .list(nil))
    #expect(try one(#"{"arrayValue":{"values":[{"arrayValue":{}}]}}"#) == .structure)
    #expect(try one(#"{"stringValue":"a"}"#) == "a")
    #expect(try one(#"{"mapValue":{"fields":{"a":{"booleanValue":true}}}}"#) == .structure)
  }

  @Test(arguments: [
    #"{"arrayValue":{"values":["a"]}}"#, #"{"arrayValue":{"values":[{"integerValue":"many"}]}}"#,
    #"{"arrayValue":{"values":[{}]}}"#, #"{"arrayValue":{"values":{}}}"#,
    #"{"arrayValue":{"values":[{"stringValue":1}]}}"#,
  ])
  func `an invalid typed value in an array is a fault`(value: String) throws {
    let reader = try ExportReader(
      bytes: Array(#"[{"name":"p/x","fields":{"t":\#(value)}}]"#.utf8), name: "x", format: .firestore,
      fields: ["t"], lists: ["t": ";"])
    #expect(try reader.all().records.map(\.rule) == [.badFirestoreValue])
  }

  @Test(
    arguments: [
      (#"["a","b"]"#, ["a", "b"]), (#"["a",null,"c"]"#, ["a", "c"]), (#"{"0":"a","2":"c"}"#, ["a", "c"]),
      (#"{"-N1":"a","-N2":7}"#, ["a", "7"]), (#"{"chess":true,"go":false,"é":true}"#, ["chess", "é"]),
      // The Firebase console exports {"0": true, "2": true} in this form.
      ("[true,null,true]", ["0", "2"]), (#"{"a":true,"b":"x"}"#, ["true", "x"]),
    ] as [(String, [String])])
  func `a Realtime Database exports arrays as objects, and sets as flags`(value: String, expected: [String])
    throws
  {
    let found = try lists(#"{"u":{"k":{"t":\#(value)}}}"#, .realtime, table: "u")
    #expect(found == [.list(expected.map { Array($0.utf8) })])
  }

  @Test(arguments: [
    (#"{"a":false}"#, ReadRecord.Cell.missing), (#"{"a":{"b":1}}"#, .list(nil)), ("[[1]]", .structure),
  ])
  func `a Realtime Database may have empty sets, and structures that are not sets`(
    value: String, cell: ReadRecord.Cell
  )
    throws
  {
    let found = try lists(#"{"u":{"k":{"t":\#(value)}}}"#, .realtime, table: "u")
    #expect(found == [cell])
  }

  @Test func `delimited files have texts`() throws {
    #expect(try lists("t\na;b\n\"\"\n", .csv) == ["a;b", .missing])
  }
}
