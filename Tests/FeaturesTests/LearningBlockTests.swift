import Columns
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features

/// Compares rows that are read column by column with rows that are filled one by one.
struct LearningBlockTests {
  @Test(arguments: [
    "[{ category: field }, { number: experience }, position, distance, received_like_rate]",
    "[{ received_like_rate: { adjusted: false } }, distance]",
    "[popularity, { popularity: { half_life: 2s } }]",
    "[{ same: field }, { difference: experience }, activity, recency, { geohash: { precision: 3 } }]",
    "[position]",
    "[{ distance: { log: true } }, { number: { from: experience, log: true } }]",
  ])
  func `blocks of learning rows have the same values`(features: String) throws {
    let world = RandomExport(seed: 3, people: 60, swipes: 1500)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: features, ranking: "    top: 3"), files: world.files)
    try fixture.runStages()
    let (compared, missing) = try Self.compare(fixture, "swipes")
    #expect(compared > 1000 && missing < compared)
  }

  /// The buffers of a block grow twice, because each user has more interactions than the users before.
  @Test func `a block grows with the number of interactions`() throws {
    let words = ["iron", "steel", "wood", "glass"]
    let items = (0..<200).map { "c\($0),\(words[$0 % 4]) and \(words[$0 / 4 % 4]),\($0 % 50),\($0 % 90)\n" }
    let likes = [3, 70, 190].enumerated().flatMap { user, count in
      (0..<count).map { "u\(user),c\(($0 * 7 + user) % 200),\($0),\($0 % 2)\n" }
    }
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id, position: { latitude: lat, longitude: lon } }
          items:
            source: { path: items.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes: { bio: { type: text } }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: u, entity: people }
            candidate: { from: c, entity: items }
            at: at
            value: v
        model: { learns_from: likes, features: [{ text: bio }, position, distance] }
        """,
      files: [
        "people.csv": "id,lat,lon\nu0,1,1\nu1,2,2\nu2,3,3\n",
        "items.csv": "id,bio,lat,lon\n" + items.joined(),
        "likes.csv": "u,c,at,v\n" + likes.joined(),
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    let (compared, missing) = try Self.compare(fixture, "likes")
    #expect(compared > 263 * 4 && missing == 0)
  }

  /// Returns the numbers of compared and of missing values.
  private static func compare(_ fixture: StageFixture, _ kind: String) throws -> (compared: Int, missing: Int)
  {
    let snapshot = try fixture.snapshot()
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let table = try #require(snapshot.interactions[kind])
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
    return (compared, missing)
  }
}
