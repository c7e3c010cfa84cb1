import Files
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing
import Text

@testable import NightlyRuns

/// A run fails if its lists have lost many users since the last complete run.
struct ListDropsTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Writes the manifest of a run's rankings. `lists` contains, for each list, the number of users
  /// and of empty lists.
  private func rankings(_ run: Int, _ lists: [String: (total: Int, empty: Int)], asOf: Int64) throws {
    let counts = lists.mapValues { list -> JSONValue in
      ["users": ["total": .integer(list.total), "empty_lists": .integer(list.empty)]]
    }
    let manifest = Manifest(
      tool: "test", stage: "rankings", pipeline: "small", configuration: .null,
      asOf: Instant(milliseconds: asOf), seed: 0, counts: ["lists": .object(counts)])
    try scratch.write(manifest.json, to: "var/small/runs/\(run)/rankings/manifest.json")
  }

  /// Returns the message of a run whose list `near` had `before` users and now has `now` users.
  /// Returns `nil` if the run continues.
  private func message(
    before: (total: Int, empty: Int)?, now: (total: Int, empty: Int), stated: String = "", asOf: Int64 = 9,
    lastAsOf: Int64 = 9
  ) throws -> String? {
    let guards = stated.isEmpty ? "" : ", guards: { users_drop_at_most: \(stated) }"
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id } }
      rankings:
        near: { users: users, candidates: users, top: 10 }
        new: { users: users, candidates: users, top: 5 }
      publish: { store: "sqlite:serving.sqlite"\(guards) }

      """, to: "small.yaml")
    if let before {
      try rankings(1, ["near": before], asOf: lastAsOf)
      try Directories.link(scratch("var/small/latest"), to: "runs/1")
    }
    try rankings(2, ["near": now, "new": (0, 0)], asOf: asOf)
    let drops = ListDrops(
      pipeline: try Pipeline(file: scratch("small.yaml"), overrides: []),
      directories: RunDirectories(work: scratch("var"), pipeline: "small"),
      directory: scratch("var/small/runs/2"))
    do {
      try drops.check()
      return nil
    } catch let failure as StageFailure {
      #expect(failure.exitStatus == .badData)
      return failure.description
    }
  }

  @Test(arguments: [
    // The default limit is 45 %.
    (100, 55, "", nil), (100, 54, "", "54 users with a candidate, down from 100"), (7, 4, "", nil),
    // With the default limit, losing one user is always allowed. Losing up to three users is
    // allowed if at least half remain.
    (1, 0, "", nil), (6, 3, "", nil), (3, 0, "", "0 users with a candidate, down from 3"),
    (5, 2, "", "60 % fewer"),
    (4, 0, "", "0 users with a candidate, down from 4 in the last complete run (100 % fewer"),
    // A limit in the pipeline file has no such exception.
    (10, 9, "10 %", nil), (10, 8, "10 %", "20 % fewer"),
    (1, 0, "10 %", "(100 % fewer; the limit 'publish.guards.users_drop_at_most' is 10 %)"),
    // A list may gain users.
    (0, 0, "0 %", nil), (0, 5, "", nil), (5, 50, "", nil),
  ])
  func `a list may lose a share of its users`(before: Int, now: Int, stated: String, words: String?) throws {
    let found = try message(before: (before, 0), now: (now, 0), stated: stated)
    #expect((found == nil) == (words == nil), "\(found ?? "")")
    if let words {
      #expect(found?.contains("near: ") == true && found?.contains(words) == true, "\(found ?? "")")
    }
  }

  /// The arguments are the counts of matches and of catalog entries before and after, and the expected
  /// losses.
  @Test(arguments: [
    (10, 10, 6, 6, [String]()), (10, 5, 20, 10, ["pairs", "rooms"]), (3, 2, 9, 6, []),
    (0, 0, 9, 0, ["rooms"]),
  ])
  func `matches and catalogs count like lists`(pairs: Int, after: Int, rooms: Int, left: Int, lost: [String])
    throws
  {
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id, created: made, attributes: { kind: { type: category } } } }
      interactions:
        likes: { source: { path: likes.csv }, user: a, candidate: b, at: t, value: v }
      rankings:
        pairs: { mutual: likes }
        rooms: { catalog: users, by: [kind] }

      """, to: "small.yaml")
    for (run, pairs, rooms) in [(1, pairs, rooms), (2, after, left)] {
      let manifest = Manifest(
        tool: "test", stage: "rankings", pipeline: "small", configuration: .null,
        asOf: Instant(milliseconds: 9),
        seed: 0,
        counts: ["matches": ["pairs": .integer(pairs)], "catalogs": ["rooms": .integer(rooms)], "lists": [:]])
      try scratch.write(manifest.json, to: "var/small/runs/\(run)/rankings/manifest.json")
    }
    try Directories.link(scratch("var/small/latest"), to: "runs/1")
    let drops = ListDrops(
      pipeline: try Pipeline(file: scratch("small.yaml"), overrides: []),
      directories: RunDirectories(work: scratch("var"), pipeline: "small"),
      directory: scratch("var/small/runs/2"))
    do {
      try drops.check()
      #expect(lost == [])
    } catch let failure as StageFailure {
      for name in ["pairs", "rooms"] {
        #expect(failure.description.contains("\(name): ") == lost.contains(name), "\(failure.description)")
      }
    }
  }

  @Test func `users whose list is empty count as lost`() throws {
    #expect(try message(before: (20, 10), now: (20, 11)) == nil)
    let found = try message(before: (20, 10), now: (20, 18))
    #expect(
      found?.contains("near: 2 users with a candidate, down from 10 in the last complete run (80 % fewer")
        == true)
  }

  @Test func `a run is compared only with a run whose as-of time is not later`() throws {
    #expect(try message(before: nil, now: (0, 0)) == nil)
    #expect(try message(before: (100, 0), now: (0, 0), asOf: 8) == nil)
    #expect(try message(before: (100, 0), now: (0, 0), asOf: 10) != nil)
  }

  @Test func `a run continues if the last run is damaged`() throws {
    try scratch.write("no JSON", to: "var/small/runs/1/rankings/manifest.json")
    try Directories.link(scratch("var/small/latest"), to: "runs/1")
    #expect(try message(before: nil, now: (0, 0)) == nil)
  }

  @Test func `the message states each loss, its limit and what to do`() throws {
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id, created: made, attributes: { kind: { type: category } } } }
      interactions:
        likes: { source: { path: likes.csv }, user: a, candidate: b, at: t, value: v }
      rankings:
        near: { users: users, candidates: users, top: 10 }
        pairs: { mutual: likes }
        rooms: { catalog: users, by: [kind] }
      publish: { store: "sqlite:serving.sqlite", guards: { users_drop_at_most: 0.1 } }

      """, to: "small.yaml")
    for (run, users, pairs, rooms) in [(1, 1200, 10, 9), (2, 1, 1, 1)] {
      let manifest = Manifest(
        tool: "test", stage: "rankings", pipeline: "small", configuration: .null,
        asOf: Instant(milliseconds: 9), seed: 0,
        counts: [
          "lists": ["near": ["users": ["total": .integer(users)]]], "matches": ["pairs": .integer(pairs)],
          "catalogs": ["rooms": .integer(rooms)],
        ])
      try scratch.write(manifest.json, to: "var/small/runs/\(run)/rankings/manifest.json")
    }
    try Directories.link(scratch("var/small/latest"), to: "runs/1")
    let drops = ListDrops(
      pipeline: try Pipeline(file: scratch("small.yaml"), overrides: []),
      directories: RunDirectories(work: scratch("var"), pipeline: "small"),
      directory: scratch("var/small/runs/2"))
    let failure = try #require(throws: StageFailure.self) { try drops.check() }
    let expected =
      "the lists are not published, because lists, matches or catalogs shrank: "
      + "near: 1 user with a candidate, down from 1 200 in the last complete run (99.92 % fewer; "
      + "the limit 'publish.guards.users_drop_at_most' is 10 %); pairs: 1 match, down from 10 in the last complete run (90 % fewer; the "
      + "limit for matches and catalogs is 45 %); rooms: 1 entry, down from 9 in the last complete run "
      + "(88.89 % fewer; the limit for matches and catalogs is 45 %). Check the exports and the rejects of "
      + "'\(scratch("var/small/runs/2"))'. If the new sizes are right, continue with "
      + "'nightjar run \(scratch("small.yaml")) --resume --accept-drop --work \(scratch("var"))'."
    #expect(failure.exitStatus == .badData && failure.description == expected)
  }

  /// A higher limit in the pipeline file also applies to matches, and a lower one does not.
  @Test(arguments: [
    ("0.9", 20, 4, false), ("0.1", 20, 4, true), ("0.1", 20, 11, false), ("0.1", 20, 10, true),
    // A single match is no notable loss, even if the limit for users is in the pipeline file.
    ("0.1", 1, 0, false), ("0.9", 20, 2, false), ("0.9", 20, 1, true),
  ])
  func `the limit for matches is at least the usual one`(
    stated: String, before: Int, now: Int, isLost: Bool
  ) throws {
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id } }
      interactions:
        likes: { source: { path: likes.csv }, user: a, candidate: b, at: t, value: v }
      rankings: { near: { users: users, candidates: users, top: 10 }, pairs: { mutual: likes } }
      publish: { store: "sqlite:serving.sqlite", guards: { users_drop_at_most: \(stated) } }

      """, to: "small.yaml")
    for (run, pairs) in [(1, before), (2, now)] {
      let manifest = Manifest(
        tool: "test", stage: "rankings", pipeline: "small", configuration: .null,
        asOf: Instant(milliseconds: 9), seed: 0, counts: ["matches": ["pairs": .integer(pairs)]])
      try scratch.write(manifest.json, to: "var/small/runs/\(run)/rankings/manifest.json")
    }
    try Directories.link(scratch("var/small/latest"), to: "runs/1")
    let drops = ListDrops(
      pipeline: try Pipeline(file: scratch("small.yaml"), overrides: []),
      directories: RunDirectories(work: scratch("var"), pipeline: "small"),
      directory: scratch("var/small/runs/2"))
    var words = ""
    do { try drops.check() } catch let failure as StageFailure { words = failure.description }
    #expect(words.isEmpty == !isLost, "\(words)")
  }

  /// A list, matches or a catalog of an earlier version of the pipeline file is compared with nothing.
  @Test func `a list that only one of the runs has is not compared`() throws {
    try rankings(1, ["near": (100, 0)], asOf: 9)
    try Directories.link(scratch("var/small/latest"), to: "runs/1")
    #expect(try message(before: nil, now: (100, 0)) == nil)
    try rankings(1, ["new": (100, 0), "gone": (100, 0)], asOf: 9)
    let found = try message(before: nil, now: (0, 0))
    #expect(found?.contains("new: 0 users") == true && found?.contains("near") == false, "\(found ?? "")")
    #expect(found?.contains("gone") == false)
  }

  @Test func `rankings of this run that cannot be read are an error`() throws {
    try scratch.write(
      "pipeline: small\nentities: { users: { source: { path: users.csv }, id: id } }\n", to: "s.yaml")
    let drops = ListDrops(
      pipeline: try Pipeline(file: scratch("s.yaml"), overrides: []),
      directories: RunDirectories(work: scratch("var"), pipeline: "small"),
      directory: scratch("var/small/runs/2"))
    #expect(throws: FileError.self) { try drops.check() }
  }
}
