@testable import Ingest
import RunSchemas
import Testing
import Text

@testable import Checking

/// Compares the text of a report with lines that were written by hand.
@Suite struct DataReportTextTests {
  private static func lines(_ change: (inout DataReport.Source) -> Void) -> [String] {
    var report = DataReport(
      pipeline: "p", asOf: Instant(milliseconds: 0), asOfFrom: "given", snappedToPrecision: 6)
    var source = DataReport.Source(
      name: "s", kind: .entity, files: ["s.csv"], read: 9, kept: 5, merged: 0, later: 0, rejected: 4,
      rules: [], absentFields: [], columns: [])
    change(&source)
    report.sources = [source]
    return Array(report.lines(.text(width: nil)).dropFirst(3))
  }

  private typealias Change = @Sendable (inout DataReport.Source) -> Void

  private static let changes: [(change: Change, expected: [String])] = [
    ({ _ in }, ["  9 rows read: 5 kept, 4 rejected"]),
    (
      { ($0.merged, $0.ignored, $0.later, $0.expired) = (0, 0, 0, 0) },
      ["  9 rows read: 5 kept, 4 rejected"]
    ),
    (
      { ($0.merged, $0.ignored, $0.later, $0.expired) = (1, 2, 3, 4) },
      ["  9 rows read: 5 kept (4 expired), 4 rejected, 1 merged, 2 ignored, 3 later"]
    ),
    ({ $0.erased = 1_000 }, ["  9 rows read: 5 kept, 4 rejected, 1 000 erased"]),
    (
      { ($0.dangling, $0.notAllowed, $0.ignored, $0.later, $0.expired) = (1, 1, 1, 1, 1) },
      ["  9 rows read: 5 kept (1 expired), 4 rejected, 1 dangling, 1 not allowed, 1 ignored, 1 later"]
    ),
    (
      {
        $0.rules = [
          DataReport.Rule(
            rule: "self_interaction", outcome: "not_allowed", rows: 1,
            examples: [DataReport.Example(file: "s.csv", unit: "line", number: 3, field: "b", value: "x")])
        ]
      },
      [
        "  9 rows read: 5 kept, 4 rejected", "", "  not allowed: self_interaction  1  line 3  b  'x'",
      ]
    ),
    ({ ($0.leftOut, $0.leftOutByAll) = (0, 0) }, ["  9 rows read: 5 kept, 4 rejected"]),
    (
      { ($0.leftOut, $0.leftOutByAll) = (1, 0) },
      ["  9 rows read: 5 kept, 4 rejected", "  1 other row left out"]
    ),
    (
      { ($0.leftOut, $0.leftOutByAll) = (3, 1) },
      ["  9 rows read: 5 kept, 4 rejected", "  3 other rows left out, 1 of them by every source"]
    ),
    (
      { $0.positions = DataReport.Positions(without: 0, cells: 1) },
      ["  9 rows read: 5 kept, 4 rejected", "  in 1 cell"]
    ),
    (
      { $0.positions = DataReport.Positions(without: 1, cells: 2) },
      ["  9 rows read: 5 kept, 4 rejected", "  in 2 cells, 1 without a position"]
    ),
    (
      { $0.absentFields = ["a", "b"] },
      ["  9 rows read: 5 kept, 4 rejected", "  fields that no record has: a, b"]
    ),
  ]

  @Test(arguments: changes.indices)
  func `empty sections are left out`(index: Int) {
    let (change, expected) = Self.changes[index]
    #expect(Self.lines(change) == expected)
  }

  @Test(arguments: [(1, "a"), (3, "a, b, c"), (4, "4 files, the first a")])
  func `a source with more than three files is named by its first file`(count: Int, words: String) {
    var report = DataReport(
      pipeline: "p", asOf: Instant(milliseconds: 0), asOfFrom: "given", snappedToPrecision: 6)
    report.sources = [
      DataReport.Source(
        name: "s", kind: .entity, files: Array(["a", "b", "c", "d"].prefix(count)), read: 9, kept: 5,
        merged: 0,
        later: 0, rejected: 4, rules: [], absentFields: [], columns: [])
    ]
    #expect(report.lines(.text(width: nil))[2] == "s, from \(words)")
  }

  @Test func `the values of interactions are in order of their rows, then of their numbers`() {
    let column = DataReport.Column(
      values: [2, 1, 1, 2, 3, .nan, 0], names: ["zwei": 2, "two": 2, "three": 3])
    #expect(column.missing == 1 && column.distinct == 4)
    #expect(
      column.top == [
        DataReport.Count(value: "1", rows: 2), DataReport.Count(value: "two/zwei (2)", rows: 2),
        DataReport.Count(value: "0", rows: 1), DataReport.Count(value: "three (3)", rows: 1),
      ])
  }

  /// Shares of some of the values would not add up to the whole.
  @Test(arguments: [(10, true), (11, false)])
  func `each of at most ten values has its share`(count: Int, hasShares: Bool) {
    let column = DataReport.Column(values: (0..<count).map { Double($0) }, names: nil)
    #expect(column.top?.count == 10 && column.distinct == count)
    let text = Self.lines { ($0.columns, $0.kept) = ([column], count) }.joined(separator: " ")
    #expect(text.contains("9: 10 %") == hasShares && text.contains(" %") == hasShares, "\(text)")
  }

  @Test func `a long value is cut in the text, but not in JSON`() throws {
    let long = String(repeating: "x", count: 40)
    var report = DataReport(
      pipeline: "p", asOf: Instant(milliseconds: 0), asOfFrom: "given", snappedToPrecision: 6)
    report.sources = [
      DataReport.Source(
        name: "s", kind: .entity, files: ["s.csv"], read: 1, kept: 1, merged: 0, later: 0, rejected: 0,
        rules: [], absentFields: [], columns: [DataReport.Column("c", .category, [.text(Array(long.utf8))])])
    ]
    let text = report.lines(.text(width: nil)).joined()
    #expect(text.contains(String(long.prefix(28))) && !text.contains(long))
    let json = report.lines(.json)
    #expect(json.count == 1 && json.first?.contains(long) == true)
    #expect(Array((json.first ?? "").utf8) + [0x0A] == report.json)
  }

  @Test func `pairs are reported only if rows are kept`() {
    let pairs = DataReport.Pairs(users: 1, candidates: 2, repeated: 0, medianPerUser: 3, mostPerUser: 4)
    #expect(Self.lines { $0.pairs = pairs }.count == 2)
    #expect(Self.lines { $0.pairs = pairs }[1].hasPrefix("  1 user, 2 candidates, a median of 3 and"))
    #expect(Self.lines { ($0.pairs, $0.kept) = (pairs, 0) } == ["  9 rows read: 0 kept, 4 rejected"])
  }

  @Test func `candidates in reach have a section if a ranking has a radius`() {
    var report = DataReport(
      pipeline: "p", asOf: Instant(milliseconds: 0), asOfFrom: "given", snappedToPrecision: 6)
    #expect(report.lines(.text(width: nil)).count == 1)
    report.reach = [
      DataReport.Reach(
        ranking: "near", kilometers: 5, users: 4, withoutPosition: 0, sampled: 4, withNone: 1,
        tenthPercentile: 0, median: 2, ninetiethPercentile: 3)
    ]
    #expect(
      report.lines(.text(width: nil)).count == 5
        && report.lines(.text(width: nil))[1...2] == ["", "candidates in reach"])
    #expect(
      !report.lines(.text(width: nil))[4].contains("of 4 users")
        && !report.lines(.text(width: nil))[4].contains("without a position"))
    (report.reach[0].sampled, report.reach[0].withoutPosition) = (3, 2)
    #expect(report.lines(.text(width: nil)).joined().contains("of 3 users"))
    #expect(report.lines(.text(width: nil)).joined().contains("2 without a position"))
  }

  /// A report with every section, kind of column, outcome and plural.
  private static var whole: DataReport {
    var report = DataReport(
      pipeline: "p", asOf: Instant(milliseconds: 1000), asOfFrom: "newest_interaction", snappedToPrecision: 6)
    func text(_ text: String) -> AttributeValue { .text(Array(text.utf8)) }
    let fields = ["b", "a", "b", "a", "b"] + (0..<11).map { "word \($0)" }
    var people = DataReport.Source(
      name: "people", kind: .entity, files: ["a.csv", "b.csv"], read: 1234, kept: 12, merged: 1, later: 2,
      rejected: 3, dangling: 4, notAllowed: 5,
      rules: [
        DataReport.Rule(
          rule: "bad_number", outcome: "rejected", rows: 1003,
          examples: [
            DataReport.Example(file: "a.csv", unit: "line", number: 9, field: "age", value: "x"),
            DataReport.Example(file: "b.csv", unit: "element", number: 10, field: "height", value: "yy"),
          ]),
        DataReport.Rule(
          rule: "duplicate_id", outcome: "merged", rows: 1,
          examples: [DataReport.Example(file: "a.csv", unit: "line", number: 2, field: "", value: "p1")]),
        DataReport.Rule(
          rule: "unknown_owner", outcome: "dangling", rows: 4,
          examples: [DataReport.Example(file: "a.csv", unit: "line", number: 3, field: "by", value: "q")]),
      ], absentFields: ["nick"],
      columns: [
        DataReport.Column("field", .category, fields.map(text)),
        DataReport.Column("age", .number, [20, 30, .nan, 40].map { .number($0) } + [.number(31)]),
        DataReport.Column("bio", .text, [text("é"), text("abc"), text("é"), .text(nil)]),
        DataReport.Column("gone", .flag, [.flag(true), .flag(false), .flag(true), .flag(true)]),
        DataReport.Column("likes", .tags, [.tags([[0x78], [0x79]]), .tags([]), .tags([[0x78]])]),
        DataReport.Column("free", .intervals, [.intervals([0..<1, 2..<3]), .intervals([])]),
        DataReport.Column("born", .date, [.date(86_400_000), .date(1), .date(nil)]),
        DataReport.Column("none", .number, [.number(.nan)]),
        DataReport.Column(times: "created", [5, nil, 1, 3]),
      ])
    people.positions = DataReport.Positions(without: 2, cells: 3)
    (people.leftOut, people.leftOutByAll) = (7, 6)
    people.newest = Instant(milliseconds: 900)
    var swipes = DataReport.Source(
      name: "swipes", kind: .interaction, files: ["s.csv"], read: 4, kept: 4, merged: 0, later: 0,
      rejected: 0, rules: [], absentFields: [],
      columns: [DataReport.Column(values: [1, -1, 1, .nan], names: ["yes": 1, "ja": 1])])
    swipes.ignored = 1
    swipes.expired = 2
    swipes.pairs = DataReport.Pairs([1, 1, 2, 1 << 32 | 1])
    swipes.newest = Instant(milliseconds: 1000)
    let empty = DataReport.Source(
      name: "empty", kind: .requests, files: ["e.csv"], read: 0, kept: 0, merged: 0, later: 0, rejected: 0,
      rules: [], absentFields: [], columns: [DataReport.Column(times: "at", [])])
    report.sources = [people, swipes, empty]
    report.reach = [
      DataReport.Reach(
        ranking: "near", kilometers: 5.5, users: 2000, withoutPosition: 3, sampled: 1000, withNone: 100,
        tenthPercentile: 1, median: 20, ninetiethPercentile: 3000)
    ]
    report.expectations = [
      CheckedExpectation(
        source: "people", expectation: "rows.at_least", expected: "at least 3", found: "12", outcome: .met),
      CheckedExpectation(
        source: "swipes", expectation: "rows.drop_at_most", expected: "at most 10 %", found: "50 %",
        outcome: .violated),
      CheckedExpectation(
        source: "swipes", expectation: "newest_row", expected: "later", found: "none", outcome: .notChecked),
    ]
    return report
  }

  @Test func `a whole report as text`() {
    #expect(
      Self.whole.lines(.text(width: nil)).joined(separator: "\n") == """
        p, as of 1970-01-01T00:00:01Z, the newest interaction
        newest rows: people 1970-01-01T00:00:00.900Z, swipes 1970-01-01T00:00:01Z

        people, from a.csv, b.csv
          1 234 rows read: 12 kept, 3 rejected, 4 dangling, 5 not allowed, 1 merged, 2 later
          7 other rows left out, 6 of them by every source
          in 3 cells, 2 without a position
          fields that no record has: nick

          bad_number               1 003  a.csv, line 9      age     'x'
                                          b.csv, element 10  height  'yy'
          merged: duplicate_id         1  a.csv, line 2              'p1'
          dangling: unknown_owner      4  a.csv, line 3      by      'q'

          column   type       missing
          field    category            13 different: b 3, a 2, word 0 1, word 1 1, word 10 1, word 2 1, word 3 1,
                                       word 4 1, word 5 1, word 6 1, …
          age      number      8.33 %  20 to 40, median 30, mean 30.25
          bio      text        8.33 %  2 different, 1 to 3 characters, median 1, mean 1.667
          gone     flag                25 % true (3)
          likes    tags        8.33 %  2 different: x 2, y 1, 1 to 2 per row, median 1, mean 1.5
          free     intervals   8.33 %  2 to 2 per row, median 2, mean 2
          born     date        8.33 %  1970-01-01T00:00:00.001Z to 1970-01-02
          none     number      8.33 %
          created  time        8.33 %  1970-01-01T00:00:00.001Z to 1970-01-01T00:00:00.005Z

        swipes, from s.csv
          4 rows read: 4 kept (2 expired), 0 rejected, 1 ignored
          2 users, 2 candidates, a median of 1 and at most 3 per user, 1 repeated pair

          column  type    missing
          value   number     25 %  -1 to 1, median 1, mean 0.3333, ja/yes (1): 50 %, -1: 25 %

        empty, from e.csv
          0 rows read: 0 kept, 0 rejected
          no rows: check that this is the right file

        candidates in reach
          ranking  within  users   with none  p10  median    p90
          near     5.5 km  2 000  100 (10 %)    1      20  3 000  from a sample of 1 000 users, 3 without a position

        expectations
          met          people  rows.at_least      at least 3: 12
          VIOLATED     swipes  rows.drop_at_most  at most 10 %: 50 %
          not checked  swipes  newest_row         later: none
        """)
  }

  @Test func `a whole report as CSV`() {
    #expect(
      Self.whole.lines(.csv).joined(separator: "\n") == """
        part,source,name,figure,value
        rows,people,,read,1234
        rows,people,,kept,12
        rows,people,,rejected,3
        rows,people,,dangling,4
        rows,people,,not_allowed,5
        rows,people,,merged,1
        rows,people,,later,2
        rows,people,,left_out,7
        rows,people,,newest,1970-01-01T00:00:00.900Z
        rule,people,bad_number,rejected,1003
        rule,people,duplicate_id,merged,1
        rule,people,unknown_owner,dangling,4
        column,people,field,missing,0
        column,people,field,distinct,13
        column,people,age,missing,1
        column,people,age,minimum,20.0
        column,people,age,median,30.0
        column,people,age,mean,30.25
        column,people,age,maximum,40.0
        column,people,bio,missing,1
        column,people,bio,distinct,2
        column,people,bio,minimum,1.0
        column,people,bio,median,1.0
        column,people,bio,mean,1.6666666666666667
        column,people,bio,maximum,3.0
        column,people,gone,missing,0
        column,people,gone,true,3
        column,people,likes,missing,1
        column,people,likes,distinct,2
        column,people,likes,minimum,1.0
        column,people,likes,median,1.0
        column,people,likes,mean,1.5
        column,people,likes,maximum,2.0
        column,people,free,missing,1
        column,people,free,minimum,2.0
        column,people,free,median,2.0
        column,people,free,mean,2.0
        column,people,free,maximum,2.0
        column,people,born,missing,1
        column,people,born,first,1970-01-01T00:00:00.001Z
        column,people,born,last,1970-01-02T00:00:00Z
        column,people,none,missing,1
        column,people,created,missing,1
        column,people,created,first,1970-01-01T00:00:00.001Z
        column,people,created,last,1970-01-01T00:00:00.005Z
        rows,swipes,,read,4
        rows,swipes,,kept,4
        rows,swipes,,rejected,0
        rows,swipes,,dangling,0
        rows,swipes,,not_allowed,0
        rows,swipes,,merged,0
        rows,swipes,,later,0
        rows,swipes,,ignored,1
        rows,swipes,,expired,2
        rows,swipes,,newest,1970-01-01T00:00:01Z
        column,swipes,value,missing,1
        column,swipes,value,distinct,2
        column,swipes,value,minimum,-1.0
        column,swipes,value,median,1.0
        column,swipes,value,mean,0.3333333333333333
        column,swipes,value,maximum,1.0
        rows,empty,,read,0
        rows,empty,,kept,0
        rows,empty,,rejected,0
        rows,empty,,dangling,0
        rows,empty,,not_allowed,0
        rows,empty,,merged,0
        rows,empty,,later,0
        column,empty,at,missing,0
        reach,near,,within_km,5.5
        reach,near,,users,2000
        reach,near,,sampled,1000
        reach,near,,with_none,100
        reach,near,,p10,1
        reach,near,,median,20
        reach,near,,p90,3000
        expectation,people,rows.at_least,met,12
        expectation,swipes,rows.drop_at_most,violated,50 %
        expectation,swipes,newest_row,not_checked,none
        """)
  }
}
