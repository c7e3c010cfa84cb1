import Files
import IngestFixture
import PipelineFile
import Testing
import TestSupport
import Text

@testable import Ingest

/// Implausible times, and numbers in another unit than the one in the pipeline file.
@Suite struct PlausibleTimeTests {
  private static let people = "a,,,,,,,,\nb,,,,,,,,\n"

  private func yaml(_ plausible: String = "", likes: String = "") -> String {
    Night.yaml().replacing(
      "plausible: [1, 9999]", with: plausible.isEmpty ? "seed: 1" : "plausible: \(plausible)"
    )
    .replacing("  likes:\n", with: likes.isEmpty ? "  likes:\n" : "  likes:\n    plausible: \(likes)\n")
  }

  private func night(_ yaml: String, likes: [String], people: String = Self.people) throws -> Night {
    try Night(
      yaml,
      [
        "people.csv": Night.peopleHeader + people,
        "likes.csv": Night.likesHeader + likes.map { "a,b,\($0),yes\n" }.joined(),
      ])
  }

  @Test func `times before 2000 and after 2100 are rejected`() throws {
    let night = try night(
      yaml(),
      likes: [
        "1999-12-31T23:59:59.999Z", "2000-01-01T00:00:00Z", "2025-01-01", "0", "-5", "253402300800000",
        "99999999999999999999.5", "yesterday", "",
      ], people: "a,,1980-01-01,,,,,,\nb,2101-01-01,,,,,,,\na,,,,,,,,\nb,,,,,,,,\n")
    #expect(
      night.counts("likes")?["rejected"] == ["implausible_time": 5, "bad_time": 2])
    #expect(night.counts("people")?["rejected"] == ["implausible_time": 2])
    #expect(try night.rejects().contains { $0[3] == "t" && $0[4] == "implausible_time" && $0[5] == "0" })
    // A time in 2100 is plausible but later than the clock.
    let last = try self.night(yaml(), likes: ["2025-01-01", "2100-12-31T23:59:59.999Z", "2101-01-01"])
    #expect(last.accounts("likes") == [3, 1, 1, 0, 1])
  }

  @Test(arguments: [
    ("[2010, 2012]", "", ["2009-12-31", "2010-01-01", "2012-12-31T23:59:59.999Z", "2013-01-01"], 2),
    ("", "[2010-03-04, 2010-03-05]", ["2010-03-03", "2010-03-04", "2010-03-05T10:00:00Z"], 2),
    ("[2020, 2021]", "[2010, 2011]", ["2010-03-03", "2020-03-04"], 1),
    (
      "[2010-03-04T10:00:00Z, 2010-03-04T11:00:00Z]", "",
      ["2010-03-04T11:00:00Z", "2010-03-04T11:00:00.001Z"], 1
    ),
  ])
  func `a pipeline file or a source sets the plausible times`(
    all: String, likes: String, times: [String], kept: Int
  ) throws {
    let night = try night(yaml(all, likes: likes), likes: times)
    #expect(night.accounts("likes") == [times.count, kept, times.count - kept, 0, 0])
  }

  @Test(arguments: [
    ("seconds", ["1700000000", "1700000000.25", "1700000060"]), ("microseconds", ["1700000000000000"]),
    ("nanoseconds", ["1700000000000000000"]), ("days_since_1900", ["45978", "45978.5"]),
    ("seconds_since_2001", ["721692800", "721692800.5"]),
  ])
  func `an error names the unit of the numbers, and the unit works`(
    unit: String, times: [String]
  ) throws {
    let error = #expect(throws: RowLimitExceeded.self) {
      _ = try night(yaml().replacing("reject_limit: 1\n", with: "reject_limit: 1 %\n"), likes: times)
    }
    #expect(error?.description.contains("read 't' as \(unit):") == true, "\(error?.description ?? "")")
    let read = try night(
      yaml().replacing("at: t", with: "at: { from: t, unit: \(unit) }"), likes: times)
    #expect(read.accounts("likes") == [times.count, times.count, 0, 0, 0])
    #expect((read.manifest.asOf.description).hasPrefix("2023-11-") || unit == "days_since_1900")
  }

  @Test func `a unit is named only if most times fit it`() throws {
    let limited = yaml().replacing("reject_limit: 1\n", with: "reject_limit: 1 %\n")
    let half = #expect(throws: RowLimitExceeded.self) {
      _ = try night(limited, likes: ["1700000000", "1700000000", "2025-01-01", "2025-01-01"])
    }
    #expect(half?.unit == nil)
    let most = #expect(throws: RowLimitExceeded.self) {
      _ = try night(limited, likes: ["1700000000", "1700000000", "1700000000", "2025-01-01", "2025-01-01"])
    }
    #expect(most?.unit == "'t' as seconds")
  }

  @Test func `people without a time do not hide the unit of the times`() throws {
    let error = #expect(throws: RowLimitExceeded.self) {
      _ = try night(
        yaml().replacing("reject_limit: 1\n", with: "reject_limit: 1 %\n"), likes: ["2025-01-01"],
        people: Self.people + "c,,,,,,,,\nd,1700000000000000,,,,,,,\ne,1700000000000000,,,,,,,\n")
    }
    #expect(error?.unit == "'created' as microseconds")
  }

  @Test(arguments: [
    (["20251120", "20240229"], true), (["20251120235812", "20251120000000"], true),
    (["20251320", "20240230"], false), (["20251120", "2025-11-20"], false),
  ])
  func `dates without separators are not times in a unit`(times: [String], areDates: Bool) throws {
    let error = #expect(throws: RowLimitExceeded.self) {
      _ = try night(yaml().replacing("reject_limit: 1\n", with: "reject_limit: 1 %\n"), likes: times)
    }
    #expect(error?.description.contains("'t' are dates without separators") == areDates)
    #expect(error?.description.contains("set 'unit'") == (times[0] == "20251320"))
  }
}
