import Files
import IngestFixture
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// Limits on the share of a source's rows that may be invalid or dangling.
@Suite struct RowLimitTests {
  private static func yaml(general: String = "", people: String = "", likes: String = "") -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    \(general)
    entities:
      people:
        source: { path: people.csv }
        id: id
        \(people)
    interactions:
      likes:
        source: { path: likes.csv }
        user: a
        candidate: b
        at: t
        value: { from: v, map: { yes: 1 } }
        \(likes)
    """
  }

  /// The number of likes with each outcome.
  private struct Likes: Sendable {
    var good = 0
    var broken = 0
    var dangling = 0
    var own = 0
    /// The number of rows without a user.
    var anonymous = 0
    /// The number of deleted accounts to which the dangling rows refer. If `nil`, each row refers
    /// to a different account.
    var deleted: Int?
    /// The number of users who wrote the broken and the dangling rows. If `nil`, each row has a different
    /// user.
    var writers: Int?

    var rows: String {
      func user(_ row: Int) -> String { "u\(row % (writers ?? .max))" }
      return "a,b,t,v\n"
        + [("a,b,1,yes\n", good), ("a,a,1,yes\n", own), (",b,1,yes\n", anonymous)]
        .map { String(repeating: $0, count: $1) }.joined()
        + (0..<broken).map { "\(user($0)),b,1,?\n" }.joined()
        + (0..<dangling).map { "\(user($0)),gone\($0 % (deleted ?? dangling)),1,yes\n" }.joined()
    }
  }

  private static let people = "id\na\nb\n" + (0..<600).map { "u\($0)\n" }.joined()

  private static func night(_ yaml: String, _ likes: Likes, after previous: Likes? = nil) throws -> Manifest {
    let scratch = try ScratchDirectory()
    try scratch.write(people, to: "people.csv")
    let pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    var last: Manifest?
    for (number, likes) in [previous, likes].compactMap(\.self).enumerated() {
      try scratch.write(likes.rows, to: "likes.csv")
      last = try IngestStage.run(
        pipeline, in: scratch("run\(number)"), asOf: nil, clock: Night.clock, previous: last, tool: "test")
    }
    return try #require(last)
  }

  private static func failure(
    _ yaml: String, _ likes: Likes, after previous: Likes? = nil
  ) -> RowLimitExceeded? {
    #expect(throws: RowLimitExceeded.self) { _ = try night(yaml, likes, after: previous) }
  }

  @Test func `a run does not fail because of swipes on a deleted account or on oneself`() throws {
    let manifest = try Self.night(Self.yaml(), Likes(good: 480, broken: 10, dangling: 500, own: 520))
    let counts = manifest.counts["sources"]?["likes"]
    #expect(counts?["rejected"] == ["unknown_value": 10])
    #expect(counts?["dangling"] == ["unknown_candidate": 500])
    #expect(counts?["not_allowed"] == ["self_interaction": 520])
    #expect(counts?["kept"] == 480 && counts?["read"] == 1510)
  }

  /// Half of the rows may dangle, and one row in a hundred may be invalid.
  @Test func `the default limits are inclusive`() throws {
    _ = try Self.night(Self.yaml(), Likes(good: 50, dangling: 50))
    let dangling = try #require(Self.failure(Self.yaml(), Likes(good: 50, dangling: 51)))
    #expect(dangling.key == .danglingLimit && dangling.outcome == .dangling)
    for part in [
      "likes", "51 of 101 rows", "50.5 %", "dangling_limit is 50.0 %", "51 unknown_candidate", "rejects.csv",
    ] {
      #expect(dangling.description.contains(part), "\(dangling)")
    }
    _ = try Self.night(Self.yaml(), Likes(good: 99, broken: 1))
    let broken = try #require(Self.failure(Self.yaml(), Likes(good: 98, broken: 1)))
    #expect(broken.key == .rejectLimit && broken.description.contains("1 of 99 rows"))
  }

  @Test func `a source may have limits of its own`() throws {
    let general = "reject_limit: 30 %\ndangling_limit: 30 %"
    _ = try Self.night(Self.yaml(general: general), Likes(good: 4, broken: 3, dangling: 3))
    _ = try Self.night(
      Self.yaml(likes: "reject_limit: 30 %\n    dangling_limit: 60 %"), Likes(good: 1, broken: 3, dangling: 6)
    )
    #expect(
      Self.failure(Self.yaml(general: general, likes: "reject_limit: 20 %"), Likes(good: 7, broken: 3))?.limit
        == 0.2)
    #expect(
      Self.failure(Self.yaml(general: general, likes: "dangling_limit: 0"), Likes(good: 7, dangling: 1))?.key
        == .danglingLimit)
    // The limits of another source do not apply.
    _ = try Self.night(
      Self.yaml(people: "dangling_limit: 0\n    reject_limit: 0"), Likes(good: 7, dangling: 1))
  }

  @Test func `a run with many more dangling rows than the last run fails`() throws {
    let before = Likes(good: 80, dangling: 20)
    // The limit exempts the rows of three unknown ids.
    _ = try Self.night(Self.yaml(), Likes(good: 67, dangling: 33), after: before)
    let error = try #require(Self.failure(Self.yaml(), Likes(good: 66, dangling: 34), after: before))
    #expect(error.key == .danglingRise && error.former == 0.2)
    for part in [
      "34 of 100 rows",
      "ignores the rows of the 3 accounts with the most such rows, or of the 3 most frequent unknown ids",
      "up from 20.0 % in the last complete run", "dangling_rise allows a rise by 10.0 %",
    ] {
      #expect(error.description.contains(part), "\(error)")
    }
    // Fewer dangling rows are allowed. A first night has no earlier run for a comparison.
    _ = try Self.night(Self.yaml(), Likes(good: 99, dangling: 1), after: before)
    _ = try Self.night(Self.yaml(), Likes(good: 66, dangling: 34))
    _ = try Self.night(
      Self.yaml(general: "dangling_rise: 20 %"), Likes(good: 60, dangling: 40), after: before)
    #expect(
      Self.failure(Self.yaml(likes: "dangling_rise: 0"), Likes(good: 76, dangling: 24), after: before) != nil)
  }

  /// All rows of three deleted accounts may dangle at once. The same number of rows of four
  /// accounts is an error.
  @Test(arguments: [1, 3, 4]) func `a run does not fail because of a few deleted accounts with many rows`(
    deleted: Int
  ) throws {
    let after = Likes(good: 52, dangling: 48, deleted: deleted)
    if deleted <= 3 {
      _ = try Self.night(Self.yaml(), after, after: Likes(good: 100))
    } else {
      #expect(Self.failure(Self.yaml(), after, after: Likes(good: 100))?.key == .danglingRise)
    }
  }

  private static let byAccounts: [(likes: Likes, before: Likes?, key: RowLimitExceeded.Key)] = [
    (Likes(good: 960, broken: 40), nil, .rejectLimit), (Likes(good: 400, dangling: 600), nil, .danglingLimit),
    (Likes(good: 540, dangling: 460), Likes(good: 1000), .danglingRise),
  ]

  /// Four users also exceed each limit, because the rows of the fourth user count.
  @Test(arguments: byAccounts.indices, [1, 3, 4, nil] as [Int?])
  func `the rows of a few users do not exceed a limit`(index: Int, writers: Int?) throws {
    let (_, before, key) = Self.byAccounts[index]
    var likes = Self.byAccounts[index].likes
    likes.writers = writers
    let yaml = Self.yaml(general: before == nil ? "reject_limit: 0.9 %\ndangling_limit: 14 %" : "")
    if let writers, writers <= 3 {
      let counts = try Self.night(yaml, likes, after: before).counts["sources"]?["likes"]
      #expect(counts?["rejected"]?["unknown_value"] == (likes.broken == 0 ? nil : .integer(likes.broken)))
      #expect(
        counts?["dangling"]?["unknown_candidate"] == (likes.dangling == 0 ? nil : .integer(likes.dangling)))
    } else {
      let error = try #require(Self.failure(yaml, likes, after: before))
      #expect(error.key == key)
      #expect(error.rules.values.reduce(0, +) == likes.broken + likes.dangling)
    }
  }

  @Test(arguments: [3, 4]) func `likes of a few deleted accounts do not exceed dangling_limit`(deleted: Int)
    throws
  {
    let (yaml, likes) = (
      Self.yaml(general: "dangling_limit: 14 %"), Likes(good: 400, dangling: 600, deleted: deleted)
    )
    if deleted == 3 {
      _ = try Self.night(yaml, likes)
    } else {
      #expect(Self.failure(yaml, likes)?.key == .danglingLimit)
    }
  }

  @Test func `rows without a user and sources without a kept row count completely`() {
    #expect(Self.failure(Self.yaml(), Likes(good: 960, anonymous: 40))?.rules == ["missing_id": 40])
    #expect(Self.failure(Self.yaml(), Likes(broken: 400, writers: 1))?.rules == ["unknown_value": 400])
  }

  @Test func `a run of version 0.1 counts dangling rows as rejected`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Self.people, to: "people.csv")
    try scratch.write(Likes(good: 70, dangling: 30).rows, to: "likes.csv")
    let pipeline = try Pipeline(yaml: Self.yaml(), file: scratch("p.yaml"))
    func run(after rejected: JSONValue, _ name: String) throws {
      let previous = Manifest(
        tool: "t", stage: "snapshot", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0, counts: ["sources": ["likes": ["read": 100, "rejected": rejected]]])
      _ = try IngestStage.run(
        pipeline, in: scratch(name), asOf: nil, clock: Night.clock, previous: previous, tool: "test")
    }
    try run(after: ["unknown_user": 20, "bad_time": 1], "one")
    #expect(throws: RowLimitExceeded.self) { try run(after: ["unknown_user": 16, "bad_time": 1], "two") }
  }
}
