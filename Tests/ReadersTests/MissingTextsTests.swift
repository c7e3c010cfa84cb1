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
      // The empty text alone means nothing by itself.
      #expect(try read(text, format, ["a", "b"])[3] == .row(5, nil, nil))
      #expect(try read(text, format, ["a", "b"])[5] == .row(7, "x", "a\"b"))
    }
  }

  @Test func `missing texts apply only to texts in JSON formats`() throws {
    let values = [
      #""NA""#, #""\u004eA""#, #""null""#, #""-999""#, #""""#, #""a\"b""#, #""é""#, "null", "-999", #""NA ""#,
    ]
    let cells: [ReadRecord.Cell] = [nil, nil, nil, nil, nil, nil, nil, nil, -999, "NA "]
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
