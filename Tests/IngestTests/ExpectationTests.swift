import Checking
import Files
import IngestFixture
import PipelineFile
import Testing
import TestSupport
import Text

@testable import Ingest

/// An ingest of small exports with expectations in the pipeline file.
private struct ExpectedNight {
  let scratch: ScratchDirectory
  var pipeline: Pipeline

  init(people: String, likes: String = "") throws {
    scratch = try ScratchDirectory()
    try scratch.write(Night.peopleHeader + people, to: "people.csv")
    try scratch.write(Night.likesHeader + likes, to: "likes.csv")
    pipeline = try Pipeline(yaml: Night.yaml(), file: scratch("p.yaml"))
  }

  mutating func expectPeople(_ change: (inout Pipeline.Expectations) -> Void) {
    change(&pipeline.entities[0].expectations)
  }

  mutating func expectLikes(_ change: (inout Pipeline.Expectations) -> Void) {
    change(&pipeline.interactions[0].expectations)
  }

  /// Returns the expectations that a check reports, and expects that ingest has the same
  /// violations.
  func results(asOf: Instant? = nil, previous: Manifest? = nil) throws -> [CheckedExpectation] {
    let check = DataCheck(pipeline, asOf: asOf, clock: Night.clock, previous: previous)
    let results = check.report.expectations
    let violations = results.filter { $0.outcome == .violated }
    #expect(check.problems.map(\.description) == violations.map(\.description))
    #expect(check.problems.allSatisfy { $0.error == nil })
    #expect(violations.allSatisfy { $0.advice != nil })
    #expect(scratch.files == ["likes.csv", "people.csv"], "a check writes nothing")
    do {
      _ = try IngestStage.run(
        pipeline, in: scratch("run"), asOf: asOf, clock: Night.clock, previous: previous, tool: "t")
      #expect(violations == [])
    } catch let error as ExpectationsViolated {
      #expect(error.violations == violations)
      // Ingest writes `rejects.csv` only if there are rejects.
      let rejects = error.rejectsFile == nil ? [] : ["run/rejects.csv"]
      #expect(scratch.files == ["likes.csv", "people.csv"] + rejects)
      for violation in violations { #expect(error.description.contains(violation.description)) }
    }
    return results
  }

  /// Returns the outcome and the finding of the only expectation.
  func only(asOf: Instant? = nil, previous: Manifest? = nil) throws -> (CheckedExpectation.Outcome, String) {
    // A last run with many more rows also violates the default limit of drops.
    let all = try results(asOf: asOf, previous: previous)
    let results = all.count > 1 ? all.filter { $0.expectation != "rows.drop_at_most" } : all
    let result = try #require(results.first)
    #expect(results.count == 1)
    return (result.outcome, result.found)
  }

  static func lastRun(people read: Int) -> Manifest {
    Manifest(
      tool: "t", stage: "snapshot", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
      seed: 0,
      counts: ["sources": ["people": ["read": .integer(read)]]])
  }
}

private func rows(_ count: Int) -> String { (0..<count).map { "p\($0),,,,,,,,\n" }.joined() }

@Suite struct ExpectationTests {
  @Test(arguments: [(2, 3, false), (3, 3, true), (4, 3, true)])
  func `an export must have at least a number of rows`(count: Int, least: Int, isMet: Bool) throws {
    var night = try ExpectedNight(people: rows(count) + ",,,,,,,,\n")
    night.expectPeople { $0.atLeast = least }
    let (outcome, found) = try night.only()
    #expect(outcome == (isMet ? .met : .violated))
    #expect(found == "\(count + 1) rows, 1 rejected or later than the as-of time")
  }

  /// Times in a wrong unit can make all rows later.
  @Test(arguments: [(2, true), (3, false)])
  func `later rows do not count as rows`(least: Int, isMet: Bool) throws {
    var night = try ExpectedNight(
      people: "a,,,,,,7,,\nb,,,,,,7,,\n", likes: "a,b,1,yes\nb,a,1,yes\na,b,1900000000000,yes\n")
    night.expectLikes { $0.atLeast = least }
    #expect(try night.only().0 == (isMet ? .met : .violated))
  }

  @Test(arguments: [(2, true), (3, true), (4, false)])
  func `an export must have at most a number of rows`(count: Int, isMet: Bool) throws {
    var night = try ExpectedNight(people: rows(count))
    night.expectPeople { $0.atMost = 3 }
    #expect(try night.only().0 == (isMet ? .met : .violated))
  }

  @Test(arguments: [
    (71, 0.29, true), (70, 0.29, false), (100, 0, true), (99, 0, false), (130, 0.1, true), (0, 1, true),
    (0, 0.99, false),
  ])
  func `rows may drop by a share since the last run`(count: Int, limit: Double, isMet: Bool) throws {
    var night = try ExpectedNight(people: rows(count))
    night.expectPeople { $0.dropAtMost = limit }
    let (outcome, found) = try night.only(previous: ExpectedNight.lastRun(people: 100))
    #expect(outcome == (isMet ? .met : .violated))
    #expect(found.contains("100 in the last complete run"))
  }

  @Test(arguments: [(129, 0.29, true), (130, 0.29, false), (100, 0, true), (101, 0, false), (1, 0, true)])
  func `rows may grow by a share since the last run`(count: Int, limit: Double, isMet: Bool) throws {
    var night = try ExpectedNight(people: rows(count))
    night.expectPeople { $0.growAtMost = limit }
    #expect(try night.only(previous: ExpectedNight.lastRun(people: 100)).0 == (isMet ? .met : .violated))
  }

  @Test(arguments: [
    (
      71, "71 rows, down from 100 in the last complete run (29 % fewer)",
      "71 rows, down from 100 in the last complete run"
    ),
    (100, "100 rows, and 100 in the last complete run", "100 rows, and 100 in the last complete run"),
    (
      129, "129 rows, up from 100 in the last complete run",
      "129 rows, up from 100 in the last complete run (29 % more)"
    ),
    (
      1, "1 row, down from 100 in the last complete run (99 % fewer)",
      "1 row, down from 100 in the last complete run"
    ),
  ])
  func `a finding about a change has both numbers and the share`(count: Int, drop: String, growth: String)
    throws
  {
    var night = try ExpectedNight(people: rows(count))
    night.expectPeople { ($0.dropAtMost, $0.growAtMost) = (1, 1) }
    let results = try night.results(previous: ExpectedNight.lastRun(people: 100))
    #expect(results.map(\.expectation) == ["rows.drop_at_most", "rows.grow_at_most"])
    #expect(results.map(\.expected) == ["100 %", "100 %"] && results.map(\.found) == [drop, growth])
  }

  @Test(arguments: [
    nil, ExpectedNight.lastRun(people: 0),
    Manifest(
      tool: "t", stage: "snapshot", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
      seed: 0,
      counts: ["sources": ["others": ["read": 5]]]),
  ])
  func `without a last run no rows are compared`(previous: Manifest?) throws {
    var night = try ExpectedNight(people: rows(3))
    night.expectPeople { ($0.dropAtMost, $0.growAtMost) = (0, 0) }
    #expect(try night.results(previous: previous).map(\.outcome) == [.notChecked, .notChecked])
  }

  @Test(arguments: [
    ("a,,500,,,,,,\nb,100,,,,,,,\n", true, "the newest row 0.5 s before it"),
    ("a,,499,,,,,,\n", false, "the newest row 0.501 s before it"),
    ("a,500,1,,,,,,\n", true, "the newest row 0.5 s before it"),
    ("a,,,,,,,,\n", false, "no row with a time"),
    ("a,,4000,,,,,,\n", true, "the newest row 3 s after it"), ("", false, "no row with a time"),
    // The row is later than the as-of time, so ingest ignores it.
    ("a,,1,,,,,,\nb,5000,5000,,,,,,\n", false, "the newest row 0.999 s before it"),
    // Rows with the same id are merged, and the newest row is kept.
    ("a,,900,,,,,,\na,,1,,,,,,\n", true, "the newest row 0.1 s before it"),
  ])
  func `the newest entity has a maximum age`(people: String, isMet: Bool, found: String) throws {
    var night = try ExpectedNight(people: people)
    night.expectPeople { $0.newestAtMost = 500 }
    let result = try night.only(asOf: Instant(milliseconds: 1000))
    #expect(result.0 == (isMet ? .met : .violated))
    #expect(result.1 == found)
  }

  @Test(arguments: [(400, false), (500, true), (1000, true)])
  func `the newest interaction has a maximum age`(at: Int, isMet: Bool) throws {
    var night = try ExpectedNight(
      people: "a,,,,,,,,\nb,,,,,,,,\n", likes: "a,b,1,yes\na,b,\(at),yes\na,b,2000,no\n")
    night.expectLikes { $0.newestAtMost = 500 }
    #expect(try night.only(asOf: Instant(milliseconds: 1000)).0 == (isMet ? .met : .violated))
  }

  @Test(
    arguments: [
      (["bio"], "a,,,,,,,,x\nb,,,,,,,,y\nc,,,,,,,,\nd,,,,,,,,\n", nil),
      (
        ["bio"], "a,,,,,,,,x\nb,,,,,,,,y\nc,,,,,,,,x\n",
        "1 repeated row, for example people.csv, line 4, which repeats people.csv, line 2"
      ),
      (
        ["age"], "a,,,,,,0,,\nb,,,,,,-0.0,,\nc,,,,,,0,,\n",
        "2 repeated rows, for example people.csv, line 3, which repeats people.csv, line 2"
      ),
      // Numbers that differ only in their sign or in their last bit are different.
      (["age"], "a,,,,,,1,,\nb,,,,,,-1,,\nc,,,,,,1.0000000000000002,,\n", nil),
      (["gone"], "a,,,,,,,true,\nb,,,,,,,,\n", nil),
      (
        ["gone"], "a,,,,,,,true,\nb,,,,,,,false,\nc,,,,,,,true,\n",
        "1 repeated row, for example people.csv, line 4, which repeats people.csv, line 2"
      ),
      // Values are compared as bytes, so two spellings of é are different.
      (["field"], "a,,,,,\u{E9},,,\nb,,,,,e\u{301},,,\n", nil),
      // The values of two attributes are not joined, and a missing value equals no other value.
      (["field", "bio"], "a,,,,,x,,,yz\nb,,,,,xy,,,z\n", nil),
      (["field", "bio"], "a,,,,,x,,,\nb,,,,,x,,,\nc,,,,,,,,z\nd,,,,,,,,z\n", nil),
      (
        ["field", "age"], "a,,,,,x,1,,\nb,,,,,x,2,,\nc,,,,,x,1,,\n",
        "1 repeated row, for example people.csv, line 4, which repeats people.csv, line 2"
      ),
      // Merged and later rows do not count.
      (["bio"], "a,,1,,,,,,x\na,,2,,,,,,x\nb,9999,,,,,,,x\n", nil),
    ] as [([String], String, String?)])
  func `values must be unique`(names: [String], people: String, repeats: String?) throws {
    var night = try ExpectedNight(people: people)
    night.expectPeople { $0.unique = [names] }
    let (outcome, found) = try night.only(asOf: Instant(milliseconds: 1000))
    #expect(outcome == (repeats == nil ? .met : .violated))
    #expect(found == repeats ?? "no repeated row")
  }

  @Test(
    arguments: [
      (
        ["user", "candidate"],
        "1 repeated row, for example likes.csv, line 5, which repeats likes.csv, line 2"
      ),
      (["user", "candidate", "at"], nil),
      (["at"], "1 repeated row, for example likes.csv, line 4, which repeats likes.csv, line 2"),
      (
        ["user", "value"], "1 repeated row, for example likes.csv, line 5, which repeats likes.csv, line 2"
      ),
    ] as [([String], String?)])
  func `interactions must be unique`(names: [String], repeats: String?) throws {
    // The second line is rejected. The finding still has the line numbers of the file.
    var night = try ExpectedNight(
      people: "a,,,,,,,,\nb,,,,,,,,\n", likes: "a,b,1,yes\nz,b,1,yes\nb,a,1,yes\na,b,2,yes\n")
    night.expectLikes { $0.unique = [names] }
    #expect(try night.only().1 == repeats ?? "no repeated row")
  }

  @Test(
    arguments: [
      (["candidate"], "1 repeated row, for example likes.csv, line 3, which repeats likes.csv, line 2"),
      (["user"], "1 repeated row, for example likes.csv, line 4, which repeats likes.csv, line 2"),
      // Rows after the as-of time, and rows of people who are created after it, do not count.
      (["user", "candidate"], nil), (["at"], nil),
    ] as [([String], String?)])
  func `only kept interactions must be unique`(names: [String], repeats: String?) throws {
    var night = try ExpectedNight(
      people: "a,,,,,,,,\nb,,,,,,,,\nc,,,,,,,,\nlate,5000,,,,,,,\n",
      likes: "a,c,1,yes\nb,c,2,yes\na,b,3,yes\na,c,2000,yes\nlate,b,1,yes\nb,late,1,yes\n")
    night.expectLikes { $0.unique = [names] }
    #expect(try night.only(asOf: Instant(milliseconds: 1000)).1 == repeats ?? "no repeated row")
  }

  @Test(arguments: [
    ("18", true), ("120", true), ("17.999", false), ("120.001", false), ("", true),
  ])
  func `numbers must be in a range`(age: String, isMet: Bool) throws {
    var night = try ExpectedNight(people: "a,,,,,,50,,\nb,,,,,,\(age),,\n")
    night.expectPeople { $0.ranges = ["age": 18...120] }
    let (outcome, found) = try night.only()
    #expect(outcome == (isMet ? .met : .violated))
    #expect(found.contains("line 3") == !isMet)
  }

  @Test func `positions must be in a range, and are not shown`() throws {
    var night = try ExpectedNight(people: "a,,,45,170,,,,\nb,,,-45.5,-170,,,,\nc,,,,,,,,\n")
    night.expectPeople { $0.ranges = ["latitude": 0...90, "longitude": -180...180] }
    let results = try night.results()
    #expect(results.map(\.expectation) == ["range.latitude", "range.longitude"])
    #expect(results.map(\.outcome) == [.violated, .met])
    #expect(results.map(\.found) == ["1 value outside, the first in people.csv, line 3", "0 values outside"])
  }

  @Test(
    arguments: [
      ("latitude", 40...50, "0 values outside"),
      ("longitude", 0...180, "1 value outside, the first in people.csv, line 2"),
      ("latitude", 50...60, "2 values outside, the first in people.csv, line 2"),
      ("age", 0...1, "0 values outside"),
    ] as [(String, ClosedRange<Double>, String)])
  func `a range applies to its own values`(name: String, range: ClosedRange<Double>, found: String) throws {
    var night = try ExpectedNight(people: "a,,,45,-170,,,,\nb,,,45.5,170,,,,\nc,,,,,,,,\n")
    night.expectPeople { $0.ranges = [name: range] }
    let results = try night.results()
    #expect(results.map(\.expectation) == ["range." + name] && results.map(\.found) == [found])
  }

  @Test func `values of interactions must be in a range`() throws {
    var night = try ExpectedNight(people: "a,,,,,,,,\nb,,,,,,,,\n", likes: "a,b,1,yes\nb,a,2,no\n")
    night.expectLikes { $0.ranges = ["value": -1...1] }
    #expect(try night.only().0 == .met)
    night = try ExpectedNight(people: "a,,,,,,,,\nb,,,,,,,,\n", likes: "a,b,1,yes\nb,a,2,no\n")
    night.expectLikes { $0.ranges = ["value": 0...1] }
    #expect(try night.only().1 == "values from -1.0 to 1.0, 1 outside, the first in likes.csv, line 3")
  }

  @Test(arguments: [(0.5, true), (0.49, false)])
  func `an attribute may be missing in a share of rows`(limit: Double, isMet: Bool) throws {
    let people = "a,,,1,1,f,1,1,b\nb,,,,,,,,\nc,,,1,1,f,1,,b\nd,,,,,,,,\n"
    for name in ["position", "field", "age", "bio"] {
      var night = try ExpectedNight(people: people)
      night.expectPeople { $0.missingAtMost = [name: limit] }
      let (outcome, found) = try night.only()
      #expect(outcome == (isMet ? .met : .violated), "\(name)")
      #expect(found == "2 of 4 rows without a value (50 %)", "\(name)")
    }
    var night = try ExpectedNight(people: "")
    night.expectPeople { $0.missingAtMost = ["age": 0] }
    #expect(try night.only().0 == .met, "no row lacks the attribute")
  }

  @Test func `all violations are reported at once, in the order of sources`() throws {
    var night = try ExpectedNight(people: "a,,,,,,7,,\nb,,,,,,7,,\n", likes: "a,b,1,yes\n")
    night.expectPeople {
      $0.atLeast = 3
      $0.unique = [["age"]]
      $0.ranges = ["latitude": 0...1, "age": 18...99]
      $0.missingAtMost = ["position": 0.5, "field": 1, "bio": 0.5]
    }
    night.expectLikes { $0.atLeast = 2 }
    let results = try night.results()
    #expect(results.map(\.source) == Array(repeating: "people", count: 7) + ["likes"])
    #expect(
      results.map(\.expectation) == [
        "rows.at_least", "unique", "range.age", "range.latitude", "missing_at_most.bio",
        "missing_at_most.field",
        "missing_at_most.position", "rows.at_least",
      ])
    let met = results.filter { $0.outcome == .met }.map(\.expectation)
    #expect(met == ["range.latitude", "missing_at_most.field"])
  }

  @Test(
    arguments: [
      (0, "0 s"), (1, "0.001 s"), (129_600_000, "36 h"), (5_400_000, "1 h 30 min"), (604_800_000, "7 d"),
      (259_200_000, "3 d"), (259_199_000, "71 h 59 min 59 s"), (86_400_000 * 1000 + 60_000, "1 000 d 1 min"),
    ] as [(Int64, String)]) func `a duration is printed in its largest suitable unit`(
      milliseconds: Int64, words: String
    )
  {
    #expect(durationText(milliseconds) == words)
  }
}
