import Features
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import TestSupport

@testable import Models

/// Uses real decisions. The model learns from a person's first dates of an evening and orders the
/// last dates.
@Suite(.enabled(if: SharedData.exists("speed-dating/swipes_dev.csv"), "needs ../shared/data"))
struct SpeedDatingModelTests {
  private struct Decision {
    var user: String
    var candidate: String
    var order: Int
    var isLike: Bool
    var isLearned: Bool
    var wave: String
  }

  private static func table(_ name: String) throws -> [[String: String]] {
    let rows = plainCSV(Array(try SharedData.text("speed-dating/\(name)").utf8))
      .map { $0.map { String(decoding: $0, as: UTF8.self) } }
    let header = try #require(rows.first)
    return rows.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
  }

  private static func decisions() throws -> [Decision] {
    let people = Set(try table("users_dev.csv").map { $0["iid"] ?? "" })
    return try table("swipes_dev.csv").compactMap { row in
      guard let candidate = row["pid"], people.contains(candidate), let order = Int(row["order"] ?? ""),
        let round = Int(row["round"] ?? "")
      else { return nil }
      return Decision(
        user: row["iid"] ?? "", candidate: candidate, order: order, isLike: row["dec"] == "1",
        isLearned: Double(order) <= 0.7 * Double(round), wave: row["wave"] ?? "")
    }
  }

  private static let features = """
    [received_like_rate, difference: age, same: field_cd, same: goal, category: field_cd, category: goal,
     number: age, number: sports, number: exercise, number: dining, number: museums, number: art,
     number: hiking, number: gaming, number: clubbing, number: reading, number: movies, number: music,
     difference: sports, difference: exercise, difference: museums, difference: reading,
     difference: clubbing, difference: music]
    """

  /// Runs fit on the learning part of `decisions`.
  private static func fixture(_ decisions: [Decision], _ model: String, features: String = features) throws
    -> StageFixture
  {
    let numbers = [
      "age", "sports", "exercise", "dining", "museums", "art", "hiking", "gaming", "clubbing", "reading",
      "movies", "music",
    ]
    let yaml = """
      pipeline: speed-dating
      as_of: newest
      plausible: [1, 9999]
      seed: 42
      entities:
        people:
          source: { path: users.csv }
          id: iid
          attributes:
            field_cd: { type: category }
            goal: { type: category }
      \(numbers.map { "      \($0): { type: number }" }.joined(separator: "\n"))
      interactions:
        decisions:
          source: { path: decisions.csv }
          user: iid
          candidate: pid
          at: { from: order, unit: seconds }
          value: { from: dec, map: { 1: 1, 0: -1 } }
      model:
        learns_from: decisions
        features: \(features.split(separator: "\n").joined())
      \(model.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
      rankings:
        dates: { users: people, candidates: people, exclude: [self, interacted], top: 5 }
      """
    let lines = decisions.filter(\.isLearned).map {
      "\($0.user),\($0.candidate),\($0.order),\($0.isLike ? 1 : 0)"
    }
    let fixture = try StageFixture(
      yaml: yaml,
      files: [
        "users.csv": try SharedData.text("speed-dating/users_dev.csv"),
        "decisions.csv": (["iid,pid,order,dec"] + lines).joined(separator: "\n") + "\n",
      ])
    try fixture.runStages()
    return fixture
  }

  /// Returns the mean area under the curve of all people who said yes and no in their test part,
  /// and the number of these people.
  private static func area(_ decisions: [Decision], _ score: (Decision) throws -> Double) rethrows -> (
    mean: Double, people: Int
  ) {
    var sum = 0.0
    var people = 0
    for (_, own) in Dictionary(grouping: decisions.filter { !$0.isLearned }, by: \.user)
      .sorted(by: { $0.key < $1.key })
    {
      let rows = try own.map { (prediction: try score($0), value: $0.isLike ? 1.0 : 0) }
      guard let area = concordance(rows) else { continue }
      sum += area
      people += 1
    }
    return (sum / Double(people), people)
  }

  private static func area(_ decisions: [Decision], _ fixture: StageFixture) throws -> Double {
    let snapshot = try fixture.snapshot()
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let people = try #require(snapshot.entities["people"])
    let models = try fixture.models()
    return try area(decisions) { decision in
      let user = Int(try #require(people.row(of: decision.user)))
      let candidate = Int(try #require(people.row(of: decision.candidate)))
      guard let model = models[user] else { return 0 }
      return Scorer(model, of: user, in: space).score(candidate: candidate, distance: .nan)
    }.mean
  }

  /// Scores a candidate by the share of likes in the learning part, smoothed by two decisions with
  /// the mean.
  private static func likeRate(_ decisions: [Decision]) -> (mean: Double, people: Int) {
    let learned = decisions.filter(\.isLearned)
    let mean = Double(learned.count(where: \.isLike)) / Double(learned.count)
    let received = Dictionary(grouping: learned, by: \.candidate)
      .mapValues { (likes: Double($0.count(where: \.isLike)), all: Double($0.count)) }
    return area(decisions) { decision in
      let own = received[decision.candidate] ?? (0, 0)
      return (own.likes + 2 * mean) / (own.all + 2)
    }
  }

  @Test func `a choice within learning is at least as good as the best baseline`() throws {
    let decisions = try Self.decisions()
    let rate = Self.likeRate(decisions)
    #expect(rate.people == 232)
    #expect(abs(rate.mean - 0.764) < 0.001)
    let everybody = try Self.area(decisions, Self.fixture(decisions, "prior: everybody"))
    let createml = try Self.area(decisions, Self.fixture(decisions, "compat: createml"))
    let fixture = try Self.fixture(decisions, "prior: population\nchoose: within_learning")
    let chosen = try Self.area(decisions, fixture)
    #expect(chosen >= max(rate.mean, everybody) - 0.005)
    #expect(chosen >= 0.77)
    #expect(chosen > createml + 0.1)
  }
}
