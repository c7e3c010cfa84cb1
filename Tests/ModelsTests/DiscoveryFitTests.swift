import Files
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Discovery
@testable import Models

/// The settings of discovery orders, which `fit` chooses.
struct DiscoveryFitTests {
  private static func fixture(people: Int, swipes: Int) throws -> StageFixture {
    let world = RandomExport(seed: 31, people: people, swipes: swipes)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[position]",
        ranking: "    within_km: 250\n    exclude: [self]\n    order_by: discovery\n    top: 4"),
      files: world.files)
    try fixture.runStages()
    return fixture
  }

  @Test(arguments: [(12, 60), (90, 2500)])
  func `the manifest holds the settings, and the gain if there are enough users`(
    people: Int, swipes: Int
  ) throws {
    let fixture = try Self.fixture(people: people, swipes: swipes)
    let fit = try DiscoveryFit(
      fixture.pipeline.rankings[0], fixture.pipeline, try fixture.snapshot(), threads: 1)
    let choice = fit.choice
    var expected = choice.settings.json.members
    expected["users"] = .integer(choice.users)
    if choice.users >= DiscoveryChoice.leastUsers {
      expected["ndcg_of_defaults"] = .number(choice.before)
      expected["ndcg"] = .number(choice.after)
    }
    #expect(fit.json == .object(expected))
    #expect((choice.users >= DiscoveryChoice.leastUsers) == (people == 90))
    let stored = try Manifest(of: fixture.run + "/models").counts["discovery"]
    #expect(stored?.members.keys.sorted() == ["near"])
    let found = try #require(stored?["near"]?.members)
    #expect(found.keys.sorted() == expected.keys.sorted())
    for (name, value) in expected { #expect(found[name]?.numberValue == value.numberValue, "\(name)") }
  }

  @Test(arguments: [false, true])
  func `the evaluation decides cut and profiles, and the ranking decides the radius`(isWithinUsers: Bool)
    throws
  {
    let fixture = try Self.fixture(people: 12, swipes: 60)
    var pipeline = fixture.pipeline
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["swipes"])
    var ranking = pipeline.rankings[0]
    pipeline.evaluation = nil
    if isWithinUsers {
      var evaluation = Pipeline.Evaluation()
      evaluation.within = ["field"]
      evaluation.laterProfiles = .asExported
      pipeline.evaluation = evaluation
      ranking.radiusInKilometers = nil
    }
    let task = DiscoveryTask(ranking, table, pipeline, snapshot)
    let isTime = if case .time = task.cut { true } else { false }
    #expect(isTime == !isWithinUsers && task.usesLaterProfiles == isWithinUsers)
    #expect(task.radius == (isWithinUsers ? nil : 250))
    #expect(task.isAmongThemselves && task.seed == 7 && task.hasPositions)
    #expect(task.users.count == 12 && task.candidates.count == 12 && task.table.count == table.count)
  }

  @Test func `users and candidates of different kinds are not the same people`() throws {
    let world = RatedItems(seed: 33, people: 6, items: 9) { _ in 4 }
    let fixture = try world.fitted("l2: 1")
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["ratings"])
    let task = DiscoveryTask(fixture.pipeline.rankings[0], table, fixture.pipeline, snapshot)
    #expect(!task.isAmongThemselves && task.users.count == 6 && task.candidates.count == 9)
    #expect(task.radius == nil && !task.hasPositions && !task.usesLaterProfiles && task.seed == 7)
  }
}
