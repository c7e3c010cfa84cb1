import Columns
import Concurrency
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Features

/// A computed attribute as a feature: a learning row must not contain its own outcome.
@Suite struct ComputedValuesTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    entities:
      people:
        source: { path: people.csv }
        id: id
        attributes: { field: { type: category } }
      places:
        source: { path: places.csv }
        id: id
        attributes: { kind: { type: category } }
    interactions:
      visits: { source: { path: visits.csv }, user: { from: a, entity: people }, candidate: { from: b, entity: places }, at: t, value: v }
      photos: { source: { path: photos.csv }, user: { from: a, entity: people }, candidate: { from: b, entity: places }, at: t, value: v }
    computed:
      places:
        rating: { shrunken_mean_of: visits, strength: 3, by: kind }
        plain: { shrunken_mean_of: visits, strength: 0.5 }
        photos: { count_of: photos }
    model:
      learns_from: visits
      features: [{ number: rating }, { number: plain }, { number: photos }]
      prior: everybody
    rankings:
      all: { users: people, candidates: places, show: [plain] }
    """

  private static func space(of fixture: StageFixture) throws -> FeatureSpace {
    FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, try fixture.snapshot())
  }

  /// Bots give one place an implausible number of photos.
  @Test func `models learn from a count beyond the bounds as if it were missing`() throws {
    var world = World(seed: 2)
    #expect(try Self.space(of: world.fixture()).form.features["photos"]?.candidates?.beyond == 0)
    world.photos += (0..<4000).map { Row(user: $0 % 6, place: 4, value: 1) }
    let fixture = try world.fixture()
    let space = try Self.space(of: fixture)
    let bounds = try #require(space.form.features["photos"]?.candidates)
    #expect(bounds.beyond == 1 && bounds.high < 20)
    let values = try #require(space.features.last?.shape as? ComputedValues)
    #expect(values.values[4] == bounds.high && values.values.max() == bounds.high)
    let learning = try #require(try fixture.snapshot().interactions["visits"])
    for row in values.learned.indices {
      #expect(values.learned[row].isNaN == (learning.candidate[row] == 4), "row \(row)")
    }
  }

  private struct Row {
    var user: Int
    var place: Int
    var value: Double
  }

  private struct World {
    var visits: [Row] = []
    var photos: [Row] = []

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      func rows(_ count: Int) -> [Row] {
        (0..<count).map { _ in
          Row(
            user: Int.random(in: 0..<6, using: &random), place: Int.random(in: 0..<9, using: &random),
            value: Double(Int.random(in: 1...5, using: &random)))
        }
      }
      // Many pairs occur more than once.
      visits = rows([1, 2, 60][Int(seed % 3)])
      photos = rows(30)
    }

    /// A run of this world.
    func fixture() throws -> StageFixture {
      let fixture = try StageFixture(
        yaml: ComputedValuesTests.yaml,
        files: [
          "people.csv": "id,field\n" + (0..<6).map { "p\($0),x\n" }.joined(),
          // A third of the places have no kind.
          "places.csv": "id,kind\n" + (0..<9).map { "q\($0),\(["a", "b", ""][$0 % 3])\n" }.joined(),
          "visits.csv": World.text(visits), "photos.csv": World.text(photos),
        ])
      try fixture.runStages(threads: 3)
      return fixture
    }

    static func text(_ rows: [Row]) -> String {
      "a,b,t,v\n"
        + rows.enumerated().map { "p\($1.user),q\($1.place),\($0),\($1.value)\n" }.joined()
    }

    /// Returns the mean of `place` without the visits of `user`.
    func mean(_ place: Int, without user: Int?, strength: Double, byKind: Bool) -> Double {
      let rest = visits.filter { $0.user != user || $0.place != place }
      let kind = rest.filter { $0.place % 3 == place % 3 && place % 3 != 2 }
      let group = byKind && !kind.isEmpty ? kind : rest
      if group.isEmpty { return .nan }
      let mean = group.reduce(0) { $0 + $1.value } / Double(group.count)
      let own = rest.filter { $0.place == place }
      // Without other visits to the place, the value would be the mean of the other places. This mean leaks
      // the outcome: it falls as the outcome rises. So the feature is missing.
      if user != nil && own.isEmpty { return .nan }
      return (own.reduce(0) { $0 + $1.value } + strength * mean) / (Double(own.count) + strength)
    }
  }

  @Test(arguments: 0..<9 as Range<UInt64>)
  func `a learning row excludes its own user's contribution`(seed: UInt64) throws {
    let world = World(seed: seed)
    let fixture = try world.fixture()
    let snapshot = try fixture.snapshot()
    let model = try #require(fixture.pipeline.model)
    let space = FeatureSpace(model, fixture.pipeline, snapshot, threads: 2)
    #expect(
      space.features.map(\.isPublic) == [false, true, false], "only an attribute that lists show is public")
    let visits = try #require(snapshot.interactions["visits"])
    var block = LearningBlock(LearningBlockSource(space, visits))
    var row = [Double](repeating: 0, count: 3)
    for user in 0..<6 {
      let range = visits.range(ofUser: user)
      block.read(range, of: user)
      for (place, interaction) in range.enumerated() {
        let candidate = Int(visits.candidate[interaction])
        space.fill(&row, user: user, candidate: candidate, distance: .nan, learningFrom: interaction)
        let expected = [
          world.mean(candidate, without: user, strength: 3, byKind: true),
          world.mean(candidate, without: user, strength: 0.5, byKind: false),
          Double(world.photos.count { $0.place == candidate && $0.user != user }),
        ]
        for column in 0..<3 {
          let read = block.values[column * block.capacity + place]
          #expect(read == row[column] || read.isNaN && row[column].isNaN)
          #expect(abs(row[column] - expected[column]) < 1e-12 || row[column].isNaN && expected[column].isNaN)
        }
      }
      for candidate in 0..<9 {
        space.fill(&row, user: user, candidate: candidate, distance: .nan, learningFrom: nil)
        let expected = world.mean(candidate, without: nil, strength: 3, byKind: true)
        #expect(abs(row[0] - expected) < 1e-12)
        #expect(row[2] == Double(world.photos.count { $0.place == candidate }))
      }
    }
  }

  /// The photos are by shops. No photo is by the user of a learning row, whatever the numbers of the rows.
  @Test func `interactions of users of another kind are all counted`() throws {
    let yaml = Self.yaml.replacing(
      "photos: { source: { path: photos.csv }, user: { from: a, entity: people }",
      with: "photos: { source: { path: photos.csv }, user: { from: a, entity: shops }"
    ).replacing(
      "entities:\n  people:", with: "entities:\n  shops: { source: { path: shops.csv }, id: id }\n  people:")
    let fixture = try StageFixture(
      yaml: yaml,
      files: [
        "people.csv": "id,field\np0,x\np1,x\n", "shops.csv": "id\ns0\ns1\n",
        "places.csv": "id,kind\nq0,a\nq1,a\n", "visits.csv": "a,b,t,v\np0,q0,1,3\np1,q0,2,4\np1,q1,3,2\n",
        "photos.csv": "a,b,t,v\ns0,q0,1,1\ns0,q0,2,1\ns1,q0,3,1\ns1,q1,3,1\n",
      ])
    try fixture.runStages()
    let space = try Self.space(of: fixture)
    let photos = try #require(space.features.last?.shape as? ComputedValues)
    #expect(photos.values == [3, 1] && photos.learned == [3, 3, 1])
    // The rating is by people, so a learning row leaves out its own visit.
    let plain = try #require(space.features[1].shape as? ComputedValues)
    let others = (2.0 + 4) / 2
    #expect(abs(plain.learned[0] - (4 + 0.5 * others) / 1.5) < 1e-12 && plain.learned[2].isNaN)
  }
}
