import Files
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// The counts of a run that several sections read.
@Suite struct RunCountsTests {
  @Test func `users without a model are counted by the ranking's own model`() throws {
    var world = try RunByHand()
    let models = ["taste", "trust"].map {
      "  \($0): { learns_from: swipes, features: [{ category: city }] }\n"
    }
    let rankings = ["near": "taste", "far": "trust"].sorted { $0.key < $1.key }.map { name, model in
      "  \(name): { users: people, candidates: people, top: 10, exclude: [self], model: \(model) }\n"
    }
    world.yaml = RunByHand.yaml(rankings: []).replacing(
      "rankings:\n", with: "models:\n" + models.joined() + "rankings:\n" + rankings.joined())
    let list = RunByHand.list(users: 100, full: 20, empty: 30)
    world.lists = ["near": list, "far": list]
    world.entities = ["people": ["positioned": 60, "without_position": 40]]
    world.models = ["by_name": ["taste": ["models": 70], "trust": ["models": 89]]]
    let run = try world.run()
    #expect(run.lists.map(\.ranking.name) == ["far", "near"])
    #expect(run.lists.map { FunnelSteps($0, run).withoutModel } == [11, 30])
    #expect(run.fit(ofModel: "taste")?["models"]?.integerValue == 70 && run.fit(ofModel: "none") == nil)
    #expect(run.fit(ofModel: nil) == nil)
  }

  @Test func `counts that a run lacks are zero`() throws {
    let run = try RunByHand().run()
    let list = ListCounts(ranking: run.pipeline.rankings[0], counts: [:])
    #expect(list.users == 0 && list.shareServed == 0 && list.shareFull == 0 && list.shortfalls.isEmpty)
    #expect(list.lost.map(\.rule) == ["out_of_reach", "not_above_minimum", "beyond_top"])
    #expect(list.lost.map(\.pairs) == [0, 0, 0] && list.allPairs == 0 && list.listedPairs == 0)
    let source = ReportedSource(name: "swipes", counts: [:])
    #expect(source.read == 0 && source.share(.rejected) == 0 && source.newest == nil)
    #expect(source.others.isEmpty && source.absentFields.isEmpty)
  }
}
