import Testing

@testable import Readers

/// The end of an export can show that records are missing.
struct CompletenessTests {
  struct Case: Sendable {
    var format: ExportFormat
    var text: String
    /// A text that the reported reason must contain. `nil` if no record is missing.
    var gap: String?
    /// The place of the evidence.
    var place: ExportError.Place?
    var hasNextPage = false
    var announced: Int?
  }

  private static func page(_ rest: String = "") -> String {
    #"{"documents":[{"name":"p/a","fields":{"a":{"integerValue":"1"}}}]"# + rest + "}"
  }

  private static let cases = [
    Case(format: .firestore, text: page()),
    Case(format: .firestore, text: page(#","nextPageToken":"x""#), hasNextPage: true),
    Case(format: .firestore, text: page(#","nextPageToken":"""#)),
    Case(format: .firestore, text: page(#","nextPageToken":null"#)),
    Case(format: .firestore, text: page(#","nextPageToken":"x""#) + page()),
    // The last page may be empty.
    Case(format: .firestore, text: page(#","nextPageToken":"x""#) + "{}"),
    Case(format: .firestore, text: page() + page(#","nextPageToken":"x""#), hasNextPage: true),
    Case(
      format: .firestore, text: page() + #"{"error":{"code":8}}"#, gap: "answered with an error",
      place: .element(2, byte: page().utf8.count)),
    Case(
      format: .firestore, text: #"[{"document":{"name":"p/a","fields":{}}},{"error":{"code":8}}]"#,
      gap: "answered with an error", place: .element(2, byte: 41)),
    Case(
      format: .firestore, text: "{\"name\":\"p/a\"}\n{\"error\":{\"code\":8}}\n",
      gap: "answered with an error", place: .line(2)),
    Case(format: .parse, text: #"{"results":[{"objectId":"x","a":1}],"count":3}"#, announced: 3),
    Case(
      format: .parse, text: #"{"results":[{"objectId":"x","a":1}]}{"code":1,"error":"x"}"#,
      gap: "answered with an error", place: .element(2, byte: 36)),
    Case(
      format: .parse, text: #"[{"objectId":"x","a":1},{"code":1,"error":"x"}]"#,
      gap: "answered with an error", place: .element(2, byte: 24)),
    Case(
      format: .parse, text: #"{"results":[{"objectId":"x","a":1},{"error":"x","code":1}]}"#,
      gap: "answered with an error", place: .element(2, byte: 35)),
    Case(
      format: .parse, text: "{\"objectId\":\"x\"}\n{\"code\":1,\"error\":\"x\"}\n",
      gap: "answered with an error", place: .line(2)),
    // In an object with an id, the fields `code` and `error` are not evidence of an error.
    Case(format: .parse, text: #"{"results":[{"code":1,"error":"x","objectId":"y"}]}"#),
    Case(format: .csv, text: "a,b\n1,2\n3,4"),
    Case(format: .csv, text: "a,b\n1,2\n3", gap: "1 of 2 fields", place: .line(3)),
    Case(format: .csv, text: "a,b\n1\n3,4"),
    Case(format: .csv, text: "a,b\n1,\"2", gap: "never closed", place: .line(2)),
    Case(format: .jsonl, text: "{\"a\":1}\n{\"a\":2}"),
    Case(format: .jsonl, text: "{\"a\":1}\n{\"a\":2", gap: "not JSON", place: .line(2)),
    Case(format: .jsonl, text: "{\"a\":1\n{\"a\":2}\n"),
    Case(
      format: .jsonl, text: "{\"a\":1}\n{\"error\":\"x\"}\n", gap: "answered with an error",
      place: .line(2)),
    Case(
      format: .parse,
      text: #"{"results":[{"objectId":"x","a":1},{"message":"x","error":"y"},{"objectId":"z"}]}"#,
      gap: "answered with an error", place: .element(2, byte: 35)),
    Case(
      format: .json, text: #"[{"a":1},{"code":7,"error":"x"}]"#, gap: "answered with an error",
      place: .element(2, byte: 9)),
    // An error is a record if another record follows.
    Case(format: .jsonl, text: "{\"error\":\"x\"}\n{\"a\":1}\n"),
    Case(format: .json, text: #"[{"error":"x"},{"a":1}]"#),
    Case(
      format: .jsonl, text: "{\"a\":1}\nCode: 159. DB::Exception: Timeout exceeded\n",
      gap: "answered with an error", place: .line(2)),
    Case(
      format: .jsonl, text: "{\"a\":1}\n{\"aCode: 159. DB::Exception: Timeout exceeded\n",
      gap: "answered with an error", place: .line(2)),
    Case(format: .jsonl, text: "{\"a\":1}\nERROR: x\n", gap: "answered with an error", place: .line(2)),
    Case(format: .jsonl, text: "{\"a\":1}\nERROR: x\n\n{\"a\":1}\n"),
    Case(format: .jsonl, text: "{\"a\":1}\n(1 row)\n"),
    Case(
      format: .csv, text: "a,b\n1,2\nCode: 159. DB::Exception: Timeout exceeded\n",
      gap: "answered with an error", place: .line(3)),
    Case(format: .csv, text: "a,b\n1,2\nCode: 159. DB::Exception: Timeout exceeded\n3,4\n"),
    Case(format: .csv, text: "a,b\n1,2\n3\n"),
  ]

  /// The last record, in a file with the fields `a`, `message` and `code`.
  @Test(arguments: [
    (#"{"error":"x"}"#, true), (#"{"statusCode":500,"message":"x","error":"y"}"#, true),
    (#"{"status":500,"error":"x"}"#, true), (#"{"message":"x","error":"y"}"#, true),
    (#"{"error":"x","request_id":"y"}"#, true), (#"{"errors":[{"message":"x"}]}"#, true),
    (#"{"data":null,"errors":[{"message":"x"}]}"#, true), (#"{"Error_Code":"x","cluster":"y"}"#, true),
    (#"{"timestamp":"x","status":500,"path":"/y","exception":"z"}"#, true),
    (#"{"code":"57014","details":null,"hint":null,"message":"x"}"#, true), (#"{"message":"x"}"#, true),
    (#"{"type":"about:blank","title":"x","status":503,"detail":"y"}"#, true),
    // An object with the id is a record, and so is an object without an id that is not an error.
    (#"{"a":1,"error":"x"}"#, false), (#"{"a":1,"message":"x","code":7}"#, false),
    (#"{"error":"x","a":2}"#, false), (#"{"error":"x","a":null}"#, false), (#"{"code":7}"#, false),
    (#"{"status":"x","name":"y"}"#, false), (#"{"message":"x","body":"y"}"#, false), ("{}", false),
  ])
  func `a last record that is an error of the server is noted`(_ last: String, _ isError: Bool) throws {
    let record = #"{"a":1,"message":"x","code":7,"error":"y"}"#
    let fields = ["a", "message", "code"]
    let files: [(ExportFormat, String)] = [
      (.json, "[\(record),\(last)]"), (.jsonl, "\(record)\n\(last)\n"),
      (.jsonl, String(repeating: "\(record)\n", count: 9) + last),
    ]
    for (format, text) in files {
      let summary = try #require(outcome(Array(text.utf8), format, fields).summary)
      #expect((summary.gap != nil) == isError, "\(text)")
    }
    let parse = #"{"results":[{"objectId":"x","a":1},\#(last)]}"#
    #expect((try #require(outcome(Array(parse.utf8), .parse, fields).summary).gap != nil) == isError)
  }

  /// If the id of a record has a name that also occurs in errors, objects with the id are records.
  @Test func `an id with the name of an error's key identifies a record`() throws {
    let text = #"[{"code":1,"b":2},{"code":3,"error":"x"}]"#
    #expect(try #require(outcome(Array(text.utf8), .json, ["code", "b"]).summary).gap == nil)
  }

  @Test(arguments: cases.indices) func `the end of an export shows whether records are missing`(index: Int)
    throws
  {
    let test = Self.cases[index]
    let outcome = outcome(Array(test.text.utf8), test.format, ["a"])
    let summary = try #require(outcome.summary)
    #expect((summary.gap == nil) == (test.gap == nil), "\(test.text): \(String(describing: summary.gap))")
    if let gap = test.gap { #expect(summary.gap?.reason.contains(gap) == true) }
    #expect(summary.gap?.place == test.place, "\(test.text)")
    #expect(summary.hasNextPage == test.hasNextPage && summary.announced == test.announced, "\(test.text)")
  }

  /// An answer that lacks the requested table does not count as empty. The missing table is reported instead.
  @Test(
    arguments: [
      (.firestore, nil, "{}", true, false), (.firestore, nil, #"{"documents":[]}"#, false, true),
      (.firestore, nil, page(), false, false), (.firestore, nil, page() + "{}", false, false),
      (.parse, nil, "{}", true, false), (.parse, nil, #"{"results":[]}"#, false, true),
      (.parse, nil, #"{"results":[{"objectId":"x","a":1}]}"#, false, false),
      (.realtime, "t", #"{"t":{}}"#, true, false), (.realtime, "t", #"{"t":null}"#, true, false),
      (.realtime, "t", #"{"t":{"k":null}}"#, true, false), (.realtime, "t", #"{"u":{}}"#, false, false),
      (.realtime, "t", #"{"t":{"k":{"a":1}}}"#, false, false), (.realtime, nil, "{}", true, false),
      (.jsonl, nil, "{}", false, false), (.json, nil, "[]", false, false), (.csv, nil, "a\n", false, false),
    ] as [(ExportFormat, String?, String, Bool, Bool)])
  func `an answer without records is noted`(
    format: ExportFormat, table: String?, text: String, isEmptyAnswer: Bool, hasEmptyPage: Bool
  ) throws {
    let summary = try #require(outcome(Array(text.utf8), format, ["a"], ExportOptions(table: table)).summary)
    #expect(summary.isEmptyAnswer == isEmptyAnswer && summary.hasEmptyPage == hasEmptyPage)
  }

  @Test(
    arguments: [
      ("a,b\n1,2\n3,4", 3), ("a,b\n1,2\n3,4\n", nil), ("a,b\n1,2\r\n3,\"4\"", 3), ("a,b\n1,2\n\n", nil),
      ("a,b\n", nil),
    ] as [(String, Int?)])
  func `a last row without a line break is noted`(text: String, row: Int?) throws {
    #expect(try #require(outcome(Array(text.utf8), .csv, ["a"]).summary).unendedRow == row)
  }

  @Test func `if a file is read in parts, the last page decides`() {
    var sum = ReadSummary()
    func add(_ records: Int, hasNextPage: Bool = false, isEmptyAnswer: Bool = false, announced: Int? = nil) {
      var part = ReadSummary(records: records)
      (part.hasNextPage, part.isEmptyAnswer, part.announced) = (hasNextPage, isEmptyAnswer, announced)
      sum.add(part)
    }
    add(0, isEmptyAnswer: true)
    #expect(sum.isEmptyAnswer && !sum.hasNextPage)
    add(2, hasNextPage: true, announced: 7)
    #expect(!sum.isEmptyAnswer && sum.hasNextPage && sum.announced == 7)
    // This part contains no page.
    add(0)
    #expect(sum.hasNextPage && sum.announced == 7)
    add(0, isEmptyAnswer: true)
    #expect(!sum.hasNextPage && !sum.isEmptyAnswer && sum.records == 2)
    add(1, hasNextPage: true, announced: 3)
    add(1)
    #expect(!sum.hasNextPage && sum.announced == 3 && sum.records == 4)
  }
}
