import Files
import PipelineFile
import RunSchemas
import Search
import StageFixture
import Testing
import Text

@testable import Ranking

/// Lists in the order of discovery scores.
@Suite struct DiscoveryListsTests {
  @Test func `lists have the highest discovery scores, without reasons`() throws {
    let world = RandomExport(seed: 32, people: 40, swipes: 600)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[position]",
        ranking: "    within_km: 400\n    exclude: [self, interacted]\n    order_by: discovery\n    top: 4"),
      files: world.files)
    let manifest = try #require(try fixture.runStages()["rankings"])
    #expect(manifest.counts["search"]?["near"] == "scan")
    let ranking = fixture.pipeline.rankings[0]
    let snapshot = try fixture.snapshot()
    let scoring = try Recommender.Scoring(
      ranking, fixture.pipeline, snapshot, run: fixture.run, threads: 2)
    let recommender = try Recommender(
      ranking, fixture.pipeline, snapshot, run: fixture.run, scoring: scoring)
    var listed = 0
    for (user, line) in try fixture.list("near").enumerated() {
      let view = recommender.view(of: user)
      let eligible = world.people.indices.filter { view.isEligible(candidate: $0) }
      let scores = eligible.compactMap { view.score(candidate: $0).score }.sorted(by: >)
      try #require(scores.count == eligible.count)
      #expect(line.recommendations.map(\.score) == scores.prefix(4).map(Optional.some), "\(line.user)")
      #expect(line.recommendations.allSatisfy { $0.reasons.isEmpty })
      listed += line.recommendations.count
    }
    #expect(listed > 40)
    // Without settings in the manifest of the models, there is no order.
    var other = ranking
    other.name = "other"
    let error = #expect(throws: FileError.self) {
      try Recommender.Scoring(other, fixture.pipeline, snapshot, run: fixture.run, threads: 1)
    }
    #expect(error?.path == fixture.run + "/models" && error?.reason.contains("'other'") == true)
  }
}
