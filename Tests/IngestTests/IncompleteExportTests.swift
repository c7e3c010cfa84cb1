import Files
import Foundation
import IngestFixture
import PipelineFile
import Readers
import System
import TestSupport
import Text
import Testing

@testable import Ingest

/// The content or the folder of an export can show that records are missing.
struct IncompleteExportTests {
  private static let head = Night.peopleHeader
  private static let lastIsFlag = "id,created,updated,lat,lon,field,age,bio,gone\n"
  private static let row = "u1,2025-01-01,2025-01-01,1,1,a,3,false,x\n"

  private static func yaml(_ format: ExportFormat, path: String, _ options: String = "") -> String {
    Night.yaml(people: format).replacing(
      "source: { path: people.\(format.rawValue), format: \(format.rawValue) }",
      with: "source: { path: \(path), format: \(format.rawValue)\(options) }")
  }

  /// Ingests the people in `files`. The export of likes is empty.
  private func ingest(
    _ format: ExportFormat, _ files: [String: String], path: String, _ options: String = ""
  ) throws -> Int? {
    let night = try Night(
      Self.yaml(format, path: path, options), files.merging(["likes.csv": Night.likesHeader]) { $1 })
    return night.manifest.counts["sources"]?["people"]?["read"]?.integerValue
  }

  private static func document(_ id: String) -> String {
    let names = ["created", "updated", "lat", "lon", "field", "age", "gone", "bio"]
    let fields = names.map { "\"\($0)\":{\"nullValue\":null}" }.joined(separator: ",")
    return "{\"name\":\"p/\(id)\",\"fields\":{\"id\":{\"stringValue\":\"\(id)\"},\(fields)}}"
  }

  private static func object(_ id: String) -> String {
    let names = ["created", "updated", "lat", "lon", "field", "age", "gone", "bio"]
    return "{\"id\":\"\(id)\",\"objectId\":\"\(id)\"," + names.map { "\"\($0)\":null" }.joined(separator: ",")
      + "}"
  }

  private static func page(_ ids: String..., token: String? = nil) -> String {
    "{\"documents\":[\(ids.map(document).joined(separator: ","))]"
      + (token.map { ",\"nextPageToken\":\"\($0)\"" } ?? "") + "}"
  }

  /// The first run reads exports without rows.
  @Test(
    arguments: [
      (.csv, head), (.tsv, head.replacing(",", with: "\t")), (.jsonl, ""), (.json, "[]"),
      (.firestore, "{\"documents\":[]}"), (.parse, "{\"results\":[]}"),
    ] as [(ExportFormat, String)])
  func `an export of people without rows also ends the first run`(format: ExportFormat, content: String)
    throws
  {
    let rankings = "rankings:\n  near: { users: people, candidates: people, order_by: newest, top: 3 }\n"
    let yaml = Night.yaml(people: format, extra: rankings)
    let files = ["people.\(format.rawValue)": content, "likes.csv": Night.likesHeader]
    // The like dangles, but the message is about the people.
    let liked = files.merging(["likes.csv": Night.likesHeader + "a,b,1000,yes\n"]) { $1 }
    do {
      _ = try Night(yaml.replacing("dangling_limit: 1", with: "dangling_limit: 0"), liked)
      Issue.record("a run without people was accepted")
    } catch {
      #expect(ExitStatus(error) == .badData)
      #expect("\(error)".contains("people") && !(error is RowLimitExceeded))
      if let error = error as? ExpectationsViolated {
        #expect(error.violations.map(\.expectation) == ["rows.at_least"])
        #expect("\(error)".contains("expect: { rows: { at_least: 0 } }"))
      }
    }
    let source = "format: \(format.rawValue)"
    let allowed = yaml.replacing(source, with: source + ", incomplete: allowed")
    #expect(try Night(allowed, files).manifest.counts["sources"]?["people"]?["read"] == 0)
    if [.csv, .tsv, .jsonl].contains(format) {
      let expected = yaml.replacing(
        "    id: id\n", with: "    id: id\n    expect: { rows: { at_least: 0 } }\n")
      #expect(try Night(expected, files).manifest.counts["sources"]?["people"]?["read"] == 0)
    }
  }

  /// The rows are rejected, or all are later than the as-of time.
  @Test(
    arguments: [(",1000,1000,1,1,a,3,false,x\n", nil), ("u1,1000,1000,1,1,a,3,false,x\n", 500)]
      as [(String, Int64?)])
  func `a night that keeps no user is refused`(row: String, asOf: Int64?) throws {
    let rankings = "rankings:\n  near: { users: people, candidates: people, order_by: newest, top: 3 }\n"
    let error = #expect(throws: ExpectationsViolated.self) {
      _ = try Night(
        Night.yaml(extra: rankings), ["people.csv": Self.head + row, "likes.csv": Night.likesHeader],
        asOf: asOf.map { Instant(milliseconds: $0) })
    }
    #expect(
      "\(try #require(error))".contains(
        "0 kept rows of 1 (1 \(asOf == nil ? "rejected" : "later than the as-of time"))"))
  }

  @Test func `conditions that leave out all rows are named`() throws {
    let rankings = "rankings:\n  near: { users: people, candidates: people, order_by: newest, top: 3 }\n"
    let yaml = Night.yaml(extra: rankings).replacing(
      "people.csv, format: csv }", with: "people.csv, format: csv, where: { field: nowhere } }")
    let error = #expect(throws: ExpectationsViolated.self) {
      _ = try Night(
        yaml, ["people.csv": Self.head + "u1,1000,1000,1,1,a,3,false,x\n", "likes.csv": Night.likesHeader])
    }
    #expect("\(try #require(error))".contains("0 rows that meet 'where', of 1 row"))
  }

  struct Case: Sendable {
    var format: ExportFormat
    var files: [String: String]
    var path: String
    /// A text that the message must contain.
    var says: String
    /// The number of rows that ingest reads with `incomplete: allowed`.
    var rows: Int
  }

  private static let cases =
    [
      Case(
        format: .firestore, files: ["p.json": page("a", "b", token: "x")], path: "p.json",
        says: "nextPageToken",
        rows: 2),
      Case(
        format: .firestore,
        files: ["f/page-9.json": page("a", token: "x"), "f/page-10.json": page("b", token: "y")],
        path: "f", says: "page-10.json: the last page", rows: 2),
      Case(
        format: .firestore, files: ["f/page-2.json": page("a", token: "x"), "f/page-3.json": page("b")],
        path: "f", says: "page 1 is missing", rows: 2),
      Case(
        format: .firestore,
        files: ["f/usersPart09.json": page("a", token: "x"), "f/usersPart10.json": page("b")],
        path: "f", says: "page 1 is missing", rows: 2),
      Case(
        format: .firestore,
        files: ["p.json": "[{\"document\":\(document("a"))},{\"error\":{\"code\":8,\"status\":\"X\"}}]"],
        path: "p.json", says: "answered with an error", rows: 2),
      Case(
        format: .firestore, files: ["p.json": page("a", token: "x") + "\n{ \"error\": {\"code\":14}}"],
        path: "p.json", says: "answered with an error", rows: 2),
      Case(format: .firestore, files: ["p.json": "{}\n"], path: "p.json", says: "misspelled", rows: 0),
      Case(
        format: .parse, files: ["p.json": "{\"results\":[\(object("a"))],\"count\":3}"], path: "p.json",
        says: "the export has 1 of the 3 results", rows: 1),
      Case(
        format: .parse, files: ["p.json": "{\"results\":[\(object("a"))],\"count\":2}"], path: "p.json",
        says: "the export has 1 of the 2 results", rows: 1),
      Case(
        format: .parse, files: ["p.json": "{\"results\":[\(object("a"))],\"count\":1000}"], path: "p.json",
        says: "the export has 1 of the 1 000 results", rows: 1),
      Case(
        format: .parse, files: ["p.json": "{\"results\":[\(object("a"))]}{\"code\":1,\"error\":\"x\"}"],
        path: "p.json", says: "answered with an error", rows: 2),
      Case(format: .realtime, files: ["p.json": "null"], path: "p.json", says: "misspelled", rows: 0),
      // Answers without records. The name of the collection or class may be misspelled.
      Case(
        format: .firestore, files: ["p.json": "[{\"readTime\":\"2026-11-01T00:00:00Z\"}]"], path: "p.json",
        says: "misspelled", rows: 0),
      Case(
        format: .firestore, files: ["p.json": "{\"documents\":[]}"], path: "p.json", says: "misspelled",
        rows: 0),
      Case(format: .parse, files: ["p.json": "{ }"], path: "p.json", says: "misspelled", rows: 0),
      Case(
        format: .parse, files: ["p.json": "{\"results\":[],\"count\":0}"], path: "p.json", says: "misspelled",
        rows: 0),
      Case(
        format: .parse, files: ["f/1.json": "{\"results\":[]}", "f/2.json": "{\"results\":[]}"], path: "f",
        says: "misspelled", rows: 0),
      Case(
        format: .parse, files: ["p.json": "{\"results\":[\(object("a"))],\"count\":3.0}"], path: "p.json",
        says: "the export has 1 of the 3 results", rows: 1),
      // A page names a next page, which is in another folder or has another name.
      Case(
        format: .firestore,
        files: ["f/a/page-1.json": page("a", token: "x"), "f/b/page-1.json": page("b")], path: "f",
        says: "a/page-1.json: the last page", rows: 2),
      Case(
        format: .firestore,
        files: [
          "f/men-1.json": page("a", token: "x"), "f/men-2.json": page("b", token: "x"),
          "f/women-1.json": page("c"),
          "f/women-2.json": page("d"),
        ], path: "f", says: "men-2.json: the last page", rows: 4),
      Case(
        format: .firestore,
        files: [
          "f/p1.json": page("a", token: "x"), "f/p2.json": page("b", token: "x"), "f/p4.json": page("c"),
        ], path: "f", says: "page 3 is missing", rows: 3),
      Case(
        format: .firestore, files: ["f/p1.json": page("a", token: "x"), "f/p3.json": page("c")], path: "f",
        says: "page 2 is missing", rows: 2),
      Case(
        format: .firestore,
        files: [
          "f/p3.json": page("a", token: "x"), "f/p4.json": page("b", token: "x"), "f/p6.json": page("c"),
        ], path: "f", says: "page 5 is missing", rows: 3),
      Case(
        format: .firestore, files: ["f/p1.json": page("a", token: "x"), "f/p10.json": page("c")], path: "f",
        says: "page 2 is missing", rows: 2),
      // The largest of the stated counts applies.
      Case(
        format: .parse,
        files: [
          "f/1.json": "{\"results\":[\(object("a"))],\"count\":3}",
          "f/2.json": "{\"results\":[\(object("b"))],\"count\":1}",
        ], path: "f", says: "the export has 2 of the 3 results", rows: 2),
      // The second of two files is cut.
      Case(
        format: .csv,
        files: ["f/1.csv": lastIsFlag + "u1,,,,,,,,?\n", "f/2.csv": lastIsFlag + "u2,,,,,,,,fal"],
        path: "f", says: "f/2.csv:2: the last row has an invalid value", rows: 2),
      Case(
        format: .csv, files: ["f/p.csv": head + row, "f/p.csv.bak": head + row, "f/p.csv~": head + row],
        path: "f", says: "this file (and 1 more)", rows: 3),
      // An error object replaces the remaining records.
      Case(
        format: .jsonl, files: ["p.jsonl": object("a") + "\n{\"error\":{\"code\":13}}\n"], path: "p.jsonl",
        says: "answered with an error", rows: 2),
      Case(
        format: .json, files: ["p.json": "[\(object("a")),{\"code\":1,\"error\":\"x\"}]"], path: "p.json",
        says: "answered with an error", rows: 2),
      // All fields are present, but the last one is truncated.
      Case(
        format: .csv, files: ["p.csv": lastIsFlag + "u1,,,,,,,,true\nu2,,,,,,,,fal"], path: "p.csv",
        says: "invalid value", rows: 2),
      Case(
        format: .csv, files: ["p.csv": head + row + "u2,2025"], path: "p.csv", says: "2 of 9 fields", rows: 2),
      Case(
        format: .csv, files: ["p.csv": head + row + "u2,,,,,,,,\"text that"], path: "p.csv",
        says: "never closed",
        rows: 2),
      Case(
        format: .csv, files: ["p.csv": head + row + "u2,,,,,,,,\"text\nthat"], path: "p.csv",
        says: "1 of 9 fields",
        rows: 3),
      Case(
        format: .jsonl, files: ["p.jsonl": object("a") + "\n{\"id\":\"b\",\"cre"], path: "p.jsonl",
        says: "not JSON", rows: 2),
      Case(
        format: .csv, files: ["f/p.csv": head + row, "f/p.csv.bak": head + row], path: "f", says: "p.csv.bak",
        rows: 2),
      Case(
        format: .csv, files: ["f/p.csv": head + row, "f/p (1).csv": head + row], path: "f", says: "p (1).csv",
        rows: 2),
      Case(
        format: .csv, files: ["f/p.csv": head + row, "f/p.csv~": head + row], path: "\"f/*\"", says: "p.csv~",
        rows: 2),
    ]
    + ["p.bak.csv", "p_old.csv", "p - Kopie.csv", "old-p.csv", "p copy 2.csv", "backup/p.csv"].map {
      Case(format: .csv, files: ["f/p.csv": head + row, "f/\($0)": head + row], path: "f", says: $0, rows: 2)
    }

  @Test(arguments: cases.indices) func `an incomplete export is rejected unless the pipeline file allows it`(
    index: Int
  )
    throws
  {
    let test = Self.cases[index]
    do {
      let read = try ingest(test.format, test.files, path: test.path)
      Issue.record("case \(index): \(read ?? -1) rows were read")
    } catch let error as ExportError {
      #expect(error.exitStatus == .badData && "\(error)".contains(test.says), "\(error)")
    }
    #expect(try ingest(test.format, test.files, path: test.path, ", incomplete: allowed") == test.rows)
  }

  @Test func `a complete export is read`() throws {
    let two = Self.page("b")
    #expect(
      try ingest(.firestore, ["p.json": Self.page("a", token: "x") + two], path: "p.json") == 2)
    // The last page may be empty.
    #expect(try ingest(.firestore, ["p.json": Self.page("a", token: "x") + "{}"], path: "p.json") == 1)
    #expect(
      try ingest(
        .firestore, ["f/day-9.json": Self.page("a", token: "x"), "f/day-10.json": two], path: "f") == 2)
    #expect(
      try ingest(.parse, ["p.json": "{\"count\":1,\"results\":[\(Self.object("a"))]}"], path: "p.json") == 1)
    let last = Self.row.trimmingSuffix("\n")
    #expect(try ingest(.csv, ["p.csv": Self.head + last], path: "p.csv") == 1)
    #expect(try ingest(.jsonl, ["p.jsonl": Self.object("a")], path: "p.jsonl") == 1)
    // An empty page is the last page. Page names with offsets are not numbered in steps of one.
    #expect(
      try ingest(
        .parse, ["f/0.json": "{\"results\":[\(Self.object("a"))]}", "f/1.json": "{\"results\":[]}"], path: "f"
      ) == 1)
    #expect(
      try ingest(
        .firestore,
        [
          "f/0.json": Self.page("a", token: "x"), "f/300.json": Self.page("b", token: "y"), "f/900.json": two,
        ], path: "f")
        == 3)
    #expect(
      try ingest(.firestore, ["f/first.json": Self.page("a", token: "x"), "f/second.json": two], path: "f")
        == 2)
    // The files have the stated number of results together.
    let half = "{\"results\":[\(Self.object("a"))],\"count\":2}"
    let rest = "{\"results\":[\(Self.object("b"))]}"
    #expect(try ingest(.parse, ["f/1.json": half, "f/2.json": rest], path: "f") == 2)
    // These names do not number the pages, because they contain dates, offsets or other numbers. Pages may
    // begin with the number 0.
    for names in [
      ["2026-1", "2026-3"], ["p1", "p11"], ["p3", "p5"], ["day-15", "day-16"],
      ["2026-11-02", "2026-11-03"], ["export-7", "export-8"], ["department-7", "department-8"],
      ["page-0", "page-1"], ["page-5", "page-10"],
    ] {
      #expect(
        try ingest(
          .firestore, ["f/\(names[0]).json": Self.page("a", token: "x"), "f/\(names[1]).json": two], path: "f"
        )
          == 2, "\(names)")
    }
    // Only the first file ends with an invalid row, and that row has a line break.
    #expect(
      try ingest(
        .csv,
        ["f/1.csv": Self.lastIsFlag + "u1,,,,,,,,?\n", "f/2.csv": Self.lastIsFlag + "u2,,,,,,,,true"],
        path: "f")
        == 2)
    // An error object counts only as the last record. A row with an unknown id is not a sign of a
    // truncated export.
    let error = "{\"error\":\"x\"}\n"
    #expect(try ingest(.jsonl, ["p.jsonl": error + Self.object("a") + "\n"], path: "p.jsonl") == 2)
    #expect(try ingest(.csv, ["p.csv": Self.lastIsFlag + "u1,,,,,,,,true"], path: "p.csv") == 1)
    #expect(
      try ingest(.csv, ["p.csv": Self.lastIsFlag + "u1,,,,,,,,?\nu2,,,,,,,,true"], path: "p.csv") == 2)
    for name in ["bakery.csv", "part-2.csv", "q_old.csv", "2026/p.csv"] {
      #expect(
        try ingest(.csv, ["f/p.csv": Self.head + Self.row, "f/\(name)": Self.head + Self.row], path: "f") == 2
      )
    }
    // An invalid row in the middle of the file is only a reject.
    #expect(try ingest(.csv, ["p.csv": Self.head + "u2,2025\n" + Self.row], path: "p.csv") == 2)
    // The path in the pipeline file is the path of this file.
    #expect(try ingest(.csv, ["p.csv.bak": Self.head + Self.row], path: "p.csv.bak") == 1)
    #expect(
      try ingest(
        .csv, ["f/part-0": Self.head + Self.row, "f/part-1": Self.head, "f/_SUCCESS": ""], path: "f")
        == 1)
  }

  private static func expecting(_ complete: String) -> String {
    yaml(.csv, path: "f/p.csv").replacing(
      "    id: id\n", with: "    id: id\n    expect: { complete: \(complete) }\n")
  }

  @Test(
    arguments: [
      ("{ marker: _SUCCESS }", ["f/_SUCCESS": ""], true), ("{ marker: _SUCCESS }", [:], false),
      ("{ marker: f/done }", ["f/done": ""], true), ("{ marker: f/done }", ["done": ""], false),
      ("{ rows_in: n }", ["f/n": "1 p.csv\n"], true), ("{ rows_in: n }", ["f/n": "{\"rows\": 1}"], true),
      ("{ rows_in: n }", ["f/n": "2"], false), ("{ rows_in: n }", ["f/n": "many"], false),
      ("{ rows_in: n }", [:], false),
    ] as [(String, [String: String], Bool)])
  func `a marker or a row count shows completeness`(
    complete: String, files: [String: String], isMet: Bool
  ) throws {
    let all = files.merging(["f/p.csv": Self.head + Self.row, "likes.csv": Night.likesHeader]) { $1 }
    do {
      _ = try Night(Self.expecting(complete), all)
      #expect(isMet, "\(complete) with \(files)")
    } catch let error as ExpectationsViolated {
      #expect(!isMet && "\(error)".contains("complete."), "\(error)")
    }
  }

  @Test func `row counts with a sum beyond the range of integers do not end the process`() throws {
    let most = "\(Int.max)"
    let files = [
      "f/p.csv": Self.head + Self.row, "g/p.csv": Self.head, "f/n": most, "g/n": most,
      "likes.csv": Night.likesHeader,
    ]
    let yaml = Self.expecting("{ rows_in: n }").replacing("path: f/p.csv", with: "path: [f/p.csv, g/p.csv]")
    try #require(yaml.contains("g/p.csv"))
    let error = try #require(#expect(throws: ExpectationsViolated.self) { _ = try Night(yaml, files) })
    #expect("\(error)".contains("complete.rows_in"))
  }

  /// A marker of an earlier export does not count. A marker may be up to an hour older than the
  /// export, because a copy may write it first.
  @Test(arguments: [(-3601, false), (-3600, true), (0, true), (86_400, true)])
  func `a marker over an hour older than the export does not count`(seconds: Int, isMet: Bool) throws {
    let scratch = try ScratchDirectory()
    for (name, text) in ["f/p.csv": Self.head + Self.row, "f/_SUCCESS": "", "likes.csv": Night.likesHeader] {
      try scratch.write(text, to: name)
    }
    try Self.setTime(of: scratch("f/p.csv"), to: 1_700_000_000)
    try Self.setTime(of: scratch("f/_SUCCESS"), to: 1_700_000_000 + seconds)
    let pipeline = try Pipeline(yaml: Self.expecting("{ marker: _SUCCESS }"), file: scratch("p.yaml"))
    do {
      _ = try IngestStage.run(pipeline, in: scratch("run"), asOf: nil, clock: Night.clock, tool: "t")
      #expect(isMet)
    } catch let error as ExpectationsViolated {
      #expect(!isMet && "\(error)".contains("older than the export"), "\(error)")
    }
  }

  private static func setTime(of path: String, to seconds: Int) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: path)
  }

  /// The message names the fault of the file that contains the number of rows.
  @Test(arguments: [
    (nil, "no file"), ("many", "no number of rows"), (String(repeating: " ", count: 1 << 20) + "1", "bytes"),
  ])
  func `the error for a file without a number of rows has the reason`(text: String?, says: String) throws {
    var files = ["f/p.csv": Self.head + Self.row, "likes.csv": Night.likesHeader]
    files["f/n"] = text
    let error = try #require(
      #expect(throws: ExpectationsViolated.self) { _ = try Night(Self.expecting("{ rows_in: n }"), files) })
    #expect("\(error)".contains(says), "\(error)")
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
