import Columns
import Ingest
import IngestFixture
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Checking

/// The report on sources of every kind, and on expectations.
struct CheckedSourcesTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    dangling_limit: 1
    privacy: { snap_positions_to: 12 }
    entities:
      people: { source: { path: people.jsonl }, id: id }
      dogs: { source: { path: dogs.jsonl }, id: id, owner: { from: of, entity: people } }
    check_ins:
      visits:
        source: { path: visits.jsonl }
        id: id
        user: { from: who, entity: people }
        at: t
        position: { latitude: lat, longitude: lon }
        expires_after: 1s
    interactions:
      likes:
        source: { path: likes.jsonl }
        user: { from: a, entity: people }
        candidate: { from: d, entity: dogs }
        at: t
        value: { from: v, map: { yes: 1, no: -1, skip: ignore } }
    requests:
      asks:
        source: { path: asks.jsonl }
        user: { from: a, entity: people }
        candidate: { from: d, entity: dogs }
        at: t
        status: { from: s, map: { open: pending, yes: accepted, no: refused } }
        changed: c
    """

  private static let files = [
    "people.jsonl": "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n",
    "dogs.jsonl": "{\"id\":\"x\",\"of\":\"a\"}\n{\"id\":\"y\",\"of\":\"b\"}\n",
    "visits.jsonl": """
    {"id":"v1","who":"a","t":1000,"lat":1,"lon":2}
    {"id":"v2","who":"a","t":4500,"lat":1,"lon":2}
    {"id":"v3","who":"b","t":100,"lat":1,"lon":2}
    {"id":"v4","who":"nobody","t":9,"lat":1,"lon":2}

    """,
    "likes.jsonl": """
    {"a":"a","d":"y","t":4,"v":"yes"}
    {"a":"b","d":"x","t":6,"v":"no"}
    {"a":"c","d":"x","t":5,"v":"skip"}

    """,
    "asks.jsonl": """
    {"a":"a","d":"y","t":6,"s":"open"}
    {"a":"b","d":"x","t":7,"s":"yes","c":8}
    {"a":"c","d":"x","t":5,"s":"no","c":6}

    """,
  ]

  @Test func `check-ins, interactions and requests have the figures of their kind`() throws {
    let asOf = Instant(milliseconds: 5000)
    let night = try Night(Self.yaml, Self.files, asOf: asOf)
    let check = DataCheck(night.pipeline, asOf: asOf, clock: Night.clock, previous: nil)
    #expect(check.problems.map(\.description) == [])
    let sources = check.report.sources
    try #require(sources.map(\.name) == ["dogs", "people", "visits", "likes", "asks"])
    #expect(sources.map(\.kind) == [.entity, .entity, .checkIns, .interaction, .requests])
    #expect(sources.map(\.read) == [2, 3, 4, 3, 3])
    // The first check-in of `a` is merged into the second one.
    #expect(sources.map(\.kept) == [2, 3, 2, 2, 3])
    #expect(sources.map(\.dangling) == [0, 0, 1, 0, 0])
    #expect(sources.map(\.expired) == [nil, nil, 1, nil, nil])
    #expect(sources[3].ignored == 1 && sources[4].ignored == nil)
    func times(_ index: Int) throws -> [Int64?] {
      let column = try #require(sources[index].columns.first)
      #expect(column.name == "at" && column.type == .time && column.missing == 0)
      return [column.first?.milliseconds, column.last?.milliseconds]
    }
    #expect(try times(2) == [100, 4500] && times(3) == [4, 6] && times(4) == [5, 7])
    #expect(sources[3].newest?.milliseconds == 6)
    let status = try #require(sources[4].columns.last)
    #expect(status.name == "status" && status.distinct == 3 && status.missing == 0)
    #expect(
      status.top == ["accepted", "pending", "refused"].map { DataReport.Count(value: $0, rows: 1) })
    #expect(
      sources[4].pairs
        == DataReport.Pairs(users: 3, candidates: 2, repeated: 0, medianPerUser: 1, mostPerUser: 1))
    #expect(
      sources[3].pairs
        == DataReport.Pairs(users: 2, candidates: 2, repeated: 0, medianPerUser: 1, mostPerUser: 1))
    #expect(sources[2].pairs == nil && sources[2].positions == nil)
  }

  @Test func `rows that a source leaves out are counted, even if no other source takes them`() throws {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      entities:
        dogs: { source: { path: all.jsonl, where: { kind: dog } }, id: id }
        people: { source: { path: all.jsonl, where: { kind: person } }, id: id }
      """,
      [
        "all.jsonl": ["dog", "dog", "person", "cat"].enumerated().map { index, kind in
          "{\"id\":\"\(index)\",\"kind\":\"\(kind)\"}\n"
        }.joined()
      ])
    let report = DataCheck(night.pipeline, asOf: nil, clock: Night.clock, previous: nil).report
    #expect(report.sources.map(\.name) == ["dogs", "people"])
    #expect(report.sources.map(\.kept) == [2, 1])
    #expect(report.sources.map(\.leftOut) == [2, 3])
    #expect(report.sources.map(\.leftOutByAll) == [1, 1])
  }

  @Test(arguments: [(2, CheckedExpectation.Outcome.violated), (3, .met)])
  func `only a violated expectation is a problem`(rows: Int, outcome: CheckedExpectation.Outcome) throws {
    let scratch = try ScratchDirectory()
    let people = (0..<rows).map { "p\($0),,,,,,,,\n" }.joined()
    try scratch.write(Night.peopleHeader + people, to: "people.csv")
    try scratch.write(Night.likesHeader, to: "likes.csv")
    let yaml = Night.yaml().replacing(
      "    id: id\n", with: "    id: id\n    expect: { rows: { at_least: 3 } }\n")
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    let check = DataCheck(pipeline, asOf: nil, clock: Night.clock, previous: nil)
    let expectation = try #require(check.report.expectations.first { $0.expectation == "rows.at_least" })
    #expect(expectation.outcome == outcome && expectation.source == "people")
    #expect(check.problems.map(\.description) == (outcome == .met ? [] : ["\(expectation)"]))
    #expect(check.problems.allSatisfy { $0.error == nil })
    #expect(check.report.problems == check.problems.map(\.description))
    // A comparison with an earlier run is not possible, which is no problem.
    #expect(check.report.sources.map(\.kept) == [rows, 0])
  }
}
