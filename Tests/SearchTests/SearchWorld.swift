import Columns
import Concurrency
import Files
import Foundation
import Index
import Ingest
import PipelineFile
import RunSchemas
import StageFixture
import Text

@testable import Features
@testable import Ranking
@testable import Search

/// A random world for searches: people, swipes, features of every kind, models for most users, and
/// a ranking.
struct SearchWorld {
  let fixture: StageFixture
  let snapshot: Snapshot
  let space: FeatureSpace
  let models: ModelTable

  var ranking: Pipeline.Ranking { fixture.pipeline.rankings[0] }

  /// Creates a world with `people` people. The default is a small random number.
  init(seed: UInt64, people: Int? = nil) throws {
    var random = SplitMix64(seed: seed)
    func one<Element>(of choices: [Element]) -> Element {
      choices[Int.random(in: choices.indices, using: &random)]
    }
    let places = [(50.0, 8.0), (-17, 179.6), (89.2, 20), (-90, 0), (0.1, -179.9)]
    let few = one(of: [1, 3, 40, 90, 200])
    let count = people ?? few
    var world = RandomExport(
      seed: seed, people: count, swipes: count * one(of: [0, 2, 9]), spread: one(of: [0.0, 0.2, 4, 8]),
      center: one(of: places))
    if one(of: [true, false, false]) { world.strewAllOver(&random) }
    let rules = ["self", "interacted", "vetoed", "deleted"].shuffled(using: &random)
    let radius = one(of: [nil, 2, 35.5, 300, 2500, 19_000, 20_015, 20_038])
    let lines =
      (radius.map { ["within_km: \($0)"] } ?? [])
      + [
        "exclude: [\(rules.prefix(one(of: [0, 2, 3, 4, 4])).joined(separator: ", "))]",
        "minimum_score: \(one(of: [-1000.0, -1000, -0.5, 0, 0.25, 3, 1000]))",
        "top: \(one(of: [1, 2, 10, 10, 60, 1000]))",
      ] + (one(of: [true, false, false, false, false]) ? ["order_by: distance"] : [])
    fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[position]", ranking: lines.map { "    " + $0 }.joined(separator: "\n")),
      files: world.files)
    try Directories.create(fixture.run)
    let clock = Instant(milliseconds: 4_000_000_000_000)
    _ = try IngestStage.run(fixture.pipeline, in: fixture.run, asOf: nil, clock: clock, tool: "test")
    _ = try IndexStage.run(fixture.pipeline, in: fixture.run, tool: "test")
    snapshot = try fixture.snapshot()
    guard let table = snapshot.entities["users"], let swipes = snapshot.interactions["swipes"] else {
      throw CocoaError(.fileNoSuchFile)
    }
    space = FeatureSpace.random(table, swipes, &random)
    let (columns, features) = (space.columns, space.features)
    let modelled = (0..<table.count).map { _ -> UserModel? in
      random.nextUnit() < 0.15 ? nil : UserModel.random(features, &random)
    }
    var directory = try StageDirectory("models", in: fixture.run)
    try ModelTable.write(modelled, columns: columns, to: &directory)
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "models", pipeline: "random", configuration: .null, asOf: snapshot.manifest.asOf,
        seed: 0, counts: [:], parents: [:]))
    models = try ModelTable(fixture.run + "/models", columns: columns)
  }

  /// Returns a recommender for the ranking `other`, or for the world's own ranking.
  func recommender(_ method: Recommender.Method, _ other: Pipeline.Ranking? = nil) throws -> Recommender {
    let ranking = other ?? ranking
    return try Recommender(
      ranking, fixture.pipeline, snapshot, run: fixture.run,
      scoring: ranking.order == .distance ? .distance : .models(in: fixture.run + "/models", space),
      method: method)
  }
}

extension RandomExport {
  fileprivate mutating func strewAllOver(_ random: inout SplitMix64) {
    for index in people.indices where people[index].latitude != nil {
      people[index].latitude = (random.nextUnit() * 180 - 90)
      people[index].longitude = (random.nextUnit() * 360 - 180)
    }
  }
}

extension FeatureSpace {
  /// Returns random features of every kind. Some values tie, and some are missing.
  fileprivate static func random(
    _ people: EntityTable, _ swipes: InteractionTable, _ random: inout SplitMix64
  ) -> FeatureSpace {
    let count = people.count
    func codes(_ vocabulary: Int) -> [UInt32] {
      (0..<count).map { _ in
        random.nextUnit() < 0.1
          ? CategoryColumn.missing : UInt32.random(in: 0..<UInt32(vocabulary), using: &random)
      }
    }
    func numbers(_ distinct: Int) -> [Double] {
      (0..<count).map { _ in
        random.nextUnit() < 0.15 ? .nan : Double(Int.random(in: -distinct...distinct, using: &random)) / 3
      }
    }
    func sets(_ vocabulary: UInt32) -> CodeSets {
      var (offsets, all): ([UInt64], [UInt32]) = ([0], [])
      for _ in 0..<count {
        let size = Int.random(in: 0...4, using: &random)
        all += Set((0..<size).map { _ in UInt32.random(in: 0..<vocabulary, using: &random) }).sorted()
        offsets.append(UInt64(all.count))
      }
      return CodeSets(offsets: offsets, codes: all)
    }
    func words(_ count: Int) -> [String] { (0..<count).map { "w\($0)" } }
    func vectors(_ dimensions: Int) -> CandidateVectors {
      var components: [Float] = []
      for _ in 0..<count {
        let raw = (0..<dimensions).map { _ in Float(random.nextUnit() - 0.5) }
        let norm = raw.reduce(0) { $0 + $1 * $1 }.squareRoot()
        // Vectors of texts have the length 1, and vectors of tags have 0 or 1 in each dimension.
        let isTagged = random.nextUnit() < 0.3
        components +=
          random.nextUnit() < 0.2
          ? raw.map { _ in 0 } : isTagged ? raw.map { $0 > 0 ? 1 : 0 } : raw.map { $0 / norm }
      }
      let named = Bool.random(using: &random) ? words(dimensions) : []
      return CandidateVectors(dimensions: dimensions, components: components, words: named)
    }
    let positions = Positions(people)
    let few = Int.random(in: 1...6, using: &random)
    let kinds: [(any FeatureShape, width: Int)] = [
      (CodeShape(codes(few), words(few)), few), (CodeShape(codes(150), words(150)), 150),
      (NumberShape(numbers(2)), 1),
      (NumberShape(numbers(1_000_000)), 1),
      (ReceivedRates(swipes, smoothing: 5, isAdjusted: Bool.random(using: &random)), 1),
      (DistanceShape(users: positions, candidates: positions), 1),
      (
        DistanceShape(
          users: positions, candidates: positions, most: Double(Int.random(in: 0...400, using: &random))), 1
      ),
      (
        DistanceShape(
          users: positions, candidates: positions, most: Bool.random(using: &random) ? 200 : .infinity,
          isLogarithm: true), 1
      ),
      (SameCodeShape(users: codes(3), candidates: codes(3)), 1),
      (SameCodeShape(users: codes(99), candidates: codes(99)), 1),
      (DifferenceShape(users: numbers(5), candidates: numbers(5), isAbsolute: true), 1),
      (DifferenceShape(users: numbers(5), candidates: numbers(5), isAbsolute: false), 1),
      (SharedTagsShape(users: sets(6), candidates: sets(6)), 1),
      (SharedTagsShape(users: sets(200), candidates: sets(200)), 1),
      (FollowedTargets(users: sets(6), targets: codes(6)), 1),
      (FollowedTargets(users: sets(200), targets: codes(200)), 1),
      (VectorShape(vectors(5)), 5), (VectorShape(vectors(64)), 64),
    ]
    var (features, columns): ([BoundFeature], [String]) = ([], [])
    let chosen = kinds.shuffled(using: &random).prefix(Int.random(in: 0...kinds.count, using: &random))
    for (number, (shape, width)) in chosen.enumerated() {
      features.append(
        BoundFeature(
          shape: shape, firstColumn: columns.count, width: width, name: "f\(number)", entry: number))
      columns += (0..<width).map { "f\(number)=\($0)" }
    }
    return FeatureSpace(features: features, columns: columns, candidates: positions, users: positions)
  }
}

extension UserModel {
  /// Returns random coefficients. In some worlds, they have only three different values, so ties
  /// are common.
  fileprivate static func random(
    _ features: [BoundFeature], _ random: inout SplitMix64
  ) -> UserModel {
    let isCoarse = Bool.random(using: &random)
    var terms: [Term] = []
    for feature in features {
      for column in feature.columns where random.nextUnit() < 0.8 {
        var coefficient =
          isCoarse ? Double(Int.random(in: -1...1, using: &random)) / 2 : random.nextUnit() * 2 - 1
        var mean = isCoarse ? 0.5 : random.nextUnit()
        if feature.shape.form == .distance { (coefficient, mean) = (coefficient / 100, mean * 300) }
        terms.append(Term(column: UInt32(column), coefficient: coefficient, mean: mean))
      }
    }
    return UserModel(
      observations: 5, base: isCoarse ? 0 : random.nextUnit(), intercept: 0, residualSumOfSquares: 0,
      terms: terms)
  }
}
