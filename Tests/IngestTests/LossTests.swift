import Concurrency
import Files
import IngestFixture
import PipelineFile
import System
import TestSupport
import Testing
import Text
import Tombstones

@testable import Ingest

/// Ingest compares a night with the last complete run: the newest rows, the last lines and the
/// dangling rows.
@Suite struct LossTests {
  private static func yaml(_ options: String = "", likes: String = "") -> String {
    """
    pipeline: p
    as_of: clock
    \(options)
    entities:
      people: { source: { path: people.csv }, id: id, created: t }
    interactions:
      likes:
        source: { path: likes.csv\(likes) }
        user: a
        candidate: b
        at: t
        value: { from: v, map: { yes: 1 } }
    """
  }

  private static let people = (0..<40).map { "p\($0),2025-12-\(10 + $0 % 20)\n" }.joined()

  /// Returns one like by each of `users` on each of `days` in December 2025.
  private static func likes(_ days: Range<Int>, of users: Range<Int> = 0..<8, end: String = "\n") -> String {
    days.flatMap { day in users.map { "p\($0),p\($0 + 20),2025-12-\(day),yes" } }.joined(separator: "\n")
      + end
  }

  /// Ingests one night after the other, and returns the error of the last one, if any.
  private static func last(
    _ nights: [(people: String, likes: String)], _ yaml: String = yaml(), asOf: Instant? = nil,
    acceptsDrop: Bool = false
  ) throws -> (any Error)? {
    let scratch = try ScratchDirectory()
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    var previous: Manifest?
    for (number, night) in nights.enumerated() {
      try scratch.write("id,t\n" + night.people, to: "people.csv")
      try scratch.write("a,b,t,v\n" + night.likes, to: "likes.csv")
      do {
        previous = try IngestStage.run(
          pipeline, in: scratch("run\(number)"), asOf: number == nights.count - 1 ? asOf : nil,
          clock: Night.clock,
          previous: previous, acceptsDrop: acceptsDrop, tool: "t")
      } catch {
        try #require(number == nights.count - 1, "\(error)")
        return error
      }
    }
    return nil
  }

  private static func violations(_ error: (any Error)?) -> [String] {
    ((error as? ExpectationsViolated)?.violations ?? []).map { "\($0.source).\($0.expectation)" }
  }

  @Test func `a source that lacks the newest rows of several users is old or truncated`() throws {
    let whole = (people: Self.people, likes: Self.likes(10..<28))
    let old = (people: Self.people, likes: Self.likes(10..<27))
    let error = try Self.last([whole, old])
    #expect(Self.violations(error) == ["likes.newest_row"])
    for part in ["2025-12-27T00:00:00Z", "2025-12-26T00:00:00Z", "--accept-drop", "incomplete: allowed"] {
      #expect(try "\(#require(error))".contains(part))
    }
    // The export is read if it grew, if `--accept-drop` or the pipeline file allows the loss, or if
    // the as-of time is earlier.
    #expect(try Self.last([old, whole]) == nil)
    #expect(try Self.last([whole, old], acceptsDrop: true) == nil)
    #expect(try Self.last([whole, old], Self.yaml(likes: ", incomplete: allowed")) == nil)
    #expect(try Self.last([whole, old], asOf: Instant(milliseconds: 1_766_880_000_000)) == nil)
    // The same rule holds for entities.
    let fewer = Self.people.split(separator: "\n").filter {
      !$0.contains("2025-12-29") && !$0.contains("2025-12-28")
    }
    .map { $0 + "\n" }.joined()
    let accounts = try Self.last(
      [(Self.people, ""), (fewer, "")], Self.yaml("dangling_rise: 100 %"))
    #expect(Self.violations(accounts) == ["people.newest_row"])
  }

  /// In one night, three accounts may disappear with all their rows.
  @Test func `the deletion of a few accounts is no sign of an old export`() throws {
    let whole = (people: Self.people, likes: Self.likes(10..<20) + Self.likes(20..<28, of: 0..<3))
    let without = (people: Self.people, likes: Self.likes(10..<20))
    #expect(try Self.last([whole, without], Self.yaml("dangling_rise: 100 %")) == nil)
    let four = (people: Self.people, likes: Self.likes(10..<20) + Self.likes(20..<28, of: 0..<4))
    #expect(Self.violations(try Self.last([four, without])) == ["likes.newest_row"])
  }

  @Test func `a file that lost its last line break was cut`() throws {
    let whole = (people: Self.people, likes: Self.likes(10..<28))
    let cut = (people: Self.people, likes: Self.likes(10..<28) + "p1,p2,2025-12-28,yes")
    #expect(Self.violations(try Self.last([whole, cut])) == ["likes.last_line_break"])
    #expect(try Self.last([cut, cut]) == nil)
    #expect(try Self.last([cut]) == nil)
    #expect(try Self.last([whole, cut], acceptsDrop: true) == nil)
    #expect(try Self.last([whole, cut], Self.yaml(likes: ", incomplete: allowed")) == nil)
  }

  /// Without users or candidates, every list would be empty. Therefore only the pipeline file can allow such
  /// an export.
  @Test func `no option of a run accepts an empty export of people`() throws {
    let rankings = "rankings:\n  near: { users: people, candidates: people, order_by: newest, top: 3 }"
    let yaml = Self.yaml(rankings)
    let whole = (people: Self.people, likes: Self.likes(10..<28))
    let empty = (people: "", likes: Self.likes(10..<28))
    for acceptsDrop in [false, true] {
      let error = try Self.last([whole, empty], yaml, acceptsDrop: acceptsDrop)
      #expect(Self.violations(error) == ["people.rows.at_least"])
    }
    let accepted = [
      yaml.replacing("id: id", with: "id: id, expect: { rows: { at_least: 0 } }"),
      yaml.replacing("path: people.csv", with: "path: people.csv, incomplete: allowed"),
    ]
    for accepted in accepted {
      let error = try Self.last([whole, ("", "")], accepted)
      #expect(Self.violations(error) == ["likes.rows.drop_at_most"])
      let likes = accepted.replacing("path: likes.csv", with: "path: likes.csv, incomplete: allowed")
      #expect(try Self.last([whole, ("", "")], likes) == nil)
    }
  }

  @Test func `an empty export of interactions is one violation, which a run can accept`() throws {
    let whole = (people: Self.people, likes: Self.likes(10..<28))
    let empty = (people: Self.people, likes: "")
    #expect(Self.violations(try Self.last([whole, empty])) == ["likes.rows.drop_at_most"])
    #expect(try Self.last([whole, empty], acceptsDrop: true) == nil)
    let expects = Self.yaml().replacing("user: a", with: "expect: { rows: { at_least: 0 } }\n    user: a")
    #expect(try Self.last([whole, empty], expects) == nil)
  }

  /// Losing more than half of the rows is an error even in a small app. The loss of a single row, which one
  /// account could cause, is an error only if no row remains.
  @Test(arguments: [
    (5, 2, true), (6, 3, false), (3, 1, true), (2, 1, false), (1, 0, true), (8, 4, true), (7, 4, false),
  ])
  func `losing more than half of the rows is a violation`(before: Int, now: Int, isLoss: Bool) throws {
    func night(_ count: Int) -> (people: String, likes: String) {
      ((0..<count).map { "p\($0),2025-12-10\n" }.joined(), "")
    }
    let error = try Self.last([night(before), night(now)])
    #expect(Self.violations(error) == (isLoss ? ["people.rows.drop_at_most"] : []))
  }

  /// The message names the source that lost rows, not a source whose rows refer to the lost ones.
  @Test func `half of the people end the run as a loss of people`() throws {
    let half = Self.people.split(separator: "\n").prefix(20).map { $0 + "\n" }.joined()
    let (whole, night) = (
      (people: Self.people, likes: Self.likes(10..<28)), (people: half, likes: Self.likes(10..<28))
    )
    #expect(Self.violations(try Self.last([whole, night])).contains("people.rows.drop_at_most"))
    // Accepting the loss also accepts the dangling rows that it causes. Only the absolute limit
    // still applies.
    let dangling = try Self.last([whole, night], acceptsDrop: true) as? RowLimitExceeded
    #expect(dangling?.key == .danglingLimit)
    #expect(try Self.last([whole, night], Self.yaml("dangling_limit: 100 %"), acceptsDrop: true) == nil)
    let rise = try Self.last(
      [
        whole,
        (people: Self.people, likes: Self.likes(10..<28, of: 0..<8) + Self.likes(10..<28, of: 40..<48)),
      ])
    let limit = try #require(rise as? RowLimitExceeded)
    #expect(limit.key == .danglingRise && "\(limit)".contains("--accept-drop"))
  }

  /// Lost rows can cause dangling rows, but they cannot cause invalid rows.
  @Test func `the error is about invalid rows, even if other rows are missing`() throws {
    let whole = (people: Self.people, likes: Self.likes(10..<28))
    let invalid = String(repeating: "p1,p2,2025-12-10,?\n", count: 10)
    let error = try Self.last([whole, (Self.people, Self.likes(10..<14) + invalid)])
    let exceeded = try #require(error as? RowLimitExceeded)
    #expect(exceeded.key == .rejectLimit && exceeded.rules == ["unknown_value": 10])
  }

  private static let ifNot =
    "If not, pass --accept-drop once, or set 'incomplete: allowed' for this source in the pipeline file."

  private struct Loss: Sendable {
    var people = LossTests.people
    var before: String
    var now: String
    var message: String
  }

  private static let losses: [Loss] = [
    Loss(
      before: likes(10..<28), now: likes(10..<27),
      message: """
        likes: expected newest_row not before 2025-12-27T00:00:00Z, found 2025-12-26T00:00:00Z; in the last \
        complete run, 4 users had newer rows. If the export is old or truncated, export the data again. \(ifNot)
        """),
    Loss(
      people: (0..<40).map { "p\($0),\n" }.joined(), before: "", now: "",
      message: """
        people: expected newest_row not before 2025-12-28T00:00:00Z, found no row with a time; in the last \
        complete run, 4 users had newer rows. If the export is old or truncated, export the data again. \(ifNot)
        """),
    Loss(
      before: likes(10..<28), now: likes(10..<28, end: ""),
      message: """
        likes: expected last_line_break in each file, as in the last complete run, found 1 file without one. \
        If the last row is truncated, export the data again. \(ifNot)
        """),
    Loss(
      before: likes(10..<20), now: likes(10..<15),
      message: """
        likes: expected rows.drop_at_most 45 %, found 40 rows, down from 80 in the last complete run (50 % fewer). \
        If the export is incomplete, export the data again. If it is complete, pass --accept-drop once, or set a \
        higher limit with 'expect: { rows: { drop_at_most: ... } }' for this source in the pipeline file.
        """),
  ]

  @Test(arguments: losses.indices) func `a message about a loss compares both nights`(index: Int) throws {
    let loss = Self.losses[index]
    let error = try Self.last([(Self.people, loss.before), (loss.people, loss.now)])
    let violations = (error as? ExpectationsViolated)?.violations ?? []
    #expect(violations.first?.description == loss.message)
  }

  /// The erased people may have had the newest rows.
  @Test func `an erasure is no loss, and a loss after an erasure is found`() throws {
    let scratch = try ScratchDirectory()
    let pipeline = try Pipeline(yaml: Self.yaml(), file: scratch("p.yaml"))
    let directory = TombstoneDirectory(scratch("erasures"))
    try directory.add((0..<4).map { (Array("p\($0)".utf8), "people") })
    let tombstones = try directory.load()
    func night(_ name: String, days: Int, _ tombstones: TombstoneSet, after previous: Manifest?) throws
      -> Manifest
    {
      let likes = Self.likes(10..<days) + Self.likes(20..<28, of: 0..<4)
      try scratch.write("id,t\n" + Self.people, to: "people.csv")
      try scratch.write("a,b,t,v\n" + likes, to: "likes.csv")
      return try IngestStage.run(
        pipeline, in: scratch(name), asOf: nil, clock: Night.clock, previous: previous,
        tombstones: tombstones,
        tool: "t")
    }
    let whole = try night("1", days: 20, .none, after: nil)
    let erased = try night("2", days: 20, tombstones, after: whole)
    #expect(erased.counts["sources"]?["likes"]?["newest"]?["utc"] == "2025-12-19T00:00:00Z")
    let error = #expect(throws: ExpectationsViolated.self) {
      _ = try night("3", days: 19, tombstones, after: erased)
    }
    #expect(Self.violations(error) == ["likes.newest_row"])
  }

  /// An entity that changed after the as-of time is later, even if it has no earlier version.
  @Test func `entities that changed after the as-of time count for later_limit`() throws {
    let yaml = Self.yaml().replacing("created: t", with: "updated: t")
    #expect(try Self.last([(Self.people, "")], yaml) == nil)
    let wrong = try Self.last([(Self.people.replacing("2025-12-10", with: "2026-06-10"), "")], yaml)
    #expect(wrong is LaterLimitExceeded, "\(wrong.map { "\($0)" } ?? "")")
  }
}

@Suite struct NewestUsersTests {
  /// The expected result comes from sorting the newest row of each user.
  @Test func `the newest rows of different users are found`() {
    var random = SplitMix64(seed: 31)
    for _ in 0..<2000 {
      let rows = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        (UInt64.random(in: 0...7, using: &random), Int64.random(in: -5...20, using: &random))
      }
      var newest = NewestUsers()
      for (user, at) in rows { newest.add(user, at: at) }
      let byUser = Dictionary(rows, uniquingKeysWith: max).values.sorted(by: >)
      #expect(newest.newest == byUser.first)
      #expect(newest.ofLastUser == (byUser.count < NewestUsers.count ? nil : byUser[NewestUsers.count - 1]))
    }
  }
}
