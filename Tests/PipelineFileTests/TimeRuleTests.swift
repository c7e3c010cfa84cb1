import PipelineFile
import Readers
import Testing
import Text

/// The keys of a pipeline file for the as-of time and the plausible times.
@Suite struct TimeRuleTests {
  private func pipeline(_ general: String, users: String = "") throws -> Pipeline {
    try Pipeline(
      yaml: """
        pipeline: p
        \(general)
        entities:
          users:
            source: { path: users.csv }
            id: id
            created: { from: at, unit: seconds }
            updated: at
            \(users)
        interactions:
          likes: { source: { path: l.csv }, user: a, candidate: b, at: t, value: v }
        """, file: "p.yaml")
  }

  @Test(arguments: [
    ("", Pipeline.AsOf.clock), ("as_of: clock", .clock), ("as_of: newest", .newest),
    ("as_of: 2026-11-20T23:58:12Z", .moment(Instant(milliseconds: 1_795_219_092_000))),
    ("as_of: 2026-11-20", .moment(Instant(milliseconds: 1_795_132_800_000))),
  ])
  func `the as-of time is the clock's, the newest row's or given`(line: String, expected: Pipeline.AsOf)
    throws
  {
    #expect(try pipeline(line).asOf == expected)
  }

  @Test(arguments: [
    ("as_of: yesterday", "'as_of' is 'yesterday'"), ("as_of: 2026-13-01", "'as_of' is '2026-13-01'"),
    ("as_of: [clock]", "'as_of' must be text"), ("later_limit: 101 %", "share from 0 to 1"),
    ("plausible: 2000", "must be a list"), ("plausible: [2000]", "not a list of length 1"),
    ("plausible: [2001, 2000]", "ends before it begins"),
    ("plausible: [0, 2000]", "a year, a date or a time"),
    ("plausible: [2000, soon]", "'plausible.1' is 'soon'"),
  ])
  func `mistakes in times are named`(line: String, reason: String) throws {
    let error = #expect(throws: PipelineFileError.self) { _ = try pipeline(line) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func `each source has its own limit and times, or the pipeline's`() throws {
    let own = try pipeline("later_limit: 3 %\nplausible: [2010, 2020]", users: "later_limit: 5 %")
    #expect(own.laterLimit(of: own.entities[0].source) == 0.05)
    #expect(own.laterLimit(of: own.interactions[0].source) == 0.03)
    #expect(own.entities[0].created?.plausible == 1_262_304_000_000...1_609_459_199_999)
    #expect(own.interactions[0].at.plausible == 1_262_304_000_000...1_609_459_199_999)
    let users = try pipeline("", users: "plausible: [2010-01-01T12:00:00Z, 2010-01-02]")
    #expect(users.entities[0].updated?.plausible == 1_262_347_200_000...1_262_476_799_999)
    #expect(users.interactions[0].at.plausible == Pipeline.usuallyPlausible)
    #expect(users.entities[0].created?.unit == .seconds && users.entities[0].updated?.unit == .milliseconds)
  }

  @Test func `a byte order mark is skipped at the start of a file, and nowhere else`() throws {
    let text = "pipeline: p\nentities: { users: { source: { path: u.csv }, id: id } }\n"
    #expect(try Pipeline(yaml: "\u{FEFF}" + text, file: "p.yaml").name == "p")
    #expect(throws: PipelineFileError.self) {
      _ = try Pipeline(yaml: "\u{FEFF}\u{FEFF}" + text, file: "p.yaml")
    }
    // An error has the right line and column despite the byte order mark.
    let error = #expect(throws: PipelineFileError.self) {
      _ = try Pipeline(yaml: "\u{FEFF}pipelines: p\n", file: "p.yaml")
    }
    #expect(error?.place == "p.yaml:1:1")
  }
}
