import Concurrency
import Files
import Foundation
import PipelineFile
import StageFixture
import Testing
import Text

@testable import Ranking

/// Lists for some users only (`for`), and lists of people who wait for an answer to a like
/// (`pending`). The tests compare them with a second implementation of the rules.
@Suite struct AudienceTests {
  private struct Line: Decodable {
    struct Entry: Decodable {
      var candidate: String
      var score: Double?
    }

    var user: String
    var recommendations: [Entry]
  }

  private static func lines(_ fixture: StageFixture, _ list: String) throws -> [Line] {
    try String(decoding: fixture.bytes("rankings/\(list)/part-00000.jsonl"), as: UTF8.self)
      .split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  private static func fixture(_ people: RandomExport, _ rankings: String) throws -> StageFixture {
    let yaml = RandomExport.yaml(features: "[{ category: field }]", ranking: "    top: 5")
    let fixture = try StageFixture(
      yaml: yaml.replacing("  matches: { mutual: swipes }", with: rankings), files: people.files)
    try fixture.runStages()
    return fixture
  }

  /// The search scans few candidates one by one and searches many candidates in blocks. Both must
  /// select the same users.
  @Test(arguments: [30, 200], 0..<3 as Range<UInt64>)
  func `users who do not meet the conditions have no list`(count: Int, seed: UInt64)
    throws
  {
    let people = RandomExport(seed: seed, people: count, swipes: 8 * count)
    let rules = "users: users, candidates: users, exclude: [self, interacted], top: 4"
    let fixture = try Self.fixture(
      people,
      """
        all: { \(rules) }
        some: { \(rules), for: [deleted, { field: [Art, Energy] }] }
        nobody: { \(rules), for: { field: Nothing } }
      """)
    let all = try Self.lines(fixture, "all")
    #expect(all.map(\.user) == people.people.map(\.id))
    let chosen = Set(
      people.people.filter { $0.isDeleted && ["Art", "Energy"].contains($0.field) }.map(\.id))
    let some = try Self.lines(fixture, "some")
    #expect(some.map(\.user) == people.people.map(\.id).filter(chosen.contains))
    #expect(
      some.map { $0.recommendations.map(\.candidate) }
        == all.filter { chosen.contains($0.user) }.map { $0.recommendations.map(\.candidate) })
    #expect(try Self.lines(fixture, "nobody").isEmpty)
    let funnel = try Manifest(of: fixture.run + "/rankings").counts["lists"]
    #expect(funnel?["some"]?["users"]?["total"] == .integer(chosen.count))
    #expect(funnel?["nobody"]?["users"]?["total"] == 0)
    #expect(funnel?["all"]?["users"]?["total"] == .integer(count))
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `people who like the user wait until the user has decided on them`(seed: UInt64) throws {
    let people = RandomExport(seed: seed, people: 40, swipes: 500)
    let fixture = try Self.fixture(
      people, "  incoming: { users: users, candidates: users, pending: swipes, exclude: [deleted], top: 100 }"
    )
    // The latest swipe of a pair counts. If two swipes have the same time, the later row of the file counts.
    var latest: [[Int]: (at: Int, value: Double)] = [:]
    for swipe in people.swipes {
      let pair = [swipe.user, swipe.candidate]
      if let other = latest[pair], other.at > swipe.at { continue }
      latest[pair] = (swipe.at, swipe.value)
    }
    var waiting = 0
    for (row, line) in try Self.lines(fixture, "incoming").enumerated() {
      let expected = people.people.indices.filter {
        latest[[$0, row]]?.value == 1 && latest[[row, $0]] == nil && !people.people[$0].isDeleted
      }
      #expect(
        Set(line.recommendations.map(\.candidate)) == Set(expected.map { people.people[$0].id }), "\(row)")
      let scores = line.recommendations.map { $0.score ?? 0 }
      #expect(scores == scores.sorted(by: >))
      waiting += expected.count
    }
    #expect(waiting > 20)
  }

  /// Only people in reach can wait.
  @Test func `waiting people are within the radius, and a user without a position has an empty list`() throws
  {
    let people = RandomExport(seed: 9, people: 40, swipes: 700)
    let rules = "users: users, candidates: users, pending: swipes, order_by: distance, top: 100"
    let fixture = try Self.fixture(
      people, "  all: { \(rules) }\n  close: { \(rules), within_km: 150 }")
    let ranking = try #require(fixture.pipeline.rankings.first { $0.name == "close" })
    let recommender = try Recommender(
      ranking, fixture.pipeline, fixture.snapshot(), run: fixture.run, scoring: .distance)
    let (all, near) = (try fixture.list("all"), try fixture.list("close"))
    var (listed, farther) = (0, 0)
    for (user, (line, other)) in zip(near, all).enumerated() {
      let view = recommender.view(of: user)
      let waiting = try other.recommendations.map(\.candidate).filter { id in
        let candidate = try #require(people.people.firstIndex { $0.id == id })
        return view.distanceInKilometers(to: candidate) <= 150
      }
      #expect(line.recommendations.map(\.candidate) == waiting, "\(line.user)")
      #expect((line.shortfall == "no_position") == (people.people[user].latitude == nil), "\(line.user)")
      #expect(other.shortfall == "none_left", "\(line.user)")
      listed += waiting.count
      farther += other.recommendations.count - waiting.count
    }
    #expect(listed > 20 && farther > 20)
  }

  /// A company cannot answer a like of a person by another like of this kind.
  @Test func `people who like a company wait without end`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          firms: { source: { path: firms.csv }, id: id }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: u, entity: people }
            candidate: { from: c, entity: firms }
            at: t
            value: v
        rankings:
          fans: { users: firms, candidates: people, pending: likes }
        """,
      files: [
        "people.csv": "id\nann\nben\ncem\n", "firms.csv": "id\nx\ny\nz\n",
        "likes.csv": "u,c,t,v\nann,x,1,1\nann,y,1,1\nben,x,1,1\ncem,x,1,-1\ncem,y,1,1\ncem,y,2,-1\n",
      ])
    try fixture.runStages()
    #expect(
      try fixture.list("fans").map { [$0.user] + $0.recommendations.map(\.candidate).sorted() }
        == [["x", "ann", "ben"], ["y", "ann"], ["z"]])
  }
}
