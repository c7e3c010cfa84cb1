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
    return Array(report.lines.dropFirst(3))
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
      ["  9 rows read: 5 kept, 4 rejected", "  in 2 cells, 1 without position"]
    ),
    (
      { $0.absentFields = ["a", "b"] },
      ["  9 rows read: 5 kept, 4 rejected", "  in no record: a, b"]
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
    #expect(report.lines[2] == "s, from \(words)")
  }

  @Test func `pairs are reported for kept rows`() {
    let pairs = DataReport.Pairs(users: 1, candidates: 2, repeated: 0, medianPerUser: 3, mostPerUser: 4)
    #expect(Self.lines { $0.pairs = pairs }.count == 2)
    #expect(Self.lines { $0.pairs = pairs }[1].hasPrefix("  1 user, 2 candidates, 3 per user"))
    #expect(Self.lines { ($0.pairs, $0.kept) = (pairs, 0) } == ["  9 rows read: 0 kept, 4 rejected"])
  }

  @Test func `candidates in reach have a section if a ranking has a radius`() {
    var report = DataReport(
      pipeline: "p", asOf: Instant(milliseconds: 0), asOfFrom: "given", snappedToPrecision: 6)
    #expect(report.lines.count == 1)
    report.reach = [
      DataReport.Reach(
        ranking: "near", kilometers: 5, users: 4, withoutPosition: 0, sampled: 4, withNone: 1,
        tenthPercentile: 0, median: 2, ninetiethPercentile: 3)
    ]
    #expect(report.lines.count == 5 && report.lines[1...2] == ["", "candidates in reach"])
    #expect(!report.lines[4].contains("of 4 users") && !report.lines[4].contains("without position"))
    (report.reach[0].sampled, report.reach[0].withoutPosition) = (3, 2)
    #expect(report.lines.joined().contains("of 3 users"))
    #expect(report.lines.joined().contains("2 without position"))
  }
}
