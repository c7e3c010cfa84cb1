import Files
import Foundation
import IngestFixture
import PipelineFile
import TestSupport
import Testing
import Text

@testable import Ingest

/// Files beside an export show whether the export is complete. The export may be a folder or several files.
struct CompletenessCheckTests {
  private static let day = 86_400
  private static let noon = 1_700_000_000
  private static let dayBefore = noon - day
  private static let morning = noon - 5400

  /// Writes people, and returns the result of their expectation `complete`. `times` are the times of files in
  /// seconds since 1970.
  private func check(
    path: String, _ complete: String, _ files: [String: String], times: [String: Int] = [:]
  ) throws -> CheckedExpectation {
    let scratch = try ScratchDirectory()
    try scratch.write(Night.likesHeader, to: "likes.csv")
    for (name, text) in files { try scratch.write(text, to: name) }
    for (name, time) in times {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(time))], ofItemAtPath: scratch(name))
    }
    let yaml = Night.yaml().replacing("path: people.csv", with: "path: \(path)")
      .replacing("    id: id\n", with: "    id: id\n    expect: { complete: { \(complete) } }\n")
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    let exports = try IngestedExports(pipeline, asOf: nil, clock: Night.clock) { throw $1 }
    let results = try exports.expectations(previous: nil)
    #expect(results.count == 1)
    var result = try #require(results.first)
    #expect(result.source == "people" && (result.advice == nil) == (result.outcome == .met))
    result.found.replace(scratch.path + "/", with: "")
    return result
  }

  /// An export with this number of people.
  private static func people(_ count: Int) -> String {
    Night.peopleHeader + (0..<count).map { "p\($0),,,,,,,,\n" }.joined()
  }

  private static let withReject = people(1) + ",,,,,,,,\n"

  @Test(
    arguments: [
      ("f", ["f/a.csv": people(2), "f/n": "2"], "2 rows", "2 rows"),
      ("f", ["f/a.csv": people(2), "f/n": "1"], "1 row", "2 rows"),
      ("\"f/*.csv\"", ["f/a.csv": people(1), "f/n": "1"], "1 row", "1 row"),
      // The numbers of all folders add up. Rejected rows count too.
      (
        "[f/a.csv, g/a.csv]", ["f/a.csv": people(1), "g/a.csv": people(2), "f/n": "1", "g/n": "2"], "3 rows",
        "3 rows"
      ),
      ("[f/a.csv, f/b.csv]", ["f/a.csv": people(1), "f/b.csv": people(3), "f/n": "4"], "4 rows", "4 rows"),
      ("f", ["f/a.csv": withReject, "f/n": "2"], "2 rows", "2 rows"),
      ("[f/a.csv, g/a.csv]", ["f/a.csv": people(1), "g/a.csv": people(2), "f/n": "3"], "", "no file 'g/n'"),
    ] as [(String, [String: String], String, String)])
  func `the numbers of rows in all folders are compared with the rows`(
    path: String, files: [String: String], stated: String, found: String
  ) throws {
    let result = try check(path: path, "rows_in: n", files)
    #expect(result.expectation == "complete.rows_in" && result.found == found)
    #expect(result.expected == (stated.isEmpty ? "a number of rows in 'n'" : stated))
    #expect(result.outcome == (stated == found ? .met : .violated))
  }

  private static let twoFolders = ["f/a.csv": people(1), "g/a.csv": people(1), "f/done": "", "g/done": ""]

  @Test(
    arguments: [
      ("f", ["f/a.csv": people(1), "f/done": ""], [:], nil),
      ("f", ["f/a.csv": people(1)], [:], "no file 'f/done'"),
      (
        "[f/a.csv, g/a.csv]", ["f/a.csv": people(1), "g/a.csv": people(1), "f/done": ""], [:],
        "no file 'g/done'"
      ),
      // Each marker is compared with the newest export in its own folder.
      (
        "[f/a.csv, g/a.csv]", twoFolders,
        ["f/a.csv": noon, "f/done": noon, "g/a.csv": dayBefore, "g/done": dayBefore], nil
      ),
      (
        "[f/a.csv, g/a.csv]", twoFolders,
        ["f/a.csv": noon, "f/done": noon, "g/a.csv": noon, "g/done": morning],
        "'g/done', which is 1 h 30 min older than the export, so it belongs to an earlier export"
      ),
      (
        "[f/a.csv, f/b.csv]", ["f/a.csv": people(1), "f/b.csv": people(1), "f/done": ""],
        ["f/a.csv": dayBefore, "f/b.csv": noon, "f/done": dayBefore],
        "'f/done', which is 24 h older than the export, so it belongs to an earlier export"
      ),
    ] as [(String, [String: String], [String: Int], String?)])
  func `each folder of an export has a marker of its own`(
    path: String, files: [String: String], times: [String: Int], fault: String?
  ) throws {
    let result = try check(path: path, "marker: done", files, times: times)
    #expect(result.expectation == "complete.marker" && result.expected == "done")
    #expect(result.outcome == (fault == nil ? .met : .violated) && result.found == fault ?? "the file")
  }

  @Test func `a marker elsewhere is compared with all exports`() throws {
    let files = ["f/a.csv": Self.people(1), "m/done": ""]
    for (age, isMet) in [(3600, true), (3601, false)] {
      let times = ["f/a.csv": Self.noon, "m/done": Self.noon - age]
      let result = try check(path: "f", "marker: m/done", files, times: times)
      #expect((result.outcome == .met) == isMet, "\(age)")
    }
  }

  @Test(
    arguments: [
      ("12", 12), ("  7 x.csv\n", 7), ("0\n", 0), ("{\"rows\": 3, \"count\": 9}", 3), ("{\"count\": 9}", 9),
      ("{\"lines\": 9}", nil), ("{\"rows\": \"9\"}", nil), ("", nil), ("3.5", nil), ("x 3", nil),
    ] as [(String, Int?)])
  func `a number of rows is the first word or a member of an object`(text: String, rows: Int?) throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write(text, to: "n")
    switch CompletenessCheck.rows(in: path) {
    case .success(let found): #expect(found == rows)
    case .failure(let fault): #expect(rows == nil && fault.description.contains("'\(path)'"))
    }
  }

  @Test func `a file with a number of rows has at most a mebibyte`() throws {
    let scratch = try ScratchDirectory()
    let longest = "5" + String(repeating: " ", count: (1 << 20) - 1)
    for (text, rows) in [(longest, 5), (longest + " ", nil)] as [(String, Int?)] {
      let path = try scratch.write(text, to: "n")
      let found = try? CompletenessCheck.rows(in: path).get()
      #expect(found == rows)
    }
  }

  @Test func `a folder has no number of rows`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("", to: "n/x")
    guard case .failure(let fault) = CompletenessCheck.rows(in: scratch("n")) else {
      Issue.record("a folder has a number of rows")
      return
    }
    #expect(fault.description.hasPrefix("'\(scratch("n"))', which cannot be read: "))
    #expect(!fault.description.hasSuffix("."))
  }
}
