import Files
import Foundation
import PipelineFile
import RunSchemas
import Search
import StageFixture
import Testing
import Text

@testable import Ranking

/// Lists under limits on exposure.
@Suite struct ExposureTests {
  private static let features = "[{ category: field }, { number: experience }, distance]"

  private static func fixture(
    _ exposure: String?, seed: UInt64, more: String = "", people: Int = 40, swipes: Int = 300, top: Int = 5,
    model: String = ""
  ) throws -> StageFixture {
    let yaml = RandomExport.yaml(
      features: features,
      ranking: """
            within_km: 400
            exclude: [self]
            minimum_score: -2
            top: \(top)
        \(more)\(exposure.map { "\n    exposure: " + $0 } ?? "")
        """)
    return try StageFixture(
      yaml: yaml, files: RandomExport(seed: seed, people: people, swipes: swipes).files)
  }

  /// The number of lists of each candidate.
  private static func appearances(_ lines: [ServedLine]) -> [String: Int] {
    lines.reduce(into: [:]) { counts, line in
      for entry in line.recommendations { counts[entry.candidate, default: 0] += 1 }
    }
  }

  /// A ranker of the ranking `near` without limits, for scores and rules.
  private static func recommender(_ fixture: StageFixture) throws -> Recommender {
    let ranking = fixture.pipeline.rankings[0]
    let snapshot = try fixture.snapshot()
    let scoring = try Recommender.Scoring(
      ranking, fixture.pipeline, snapshot, run: fixture.run, threads: 1)
    return try Recommender(
      ranking, fixture.pipeline, snapshot, run: fixture.run, scoring: scoring, method: .scan)
  }

  @Test(arguments: ["", "    order_by: mutual", "    order_by: distance", "    order_by: [experience desc]"])
  func `limits that no candidate reaches change only the counts`(order: String) throws {
    let (free, limited) = (
      try Self.fixture(nil, seed: 61, more: order), try Self.fixture("{ at_most: 40 }", seed: 61, more: order)
    )
    let without = try #require(try free.runStages()["rankings"])
    let with = try #require(try limited.runStages()["rankings"])
    #expect(try free.list("near").count { !$0.recommendations.isEmpty } > 20)
    #expect(
      try free.bytes("rankings/near/part-00000.jsonl") == limited.bytes("rankings/near/part-00000.jsonl"))
    #expect(try free.bytes("rankings/near.csv") == limited.bytes("rankings/near.csv"))
    let counts = try #require(with.counts["lists"]?["near"])
    #expect(without.counts["lists"]?["near"]?["candidates"] == counts["candidates"])
    #expect(without.counts["lists"]?["near"]?["users"] == counts["users"])
    #expect(counts["exposure"]?["at_ceiling"] == 0)
    #expect(counts["exposure"]?["value"] == counts["exposure"]?["value_without_limits"])
  }

  @Test(arguments: [71, 72, 73] as [UInt64])
  func `no candidate is on more lists than allowed, and the scores are the highest possible`(
    seed: UInt64
  ) throws {
    let fixture = try Self.fixture("{ at_most: 6, at_least: 2 }", seed: seed)
    let manifest = try #require(try fixture.runStages()["rankings"])
    let lines = try fixture.list("near")
    let counts = Self.appearances(lines)
    #expect(counts.values.max() == 6)
    // The same choice from everybody in reach, by the rules and scores of single pairs.
    let recommender = try Self.recommender(fixture)
    let people = RandomExport(seed: seed, people: 40, swipes: 300).people
    var pools = AssignmentEntries()
    var sure = 0.0
    for user in people.indices {
      let view = recommender.view(of: user)
      let hasModel = view.score(candidate: 0).score != nil
      let eligible = people.indices.filter { view.isEligible(candidate: $0) }
      let nearest = eligible.sorted {
        view.distanceInKilometers(to: $0) < view.distanceInKilometers(to: $1)
      }
      for candidate in eligible {
        let place = try #require(nearest.firstIndex(of: candidate))
        let score = view.score(candidate: candidate).score ?? -Double(place) / 1000
        pools.candidates.append(UInt32(candidate))
        pools.values.append(score)
      }
      pools.firsts.append(pools.candidates.count)
      let line = lines[user]
      let own = try line.recommendations.map { entry in
        try #require(people.firstIndex { $0.id == entry.candidate })
      }
      #expect(Set(own).isSubset(of: eligible))
      if hasModel {
        let scores = own.compactMap { view.score(candidate: $0).score }
        #expect(scores == scores.sorted(by: >) && scores == line.recommendations.map(\.score))
        sure += scores.reduce(0, +)
      } else {
        sure += own.reduce(0) { $0 - Double(nearest.firstIndex(of: $1) ?? 0) / 1000 }
      }
    }
    let best = ListAssignment(
      pools, candidates: people.count, top: 5, most: Array(repeating: 6, count: people.count),
      least: Array(repeating: 2, count: people.count))
    #expect(lines.map(\.recommendations.count).reduce(0, +) == best.lengths.reduce(0, +))
    #expect(abs(sure - best.total) <= 0.01 * abs(best.total) + 0.01, "\(sure) \(best.total)")
    let floors = people.indices.reduce(0) { $0 + min(2, counts[people[$1].id] ?? 0) }
    #expect(floors == best.appearances.reduce(0) { $0 + min(2, $1) })
    let summary = try #require(manifest.counts["lists"]?["near"]?["exposure"])
    #expect(summary["at_ceiling"] == .integer(counts.values.count { $0 == 6 }))
    let value = try #require(summary["value"]?.numberValue)
    #expect(abs(value - sure) < 0.001)
    #expect(try #require(summary["value_without_limits"]?.numberValue) >= value)
    // The manifest states how the lists show the candidates that the rules allow.
    var exposures: [String: Double] = [:]
    for line in lines {
      for (place, entry) in line.recommendations.enumerated() {
        exposures[entry.candidate, default: 0] += 1 / log2(Double(place + 2))
      }
    }
    let listable = people.indices.filter { recommender.isListable(candidate: $0) }
    let expected = Exposure(listable.map { exposures[people[$0].id] ?? 0 })
    let shown = try #require(manifest.counts["shown"]?["near"])
    #expect(shown["coverage"]?.numberValue == expected.coverage)
    #expect(abs(try #require(shown["gini"]?.numberValue) - expected.gini) < 1e-8)
  }

  @Test func `the order of rows and the number of threads do not matter`() throws {
    let first = try Self.fixture("{ at_most: 4, at_least: 1 }", seed: 91)
    try first.runStages(threads: 1)
    let second = try Self.fixture("{ at_most: 4, at_least: 1 }", seed: 91)
    try second.runStages(threads: 8)
    #expect(
      try first.bytes("rankings/near/part-00000.jsonl") == second.bytes("rankings/near/part-00000.jsonl"))
  }

  @Test func `a list that a ceiling shortens says so`() throws {
    let fixture = try Self.fixture("{ at_most: 1 }", seed: 93)
    let manifest = try #require(try fixture.runStages()["rankings"])
    let lines = try fixture.list("near")
    #expect(Self.appearances(lines).values.allSatisfy { $0 == 1 })
    let short = lines.filter { $0.shortfall == "exposure" }
    #expect(short.count > 10 && short.allSatisfy { $0.recommendations.count < 5 })
    let users = try #require(manifest.counts["lists"]?["near"]?["users"])
    #expect(users["shortfall"]?["exposure"] == .integer(short.count))
    // Candidates whom the ceiling keeps off lists are beyond the top.
    let candidates = try #require(manifest.counts["lists"]?["near"]?["candidates"])
    #expect(candidates["listed"] == .integer(lines.reduce(0) { $0 + $1.recommendations.count }))
  }

  @Test(arguments: [1.0, 2.5])
  func `a ceiling of expected likes holds for everybody`(likes: Double) throws {
    let fixture = try Self.fixture("{ at_most: { likes: \(likes) } }", seed: 95)
    try fixture.runStages()
    let recommender = try Self.recommender(fixture)
    let people = RandomExport(seed: 95, people: 40, swipes: 300).people
    var expected = [Double](repeating: 0, count: people.count)
    for (user, line) in try fixture.list("near").enumerated() {
      for entry in line.recommendations {
        let candidate = try #require(people.firstIndex { $0.id == entry.candidate })
        let score = recommender.score(user: user, candidate: candidate).score ?? 0
        expected[candidate] += max(0, min(1, (score + 1) / 2))
      }
    }
    #expect(expected.allSatisfy { $0 <= likes + 1e-6 })
    #expect(try #require(expected.max()) > likes * 0.7)
  }

  @Test func `lists by word share the limits`() throws {
    let fixture = try Self.fixture("{ at_most: 3 }", seed: 97, more: "    per: field")
    try fixture.runStages()
    var counts: [String: Int] = [:]
    for row in try fixture.rows("rankings/near.csv").dropFirst() {
      counts[row[row.count - 3], default: 0] += 1
    }
    #expect(counts.values.max() == 3)
  }
}
