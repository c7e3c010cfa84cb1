import Checking
import Columns
import Files
import Foundation
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import SnapshotEditing
import Testing
import TestSupport
import Text

@testable import Ingest

/// Ingests entities that have tags and dates.
private struct Tagged {
  let scratch: ScratchDirectory
  let pipeline: Pipeline
  let manifest: Manifest

  static func yaml(_ format: ExportFormat, separator: String? = nil, extra: String = "", table: String = "")
    -> String
  {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      people:
        source: { path: people.x, format: \(format.rawValue)\(table) }
        id: id
        created: { from: made }
        updated: { from: changed }
        attributes:
          hobbies: { type: tags, from: tags\(separator.map { ", separator: \"\($0)\"" } ?? "") }
          born: { type: date }
    \(extra)
    """
  }

  init(_ yaml: String, _ people: String) throws {
    scratch = try ScratchDirectory()
    try scratch.write(people, to: "people.x")
    pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    manifest = try IngestStage.run(
      pipeline, in: scratch("run"), asOf: Instant(milliseconds: 1_000_000), clock: Night.clock, tool: "test")
  }

  /// Ingests CSV rows. The header is added.
  init(csv rows: String, separator: String? = nil, extra: String = "") throws {
    try self.init(
      Self.yaml(.csv, separator: separator, extra: extra), "id,made,changed,tags,born\n" + rows)
  }

  func table(_ run: String = "run") throws -> EntityTable {
    let snapshot = try Snapshot(
      scratch("\(run)/snapshot"), entities: pipeline.entities.map(\.schema), interactions: [])
    return try #require(snapshot.entities["people"])
  }

  /// The tags of each row, in the order of ids.
  func tags() throws -> [[String]] {
    let column = try #require(table().tags["hobbies"])
    return (0..<column.count).map(column.strings)
  }

  func dates() throws -> [Int64] {
    try #require(table().dates["born"]).elements
  }

  /// The field, rule and value of each reject.
  func rejects() throws -> [[String]] {
    plainCSVText(try scratch.bytes("run/snapshot/rejects.csv")).dropFirst().map { Array($0[3...]) }
  }
}

@Suite struct TagsAndDatesTests {
  @Test func `a row rejected for a future date does not count as changed later`() throws {
    let night = try Tagged(
      Tagged.yaml(.csv).replacing("born: { type: date }", with: "born: { type: date, not_in_future: true }"),
      "id,made,changed,tags,born\na,1,2000000,x,1970-01-01\nb,1,2000000,x,1970-01-02\n"
        + "c,1,3,x,1970-01-02\nd,1,3,x,1970-01-01\n")
    let counts = night.manifest.counts["sources"]?["people"]
    #expect(counts?["kept"] == 2)
    #expect(counts?["rejected"]?["date_in_future"] == 2)
    #expect(counts?["updated_later"] == 1)
  }

  private static let header = "id,made,changed,tags,born,died\n"

  /// The as-of time is 1970-01-01T00:16:40Z.
  @Test func `a date after the as-of time is rejected, and each row is rejected only once`() throws {
    let future = "type: date, not_in_future: true"
    let night = try Tagged(
      Tagged.yaml(.csv).replacing(
        "born: { type: date }", with: "born: { \(future) }\n      died: { \(future) }"),
      Self.header + "a,,,,1970-01-01T00:16:40Z,\nb,,,,1970-01-01T00:16:41Z,\n"
        + "c,,,,1970-01-02,1970-01-03\nd,2000000,,,1970-01-02,\ne,,,,,1970-01-04\n")
    let counts = night.manifest.counts["sources"]?["people"]
    #expect(counts?["kept"] == 1 && counts?["later"] == 1 && counts?["rejected"] == ["date_in_future": 3])
    #expect(
      try night.rejects() == [
        ["born", "date_in_future", "1970-01-01T00:16:41Z"],
        ["born", "date_in_future", "1970-01-02T00:00:00Z"],
        ["died", "date_in_future", "1970-01-04T00:00:00Z"],
      ])
  }

  @Test(arguments: [
    ("5,,,1970-01-01T00:00:00.005Z,", ""), ("6,,,1970-01-01T00:00:00.005Z,", "born"), (",,,0001-01-01,", ""),
    ("5,,,1970-01-02,1970-01-02", ""), ("5,,,1970-01-02,1970-01-01", "died"), ("5,,,,0001-01-01", ""),
    ("5,,,,", ""),
    ("5,,,1970-01-02,", ""),
  ])
  func `a date must not precede the creation or another date`(row: String, field: String) throws {
    let night = try Tagged(
      Tagged.yaml(.csv).replacing(
        "born: { type: date }",
        with: "born: { type: date, not_before: created }\n      died: { type: date, not_before: born }"),
      Self.header + "x,\(row)\ny,,,,,\n")
    #expect(
      try night.rejects().map { [$0[0], $0[1]] } == (field.isEmpty ? [] : [[field, "date_too_early"]]))
    #expect(night.manifest.counts["sources"]?["people"]?["kept"] == .integer(field.isEmpty ? 2 : 1))
  }

  @Test func `the name 'created' means an attribute with this name before the creation time`() throws {
    let night = try Tagged(
      Tagged.yaml(.csv).replacing(
        "born: { type: date }",
        with: "created: { type: date, from: born }\n      died: { type: date, not_before: created }"),
      Self.header + "x,1,,,1970-01-09,1970-01-08\ny,1,,,1970-01-08,1970-01-09\n")
    #expect(try night.rejects() == [["died", "date_too_early", "1970-01-08"]])
  }

  @Test(
    arguments: [
      ("a;b", nil, ["a", "b"]), ("b;a;b", nil, ["a", "b"]), (";;a;", nil, ["a"]),
      (" a; b", nil, [" a", " b"]),
      ("a|b;c", "|", ["a", "b;c"]), ("a, b", ", ", ["a", "b"]), ("aXXXb", "XX", ["Xb", "a"]),
      ("é;e\u{301}", nil, ["e\u{301}", "é"]),
      ("a", "ab", ["a"]), (";", nil, []), ("{a,b}", nil, ["a", "b"]), ("['b', 'a']", nil, ["a", "b"]),
      ("[a] and [b]", nil, ["[a] and [b]"]), ("{a;b", nil, ["b", "{a"]),
    ] as [(String, String?, [String])])
  func `a text is split at its separator, byte for byte`(text: String, separator: String?, expected: [String])
    throws
  {
    let night = try Tagged(csv: "x,,,\"\(text)\",\ny,,,,\n", separator: separator)
    let found = try night.tags()
    // The test compares bytes, because `==` treats both spellings of é as equal.
    #expect(found.map { $0.map { Array($0.utf8) } } == [expected.map { Array($0.utf8) }, []])
  }

  @Test(arguments: [ExportFormat.json, .jsonl, .firestore, .parse, .realtime])
  func `every JSON dialect gives the same sets and dates`(format: ExportFormat) throws {
    let people: [(String, [String], String)] = [
      ("a", ["chess", "go"], "1990-05-01"), ("b", ["go"], "2001-02-03T04:05:06+01:00"), ("c", [], ""),
    ]
    let records = people.map { id, tags, born -> String in
      let list = tags.map { #""\#($0)""# }.joined(separator: ",")
      switch format {
      case .firestore:
        let values = tags.map { #"{"stringValue":"\#($0)"}"# }.joined(separator: ",")
        return
          #"{"name":"p/\#(id)","fields":{"tags":{"arrayValue":{"values":[\#(values)]}},"made":{"integerValue":"5"},"changed":{"integerValue":"5"},"born":{"stringValue":"\#(born)"}}}"#
      case .realtime:
        let flags = tags.map { #""\#($0)":true"# }.joined(separator: ",")
        return
          #""\#(id)":{"tags":\#(tags.isEmpty ? "null" : "{\(flags)}"),"made":5,"changed":5,"born":"\#(born)"}"#
      default: return #"{"id":"\#(id)","tags":[\#(list)],"made":5,"changed":5,"born":"\#(born)"}"#
      }
    }
    let text =
      switch format {
      case .jsonl: records.joined(separator: "\n")
      case .realtime: "{\"people\":{" + records.joined(separator: ",") + "}}"
      default: "[" + records.joined(separator: ",") + "]"
      }
    let yaml = Tagged.yaml(format, table: format == .realtime ? ", table: people/$id" : "")
      .replacing("id: id", with: format == .realtime ? "id: $id" : "id: id")
    let night = try Tagged(yaml, text)
    #expect(try night.tags() == people.map(\.1))
    #expect(try night.dates() == [641_520_000_000, 981_169_506_000, .min])
    #expect(try night.rejects().isEmpty)
  }

  @Test(
    arguments: [
      ("1970-01-02", 86_400_000), ("1970-01-01T00:00:00.001Z", 1), ("0001-01-01", -62_135_596_800_000),
      ("9999-12-31", 253_402_214_400_000), ("2000-02-29T12:00+01:00", 951_822_000_000), ("", .min),
    ] as [(String, Int64)])
  func `a date is the start of its day in UTC`(text: String, expected: Int64) throws {
    #expect(try Tagged(csv: "x,,,,\(text)\n").dates() == [expected])
  }

  @Test(arguments: [
    "yesterday", "1990", "19900501", "641520000000", "1990-02-30", "1990-5-1", "1990-05-01T25:00Z",
    "01.05.1990",
    "0000-01-01", "1990-05-01 noon", "1990/05/01",
  ])
  func `an invalid date is rejected`(text: String) throws {
    let night = try Tagged(csv: "x,,,,\(text)\ny,,,,\n")
    #expect(try night.rejects() == [["born", "bad_date", text]])
    #expect(try night.dates() == [.min])
  }

  @Test(arguments: ["{}", "[[1]]", #"[{"a":1}]"#, #"{"a":true}"#])
  func `invalid tags are rejected`(value: String) throws {
    let good = #"{"id":"y","made":1,"changed":1,"tags":"a","born":"1990-05-01"}"#
    let night = try Tagged(Tagged.yaml(.jsonl), "{\"id\":\"x\",\"tags\":\(value)}\n\(good)\n")
    #expect(try night.rejects() == [["tags", "bad_tags", "(a list or object)"]])
    #expect(try night.tags() == [["a"]])
  }

  @Test func `a number, a flag and an array are not dates, and an array is not a category`() throws {
    for value in ["641520000000", "true", "[\"1990-05-01\"]"] {
      let good = #"{"id":"y","made":1,"changed":1,"tags":"a","born":"1990-05-01"}"#
      let night = try Tagged(Tagged.yaml(.jsonl), "{\"id\":\"x\",\"born\":\(value)}\n\(good)\n")
      #expect(try night.rejects().map { $0[1] } == ["bad_date"], "\(value)")
    }
    // Two attributes read the same field, one as tags and one as a category.
    let both = Tagged.yaml(.jsonl).replacing(
      "born: { type: date }", with: "first: { type: category, from: tags }")
    let night = try Tagged(
      both, "{\"id\":\"x\",\"made\":1,\"changed\":1,\"tags\":[\"a\"]}\n{\"id\":\"y\",\"tags\":\"a\"}\n")
    #expect(try night.rejects().map { $0[1] } == ["bad_text"])
  }

  @Test func `the tags and date of the newest row count, and vocabularies contain only used words`() throws {
    let night = try Tagged(
      csv: "x,1,5,old;shared,1990-01-01\nx,1,9,new;shared,1991-01-01\nx,1,7,middle,1992-01-01\n")
    #expect(try night.tags() == [["new", "shared"]])
    #expect(try #require(night.table().tags["hobbies"]).vocabulary.strings == ["new", "shared"])
    #expect(try night.dates() == [662_688_000_000])
  }

  @Test func `a cut has earlier versions, and hides a profile with later versions only`() throws {
    let night = try Tagged(
      csv:
        "w,1,3,old;both,1980-01-01\nw,1,90,both;new,1981-01-01\nx,1,5,a;b,1990-01-01\ny,1,90,c,1991-01-01\nz,50,,d,\n"
    )
    #expect(try night.tags() == [["both", "new"], ["a", "b"], ["c"], ["d"]])
    let snapshot = try Snapshot(
      night.scratch("run/snapshot"), entities: night.pipeline.entities.map(\.schema), interactions: [])
    for (profiles, last) in [(Pipeline.LaterProfiles.unknown, []), (.asExported, ["c"])] {
      let run = "cut-\(profiles.rawValue)"
      _ = try SnapshotCut.write(
        snapshot, pipeline: night.pipeline, entityCut: { _, _ in 10 }, keepsInteraction: { _, _ in true },
        asOf: Instant(milliseconds: 10), into: night.scratch(run), tool: "test", laterProfiles: profiles)
      let table = try night.table(run)
      let column = try #require(table.tags["hobbies"])
      let tags = [["both", "old"], ["a", "b"], last]
      #expect((0..<column.count).map(column.strings) == tags)
      #expect(column.vocabulary.strings == Set(tags.joined()).sorted())
      let born: Int64 = profiles == .unknown ? .min : 662_688_000_000
      #expect(
        try #require(table.dates["born"]).elements == [315_532_800_000, 631_152_000_000, born])
    }
  }

  @Test func `a check reports tags and dates`() throws {
    let night = try Tagged(csv: "x,,,go;chess,1990-05-01\ny,,,go,1980-01-01T12:00:00Z\nz,,,,\n")
    let check = DataCheck(
      night.pipeline, asOf: Instant(milliseconds: 1), clock: Night.clock, previous: nil)
    let columns = try #require(check.report.sources.first).columns
    let hobbies = try #require(columns.first { $0.name == "hobbies" })
    #expect(hobbies.type == .tags && hobbies.missing == 1 && hobbies.distinct == 2)
    #expect(hobbies.top?.map(\.value) == ["go", "chess"] && hobbies.top?.map(\.rows) == [2, 1])
    #expect(hobbies.numbers?.minimum == 1 && hobbies.numbers?.maximum == 2)
    let born = try #require(columns.first { $0.name == "born" })
    #expect(born.type == .date && born.missing == 1)
    #expect(born.first == Instant(milliseconds: 315_576_000_000))
    let lines = check.report.lines(.text(width: nil)).joined(separator: "\n")
    #expect(lines.contains("2 different: go 2, chess 1, 1 to 2 per row"), "\(lines)")
    #expect(lines.contains("1980-01-01T12:00:00Z to 1990-05-01"), "\(lines)")
  }

  @Test(arguments: [
    ("unique: [hobbies]", "x,,,a;b,\ny,,,b;a,\n", false),
    ("unique: [hobbies]", "x,,,a;b,\ny,,,ab,\nz,,,,\nw,,,,\n", true),
    ("unique: [born]", "x,,,,1990-05-01\ny,,,,1990-05-01T00:00:00Z\n", false),
    ("unique: [born]", "x,,,,\ny,,,,\n", true),
    ("missing_at_most: { hobbies: 0 }", "x,,,;,\n", false),
    ("missing_at_most: { born: 0 }", "x,,,,1990-05-01\n", true),
  ])
  func `expectations apply to tags and dates`(expectation: String, rows: String, isMet: Bool) throws {
    let yaml = Tagged.yaml(.csv, extra: "    expect: { \(expectation) }")
    let scratch = try ScratchDirectory()
    try scratch.write("id,made,changed,tags,born\n" + rows, to: "people.x")
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    let check = DataCheck(pipeline, asOf: Instant(milliseconds: 1), clock: Night.clock, previous: nil)
    #expect(check.problems.isEmpty == isMet, "\(check.problems)")
  }
}
