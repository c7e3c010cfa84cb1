import Concurrency
import Files
import Foundation
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
}
