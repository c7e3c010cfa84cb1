import Columns
import Ingest
import IngestFixture
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Checking

/// Compares the candidate counts that `nightjar check` reports with the lists that the search
/// makes.
@Suite struct CandidatesInReachTests {
  /// Complete lists by distance, and the exports from which they were made.
  private struct RankedWorld {
    var exports: IngestedExports
    var lengths: [Int]
    var withoutPosition: Int

    func reach(exactLimit: Int = CandidatesInReach.exactLimit) -> DataReport.Reach? {
      let pipeline = exports.pipeline
      return CandidatesInReach.report(
        on: pipeline.rankings[0], pipeline, exports.snapshot(of: pipeline.entitiesWithRadius),
        exactLimit: exactLimit)
    }
  }

  private func ranked(seed: UInt64, people: Int, radius: Double, exclude: String, center: (Double, Double))
    throws -> RankedWorld
  {
    let world = RandomExport(seed: seed, people: people, swipes: 40, center: center)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[position]",
        ranking: "    within_km: \(radius)\n    exclude: \(exclude)\n    order_by: distance\n    top: 1000"),
      files: world.files)
    try fixture.runStages()
    let lists = try fixture.list("near")
    let positions = try #require(try fixture.snapshot().entities["users"]?.latitude?.elements)
    let lengths = zip(lists, positions).filter { !$0.1.isNaN }.map { $0.0.recommendations.count }
    let exports = try IngestedExports(
      fixture.pipeline, asOf: nil, clock: Instant(milliseconds: 4_000_000_000_000)
    ) {
      throw $1
    }
    return RankedWorld(exports: exports, lengths: lengths, withoutPosition: positions.count { $0.isNaN })
  }

  private func quantile(_ percent: Int, _ values: [Int]) -> Int {
    values.sorted().first { value in 100 * values.count { $0 <= value } >= percent * values.count } ?? 0
  }

  @Test(
    arguments: [
      (1, 0.9, "[self, deleted]", (50.0, 8.0)), (2, 60, "[self, deleted]", (50.0, 8.0)),
      (3, 120, "[deleted]", (50, 8)), (4, 150, "[self]", (0, 179.9)), (5, 300, "[]", (89, 0)),
      (6, 55.7, "[self, deleted]", (0, -180)), (7, 20_000, "[self, deleted]", (50, 8)),
    ] as [(UInt64, Double, String, (Double, Double))])
  func `the report counts as many candidates in reach as the search lists`(
    seed: UInt64, radius: Double, exclude: String, center: (Double, Double)
  ) throws {
    let world = try ranked(
      seed: seed, people: 220, radius: max(radius, 1.1), exclude: exclude, center: center)
    let reach = try #require(
      world.reach())
    #expect(reach.users == world.lengths.count)
    #expect(reach.sampled == world.lengths.count)
    #expect(reach.withoutPosition == world.withoutPosition)
    #expect(reach.withNone == world.lengths.count { $0 == 0 })
    #expect(reach.tenthPercentile == quantile(10, world.lengths))
    #expect(reach.median == quantile(50, world.lengths))
    #expect(reach.ninetiethPercentile == quantile(90, world.lengths))
  }

  @Test func `the report samples evenly spaced users if there are too many`() throws {
    let world = try ranked(
      seed: 9, people: 1300, radius: 80, exclude: "[self, deleted]", center: (50, 8))
    let reach = try #require(
      world.reach(exactLimit: 10))
    let count = world.lengths.count
    try #require(count > 1000)
    #expect(reach.users == count)
    #expect(reach.sampled == 1000)
    let sample = (0..<1000).map { world.lengths[(2 * $0 + 1) * count / 2000] }
    #expect(reach.withNone == sample.count { $0 == 0 })
    #expect(reach.tenthPercentile == quantile(10, sample))
    #expect(reach.median == quantile(50, sample))
    #expect(reach.ninetiethPercentile == quantile(90, sample))
  }

  @Test(arguments: [
    (3, 9, [1, 4, 7]), (2, 3, [0, 2]), (1, 5, [2]), (4, 4, [0, 1, 2, 3]), (3, 10, [1, 5, 8]), (0, 3, []),
  ])
  func `a sample has the middle row of each part`(size: Int, count: Int, rows: [Int]) {
    #expect(CandidatesInReach.middles(size, of: Array(0..<count)) == rows)
  }

  /// Users who request no list get no list, so the report does not count them.
  @Test func `users without a list do not count`() throws {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      entities:
        people:
          source: { path: people.jsonl }
          id: id
          position: { latitude: lat, longitude: lon }
          attributes: { wanted: { type: tags, optional: true } }
        bands:
          source: { path: bands.jsonl }
          id: id
          position: { latitude: lat, longitude: lon }
          attributes: { genre: { type: category } }
      rankings:
        all: { users: people, candidates: bands, within_km: 30, order_by: distance }
        asked:
          { users: people, candidates: bands, within_km: 30, per: genre, asked: wanted, order_by: distance }
      """,
      [
        "people.jsonl": """
        {"id":"a","lat":52,"lon":8,"wanted":["jazz"]}
        {"id":"b","lat":52,"lon":8}
        {"id":"c","lat":10,"lon":8,"wanted":["rock"]}
        {"id":"d","wanted":["rock"]}
        {"id":"e"}

        """,
        "bands.jsonl": "{\"id\":\"x\",\"lat\":52,\"lon\":8,\"genre\":\"jazz\"}\n",
      ])
    let report = DataCheck(night.pipeline, asOf: nil, clock: Night.clock, previous: nil).report
    #expect(report.reach.map(\.ranking) == ["all", "asked"])
    #expect(report.reach.map(\.users) == [3, 2])
    #expect(report.reach.map(\.withoutPosition) == [2, 1])
    #expect(report.reach.map(\.withNone) == [1, 1])
  }

  @Test func `a ranking without a radius is not reported`() throws {
    let world = RandomExport(seed: 1, people: 5, swipes: 0)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[position]", ranking: "    order_by: distance"), files: world.files)
    let check = DataCheck(
      fixture.pipeline, asOf: nil, clock: Instant(milliseconds: 4_000_000_000_000), previous: nil)
    #expect(check.report.reach.isEmpty)
  }
}
