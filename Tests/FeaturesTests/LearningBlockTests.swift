import Columns
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Features

/// Compares rows that are read column by column with rows that are filled one by one.
struct LearningBlockTests {
  @Test(arguments: [
    "[{ category: field }, { number: experience }, position, distance, received_like_rate]",
    "[{ received_like_rate: { adjusted: false } }, distance]",
    "[popularity, { popularity: { half_life: 2s } }]",
    "[{ same: field }, { difference: experience }, activity, recency, { geohash: { precision: 3 } }]",
    "[position]",
  ])
  func `blocks of learning rows have the same values`(features: String) throws {
    let world = RandomExport(seed: 3, people: 60, swipes: 1500)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: features, ranking: "    top: 3"), files: world.files)
    try fixture.runStages()
    let snapshot = try fixture.snapshot()
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let table = try #require(snapshot.interactions["swipes"])
    var block = LearningBlock(LearningBlockSource(space, table))
    var row = [Double](repeating: -1, count: space.columns.count)
    var (compared, missing) = (0, 0)
    for user in 0..<table.userOffsets.count - 1 {
      let range = table.range(ofUser: user)
      block.read(range, of: user)
      #expect(block.count == range.count)
      let origin = space.users[user].map(DistanceOrigin.init)
      for (place, index) in range.enumerated() {
        let candidate = Int(table.candidate[index])
        space.fill(
          &row, user: user, candidate: candidate,
          distance: space.candidates.distanceInKilometers(from: origin, to: candidate), learningFrom: index)
        #expect(block.responses[place] == table.value[index])
        for (category, feature) in space.categoryFeatures.enumerated() {
          let code = block.codes[category * block.capacity + place]
          for (own, column) in feature.columns.enumerated() {
            #expect(
              code == CategoryColumn.missing ? row[column].isNaN : row[column] == (Int(code) == own ? 1 : 0))
          }
        }
        for (number, column) in space.otherColumns.enumerated() {
          let value = block.values[number * block.capacity + place]
          #expect(value == row[column] || (value.isNaN && row[column].isNaN))
          compared += 1
          if value.isNaN { missing += 1 }
        }
      }
    }
    #expect(compared > 1000 && missing < compared)
  }
}
