import Files
import Foundation
import IngestFixture
import PipelineFile
import System
import Testing
import TestSupport
import Text

@testable import Ingest

/// The as-of time comes from the clock, from the newest row, or from a given time. A run fails if its exports
/// do not fit the as-of time.
@Suite struct AsOfRuleTests {
  private static let day: Int64 = 86_400_000
  private static let people = "a,,,,,,,,\nb,,,,,,,,\n"

  /// The time `days` days after `Night.clock`.
  private static func instant(_ days: Int64) -> Instant {
    Instant(milliseconds: Night.clock.milliseconds + days * day)
  }

  private static func like(_ days: Int64) -> String { "a,b,\(instant(days)),yes\n" }

  /// Ingests likes that were made the given number of days after `Night.clock`.
  private func night(
    _ rule: String, likes: [Int64], limit: String = "1", likesLimit: String? = nil, option: Instant? = nil,
    clock: Instant? = Night.clock, after former: (asOf: Instant, from: String)? = nil
  ) throws -> Manifest {
    let scratch = try ScratchDirectory()
    var yaml = Night.yaml().replacing("as_of: newest", with: "as_of: \(rule)")
      .replacing("plausible: [1, 9999]\n", with: "").replacing(
        "later_limit: 1", with: "later_limit: \(limit)")
    if let likesLimit {
      yaml.replace("  likes:\n", with: "  likes:\n    later_limit: \(likesLimit)\n")
    }
    try scratch.write(Night.peopleHeader + Self.people, to: "people.csv")
    try scratch.write(Night.likesHeader + likes.map(Self.like).joined(), to: "likes.csv")
    let previous = former.map {
      Manifest(
        tool: "t", stage: "snapshot", pipeline: "p", configuration: .null, asOf: $0.asOf, seed: 0,
        counts: ["as_of_from": .string($0.from)])
    }
    return try IngestStage.run(
      try Pipeline(yaml: yaml, file: scratch("p.yaml")), in: scratch("run"), asOf: option, clock: clock,
      previous: previous, tool: "test")
  }

  private func status(_ body: @autoclosure () throws -> Manifest) -> System.ExitStatus {
    do {
      _ = try body()
      return .complete
    } catch {
      return System.ExitStatus(error)
    }
  }

  @Test(arguments: [
    ("clock", nil, 0, "clock"), ("newest", nil, -3, "newest_interaction"),
    ("2025-12-30T00:00:00Z", nil, -2, "given"), ("clock", -1, -1, "given"), ("newest", 5, 5, "given"),
  ])
  func `the pipeline file sets the as-of time unless an option gives it`(
    rule: String, option: Int64?, expected: Int64, origin: String
  ) throws {
    let manifest = try night(rule, likes: [-5, -3], option: option.map(Self.instant))
    #expect(manifest.asOf == Self.instant(expected))
    #expect(manifest.counts["as_of_from"] == .string(origin))
  }

  @Test func `without a run's clock, only a given time or the newest row decides`() throws {
    #expect(status(try night("clock", likes: [-5], clock: nil)) == .usage)
    #expect(status(try night("newest", likes: [], clock: nil)) == .usage)
    #expect(try night("newest", likes: [-5, 5], clock: nil).asOf == Self.instant(5))
    #expect(try night("clock", likes: [-5], option: Self.instant(-4), clock: nil).asOf == Self.instant(-4))
  }

  // One of four likes, 25 %, is later than the clock.
  @Test(arguments: [
    ("clock", "24 %", nil, nil, System.ExitStatus.badData), ("clock", "25 %", nil, nil, .complete),
    ("clock", "0", "25 %", nil, .complete), ("clock", "1", "24 %", nil, .badData),
    // With an as-of time in the past, later rows are expected. With an as-of time in the future,
    // they are not.
    ("clock", "0", nil, -1, .complete), ("clock", "0", nil, 0, .complete), ("clock", "0", nil, 1, .badData),
    ("2025-12-31", "0", nil, nil, .complete),
  ])
  func `too many later rows end the run`(
    rule: String, limit: String, likesLimit: String?, option: Int64?, expected: System.ExitStatus
  ) throws {
    let likes: [Int64] = [-5, -4, -3, 3]
    #expect(
      status(
        try night(rule, likes: likes, limit: limit, likesLimit: likesLimit, option: option.map(Self.instant)))
        == expected)
  }

  @Test func `the message about later rows names the source, the share and the as-of time`() throws {
    let error = #expect(throws: LaterLimitExceeded.self) {
      _ = try night("clock", likes: [-5, -4, -3, 3], limit: "1 %")
    }
    let text = try #require(error?.description)
    #expect(text.contains("likes: 1 of 4 rows") && text.contains("25 %") && text.contains("\(Night.clock)"))
    let rest = "To run anyway, raise later_limit in the pipeline file."
    #expect(
      text.hasSuffix(
        " (25 %) is later than the as-of time 2026-01-01T00:00:00Z (the machine's clock), and later_limit is "
          + "1 %. A run stops before it makes lists, and the app keeps reading the previous lists. "
          + "Check the machine's clock and the times in the export. " + rest))
    let given = #expect(throws: LaterLimitExceeded.self) {
      _ = try night("clock", likes: [-5, -4, -3, 3], limit: "1 %", option: Self.instant(1))
    }
    #expect(
      given?.description.hasSuffix(
        "Check the given as-of time, the machine's clock and the times in the export. " + rest) == true)
    // The newest like is older than a person, so the exports do not belong together.
    let scratch = try ScratchDirectory()
    let newest = #expect(throws: LaterLimitExceeded.self) {
      let yaml = Night.yaml().replacing("later_limit: 1", with: "later_limit: 1 %")
      try scratch.write(
        Night.peopleHeader + Self.people + "c,\(Self.instant(-1)),,,,,,,\n", to: "people.csv")
      try scratch.write(Night.likesHeader + Self.like(-5), to: "likes.csv")
      _ = try IngestStage.run(
        try Pipeline(yaml: yaml, file: scratch("p.yaml")), in: scratch("run"), asOf: nil, clock: Night.clock,
        tool: "test")
    }
    #expect(
      newest?.description.hasSuffix(
        "If another export is older, export its data again. If all exports are up to date, set 'as_of: clock' "
          + "in the pipeline file. " + rest) == true)
  }

  @Test(arguments: [
    // The newest row is five days before the clock.
    ("newest", -5, "newest_interaction", nil, System.ExitStatus.complete),
    ("newest", -4, "newest_interaction", nil, .badData), ("newest", -4, "given", nil, .badData),
    ("newest", -4, "clock", nil, .badData), ("newest", -4, "newest_interaction", -5, .complete),
    // The last run contained rows that are newer than this clock.
    ("newest", 1, "newest_interaction", nil, .tryAgain), ("clock", 1, "clock", nil, .tryAgain),
    ("clock", 1, "newest_interaction", nil, .tryAgain), ("clock", 0, "clock", nil, .complete),
    ("clock", 1, "given", nil, .complete), ("2025-12-01", 1, "clock", nil, .complete),
  ])
  func `the as-of time never moves back unless it is given`(
    rule: String, former: Int64, from: String, option: Int64?, expected: System.ExitStatus
  ) throws {
    #expect(
      status(
        try night(
          rule, likes: [-6, -5], option: option.map(Self.instant), after: (Self.instant(former), from)))
        == expected)
  }

  @Test func `an earlier as-of time is an error without a clock too`() throws {
    let former = (asOf: Self.instant(-4), from: "newest_interaction")
    #expect(status(try night("newest", likes: [-6, -5], clock: nil, after: former)) == .badData)
    #expect(status(try night("newest", likes: [-6, -4], clock: nil, after: former)) == .complete)
  }

  @Test func `a stage without a clock and a time names the option`() {
    #expect(
      AsOfMissing().description
        == "the as-of time is missing. 'nightjar run' uses the clock by default, but a stage that is run by "
        + "hand does not. Pass a time, for example --as-of 2026-11-20T23:58:12Z.")
  }

  @Test func `after a wrong as-of time there are rejects, but no snapshot`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Night.peopleHeader + Self.people + ",,,,,,,,\n", to: "people.csv")
    try scratch.write(Night.likesHeader + Self.like(-5) + Self.like(5), to: "likes.csv")
    let yaml = Night.yaml().replacing("later_limit: 1", with: "later_limit: 0")
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    #expect(throws: LaterLimitExceeded.self) {
      _ = try IngestStage.run(pipeline, in: scratch("run"), asOf: nil, clock: Night.clock, tool: "test")
    }
    #expect(scratch.files == ["likes.csv", "people.csv", "run/rejects.csv"])
    #expect(plainCSVText(try scratch.bytes("run/rejects.csv")).map { $0[4] } == ["rule", "missing_id"])
  }

  @Test func `the manifest has the newest row of each source`() throws {
    let night = try Night(
      people: "a,2020-01-01,2021-01-01,,,,,,\nb,2022-01-01,,,,,,,\nc,2023-01-01,,,,,,,\n",
      likes: "a,b,2022-05-01,yes\na,c,2022-06-01,yes\na,b,2022-09-01,yes\n",
      asOf: Instant(milliseconds: 1_656_633_600_000))
    #expect(night.counts("people")?["newest"]?["utc"] == "2022-01-01T00:00:00Z")
    #expect(night.counts("likes")?["newest"]?["utc"] == "2022-06-01T00:00:00Z")
    #expect(try Night(people: Self.people).counts("people")?["newest"] == nil)
  }
}
