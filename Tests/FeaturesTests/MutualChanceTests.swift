import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Features

/// The chances that two people like each other, from scores and from known decisions.
@Suite struct MutualChanceTests {
  @Test(
    arguments: [
      (-3, 0), (-1, 0), (-0.5, 0.25), (0, 0.5), (0.5, 0.75), (1, 1), (2, 1),
    ] as [(Double, Double)])
  func `scores from -1 to 1 are chances from 0 to 1`(score: Double, chance: Double) {
    #expect(MutualChance.ofLike(score) == chance)
  }

  @Test(arguments: [(1, 0.125), (0, 0.5), (0.5, 0.25), (2, 0.03125)] as [(Double, Double)])
  func `the exponent applies to the chance of the candidate`(other: Double, expected: Double) {
    let order = Pipeline.MutualOrder(other: other)
    #expect(MutualChance.ofBoth(user: 0.5, candidate: 0.25, order) == expected)
    #expect(MutualChance.ofBoth(user: 0, candidate: 0.25, order) == 0)
  }

  @Test func `without a model, a like is as likely as a pass`() {
    #expect(MutualChance.unknown == 0.5)
  }

  /// Without `liked_from`, the value 0 is neither a like nor a pass. A retraction has the value NaN.
  @Test(
    arguments: [
      (nil, 1, "like"), (nil, .leastNonzeroMagnitude, "like"), (nil, 0, ""),
      (nil, -.leastNonzeroMagnitude, "pass"), (nil, -1, "pass"), (nil, .nan, ""), (0.5, 0.5, "like"),
      (0.5, 0.5.nextDown, "pass"), (0.5, .nan, ""),
    ] as [(Double?, Double, String)])
  func `a known like has the chance 1, and a known pass has the chance 0`(
    likedFrom: Double?, value: Double, decision: String
  ) throws {
    let world = RandomExport(seed: 1, people: 4, swipes: 9)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[position]", ranking: "    top: 3"), files: world.files)
    try fixture.ingest()
    let table = try InteractionTable(
      fixture.run + "/snapshot/interactions/swipes", likedFrom: likedFrom)
    func known(_ known: Pipeline.MutualOrder.Known) -> Double? {
      MutualChance.known(value, in: table, Pipeline.MutualOrder(known: known))
    }
    #expect(known(.ignore) == nil)
    #expect(known(.likes) == (decision == "like" ? 1 : nil))
    #expect(known(.all) == (decision == "like" ? 1 : decision == "pass" ? 0 : nil))
  }
}
