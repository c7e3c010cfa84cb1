import Columns
import Files
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// Requests at the as-of time, and the age limit of people who make them.
@Suite struct RequestTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      owners: { source: { path: owners.csv }, id: id }
      minders: { source: { path: minders.csv }, id: id, created: at, attributes: { born: { type: date } } }
      dogs: { source: { path: dogs.csv }, id: id, owner: { from: of, entity: owners } }
    requests:
      asks:
        source: { path: asks.csv }
        user: { from: m, entity: minders }
        candidate: { from: d, entity: dogs }
        at: t
        status: { from: s, map: { open: pending, yes: accepted, no: refused, back: withdrawn } }
        changed: c
        born: born
        minimum_age: 18
    """

  private static func instant(_ text: String) -> Instant? {
    parseInstant(Array(text.utf8).span).map(Instant.init(milliseconds:))
  }

  /// The times are days in 2020.
  private func night(_ asks: String, minders: String = "a,,1990-01-01\nb,,1980-01-01\n", asOf: String? = nil)
    throws
    -> Night
  {
    let asOf = try asOf.map { try #require(Self.instant("2020-01-\($0)T12:00:00Z")) }
    let rows = asks.split(separator: "\n").map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      func time(_ day: String) -> String { day.count == 2 ? "2020-01-\(day)T00:00:00Z" : day }
      return [fields[0], fields[1], time(fields[2]), fields[3], time(fields[4])].joined(separator: ",")
    }
    return try Night(
      Self.yaml,
      [
        "owners.csv": "id\nx\ny\n", "minders.csv": "id,at,born\n" + minders,
        "dogs.csv": "id,of\nd1,x\nd2,x\nd3,y\n",
        "asks.csv": "m,d,t,s,c\n" + rows.map { $0 + "\n" }.joined(),
      ], asOf: asOf)
  }

  /// The requests as texts such as `a d1 accepted`, in the order of the table.
  private func table(_ night: Night) throws -> [String] {
    let snapshot = try Snapshot(
      night.scratch("run/snapshot"), entities: night.pipeline.entities.map(\.schema), interactions: [],
      requests: [InteractionSchema(name: "asks")])
    let table = try #require(snapshot.requests["asks"])
    let (minders, dogs) = (
      try #require(snapshot.entities["minders"]), try #require(snapshot.entities["dogs"])
    )
    return (0..<table.count).map { index in
      let status = RequestStatus.allCases.first { $0.code == table.status[index] }
      return "\(minders.ids.string(Int(table.user[index]))) \(dogs.ids.string(Int(table.candidate[index]))) "
        + "\(status?.rawValue ?? "?")"
        + (table.changed[index] == .min ? "" : " \(Instant(milliseconds: table.changed[index]))")
    }
  }

  @Test func `every status is read with its time`() throws {
    let night = try night("b,d3,05,back,06\na,d1,01,open,\na,d2,02,yes,03\nb,d1,02,no,04\n")
    #expect(
      try table(night) == [
        "a d1 pending", "a d2 accepted 2020-01-03T00:00:00Z", "b d1 refused 2020-01-04T00:00:00Z",
        "b d3 withdrawn 2020-01-06T00:00:00Z",
      ])
    #expect(night.accounts("asks") == [4, 4, 0, 0, 0])
    // The newest event changes the status of a request.
    #expect(night.manifest.asOf == Self.instant("2020-01-06T00:00:00Z"))
    #expect(night.manifest.counts["as_of_from"] == "newest_request")
  }

  @Test(arguments: [
    ("01", ["a d1 pending"], [2, 1, 0, 0, 1], "01"),
    ("03", ["a d1 accepted 2020-01-03T00:00:00Z"], [2, 1, 0, 0, 1], "03"),
    ("06", ["a d1 accepted 2020-01-03T00:00:00Z", "b d1 pending"], [2, 2, 0, 0, 0], "05"),
    (
      "09", ["a d1 accepted 2020-01-03T00:00:00Z", "b d1 refused 2020-01-08T00:00:00Z"], [2, 2, 0, 0, 0], "08"
    ),
  ])
  func `events after the as-of time are hidden`(
    asOf: String, expected: [String], counts: [Int], newest: String
  ) throws {
    let night = try night("a,d1,01,yes,03\nb,d1,05,no,08\n", asOf: asOf)
    #expect(try table(night) == expected)
    #expect(night.accounts("asks") == counts)
    #expect(night.counts("asks")?["newest"]?["utc"] == .string("2020-01-\(newest)T00:00:00Z"))
  }

  @Test func `requests for a candidate that is created later are later`() throws {
    let night = try Night(
      Self.yaml.replacing("path: dogs.csv }, id: id,", with: "path: dogs.csv }, id: id, created: at,"),
      [
        "owners.csv": "id\nx\n", "minders.csv": "id,at,born\na,,1940-01-01\nb,9999,1940-01-01\n",
        "dogs.csv": "id,of,at\nd1,x,9999\nd2,x,1000\nd3,x,1001\n",
        "asks.csv": "m,d,t,s,c\na,d1,1,open,\na,d2,1,open,\na,d3,1,open,\nb,d2,1,open,\na,d2,1001,open,\n",
      ], asOf: Instant(milliseconds: 1000))
    #expect(try table(night) == ["a d2 pending"])
    #expect(night.accounts("asks") == [5, 1, 0, 0, 4])
  }

  @Test(arguments: [
    ("z,d1,01,open,", "unknown_user", "m"), ("a,d9,01,open,", "unknown_candidate", "d"),
    (",d1,01,open,", "missing_id", "m"), ("a,,01,open,", "missing_id", "d"), ("a,d1,,open,", "bad_time", "t"),
    ("a,d1,soon,open,", "bad_time", "t"), ("a,d1,01,,", "unknown_value", "s"),
    ("a,d1,01,maybe,", "unknown_value", "s"),
    ("a,d1,01,OPEN,", "unknown_value", "s"), ("a,d1,01,yes,", "bad_time", "c"),
    ("a,d1,01,no,never", "bad_time", "c"),
  ]) func `broken requests are rejected`(row: String, rule: String, field: String) throws {
    let night = try night("a,d2,01,open,\n\(row)\n")
    #expect(try table(night) == ["a d2 pending"])
    #expect(try night.rejects().map { [$0[0], $0[2], $0[3], $0[4]] } == [["asks.csv", "3", field, rule]])
  }

  @Test func `a pending request has no time of change`() throws {
    let night = try night("a,d1,01,open,nonsense\n")
    #expect(try table(night) == ["a d1 pending"])
  }

  @Test func `an underage user makes no request`() throws {
    let minders = """
      a,,2002-01-05
      b,,2002-01-06
      c,,2002-01-06T23:59:59Z
      d,,
      e,,2030-01-01
      f,,2000-02-29
      late,2021-01-01T00:00:00Z,1990-01-01

      """
    let asks =
      "a,d1,05,open,\nb,d1,05,open,\nb,d2,06,open,\nc,d1,06,open,\nd,d1,06,open,\ne,d1,06,yes,07\nf,d1,06,open,\n"
    let night = try night(asks + "late,d1,06,open,\n", minders: minders, asOf: "20")
    #expect(try table(night) == ["a d1 pending", "b d2 pending", "c d1 pending", "f d1 pending"])
    let counts = try #require(night.counts("asks"))
    #expect(counts["read"] == 8 && counts["kept"] == 4 && counts["later"] == 1)
    #expect(counts["not_allowed"] == ["under_age": 1, "age_unknown": 2])
    #expect(counts["rejected"] == [:])
    #expect(
      try night.rejects().map { Array($0[2...5]) } == [
        ["3", "m", "under_age", "b"], ["6", "m", "age_unknown", "d"], ["7", "m", "age_unknown", "e"],
      ])
  }

  @Test func `the age is found in any order of the users`() throws {
    let minders = "c,,1990-01-01\nb,,2015-01-01\na,,1980-01-01\n"
    let night = try night("a,d1,06,open,\nb,d1,06,open,\nc,d1,06,open,\n", minders: minders)
    #expect(try table(night) == ["a d1 pending", "c d1 pending"])
    #expect(try night.rejects().map { Array($0[3...5]) } == [["m", "under_age", "b"]])
  }

  @Test func `a request to oneself is rejected`() throws {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      reject_limit: 1
      entities:
        people: { source: { path: people.csv }, id: id }
        rooms: { source: { path: rooms.csv }, id: id, owner: { from: of, entity: people } }
      requests:
        views:
          source: { path: views.csv }
          user: { from: a, entity: people }
          candidate: { from: b, entity: rooms }
          at: t
          status: s
          changed: c
        calls:
          source: { path: calls.csv }
          user: { from: a, entity: people }
          candidate: { from: b, entity: people }
          at: t
          status: s
          changed: c
      """,
      [
        "people.csv": "id\na\nb\n", "rooms.csv": "id,of\ns,b\nr,a\n",
        "views.csv": "a,b,t,s,c\na,r,1,pending,\nb,r,1,pending,\na,s,1,pending,\n",
        "calls.csv": "a,b,t,s,c\na,b,1,pending,\nb,b,1,pending,\n",
      ])
    #expect(night.accounts("views") == [3, 2, 1, 0, 0] && night.accounts("calls") == [2, 1, 1, 0, 0])
    #expect(try night.rejects().map { $0[4] } == ["self_interaction", "self_interaction"])
  }

  @Test func `the last request of a user for one candidate is in force`() throws {
    let night = try night(
      "a,d1,03,open,\na,d1,01,yes,02\na,d2,01,yes,05\na,d2,01,open,\nb,d1,04,no,05\nb,d1,04,yes,06\n",
      asOf: "05")
    let snapshot = try Snapshot(
      night.scratch("run/snapshot"), entities: night.pipeline.entities.map(\.schema), interactions: [],
      requests: [InteractionSchema(name: "asks")])
    let requests = try #require(snapshot.requests["asks"])
    // At this time, one of b's two requests is rejected. The other one is accepted later.
    #expect(
      requests.inForce.map { requests.status[$0] } == [
        RequestStatus.pending.code, RequestStatus.accepted.code, RequestStatus.refused.code,
      ])
  }
}
