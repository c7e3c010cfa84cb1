import Columns
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Features

/// The forms and words of shapes, and the features of a space.
@Suite struct FeatureShapesTests {
  private static let sets = CodeSets(offsets: [0, 2, 2], codes: [1, 3])
  private static let nowhere = Positions(latitudes: [.nan, .nan], longitudes: [.nan, .nan])
  private static let missing = CategoryColumn.missing

  @Test func `each shape has the form in which a search stores its values`() {
    let shapes: [(shape: any FeatureShape, form: SearchForm)] = [
      (CodeShape([0, 1], ["a", "b"]), .code), (NumberShape([1, 2]), .number),
      (DifferenceShape(users: [1], candidates: [2], isAbsolute: false), .difference),
      (DifferenceShape(users: [1], candidates: [2], isAbsolute: true), .absoluteDifference),
      (SameCodeShape(users: [0], candidates: [1]), .sameCode),
      (DistanceShape(users: Self.nowhere, candidates: Self.nowhere), .distance),
      (SharedTagsShape(users: Self.sets, candidates: Self.sets), .pair),
      (FollowedTargets(users: Self.sets, targets: [1, 3]), .pair),
      (VectorShape(CandidateVectors(dimensions: 1, components: [1])), .vector),
    ]
    for (shape, form) in shapes { #expect(shape.form == form, "\(shape)") }
  }

  @Test func `a search gets the numbers and codes of candidates and users`() {
    let number = NumberShape([5, 7], learned: [1, 2])
    #expect(number.candidateNumbers == [5, 7] && number.candidateCodes == nil)
    #expect(!number.own(ofUser: 0).isMissing)
    let difference = DifferenceShape(users: [3, .nan], candidates: [5, 7], isAbsolute: false)
    #expect(difference.candidateNumbers == [5, 7] && difference.candidateCodes == nil)
    #expect(!difference.own(ofUser: 0).isMissing && difference.own(ofUser: 0).number == 3)
    #expect(difference.own(ofUser: 1).isMissing)
    let same = SameCodeShape(users: [4, Self.missing], candidates: [2, 4])
    #expect(same.candidateCodes == [2, 4] && same.candidateNumbers == nil)
    #expect(!same.own(ofUser: 0).isMissing && same.own(ofUser: 0).code == 4)
    #expect(same.own(ofUser: 1).isMissing)
    let tags = SharedTagsShape(users: Self.sets, candidates: Self.sets)
    #expect(!tags.own(ofUser: 0).isMissing && tags.own(ofUser: 1).isMissing)
    #expect(tags.candidateNumbers == nil && tags.candidateCodes == nil)
  }

  @Test func `a text is summarized by the length of its vector`() {
    let shape = VectorShape(CandidateVectors(dimensions: 2, components: [3, 4, 0, 0, 0, -0.5]))
    for (candidate, length) in [5, 0, 0.5].enumerated() {
      let summary = shape.summary(of: candidate)
      #expect(summary.low == length && summary.high == length && !summary.hasMissing)
    }
  }

  /// A value that equals the threshold has the second word. A flag has the threshold 1/2.
  @Test func `a value has the first word below the threshold, and no word if it is missing`() {
    func words(_ shape: any FeatureShape, _ candidates: Int, mean: Double) -> [Int?] {
      (0..<candidates).map {
        shape.word(of: FeaturePair(user: 0, candidate: $0, distance: .nan), mean: mean)
      }
    }
    #expect(words(NumberShape([1, 2, 3, .nan]), 4, mean: 2) == [0, 1, 1, nil])
    let difference = DifferenceShape(users: [1], candidates: [0, 2, 4, .nan], isAbsolute: true)
    #expect(words(difference, 4, mean: 2) == [0, 0, 1, nil])
    #expect(words(SameCodeShape(users: [1], candidates: [1, 0, Self.missing]), 3, mean: 9) == [1, 0, nil])
    let targets = FollowedTargets(users: Self.sets, targets: [3, 2, Self.missing])
    #expect(words(targets, 3, mean: 9) == [1, 0, nil])
    #expect(words(CodeShape([1, 0, Self.missing], ["a", "b"]), 3, mean: 9) == [1, 0, nil])
    #expect(words(VectorShape(CandidateVectors(dimensions: 1, components: [1])), 1, mean: 0) == [nil])
    let distance = DistanceShape(users: Self.nowhere, candidates: Self.nowhere)
    for (kilometers, word) in [(2.9, 0), (3, 1), (.nan, nil)] as [(Double, Int?)] {
      #expect(distance.word(of: FeaturePair(user: 0, candidate: 1, distance: kilometers), mean: 3) == word)
    }
    #expect(distance.words == ["near", "far"] && difference.words == ["small", "large"])
    #expect(DifferenceShape(users: [], candidates: [], isAbsolute: false).words == ["low", "high"])
    #expect(targets.words == ["no", "yes"] && NumberShape([]).words == ["low", "high"])
  }

  private static func fixture(_ features: String) throws -> (StageFixture, RandomExport) {
    let world = RandomExport(seed: 4, people: 60, swipes: 400)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: features, ranking: "    top: 3"), files: world.files)
    try fixture.ingest()
    return (fixture, world)
  }

  @Test func `each feature has its columns and the number of its entry`() throws {
    let (fixture, world) = try Self.fixture(
      "[{ number: experience }, position, { category: field }, distance]")
    let space = FeatureSpace(
      try #require(fixture.pipeline.model), fixture.pipeline, try fixture.snapshot())
    let end = 3 + Set(world.people.compactMap(\.field)).count
    #expect(space.features.map(\.name) == ["experience", "latitude", "longitude", "field", "distance_km"])
    #expect(space.features.map(\.entry) == [0, 1, 1, 2, 3])
    #expect(space.features.map(\.columns) == [0..<1, 1..<2, 2..<3, 3..<end, end..<end + 1])
    #expect(space.otherColumns == [0, 1, 2, end] && space.categoryFeatures.map(\.name) == ["field"])
    #expect(space.features.allSatisfy { $0.isPublic } && space.columns.count == end + 1)
    #expect(space.users.count == 60 && space.candidates.count == 60)
  }

  @Test func `the cells with the most learning rows keep their columns, and the others share one`() throws {
    let (fixture, world) = try Self.fixture("[{ geohash: { precision: 3 } }]")
    let (model, snapshot) = (try #require(fixture.pipeline.model), try fixture.snapshot())
    let whole = FeatureSpace(model, fixture.pipeline, snapshot)
    let cells = world.people.indices.map {
      whole.candidates[$0].map { Geohash($0, precision: 3).description }
    }
    #expect(whole.columns == Set(cells.compactMap { $0 }).sorted().map { "geohash=" + $0 })
    var rows: [String: Int] = [:]
    for swipe in world.swipes { if let cell = cells[swipe.candidate] { rows[cell, default: 0] += 1 } }
    try #require(rows.count > 4)
    let kept = rows.keys.sorted { (rows[$1] ?? 0, $0) < (rows[$0] ?? 0, $1) }.prefix(3).sorted()
    let space = FeatureSpace(model, fixture.pipeline, snapshot, mostColumns: 4)
    #expect(space.columns == kept.map { "geohash=" + $0 } + ["geohash=other3"])
    let form = try #require(space.form.features["geohash of precision 3"])
    #expect(form.words == kept && form.sharing == whole.columns.count - 3)
    for (candidate, cell) in cells.enumerated() {
      var row = [Double](repeating: -1, count: 4)
      space.fill(&row, user: 0, candidate: candidate, distance: .nan, learningFrom: nil)
      let place = cell.map { kept.firstIndex(of: $0) ?? 3 }
      for column in 0..<4 {
        #expect(place == nil ? row[column].isNaN : row[column] == (column == place ? 1 : 0), "\(candidate)")
      }
    }
    // Later stages use the cells of the learned form.
    #expect(FeatureSpace(model, fixture.pipeline, snapshot, form: space.form).columns == space.columns)
  }

  @Test func `given learning rows replace the interactions of the snapshot`() throws {
    let (fixture, _) = try Self.fixture("[popularity]")
    let (model, snapshot) = (try #require(fixture.pipeline.model), try fixture.snapshot())
    let table = try #require(snapshot.interactions["swipes"])
    let flipped = table.replacingValues(table.value.elements.map { -$0 })
    func values(_ learning: InteractionTable?) throws -> [Double] {
      let space = FeatureSpace(model, fixture.pipeline, snapshot, learning: learning)
      return try #require(space.features.first?.shape as? ReceivedLikes).values
    }
    #expect(try values(flipped) == ReceivedLikes(flipped, halfLife: nil, asOf: 0).values)
    #expect(try values(nil) == ReceivedLikes(table, halfLife: nil, asOf: 0).values)
    #expect(try values(nil) != values(flipped))
  }
}
