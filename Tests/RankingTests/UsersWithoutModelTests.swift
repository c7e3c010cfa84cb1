import Files
import Foundation
import PipelineFile
import StageFixture
import Testing
import Text

@testable import Ranking

/// Users who have decided on no candidate have no model under Create ML's rules.
@Suite struct UsersWithoutModelTests {
  @Test(arguments: [Recommender.Method.scan, .block])
  func `a user without a model gets the nearest candidates, without scores and reasons`(
    method: Recommender.Method
  ) throws {
    let world = RandomExport(seed: 81, people: 120, swipes: 200)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[{ category: field }, { number: experience }]",
        ranking: "    within_km: 500\n    exclude: [self]\n    order_by: score\n    top: 4"),
      files: world.files)
    try fixture.runStages()
    try Directories.remove(fixture.run + "/rankings")
    let manifest = try RankStage.run(
      fixture.pipeline, in: fixture.run, method: method, threads: 1, tool: "test")
    #expect(manifest.counts["search"]?["near"] == .string(method.rawValue))
    let active = Set(world.swipes.map { world.people[$0.user].id })
    var (scored, unscored) = (0, 0)
    for line in try fixture.list("near") where !line.recommendations.isEmpty {
      let distances = line.recommendations.compactMap(\.distance_km)
      if active.contains(line.user) {
        #expect(line.recommendations.allSatisfy { $0.score != nil })
        scored += 1
      } else {
        #expect(line.recommendations.allSatisfy { $0.score == nil && $0.reasons.isEmpty }, "\(line.user)")
        #expect(distances == distances.sorted())
        unscored += 1
      }
    }
    #expect(scored > 10 && unscored > 10)
  }

  /// The features have a value of each form.
  @Test func `both methods write the same scores and reasons`() throws {
    let world = RandomExport(seed: 82, people: 120, swipes: 400)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features:
          "[{ category: field }, position, distance, { same: field }, { difference: experience }]",
        ranking: "    within_km: 500\n    exclude: [self, interacted, vetoed, deleted]\n    top: 6"),
      files: world.files)
    try fixture.runStages()
    let files = try [Recommender.Method.scan, .block].map { method in
      try Directories.remove(fixture.run + "/rankings")
      let manifest = try RankStage.run(
        fixture.pipeline, in: fixture.run, method: method, threads: 2, tool: "test")
      #expect(manifest.counts["search"]?["near"] == .string(method.rawValue))
      return try ["near/part-00000.jsonl", "near.csv", "funnel.json"].map {
        try fixture.bytes("rankings/" + $0)
      }
    }
    #expect(files[0] == files[1])
    let reasons = try fixture.list("near").flatMap(\.recommendations).map(\.reasons.count)
    #expect(reasons.count > 100 && Set(reasons).isSuperset(of: [0, 3]))
  }
}
