import Concurrency
import Foundation
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Ranking
@testable import Search

struct ReachCountsTests {
  /// Single precision cannot tell a candidate a meter within the radius from one a meter beyond.
  @Test(arguments: [0.5, 20, 500])
  func `candidates a few meters from the radius are counted as the scan counts them`(radius: Double) throws {
    let center = try #require(Coordinate(latitude: 48.2, longitude: 16.4))
    var random = SplitMix64(seed: 5)
    var rows = "id,lat,lon,deleted\ncenter,48.2,16.4,\n"
    for number in 0..<700 {
      let meters = Double.random(in: -10...10, using: &random)
      let bearing = Double.random(in: 0..<2 * Double.pi, using: &random)
      func place(_ degrees: Double) throws -> Coordinate {
        try #require(
          Coordinate(latitude: 48.2 + degrees * cos(bearing), longitude: 16.4 + degrees * sin(bearing)))
      }
      var (low, high) = (0.0, 20.0)
      for _ in 0..<60 {
        let middle = (low + high) / 2
        let isNear = try center.distanceInKilometers(to: place(middle)) < radius + meters / 1000
        if isNear { low = middle } else { high = middle }
      }
      let found = try place(low)
      rows += "p\(number),\(found.latitude),\(found.longitude),\(number % 5 == 0)\n"
    }
    let (scan, block, row) = try searches(rows, radius: radius)
    let expected = try #require(scan.search(user: row).counts)
    #expect((200...500).contains(expected.inReach) && expected.excluded[1] > 20)
    for user in Array(stride(from: 0, to: 701, by: 70)) + [row] {
      #expect(block.search(user: user).counts == scan.search(user: user).counts, "user \(user)")
    }
  }

  /// With 3000 candidates, the tree has inner nodes below its root. Some are completely inside of the circle.
  @Test func `candidates of inner nodes are counted as the scan counts them`() throws {
    var random = SplitMix64(seed: 6)
    var rows = "id,lat,lon,deleted\ncenter,48.2,16.4,\n"
    for number in 0..<3000 {
      let (north, east) = (random.nextUnit() - 0.5, random.nextUnit() - 0.5)
      rows += "p\(number),\(48.2 + 2 * north),\(16.4 + 3 * east),\(number % 7 == 0)\n"
    }
    let (scan, block, row) = try searches(rows, radius: 70)
    let counts = try #require(scan.search(user: row).counts)
    #expect((500...2000).contains(counts.inReach) && counts.excluded[1] > 100)
    for user in Array(stride(from: 0, to: 3001, by: 100)) + [row] {
      #expect(block.search(user: user).counts == scan.search(user: user).counts, "user \(user)")
    }
  }

  /// Both searches over the people in `rows`, and the row of `center`.
  private func searches(
    _ rows: String, radius: Double
  ) throws -> (scan: Recommender, block: Recommender, center: Int) {
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        privacy: { snap_positions_to: 12 }
        entities:
          people:
            source: { path: people.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes: { deleted: { type: flag } }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: u, entity: people }
            candidate: { from: c, entity: people }
            at: at
            value: v
        rankings:
          near:
            { users: people, candidates: people, within_km: \(radius), exclude: [self, deleted], order_by: distance, top: 5 }
        """, files: ["people.csv": rows, "likes.csv": "u,c,at,v\np1,p2,3,1\n"])
    try fixture.runStages()
    let snapshot = try fixture.snapshot()
    func recommender(_ method: Recommender.Method) throws -> Recommender {
      try Recommender(
        fixture.pipeline.rankings[0], fixture.pipeline, snapshot, run: fixture.run, scoring: .distance,
        method: method)
    }
    let row = Int(try #require(snapshot.entities["people"]?.row(of: "center")))
    return (try recommender(.scan), try recommender(.block), row)
  }
}
