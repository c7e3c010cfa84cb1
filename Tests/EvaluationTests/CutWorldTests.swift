import Columns
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Evaluation

/// The setting that all methods share: clusters of users who share candidates, and slices of users.
@Suite struct CutWorldTests {
  private static func world(
    _ people: [String], swipes: [String] = ["p0,p1,10,r"], evaluation: String = "{ cut: 0.5 }",
    extra: String = ""
  ) throws -> (CutWorld, Pipeline.Ranking) {
    let fixture = try SmallWorld.fixture(
      people: people, swipes: swipes, evaluation: evaluation, extra: extra)
    try fixture.runStages()
    let snapshot = try fixture.snapshot()
    let pipeline = fixture.pipeline
    let world = CutWorld(
      pipeline: pipeline, snapshot: snapshot, learning: try #require(snapshot.interactions["swipes"]),
      kind: try #require(pipeline.evaluatedInteraction), decisions: ByHand.decisions(people.map { _ in [] }),
      settings: try #require(pipeline.evaluation),
      cutOfUser: people.map { _ in 100 * 86_400_000 }, laterMatches: nil)
    return (world, pipeline.rankings[0])
  }

  private static func person(
    _ id: Int, _ latitude: String = "50", _ longitude: String = "8", city: String = "Cork", created: Int = 1
  ) -> String {
    "p\(id),\(created),1,\(latitude),\(longitude),\(city),Art,"
  }

  @Test func `repeated decisions on one candidate count once`() throws {
    let (world, _) = try Self.world(
      (0..<4).map { Self.person($0) },
      swipes: ["p0,p1,1,r", "p0,p1,2,l", "p0,p1,3,r", "p2,p1,1,r", "p3,p1,2,l", "p3,p0,1,l"])
    #expect(world.decidedOnBy == [1, 3, 0, 0])
  }

  /// The largest diagonal of a cell is at least a fifth of the radius. For 500 km, the geohash has
  /// three characters and the cell is 1.4° wide.
  @Test func `neighbors form a cluster, and a user without a position is a separate cluster`() throws {
    let (world, ranking) = try Self.world([
      Self.person(0, "50.0", "8.0"), Self.person(1, "50.1", "8.3"), Self.person(2, "50.0", "20.0"),
      Self.person(3, "", ""), Self.person(4, "", ""),
    ])
    #expect(world.clusterOfUser(ranking) == [0, 0, 1, 2, 3])
    // Without a radius, every person is a candidate for every user.
    var everywhere = ranking
    everywhere.radiusInKilometers = nil
    #expect(world.clusterOfUser(everywhere) == nil)
    // For 20 km, the geohash has five characters and the cell is 0.04° wide.
    var near = ranking
    near.radiusInKilometers = 20
    #expect(world.clusterOfUser(near) == [0, 1, 2, 3, 4])
    // The largest diagonal of a cell of four characters is 43.7 km, which is a fifth of 218 km.
    for (radius, clusters) in [(200.0, [0, 1, 2, 3, 4]), (240, [0, 0, 1, 2, 3])] {
      near.radiusInKilometers = radius
      #expect(world.clusterOfUser(near) == clusters, "\(radius) km")
    }
    // Even the largest cells are smaller than a fifth of the radius. They are 45° wide.
    near.radiusInKilometers = 50_000
    #expect(world.clusterOfUser(near) == [0, 0, 0, 1, 2])
  }

  /// A cell of seven characters is 0.0014° wide. Smaller cells would hardly contain two users.
  @Test func `cells have at most seven characters, however small the radius is`() throws {
    let (world, ranking) = try Self.world(
      [Self.person(0, "50", "8"), Self.person(1, "50", "8.0005"), Self.person(2, "50", "8.001")],
      extra: "privacy: { snap_positions_to: 10 }")
    var near = ranking
    near.radiusInKilometers = 0.1
    #expect(world.clusterOfUser(near) == [0, 0, 1])
  }

  @Test func `within a category, clusters are the groups of the first category`() throws {
    let people = [
      "p0,1,1,50,8,Cork,Art,", "p1,1,1,50,8,Galway,Art,", "p2,1,1,50,8,Cork,Law,", "p3,1,1,50,20,Cork,Art,",
    ]
    let (world, ranking) = try Self.world(people, evaluation: "{ cut: 0.5, within: [city, field] }")
    #expect(world.clusterOfUser(ranking) == [0, 1, 0, 2])
    var everywhere = ranking
    everywhere.radiusInKilometers = nil
    #expect(world.clusterOfUser(everywhere) == [0, 1, 0, 0])
  }

  @Test func `categories with few values have slices`() throws {
    // All people have the same field, and a category with one word has no slices. The last swipe is
    // later than all creation times.
    let (world, _) = try Self.world(
      [
        Self.person(0, city: "Cork"), Self.person(1, city: "Galway"),
        Self.person(2, city: "Cork", created: 80 * 86_400_000),
      ], swipes: ["p0,p1,10,r", "p1,p0,\(90 * 86_400_000),l"])
    let slicings = world.slicings(inReach: [1, 2, 2])
    #expect(slicings.map(\.name) == ["learning_interactions", "candidates_in_reach", "city", "account"])
    #expect(slicings[0].sliceOfRow == [1, 1, 0] && slicings[3].sliceOfRow == [1, 1, 0])
    #expect(world.slicings(inReach: [2, 2, 2]).map(\.name) == ["learning_interactions", "city", "account"])
  }

  @Test func `candidates have slices, too`() throws {
    let (world, _) = try Self.world(
      [Self.person(0, city: "Cork"), Self.person(1, city: "Galway")],
      swipes: ["p0,p1,10,r", "p1,p0,11,l", "p0,p1,12,r"])
    let slicings = world.candidateSlicings
    #expect(slicings.map(\.name) == ["received_likes", "city", "account"])
    // The pass does not count.
    #expect(slicings[0].sliceOfRow == [0, 1] && slicings[1].sliceOfRow == [0, 1])
  }

  @Test func `requested categories are used even with many values`() throws {
    let (world, _) = try Self.world(
      [Self.person(0), Self.person(1)], evaluation: "{ cut: 0.5, slices: [field] }")
    #expect(world.slicings(inReach: [0, 0]).map(\.name) == ["learning_interactions", "field", "account"])
    let many = (0..<25).map { Self.person($0, city: "city\($0)") }
    #expect(try !Self.world(many).0.slicings(inReach: []).map(\.name).contains("city"))
    #expect(try Self.world(Array(many.dropLast())).0.slicings(inReach: []).map(\.name).contains("city"))
  }
}

/// The rankings and methods that an evaluation compares.
@Suite struct ComparedMethodsTests {
  private static func pipeline(_ rankings: String, model: String = "") throws -> Pipeline {
    try Pipeline(
      yaml: """
        pipeline: small
        as_of: newest
        plausible: [1, 9999]
        entities:
          people:
            source: { path: people.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes: { field: { type: category }, age: { type: number } }
          dogs: { source: { path: dogs.csv }, id: id }
        interactions:
          swipes:
            source: { path: swipes.csv }
            user: { from: who, entity: people }
            candidate: { from: whom, entity: people }
            at: at
            value: { from: way, map: { r: 1, l: -1 } }
        \(model)
        rankings:
        \(rankings)
        """, file: "small.yaml")
  }

  private static func evaluated(_ rankings: String, model: String = "") throws -> [String] {
    let pipeline = try pipeline(rankings, model: model)
    return pipeline.evaluatedRankings(try #require(pipeline.evaluatedInteraction)).map(\.name)
  }

  private static let model = "model: { learns_from: swipes, features: [{ category: field }, distance] }"

  @Test func `rankings by score are evaluated, or other rankings if no ranking is by score`() throws {
    let both = """
        far: { users: people, candidates: people, order_by: distance, top: 5 }
        new: { users: people, candidates: people, top: 5 }
      """
    #expect(try Self.evaluated(both, model: Self.model) == ["new"])
    #expect(
      try Self.evaluated("  far: { users: people, candidates: people, order_by: distance, top: 5 }") == [
        "far"
      ])
  }

  @Test func `a ranking with restricted candidates is not evaluated`() throws {
    let rankings = """
        dogs: { users: people, candidates: dogs, order_by: distance, top: 5 }
        far: { users: people, candidates: people, order_by: distance, top: 5 }
        waiting: { users: people, candidates: people, order_by: distance, top: 5, pending: swipes }
      """
    #expect(try Self.evaluated(rankings) == ["far"])
  }

  @Test func `conditions on free time and on questions are removed before an evaluation`() throws {
    var pipeline = try Self.pipeline(
      "  far: { users: people, candidates: people, order_by: distance, top: 5 }")
    let plain = pipeline.rankings[0].exclusions + [.unless(.flagged("open"))]
    pipeline.rankings[0].exclusions =
      [.unasked(user: "field")] + plain + [.unless(.free("slots", within: 1)), .unless(.known("slots"))]
    let judged = try pipeline.evaluatedRankings(#require(pipeline.evaluatedInteraction))
    #expect(judged.map(\.exclusions) == [plain])
  }

  @Test func `a model without the first app's features keeps its features`() throws {
    let model = "model: { learns_from: swipes, features: [received_like_rate] }"
    let own = try #require(
      try Self.pipeline("  new: { users: people, candidates: people, top: 5 }", model: model).model)
    #expect(own.createMLBaseline.features == own.features && !own.features.isEmpty)
  }

  @Test func `the first app's model has the candidate's own features and the distance`() throws {
    let model =
      "model: { learns_from: swipes, prior: population, features: [{ category: field }, distance, { number: age }, received_like_rate] }"
    let own = try #require(
      try Self.pipeline("  new: { users: people, candidates: people, top: 5 }", model: model).model)
    let baseline = own.createMLBaseline
    #expect(baseline.features == Array(own.features.prefix(3)) && baseline.method == .createml)
    #expect(own.everybodyBaseline.features == own.features)
    #expect(own.everybodyBaseline.method == .everybody(.automatic))
    #expect(!baseline.isChosenWithinLearning && !own.everybodyBaseline.isChosenWithinLearning)
  }
}

/// The order in which each method ranks candidates.
@Suite struct MethodRankersTests {
  /// Twelve people from west to east, and one person without a position.
  private static func fixture() throws -> StageFixture {
    let people =
      (0..<12).map { "p\(10 + $0),1,1,50,\(8.0 + Double($0) / 10),Cork,Art," } + ["p99,1,1,,,Cork,Art,"]
    // After the cut, p10 likes nearby people. p10 passes on a distant person and on p99.
    let later = ["p10,p11,101,r", "p10,p12,102,r", "p10,p20,103,l", "p10,p99,104,l"]
    let fixture = try SmallWorld.fixture(
      people: people, swipes: ["p11,p12,1,r", "p12,p13,2,l"] + later,
      evaluation: "{ cut: '1970-01-01T00:00:00.100Z', at: [3], samples: 100 }")
    try fixture.runStages()
    return fixture
  }

  @Test func `by distance, the nearest come first and candidates without a position last`() throws {
    let fixture = try Self.fixture()
    let near = try fixture.evaluate().metrics["rankings"]?["near"]
    #expect(near?["methods"]?["nearest"]?["ordering"]?["auc"]?["mean"] == 1)
    // p10 has not decided on these four people before. p99 has no position and is therefore out of
    // reach.
    #expect(near?["users"]?["reachable_likes"] == 2 && near?["decisions"]?["likes"] == 2)
    let lines = String(decoding: try fixture.bytes("evaluation/trec/near.nearest.run"), as: UTF8.self)
    #expect(lines.hasPrefix("p10 Q0 p11 1 3 nearest\np10 Q0 p12 2 2 nearest\np10 Q0 p13 3 1 nearest\n"))
  }

  @Test func `by chance, each list has different eligible candidates in a random order`() throws {
    let fixture = try Self.fixture()
    try fixture.evaluate()
    let lines = String(decoding: try fixture.bytes("evaluation/trec/near.random.run"), as: UTF8.self)
      .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let lists = Dictionary(grouping: lines) { $0[0] }.mapValues { $0.map { $0[2] } }
    #expect(lists.count == 12 && lists.values.allSatisfy { $0.count == 3 && Set($0).count == 3 })
    for (user, list) in lists { #expect(!list.contains(user) && !list.contains("p99")) }
    #expect(lists["p11"]?.contains("p12") == false && lists["p12"]?.contains("p13") == false)
    #expect(Set(lists.values.map { $0.joined() }).count > 8)
  }
}
