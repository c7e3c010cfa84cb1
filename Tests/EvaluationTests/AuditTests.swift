import Foundation
import PipelineFile
import StageFixture
import Testing
import TestSupport
import Text

@testable import Evaluation

/// Recomputes the files of an evaluation with third-party code and slow reference implementations.
struct AuditTests {
  /// Evaluates a random world whose ids contain white space.
  private static func fixture(
    seed: UInt64, ranking: String = "    top: 10\n    within_km: 700\n    exclude: [self, interacted]"
  )
    throws -> StageFixture
  {
    let world = RandomExport(seed: seed, people: 80, swipes: 2500)
    var files = world.files
    for (name, text) in files { files[name] = text.replacing("p10", with: "p 10%\u{A0}") }
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[distance, { category: field }, { number: experience }]", ranking: ranking)
        + "\nevaluation: { cut: 0.6, at: [1, 5, 10], samples: 200 }\n",
      files: files)
    try fixture.runStages()
    return fixture
  }

  /// The mean per user, method and metric, computed from `per_user.csv`.
  private static func perUser(_ fixture: StageFixture) throws -> (
    header: [String], rows: [[String]]
  ) {
    let text = String(decoding: try fixture.bytes("evaluation/per_user.csv"), as: UTF8.self)
    let lines = text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    return (lines[0], Array(lines.dropFirst()))
  }

  @Test(
    .enabled(if: MeasuresTool.isAvailable, "ir-measures is missing: run 'make tools'"),
    arguments: [1, 2, 3] as [UInt64])
  func `trec_eval computes the same figures from the files`(seed: UInt64) throws {
    let fixture = try Self.fixture(seed: seed)
    let metrics = try fixture.evaluate().metrics
    let names = [
      "nDCG@10": "ndcg@10", "nDCG@5": "ndcg@5", "P@5": "precision@5", "R@10": "recall@10", "RR@10": "mrr@10",
      "Success@5": "hit_rate@5", "P@1": "precision@1",
    ]
    for method in Self.methods(in: metrics) {
      let place = fixture.run + "/evaluation/trec/near."
      let values = try MeasuresTool.values(
        Array(names.keys), qrels: place + "qrels", run: place + method.rawValue + ".run")
      #expect(values.count > 40)
      for (theirs, ours) in names {
        let mean = values.values.reduce(0) { $0 + ($1[theirs] ?? .nan) } / Double(values.count)
        let estimate = metrics["rankings"]?["near"]?["methods"]?[method.rawValue]?["finding"]?[ours]
        #expect(estimate?["users"] == .integer(values.count))
        let found = try #require(estimate?["mean"]?.numberValue)
        #expect(abs(found - mean) < 1e-9, "\(method) \(ours)")
      }
    }
  }

  /// The methods that the evaluation of the list `near` does not leave out.
  private static func methods(in metrics: JSONValue) -> [Method] {
    let leftOut = metrics["rankings"]?["near"]?["left_out"]
    let methods = Method.ofScores.filter { leftOut?[$0.rawValue] == nil }
    #expect(methods.count >= 7)
    return methods
  }

  /// Counts pairs in the raw exports to compute the area under the curve for distance and
  /// like-rate.
  @Test(arguments: [4, 5, 6] as [UInt64])
  func `areas for distance and like-rate equal a count in the raw exports`(seed: UInt64) throws {
    let world = RandomExport(seed: seed, people: 60, swipes: 1500)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[distance]", ranking: "    top: 10\n    exclude: [self]")
        + "\nevaluation: { cut: 0.6, samples: 100 }\n", files: world.files)
    try fixture.runStages()
    let metrics = try fixture.evaluate().metrics
    let cut = try #require(metrics["split"]?["groups"]?.elements.first?["cut_ms"]?.integerValue)
    let learning = world.swipes.filter { $0.at <= cut }
    let test = world.swipes.filter { $0.at > cut }

    func latest(_ swipes: [RandomExport.Swipe]) -> [[Int]: Double] {
      var latest: [[Int]: (at: Int, value: Double)] = [:]
      for swipe in swipes where swipe.at >= latest[[swipe.user, swipe.candidate]]?.at ?? .min {
        latest[[swipe.user, swipe.candidate]] = (swipe.at, swipe.value)
      }
      return latest.mapValues(\.value)
    }
    let known = latest(learning)
    let overall = Double(known.values.count { $0 > 0 }) / Double(known.count)
    func likeRate(_ candidate: Int) -> Double {
      let received = known.filter { $0.key[1] == candidate }.values
      return (Double(received.count { $0 > 0 }) + 5 * overall) / (Double(received.count) + 5)
    }
    func likers(_ candidate: Int) -> Double {
      Double(known.count { $0.key[1] == candidate && $0.value > 0 })
    }
    let decisions = latest(test)
    for (method, values) in [
      ("like_rate", world.people.indices.map(likeRate)), ("popular", world.people.indices.map(likers)),
    ] {
      try Self.checkArea(of: method, values, decisions, metrics, users: world.people.indices)
    }
  }

  /// Compares the area of `method` with a count of all pairs of a later like and a later pass.
  private static func checkArea(
    of method: String, _ values: [Double], _ decisions: [[Int]: Double], _ metrics: JSONValue,
    users: Range<Int>
  ) throws {
    var areas: [Double] = []
    for user in users {
      let own = decisions.filter { $0.key[0] == user }
      let likes = own.filter { $0.value > 0 }.map { values[$0.key[1]] }
      let passes = own.filter { $0.value < 0 }.map { values[$0.key[1]] }
      guard !likes.isEmpty, !passes.isEmpty else { continue }
      var wins = 0.0
      for like in likes {
        for pass in passes { wins += like > pass + 1e-12 ? 1 : abs(like - pass) <= 1e-12 ? 0.5 : 0 }
      }
      areas.append(wins / Double(likes.count * passes.count))
    }
    let area = metrics["rankings"]?["near"]?["methods"]?[method]?["ordering"]?["auc"]
    #expect(area?["users"] == .integer(areas.count))
    let found = try #require(area?["mean"]?.numberValue)
    #expect(abs(found - areas.reduce(0, +) / Double(areas.count)) < 1e-9)
  }

  @Test func `means of per_user.csv equal the means in metrics.json`() throws {
    let fixture = try Self.fixture(seed: 7)
    let metrics = try fixture.evaluate().metrics
    let (header, rows) = try Self.perUser(fixture)
    for name in ["ndcg@10", "map@5", "capped_recall@10", "auc"] {
      let column = try #require(header.firstIndex(of: name))
      for method in Self.methods(in: metrics) {
        let values = rows.filter { $0[1] == method.rawValue }.compactMap { Double($0[column]) }
        let task = name == "auc" ? "ordering" : "finding"
        let estimate = metrics["rankings"]?["near"]?["methods"]?[method.rawValue]?[task]?[name]
        #expect(estimate?["users"] == .integer(values.count))
        let mean = try #require(estimate?["mean"]?.numberValue)
        #expect(abs(values.reduce(0, +) / Double(values.count) - mean) < 1e-12)
      }
    }
  }

  /// All users have the same number of candidates in reach without a radius, so only the later ranking has
  /// slices by this number.
  @Test func `per_user.csv has a column for a slicing that only a later ranking has`() throws {
    let fixture = try Self.fixture(
      seed: 7,
      ranking: """
            top: 10
            exclude: [self, interacted]
          close:
            users: users
            candidates: users
            top: 10
            within_km: 700
            exclude: [self, interacted]
        """)
    let rankings = try #require(try fixture.evaluate().metrics["rankings"])
    let slicing = "candidates_in_reach"
    #expect(rankings["near"]?["slices"]?[slicing] == nil && rankings["close"]?["slices"]?[slicing] != nil)
    let (header, rows) = try Self.perUser(fixture)
    let column = try #require(header.firstIndex(of: slicing))
    #expect(rows.count > 100 && rows.allSatisfy { $0[column].isEmpty == ($0[0] == "near") })
  }

  @Test func `the AUCs computed from scores.csv equal the AUCs in metrics.json`() throws {
    let fixture = try Self.fixture(seed: 7)
    let metrics = try fixture.evaluate().metrics
    let rows = plainCSVText(Array(try fixture.bytes("evaluation/scores.csv")))
    #expect(rows[0].prefix(5) == ["ranking", "user_id", "candidate_id", "like", "match"])
    #expect(rows.count > 100 && rows.dropFirst().allSatisfy { $0[0] == "near" })
    #expect(Set(rows.dropFirst().map { $0[1...2] }).count == rows.count - 1, "a pair has one decision")
    let byUser = Dictionary(grouping: rows.dropFirst()) { $0[1] }.values
    for method in Self.methods(in: metrics) {
      let column = try #require(rows[0].firstIndex(of: method.rawValue))
      var areas: [Double] = []
      for own in byUser {
        func scores(_ like: String) throws -> [Double] {
          try own.filter { $0[3] == like }.map { try #require(Double($0[column])) }
        }
        let (likes, passes) = (try scores("1"), try scores("0"))
        guard !likes.isEmpty, !passes.isEmpty else { continue }
        let wins = likes.map { like in passes.map { like > $0 ? 1 : like == $0 ? 0.5 : 0 }.reduce(0, +) }
        areas.append(wins.reduce(0, +) / Double(likes.count * passes.count))
      }
      let area = metrics["rankings"]?["near"]?["methods"]?[method.rawValue]?["ordering"]?["auc"]
      #expect(area?["users"] == .integer(areas.count) && areas.count > 20)
      let mean = try #require(area?["mean"]?.numberValue)
      #expect(abs(areas.reduce(0, +) / Double(areas.count) - mean) < 1e-12, "\(method)")
    }
  }

  @Test func `the number of threads changes no byte`() throws {
    let fixture = try Self.fixture(seed: 8)
    func files(_ threads: Int) throws -> [Data] {
      try fixture.evaluate(threads: threads)
      return try ["metrics.json", "per_user.csv", "scores.csv", "manifest.json", "trec/near.random.run"].map {
        try fixture.bytes("evaluation/" + $0)
      }
    }
    #expect(try files(1) == files(8))
  }

  /// Every user with a later like counts, with or without a list.
  @Test func `a user without a list counts with 0`() throws {
    let fixture = try Self.fixture(seed: 9, ranking: "    top: 5\n    within_km: 60\n    exclude: [self]")
    let metrics = try fixture.evaluate().metrics
    let users = try #require(metrics["rankings"]?["near"]?["users"])
    let without = try #require(users["with_likes_without_list"]?.integerValue)
    #expect(without > 0)
    let (header, rows) = try Self.perUser(fixture)
    let recall = try #require(header.firstIndex(of: "recall@10"))
    let own = rows.filter { $0[1] == "pipeline" && $0[3] == "0" && $0[4] != "0" }
    #expect(own.count == without)
    #expect(own.allSatisfy { Double($0[recall]) == 0 })
  }
}
