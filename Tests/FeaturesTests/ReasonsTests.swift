import Columns
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Features

struct ReasonsTests {
  @Test func `published reasons are the three largest positive ones`() {
    let reasons = [("a", 0.1), ("b", -0.9), ("c", 0.4), ("d", 0.0), ("e", 0.4), ("f", 0.2)]
      .map { Reason(feature: $0.0, contribution: $0.1) }
    #expect(reasons.published.map(\.feature) == ["c", "e", "f"])
    #expect([Reason(feature: "a", contribution: -1)].published.isEmpty)
  }

  @Test(arguments: 0..<5 as Range<UInt64>)
  func `base and contributions add up to the score in a fixed order`(seed: UInt64) throws {
    let world = RandomExport(seed: seed, people: 50, swipes: 800)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[distance, { category: field }, position, { number: experience }]",
        ranking: "    minimum_score: -100\n    top: 50"),
      files: world.files)
    try fixture.runStages()
    let table = try #require(fixture.snapshot().entities["users"])
    let models = try fixture.models()
    let model = try #require(fixture.pipeline.model)
    let space = try FeatureSpace(model, fixture.pipeline, fixture.snapshot())
    #expect(space.columns == models.columns.strings)
    var checked = 0
    for line in try fixture.list("near") {
      guard let user = table.row(of: line.user), let learned = models[Int(user)] else { continue }
      let scorer = Scorer(learned, of: Int(user), in: space)
      for recommendation in line.recommendations {
        let candidate = Int(try #require(table.row(of: recommendation.candidate)))
        let distance = space.candidates.distanceInKilometers(
          from: space.users[Int(user)].map(DistanceOrigin.init), to: candidate)
        let reasons = space.reasons(
          scorer, model: learned, user: Int(user), candidate: candidate, distance: distance)
        #expect(reasons.reduce(scorer.base) { $0 + $1.contribution } == recommendation.score)
        #expect(reasons.published.map(\.feature) == recommendation.reasons.map(\.feature))
        for (reason, published) in zip(reasons.published, recommendation.reasons) {
          // Published contributions have twelve significant digits.
          #expect(abs(published.contribution - reason.contribution) <= 5.1e-12 * reason.contribution)
        }
        checked += 1
      }
    }
    #expect(checked > 1000)
  }

  @Test func `numbers are named by their side of the mean, and categories by their word`() throws {
    let users = """
      id,field,experience,latitude,longitude,deleted
      me,Art,1,50,8,
      a,Art,10,51,8,
      b,Data,20,49,9,
      c,,,,,

      """
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[{ category: field }, { number: experience }, position, distance]", ranking: "    top: 3"),
      files: ["users.csv": users, "swipes.csv": "who,whom,at,way\nme,a,1,right\nme,b,2,left\n"])
    try fixture.runStages()
    let table = try #require(fixture.snapshot().entities["users"])
    let model = try #require(fixture.pipeline.model)
    let space = try FeatureSpace(model, fixture.pipeline, fixture.snapshot())
    let user = Int(try #require(table.row(of: "me")))
    let learned = try #require(fixture.models()[user])
    func names(_ id: String) throws -> [String] {
      let candidate = Int(try #require(table.row(of: id)))
      let distance = space.candidates.distanceInKilometers(
        from: space.users[user].map(DistanceOrigin.init), to: candidate)
      return space.reasons(
        Scorer(learned, of: Int(user), in: space), model: learned, user: Int(user), candidate: candidate,
        distance: distance
      )
      .map(\.feature)
    }
    #expect(
      try names("a") == [
        "field=Art", "experience=low", "latitude=north", "longitude=west", "distance_km=near",
      ])
    #expect(
      try names("b") == [
        "field=Data", "experience=high", "latitude=south", "longitude=east", "distance_km=far",
      ])
    #expect(try names("c") == ["field", "experience", "latitude", "longitude", "distance_km"])
  }
}
