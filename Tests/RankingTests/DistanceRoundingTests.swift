import Concurrency
import PipelineFile
import StageFixture
import Testing

@testable import Ranking

/// A distance that is rounded up becomes the smallest tenth that is not less than the distance.
@Suite struct DistanceRoundingTests {
  @Test(arguments: [
    (0, 0), (.leastNonzeroMagnitude, 0.1), (1e-9, 0.1), (0.05, 0.1), (0.1, 0.1), (0.1.nextUp, 0.2),
    (0.1.nextDown, 0.1),
    (0.3, 0.3), (0.7, 0.7), (1.0, 1.0), (1.0.nextUp, 1.1), (1.0.nextDown, 1.0), (1.0000000001, 1.1),
    (1.1, 1.1),
    (1.15, 1.2), (2.3, 2.3), (2.3.nextUp, 2.4), (4.35, 4.4), (1.4999999999999998, 1.5), (20037.4, 20037.4),
    (20037.400000000005, 20037.5),
  ]) func `a distance is rounded up to a tenth`(kilometers: Double, expected: Double) {
    #expect(Pipeline.DistanceRounding.up.tenths(kilometers) == expected)
  }

  @Test func `tenths are unchanged, and nearby numbers are rounded correctly`() {
    for tenths in 1...200_380 {
      let kilometers = Double(tenths) / 10
      for (value, expected) in [
        (kilometers, tenths), (kilometers.nextUp, tenths + 1), (kilometers.nextDown, tenths),
      ] where Pipeline.DistanceRounding.up.tenths(value) != Double(expected) / 10 {
        Issue.record("\(value) became \(Pipeline.DistanceRounding.up.tenths(value))")
      }
    }
  }

  @Test func `unknown distances stay unknown, and rounding to nearest happens on writing`() {
    #expect(Pipeline.DistanceRounding.up.tenths(.nan).isNaN)
    #expect(Pipeline.DistanceRounding.nearest.tenths(1.26) == 1.26)
  }

  @Test(arguments: [("up", true), ("nearest", false)])
  func `a list shows distances that are rounded as the ranking says`(rounding: String, isUp: Bool) throws {
    let world = RandomExport(seed: 2, people: 40, swipes: 100)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[position]",
        ranking:
          "    within_km: 300\n    exclude: [self]\n    order_by: distance\n    round_distance: \(rounding)\n    top: 5"
      ), files: world.files)
    try fixture.runStages()
    let recommender = try Recommender(
      fixture.pipeline.rankings[0], fixture.pipeline, fixture.snapshot(), run: fixture.run, scoring: .distance
    )
    var (shown, raised) = (0, 0)
    for (user, line) in try fixture.list("near").enumerated() {
      let view = recommender.view(of: user)
      for entry in line.recommendations {
        let candidate = try #require(world.people.firstIndex { $0.id == entry.candidate })
        let exact = view.distanceInKilometers(to: candidate)
        let nearest = (exact * 10).rounded() / 10
        #expect(entry.distance_km == (isUp ? (exact * 10).rounded(.up) / 10 : nearest), "\(exact)")
        shown += 1
        raised += nearest < exact ? 1 : 0
      }
    }
    #expect(shown > 100 && raised > 20)
  }
}
