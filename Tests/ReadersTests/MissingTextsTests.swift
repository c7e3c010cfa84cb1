import Testing

@testable import Readers

@Suite struct MissingTextsTests {
  private static let options = ExportOptions(missing: ["NA", "null", "-999", "", "a\"b", "é"])

  @Test func `missing texts apply to delimited files, quoted or not`() throws {
    let rows = [
      "NA,\"NA\"", "null,\"null\"", "-999,\"-999\"", ",\"\"", "é,\"é\"", "x,\"a\"\"b\"", "na, NA",
      "\"NA \",NAN",
    ]
    for (format, delimiter) in [(ExportFormat.csv, ","), (.tsv, "\t")] {
      let text = (["a,b"] + rows).joined(separator: "\n").replacing(",", with: delimiter)
      #expect(
        try read(text, format, ["a", "b"], Self.options) == [
          .row(2, nil, nil), .row(3, nil, nil), .row(4, nil, nil), .row(5, nil, nil), .row(6, nil, nil),
          .row(7, "x", nil), .row(8, "na", " NA"), .row(9, "NA ", "NAN"),
        ])
      // An empty text is missing by default, so listing it alone changes nothing.
      #expect(try read(text, format, ["a", "b"])[3] == .row(5, nil, nil))
      #expect(try read(text, format, ["a", "b"])[5] == .row(7, "x", "a\"b"))
    }
  }

  @Test func `missing numbers are compared by value in every format`() throws {
    let options = ExportOptions(missing: ["-999", "1e3", "0", "x"])
    // A text with leading zeros or a plus sign is probably a code, not a number.
    let texts: [(String, isMissing: Bool)] = [
      ("-999", true), ("-999.0", true), ("-9.99e2", true), ("1000", true), ("0.0", true), ("-0", true),
      ("x", true),
      ("-999.5", false), ("00", false), ("+1000", false), ("-0999", false), ("-", false), ("999", false),
    ]
    let rows = texts.map { ReadRecord.Cell.text(Array($0.0.utf8)) }
    let expected = zip(texts, rows).map { $0.isMissing ? nil : $1 }
    let csv = "a,b\n" + texts.map { "\($0.0),\"\($0.0)\"\n" }.joined()
    #expect(try read(csv, .csv, ["a", "b"], options).map(\.cells) == expected.map { [$0, $0] })
    let quoted = texts.map { "{\"a\":\"\($0.0)\"}" }.joined(separator: "\n")
    #expect(try read(quoted, .jsonl, ["a"], options).map(\.cells) == expected.map { [$0] })

    let numbers: [(String, ReadRecord.Cell)] = [
      ("-999", nil), ("-999.0", nil), ("1000", nil), ("0", nil), ("-0.0", nil), ("-998", -998),
      ("0.5", .number(0.5)), ("18446744073709551616", .number(0x1p64)),
    ]
    let cells = numbers.map { [$0.1] }
    let objects = numbers.map { "{\"a\":\($0.0)}" }
    func check(_ text: String, _ format: ExportFormat) throws {
      #expect(try read(text, format, ["a"], options).map(\.cells) == cells, "\(format)")
    }
    try check(objects.joined(separator: "\n"), .jsonl)
    try check("[" + objects.joined(separator: ",") + "]", .json)
    try check("{\"results\":[" + objects.joined(separator: ",") + "]}", .parse)
    try check("[" + objects.joined(separator: ",") + "]", .realtime)
    let documents = numbers.map { number, cell in
      let isInteger = number.allSatisfy { $0.isNumber || $0 == "-" } && number.count < 19
      return "{\"fields\":{\"a\":{\"\(isInteger ? "integerValue" : "doubleValue")\":\(number)}}}"
    }
    try check("{\"documents\":[" + documents.joined(separator: ",") + "]}", .firestore)
  }

  @Test func `missing texts apply to texts and numbers in JSON formats`() throws {
    let values = [
      #""NA""#, #""\u004eA""#, #""null""#, #""-999""#, #""""#, #""a\"b""#, #""é""#, "null", "-999", #""NA ""#,
    ]
    let cells: [ReadRecord.Cell] = [nil, nil, nil, nil, nil, nil, nil, nil, nil, "NA "]
    func check(_ text: String, _ format: ExportFormat, _ expected: [ReadRecord.Cell] = cells) throws {
      #expect(try read(text, format, ["a"], Self.options).map(\.cells) == expected.map { [$0] }, "\(format)")
    }
    let objects = values.map { "{\"a\":\($0)}" }
    try check(objects.joined(separator: "\n"), .jsonl)
    try check("[" + objects.joined(separator: ",") + "]", .json)
    try check("{\"results\":[" + objects.joined(separator: ",") + "]}", .parse)
    try check("[" + objects.joined(separator: ",") + "]", .realtime)
    let documents = values.map { value in
      let type = value == "null" ? "nullValue" : value == "-999" ? "integerValue" : "stringValue"
      return "{\"fields\":{\"a\":{\"\(type)\":\(value)}}}"
    }
    try check("{\"documents\":[" + documents.joined(separator: ",") + "]}", .firestore)
    let typed = ["Date\",\"iso", "Pointer\",\"objectId", "File\",\"name"].map {
      "{\"a\":{\"__type\":\"\($0)\":\"NA\"}}"
    }
    try check("[" + typed.joined(separator: ",") + "]", .parse, [nil, nil, nil])
  }

  @Test func `missing texts apply to keys of a tree`() throws {
    var options = Self.options
    options.table = "t"
    #expect(
      try read(#"{"t":{"NA":{"n":1},"NAN":{"n":"null"}}}"#, .realtime, ["$key", "n"], options)
        == [.row(1, nil, 1), .row(2, "NAN", nil)])
  }

  @Test func `the summary distinguishes absent fields from missing values`() throws {
    let read = outcome(Array(#"{"a":"NA"}"#.utf8), .jsonl, ["a", "b"], Self.options)
    #expect(read.summary?.neverPresent == ["b"])
  }
}
