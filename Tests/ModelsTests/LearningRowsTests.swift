import Columns
import Features
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Models

/// Rows of the regression that are read one by one.
struct LearningRowsTests {
  /// The reader keeps the origin of its last user, so the test reads rows of the users in turn.
  @Test func `a row has the distance from its own user`() throws {
    let world = RandomExport(seed: 13, people: 12, swipes: 90)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[distance, { number: experience }, received_like_rate]", ranking: "    top: 3"),
      files: world.files)
    try fixture.ingest()
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["swipes"])
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let rows = LearningRows(table: table, space: space)
    #expect(rows.userCount == 12)
    var reader = rows.reader()
    var (known, unknown) = (0, 0)
    for place in 0..<90 {
      for user in 0..<12 {
        let own = table.range(ofUser: user)
        guard place < own.count else { continue }
        let index = own.lowerBound + place
        reader.read(index, of: user)
        let candidate = Int(table.candidate[index])
        let distance = space.candidates.distanceInKilometers(
          from: space.users[user].map(DistanceOrigin.init), to: candidate)
        var expected = [Double](repeating: -1, count: 3)
        space.fill(
          &expected, user: user, candidate: candidate, distance: distance, learningFrom: index)
        for (found, value) in zip(reader.values, expected) {
          #expect(found == value || found.isNaN && value.isNaN, "\(user), \(place)")
        }
        if distance.isNaN { unknown += 1 } else { known += 1 }
      }
    }
    #expect(known > 30 && known + unknown == table.count)
  }
}
