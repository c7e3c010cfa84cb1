import Files
import Foundation
import PipelineFile
import RunSchemas
import Search
import StageFixture
import Testing
import Text

@testable import Ranking

/// Lists in the mutual order, against chances computed from the one-sided scores of both people.
@Suite struct MutualListsTests {
  /// A small world with the lists of an order, and the scores of the same models in the order `score`.
  private struct World {
    let export: RandomExport
    let fixture: StageFixture
    let scores: Recommender

    static let plain = "[{ category: field }, { number: experience }, distance]"

    init(
      _ order: String, seed: UInt64, minimum: String = "", swipes: Int = 500, features: String = World.plain,
      top: Int = 5
    ) throws {
      export = RandomExport(seed: seed, people: 40, swipes: swipes)
      let yaml = RandomExport.yaml(
        features: features,
        ranking: """
              within_km: 400
              exclude: [self]
              order_by: \(order)
              top: \(top)
          \(minimum)
          """)
      fixture = try StageFixture(yaml: yaml, files: export.files)
      let manifest = try #require(try fixture.runStages()["rankings"])
      #expect(manifest.counts["search"]?["near"] == "scan")
      var ranking = fixture.pipeline.rankings[0]
      ranking.order = .score
      let snapshot = try fixture.snapshot()
      let scoring = try Recommender.Scoring(
        ranking, fixture.pipeline, snapshot, run: fixture.run, threads: 1)
      scores = try Recommender(
        ranking, fixture.pipeline, snapshot, run: fixture.run, scoring: scoring, method: .scan)
    }

    /// The value of the latest swipe of `user` on `candidate`; `nil` if there is none.
    func decision(of user: Int, on candidate: Int) -> Double? {
      let swipes = export.swipes.filter { $0.user == user && $0.candidate == candidate }
      guard let last = swipes.map(\.at).max() else { return nil }
      return swipes.last { $0.at == last }?.value
    }

    func chance(of person: Int, for other: Int, known: String) -> Double {
      let decision = decision(of: person, on: other)
      if known != "ignore", decision == 1 { return 1 }
      if known == "all", decision == -1 { return 0 }
      guard let score = scores.score(user: person, candidate: other).score else { return 0.5 }
      return max(0, min(1, (score + 1) / 2))
    }
  }

  @Test(arguments: [
    ("mutual", 1.0, "ignore", 33 as UInt64), ("{ mutual: { other: 0.5 } }", 0.5, "ignore", 34),
    ("{ mutual: { known: likes } }", 1, "likes", 35), ("{ mutual: { other: 2, known: all } }", 2, "all", 36),
    ("{ mutual: { other: 0 } }", 0, "ignore", 37),
  ])
  func `lists have the highest products of both chances, without scores`(
    order: String, exponent: Double, known: String, seed: UInt64
  ) throws {
    let world = try World(order, seed: seed)
    var listed = 0
    var (differs, reasons) = (0, 0)
    for (user, line) in try world.fixture.list("near").enumerated() {
      let view = world.scores.view(of: user)
      // A user without a model gets the nearest candidates.
      let hasModel = view.score(candidate: 0).score != nil
      let eligible = world.export.people.indices.filter {
        view.isEligible(candidate: $0) && (view.score(candidate: $0).score ?? 1) > 0
      }
      let keys = eligible.map { candidate -> (key: Double, distance: Double) in
        let own = view.score(candidate: candidate)
        guard let score = own.score else { return (0, own.distance) }
        let other = world.chance(of: candidate, for: user, known: known)
        return (max(0, min(1, (score + 1) / 2)) * pow(other, exponent), own.distance)
      }.sorted { ($1.key, $0.distance) < ($0.key, $1.distance) }
      let found = try line.recommendations.map { entry -> (key: Double, distance: Double) in
        let candidate = try #require(world.export.people.firstIndex { $0.id == entry.candidate })
        let own = view.score(candidate: candidate)
        #expect(entry.score == nil, "\(line.user)")
        guard let score = own.score else { return (0, own.distance) }
        let other = world.chance(of: candidate, for: user, known: known)
        return (max(0, min(1, (score + 1) / 2)) * pow(other, exponent), own.distance)
      }
      #expect(found.map(\.key) == keys.prefix(5).map(\.key), "\(line.user)")
      #expect(found.map(\.distance) == keys.prefix(5).map(\.distance), "\(line.user)")
      listed += line.recommendations.count
      let scores = line.recommendations.compactMap { entry in
        world.export.people.firstIndex { $0.id == entry.candidate }.flatMap {
          view.score(candidate: $0).score
        }
      }
      differs += hasModel && scores != scores.sorted(by: >) ? 1 : 0
      reasons += line.recommendations.count { !$0.reasons.isEmpty }
      #expect(hasModel || line.recommendations.allSatisfy { $0.reasons.isEmpty })
    }
    #expect(listed > 60 && reasons > 20)
    let counts = try Manifest(of: world.fixture.run + "/rankings").counts["lists"]?["near"]
    #expect(counts?["users"]?["ranked_by_score"] == 0 && counts?["candidates"]?["listed"] == .integer(listed))
    // With a weight of the other side, some lists are not in the order of the user's own scores.
    #expect(exponent == 0 || differs > 0)
  }

  @Test func `the minimum score is about the user's own score`() throws {
    let world = try World("mutual", seed: 38, minimum: "    minimum_score: 0.4")
    var scores: [Double] = []
    for (user, line) in try world.fixture.list("near").enumerated() {
      for entry in line.recommendations {
        let candidate = try #require(world.export.people.firstIndex { $0.id == entry.candidate })
        if let score = world.scores.score(user: user, candidate: candidate).score { scores.append(score) }
      }
    }
    try #require(scores.count > 10)
    #expect(scores.allSatisfy { $0 > 0.4 })
  }

  /// With few swipes, some people have no model. The last two features depend on both people, so each side
  /// needs its own values.
  @Test(arguments: [
    (World.plain, 80, 39 as UInt64),
    (
      "[{ same: field }, { difference: { user: experience, candidate: experience, signed: true } }]", 500, 40
    ),
  ])
  func `a candidate without a model is as likely to like the user as not`(
    features: String, swipes: Int, seed: UInt64
  ) throws {
    let world = try World("mutual", seed: seed, swipes: swipes, features: features)
    let people = world.export.people.indices
    let lacking = people.filter { world.scores.score(user: $0, candidate: 0).score == nil }
    try #require(swipes > 80 || !lacking.isEmpty)
    let ranking = world.fixture.pipeline.rankings[0]
    let snapshot = try world.fixture.snapshot()
    let scoring = try Recommender.Scoring(
      ranking, world.fixture.pipeline, snapshot, run: world.fixture.run, threads: 2)
    let mutual = try Recommender(
      ranking, world.fixture.pipeline, snapshot, run: world.fixture.run, scoring: scoring)
    var keys: Set<Double> = []
    for user in people {
      let view = mutual.view(of: user)
      for candidate in people where candidate != user {
        let own = world.scores.score(user: user, candidate: candidate).score
        let expected = own.map {
          max(0, min(1, ($0 + 1) / 2)) * world.chance(of: candidate, for: user, known: "ignore")
        }
        let (score, distance) = view.score(candidate: candidate)
        let key = score.map { view.sortKey(candidate: candidate, distance: distance, score: $0) }
        #expect(score == own && key == expected, "\(user) \(candidate)")
        if let key { keys.insert(key) }
      }
    }
    #expect(keys.count > 10)
  }

  @Test func `in other orders, the score itself orders the candidates`() throws {
    let world = try World("mutual", seed: 39, swipes: 80)
    for user in world.export.people.indices {
      let view = world.scores.view(of: user)
      #expect(view.sortKey(candidate: 1, distance: 2, score: 0.25) == 0.25)
    }
  }

  @Test func `the reasons explain the user's own score`() throws {
    let world = try World("mutual", seed: 41)
    let own = try World("score", seed: 41, top: 40)
    let scored = try own.fixture.list("near")
    var reasons = 0
    for (line, other) in zip(try world.fixture.list("near"), scored) {
      #expect(line.user == other.user)
      for entry in line.recommendations {
        let same = try #require(other.recommendations.first { $0.candidate == entry.candidate })
        #expect(entry.reasons == same.reasons, "\(line.user) \(entry.candidate)")
        #expect(entry.distance_km == same.distance_km)
        reasons += entry.reasons.count
      }
    }
    #expect(scored.count == 40 && reasons > 30)
  }

  /// The minimum is the score of one of the candidates.
  @Test(
    arguments: [Pipeline.Order.score, .mutual(Pipeline.MutualOrder())], [Recommender.Method.scan, .block])
  func `a candidate whose own score equals the minimum is not listed`(
    order: Pipeline.Order, method: Recommender.Method
  ) throws {
    let world = try World("mutual", seed: 42)
    let (pipeline, snapshot) = (world.fixture.pipeline, try world.fixture.snapshot())
    var ranking = pipeline.rankings[0]
    (ranking.order, ranking.top) = (order, 40)
    let scoring = try Recommender.Scoring(ranking, pipeline, snapshot, run: world.fixture.run, threads: 1)
    var equal = 0
    for user in 0..<12 {
      let view = world.scores.view(of: user)
      let eligible = world.export.people.indices.filter { view.isEligible(candidate: $0) }
      let scores = eligible.compactMap { view.score(candidate: $0).score }.sorted()
      let minimum = scores.isEmpty ? 0 : scores[scores.count / 2]
      ranking.minimumScore = minimum
      let recommender = try Recommender(
        ranking, pipeline, snapshot, run: world.fixture.run, scoring: scoring, method: method)
      let found = recommender.search(user: user)
      let expected = eligible.filter { (view.score(candidate: $0).score ?? .infinity) > minimum }
      #expect(found.best.map(\.candidate).sorted() == expected, "\(user)")
      #expect(found.counts?.notAboveMinimum == eligible.count - expected.count, "\(user)")
      equal += scores.count { $0 == minimum }
    }
    #expect(equal >= 6)
  }
}
