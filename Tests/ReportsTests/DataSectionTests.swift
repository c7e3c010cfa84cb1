import Files
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// The tables of the section about rows.
@Suite struct DataSectionTests {
  @Test func `sources and rules have a row each, and equal numbers are ordered by rule`() throws {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(more: "dangling_limit: 0.3")
    world.sources = [
      "people": [
        "read": 50, "kept": 35, "rejected": ["bad_number": 5], "not_allowed": ["under_age": 5], "merged": 3,
        "later": 2,
      ],
      "swipes": [
        "read": 200, "kept": 189, "rejected": ["bad_time": 5], "dangling": ["unknown_user": 6],
      ],
    ]
    world.inputs = [
      FileDigest(path: "people.csv", bytes: 1200, sha256: String(repeating: "12", count: 32)),
      FileDigest(path: "in/swipes.csv", bytes: 7, sha256: String(repeating: "c", count: 64), rows: 0),
    ]
    let run = try world.run()
    #expect(run.sources.map(\.name) == ["people", "swipes"])
    let lines = Section.data(run).shown
    #expect(lines[0].contains("more than 20 % rejected rows or 30 % dangling rows"))
    let tables: [String] = [
      "Rows by outcome",
      "people | 50 | 35 | 5 (10.0 %) | 0 (0 %) | 5 (10.0 %) | "
        + "2 later than the as-of time; 3 merged (another row takes its place)",
      "swipes | 200 | 189 | 5 (2.5 %) | 6 (3.0 %) | 0 (0 %) | –",
      "Rejected, dangling and not allowed rows by rule, most frequent rule first",
      "unknown_user (a user who is absent or was left out) | dangling | swipes | 6 (3.0 %)",
      "bad_number (not a decimal number within ±1e100) | rejected | people | 5 (10.0 %)",
      "bad_time (the time is missing or unreadable) | rejected | swipes | 5 (2.5 %)",
    ]
    #expect(Array(lines[1...7]) == tables)
    #expect(
      lines[8]
        == "under_age (the user was younger than the minimum age at the time of the request) | not allowed | people | 5 (10.0 %)"
    )
    #expect(lines[9].hasPrefix("The file snapshot/rejects.csv of the run lists"))
    #expect(
      lines[10...] == [
        "Input files in the manifest of the snapshot", "people.csv | – | 1 200 | 121212121212…",
        "swipes.csv | 0 | 7 | cccccccccccc…",
      ])
  }

  @Test(arguments: ["rejected", "dangling", "not_allowed"])
  func `one row of any outcome gives the table of rules`(_ outcome: String) throws {
    var world = try RunByHand()
    world.sources = ["swipes": ["read": 100, "kept": 99, outcome: ["unknown_user": 1]]]
    let lines = try Section.data(world.run()).shown
    let words = outcome == "not_allowed" ? "not allowed" : outcome
    let row = "unknown_user (a user who is absent or was left out) | \(words) | swipes | 1 (1.0 %)"
    #expect(lines.count { $0 == row } == 1, "\(lines)")
  }

  @Test func `a source without rows has no shares`() throws {
    var world = try RunByHand()
    world.sources = ["swipes": ["read": 0, "kept": 0]]
    let lines = try Section.data(world.run()).shown
    #expect(
      lines == [
        "The exports contain no rows. Check that they are the right files.", "Rows by outcome",
        "swipes | 0 | 0 | 0 | 0 | 0 | –", "Input files in the manifest of the snapshot",
      ])
  }

  @Test func `each source with times has its own age`() throws {
    var world = try RunByHand()
    world.asOf = Instant(milliseconds: 10 * 86_400_000)
    world.sources = [
      "people": ["read": 3, "kept": 3, "newest": ["milliseconds": 0]],
      "swipes": ["read": 1, "kept": 1, "newest": ["milliseconds": 777_600_000]],
    ]
    let lines = try Section.data(world.run()).shown
    #expect(
      lines[4...6] == [
        "Age of the newest row of each source at the as-of time", "people | 10 days", "swipes | 1 day",
      ])
  }
}
