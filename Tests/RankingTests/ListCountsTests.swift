import Files
import Foundation
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Ranking

/// Compares the counts of users and candidates in the manifest with the written lists.
@Suite struct ListCountsTests {
  @Test(arguments: 0..<3 as Range<UInt64>)
  func `users are counted by the length of their lists`(seed: UInt64) throws {
    let world = RandomExport(seed: seed, people: 40, swipes: 200, spread: 4)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[{ category: field }, distance]",
        ranking: """
              within_km: 120
              exclude: [self, interacted, deleted]
              order_by: distance
              top: 3
          """), files: world.files)
    let manifests = try fixture.runStages()
    let lists = try fixture.list("near")
    let counts = try #require(manifests["rankings"]?.counts["lists"]?["near"])
    let users = try #require(counts["users"])
    #expect(users["total"]?.integerValue == lists.count)
    #expect(users["full_lists"]?.integerValue == lists.count { $0.recommendations.count == 3 })
    #expect(users["short_lists"]?.integerValue == lists.count { $0.recommendations.count < 3 })
    #expect(users["empty_lists"]?.integerValue == lists.count { $0.recommendations.isEmpty })
    #expect(users["ranked_by_score"]?.integerValue == 0)
    for list in lists { #expect((list.shortfall == nil) == (list.recommendations.count == 3)) }
    let reasons = Dictionary(grouping: lists.compactMap(\.shortfall)) { $0 }.mapValues(\.count)
    #expect(users["shortfall"]?.members.compactMapValues(\.integerValue) == reasons)
    #expect(reasons.count > 1 && lists.contains { $0.shortfall == nil })
    let candidates = try #require(counts["candidates"])
    #expect(candidates["listed"]?.integerValue == lists.reduce(0) { $0 + $1.recommendations.count })
    #expect(candidates["pairs"]?.integerValue == lists.count * world.people.count)
    #expect(candidates["counted_users"]?.integerValue == lists.count)
  }
}
