import Testing
import RunSchemas
import Text

@testable import Reports

/// The figures of a report about the rows of a source.
struct ReportedSourceTests {
  private let counts: JSONValue = [
    "read": 100, "kept": 77, "rejected": ["bad_time": 3, "missing_id": 7, "bad_id": 3],
    "dangling": ["unknown_user": 5, "unknown_candidate": 3], "merged": 9,
    "erased": 1,
    "later": 0,
  ]

  @Test func `outcomes other than read and kept are listed by name unless they are zero`() {
    let source = ReportedSource(name: "swipes", counts: counts)
    #expect(source.read == 100 && source.kept == 77)
    #expect(source.others.map(\.outcome) == ["erased", "merged"])
    #expect(source.others.map(\.rows) == [1, 9])
  }

  @Test func `rules are sorted by rows, then by name`() {
    let source = ReportedSource(name: "swipes", counts: counts)
    #expect(source.rules(.rejected).map(\.rule) == ["missing_id", "bad_id", "bad_time"])
    #expect(source.rejected == 13 && source.share(.rejected) == 0.13)
    #expect(source.rows(.dangling) == 8 && source.rows(.notAllowed) == 0)
  }

  @Test(
    arguments: [
      (["read": 100, "kept": 100], "Rejected rows are broken.", false),
      (["read": 100, "kept": 99, "rejected": ["bad_time": 1]], "Rejected rows are broken.", true),
      (["read": 0, "kept": 0], "The exports contain no rows", false),
    ] as [(JSONValue, String, Bool)])
  func `rules have a table if a row breaks one`(_ counts: JSONValue, _ first: String, _ isShown: Bool)
    throws
  {
    var world = try RunByHand()
    world.sources = ["swipes": counts]
    let lines = try Section.data(world.run()).shown
    #expect(lines[0].hasPrefix(first), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("The file snapshot/rejects.csv of the run lists") } == isShown)
    #expect(lines.contains { $0.hasPrefix("bad_time") } == isShown)
  }

  @Test func `the table of rules states the share of the read rows`() throws {
    var world = try RunByHand()
    world.sources = [
      "people": ["read": 50, "kept": 0, "rejected": ["bad_number": 50]],
      "swipes": counts,
    ]
    let lines = try Section.data(world.run()).shown
    #expect(
      lines.contains { $0.hasPrefix("bad_number") && $0.hasSuffix("| people | 50 (100 %)") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("missing_id") && $0.hasSuffix("| swipes | 7 (7.0 %)") }, "\(lines)")
  }

  @Test func `the newest row of each source has an age at the as-of time`() throws {
    var world = try RunByHand()
    world.asOf = Instant(milliseconds: 10 * 86_400_000)
    world.sources = [
      "people": ["read": 3, "kept": 3],
      "swipes": ["read": 1, "kept": 1, "newest": ["milliseconds": 648_000_000]],
    ]
    let lines = try Section.data(world.run()).shown.filter { $0.contains("days") }
    #expect(lines.count == 1 && lines[0].contains("swipes") && lines[0].hasSuffix("| 2 days"), "\(lines)")
  }

  @Test(arguments: [[], ["born"], ["born", "city"]] as [[String]])
  func `a field that no record has is named`(_ absent: [String]) throws {
    var world = try RunByHand()
    world.sources = [
      "swipes": ["read": 100, "kept": 100, "absent_fields": .array(absent.map { .string($0) })]
    ]
    let named = try Section.data(world.run()).shown.filter { $0.hasPrefix("No record of swipes has") }
    #expect(named.count == absent.count)
    for (text, field) in zip(named, absent) { #expect(text.contains(field)) }
  }

  @Test func `a ranking without probabilities has no calibration`() throws {
    var world = try RunByHand()
    world.judged = ["near": Found.ranking(verdict: "too_few_users")]
    #expect(
      try #require(Section.calibration(world.run())).shown.contains {
        $0.hasPrefix("This ranking has no calibration")
      })
  }
}
