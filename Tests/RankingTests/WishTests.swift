import Files
import Foundation
import Ingest
import PipelineFile
import StageFixture
import Testing
import Text

@testable import Checking
@testable import Ranking

/// Conditions on numbers, dates, flags and words (`only`, `for`), and wishes of users (`wishes`).
/// The tests compare the lists with a check of every pair.
@Suite struct WishTests {
  typealias Seeker = FlatWorld.Seeker
  typealias Room = FlatWorld.Room

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var rules: String
    var search = "block"
    /// Whether the seeker has a list.
    var listed: @Sendable (Seeker) -> Bool = { _ in true }
    /// The name of each condition in the funnel and its rule, in the order of the file.
    var conditions: [(name: String, isMet: @Sendable (Seeker, Room) -> Bool)]
  }

  private static func same(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return false }
    return left.utf8.elementsEqual(right.utf8)
  }

  private static func contains(_ words: Set<String>, _ word: String?) -> Bool {
    words.contains { same($0, word) }
  }

  static let cases = [
    Case(
      testDescription: "bounds of numbers and dates, the same for all",
      rules:
        "only: [{ price: { at_most: 500 } }, { size: { at_least: 9, at_most: 11 } }, { free: { at_most: 2026-12-01 } }]",
      conditions: [
        ("out of bounds: price", { $1.price.map { $0 <= 500 } ?? false }),
        ("out of bounds: size", { $1.size.map { (9...11).contains($0) } ?? false }),
        ("out of bounds: free", { $1.free.map { $0 <= FlatWorld.day } ?? false }),
      ]),
    Case(
      testDescription: "moments, flags that must not be set, words that must not be had",
      rules:
        "only: [{ free: { at_least: '2026-12-01T01:00:00.001+01:00' } }, not smoking, { features: { not: [cat, oven] } }, { town: { not: Cy } }]",
      conditions: [
        ("out of bounds: free", { $1.free.map { $0 >= FlatWorld.day + 1 } ?? false }),
        ("smoking", { !$1.isSmoking }),
        ("unwanted features", { $1.features.isDisjoint(with: ["cat", "oven"]) }),
        ("unwanted town", { !same($1.town, "Cy") }),
      ]),
    Case(
      testDescription: "a computed number, and users by number, date, flag and words",
      rules:
        "for: [{ budget: { at_least: 400 } }, { latest: { at_most: 2026-12-02 } }, not quiet, { avoided: { not: zzz } }], only: { likes: { at_least: 2 } }",
      listed: {
        ($0.budget ?? 0) >= 400 && $0.latest != nil && !$0.isQuiet && !$0.avoided.contains("zzz")
      },
      conditions: [("out of bounds: likes", { $1.likes >= 2 })]),
    Case(
      testDescription: "numbers and dates against one's own",
      rules:
        "wishes: [{ price: { at_most: budget } }, { free: { at_least: latest } }, { likes: { at_least: fans } }]",
      search: "scan",
      conditions: [
        (
          "price above budget",
          { seeker, room in seeker.budget.map { $0 >= room.price ?? .infinity } ?? true }
        ),
        ("free below latest", { seeker, room in seeker.latest.map { $0 <= room.free ?? .min } ?? true }),
        ("likes below fans", { seeker, room in seeker.fans.map { Int($0) <= room.likes } ?? true }),
      ]),
    Case(
      testDescription: "both bounds of one's own",
      rules: "wishes: { free: { at_least: latest, at_most: latest } }", search: "scan",
      conditions: [
        ("free below latest", { seeker, room in seeker.latest.map { $0 <= room.free ?? .min } ?? true }),
        ("free above latest", { seeker, room in seeker.latest.map { $0 >= room.free ?? .max } ?? true }),
      ]),
    Case(
      testDescription: "one's own word",
      rules: "wishes: [{ town: town }]", search: "scan",
      conditions: [("town other than town", { $0.town == nil || same($0.town, $1.town) })]),
    Case(
      testDescription: "one of one's own words, all of some, none of others",
      rules: "wishes: [{ town: towns }, { features: { all_of: needs, not: avoided } }]", search: "scan",
      conditions: [
        ("town other than towns", { $0.towns.isEmpty || contains($0.towns, $1.town) }),
        ("lacks needs", { $0.needs.isSubset(of: $1.features) }),
        ("features in avoided", { $0.avoided.isDisjoint(with: $1.features) }),
      ]),
    Case(
      testDescription: "tags in common, beside conditions for all and all_of",
      rules:
        "only: [not smoking], wishes: [{ features: { any_of: avoided } }, { town: { not: town } }], all_of: { user: needs, candidate: features }",
      search: "scan",
      conditions: [
        ("smoking", { !$1.isSmoking }),
        ("features other than avoided", { $0.avoided.isEmpty || !$0.avoided.isDisjoint(with: $1.features) }),
        ("town in town", { !same($0.town, $1.town) }),
        ("lacks needs", { $0.needs.isSubset(of: $1.features) }),
      ]),
  ]

  private struct Line: Decodable {
    struct Entry: Decodable { var candidate: String }

    var user: String
    var recommendations: [Entry]
  }

  @Test(arguments: cases, 0..<4 as Range<UInt64>)
  func `lists contain candidates that meet all wishes, and the funnel counts the others`(
    example: Case, seed: UInt64
  ) throws {
    let world = FlatWorld(seed: seed)
    let rules = "users: seekers, candidates: rooms, \(example.rules), order_by: distance"
    let fixture = try StageFixture(
      yaml: FlatWorld.yaml("  all: { \(rules), top: 1000 }\n  few: { \(rules), top: 3 }"), files: world.files)
    let manifest = try #require(try fixture.runStages(threads: 3)["rankings"])
    #expect(manifest.counts["search"] == ["all": .string(example.search), "few": .string(example.search)])
    func lines(_ name: String) throws -> [Line] {
      try fixture.bytes("rankings/\(name)/part-00000.jsonl").split(separator: UInt8(ascii: "\n"))
        .map { try JSONDecoder().decode(Line.self, from: $0) }
    }
    var excluded = Dictionary(uniqueKeysWithValues: example.conditions.map { ($0.name, 0) })
    var listed = 0
    let seekers = world.seekers.filter(example.listed)
    let (all, few) = (try lines("all"), try lines("few"))
    #expect(all.map(\.user) == seekers.map(\.id))
    for ((seeker, line), short) in zip(zip(seekers, all), few) {
      var expected: Set<String> = []
      for room in world.rooms {
        if let lost = example.conditions.first(where: { !$0.isMet(seeker, room) }) {
          excluded[lost.name, default: 0] += 1
        } else {
          expected.insert(room.id)
        }
      }
      let found = line.recommendations.map(\.candidate)
      #expect(Set(found) == expected && found.count == expected.count)
      #expect(short.recommendations.map(\.candidate) == Array(found.prefix(3)))
      listed += found.count
    }
    // Every condition must exclude some candidates, and some candidates must be listed.
    #expect(listed > 20 && excluded.values.allSatisfy { $0 > 0 })
    let counts = try #require(manifest.counts["lists"]?["all"]?["candidates"])
    #expect(counts["excluded"] == JSONValue(excluded))
    #expect(counts["listed"] == .integer(listed))
  }

  @Test(arguments: cases)
  func `a pair is eligible if it meets all conditions`(example: Case) throws {
    let world = FlatWorld(seed: 5)
    let fixture = try StageFixture(
      yaml: FlatWorld.yaml(
        "  list: { users: seekers, candidates: rooms, \(example.rules), order_by: distance }"),
      files: world.files)
    try fixture.runStages()
    let (ranking, snapshot) = (fixture.pipeline.rankings[0], try fixture.snapshot())
    let recommender = try Recommender(
      ranking, fixture.pipeline, snapshot, run: fixture.run, scoring: .distance)
    for (user, seeker) in world.seekers.enumerated() {
      let view = recommender.view(of: user)
      for (candidate, room) in world.rooms.enumerated() {
        let lost = example.conditions.first { !$0.isMet(seeker, room) }?.name
        #expect(view.exclusion(of: candidate)?.name == lost)
        #expect(view.isEligible(candidate: candidate) == (lost == nil))
      }
    }
  }

  @Test func `the number of threads changes no byte`() throws {
    let world = FlatWorld(seed: 6)
    let files = try [1, 4].map { threads in
      let fixture = try StageFixture(
        yaml: FlatWorld.yaml(
          "  list: { users: seekers, candidates: rooms, wishes: [{ price: { at_most: budget } }, { town: towns }] }"
        ),
        files: world.files)
      try fixture.runStages(threads: threads)
      return try ["rankings/list/part-00000.jsonl", "rankings/list.csv", "rankings/funnel.json"]
        .map(fixture.bytes)
    }
    #expect(files[0] == files[1])
  }

  @Test func `without rooms all lists are empty`() throws {
    let fixture = try StageFixture(
      yaml: FlatWorld.yaml(
        "  list: { users: seekers, candidates: rooms, only: { price: { at_most: 1 } }, wishes: { town: towns } }"
      )
      .replacing("type: number }", with: "type: number, optional: true }")
      .replacing(
        "source: { path: rooms.jsonl }",
        with: "source: { path: rooms.jsonl }\n    expect: { rows: { at_least: 0 } }"),
      files: FlatWorld(seed: 6, rooms: 0).files)
    try fixture.runStages()
    #expect(try fixture.rows("rankings/list.csv").isEmpty)
  }

  /// The candidate counts of `nightjar check` consider conditions, except conditions on computed numbers.
  /// They do not consider wishes.
  @Test(arguments: [
    "{ price: { at_most: 500 } }", "{ free: { at_least: 2026-12-01 } }", "not smoking",
    "{ features: { not: [cat, zzz] } }", "{ town: { not: [Cy] } }",
  ])
  func `the report counts as many candidates in reach as the search lists`(condition: String) throws {
    let world = FlatWorld(seed: 8)
    let rules = "users: seekers, candidates: rooms, within_km: 30, order_by: distance, top: 1000"
    let fixture = try StageFixture(
      yaml: FlatWorld.yaml(
        """
          all: { \(rules) }
          some: { \(rules), only: [\(condition)] }
          wished: { \(rules), only: [\(condition), { likes: { at_least: 1 } }], wishes: { town: town } }
        """), files: world.files)
    try fixture.runStages()
    let lengths = try ["all", "some"].map { name in
      let rows = Dictionary(grouping: try fixture.rows("rankings/\(name).csv")) { $0[0] }
      return world.seekers.filter { $0.place != nil }.map { rows[$0.id]?.count ?? 0 }.sorted()
    }
    #expect(lengths[1].reduce(0, +) > 0 && lengths[1] != lengths[0])
    let exports = try IngestedExports(
      fixture.pipeline, asOf: nil, clock: Instant(milliseconds: 4_000_000_000_000)
    ) {
      throw $1
    }
    let entities = exports.snapshot(of: ["seekers", "rooms"])
    for ranking in fixture.pipeline.rankings {
      let reach = try #require(CandidatesInReach.report(on: ranking, fixture.pipeline, entities))
      let expected = lengths[ranking.name == "all" ? 0 : 1]
      #expect(reach.withNone == expected.count { $0 == 0 })
      #expect(
        reach.median == expected.first { value in 2 * expected.count { $0 <= value } >= expected.count })
    }
  }
}
