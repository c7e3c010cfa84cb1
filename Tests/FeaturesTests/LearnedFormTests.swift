import Columns
import Files
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features

/// The bounds and words of learned models, which later stages read, and the shapes of features that have
/// several columns or sides.
@Suite struct LearnedFormTests {
  /// People who like people and items. bob's number is implausible.
  private static func fixture(
    _ models: String, items: String = "id,kind,size\na,a,1\nb,b,\nc,c,-2\nd,d,4\ne,,3\nother,other,2\n"
  ) throws -> StageFixture {
    let likes = [("a", 1), ("b", 3), ("c", 3), ("d", 2)].flatMap { word, count in
      (0..<count).map { "p\($0),\(word),\($0),\($0 % 2 == 0 ? 1 : 3)\n" }
    }
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id, attributes: { size: { type: number } } }
          items:
            source: { path: items.csv }
            id: id
            attributes: { kind: { type: category }, size: { type: number } }
        interactions:
          likes: { source: { path: likes.csv }, user: { from: u, entity: people }, candidate: { from: c, entity: items }, at: at, value: v }
          views: { source: { path: views.csv }, user: { from: u, entity: people }, candidate: { from: c, entity: people }, at: at, value: v }
        \(models)
        """,
      files: [
        "people.csv": "id,size\nann,20\nbob,1e9\np0,21\np1,22\np2,23\np3,24\n",
        "items.csv": items,
        "likes.csv": "u,c,at,v\n" + likes.joined(),
        "views.csv": "u,c,at,v\nann,bob,0,1\nbob,p1,0,2\np0,p2,0,1\n",
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    return fixture
  }

  private static let category = "{ category: { from: kind, at_most_words: 2 } }"
  private static let one =
    "model: { learns_from: likes, features: [\(category), { number: size }, difference: size], l2: 1 }"

  private static func space(_ fixture: StageFixture, form: LearnedForm? = nil) throws -> FeatureSpace {
    FeatureSpace(
      try #require(fixture.pipeline.models.first), fixture.pipeline, try fixture.snapshot(), form: form)
  }

  /// An erasure changes the snapshot of a run, but not its models.
  @Test func `a learned space keeps its bounds and words on another snapshot`() throws {
    let fixture = try Self.fixture(Self.one)
    let model = try #require(fixture.pipeline.models.first)
    let learned = try FeatureSpace(learned: model, in: fixture.run, fixture.pipeline, fixture.snapshot())
    let other = try Self.fixture(Self.one, items: "id,kind,size\na,a,-100\nb,z,100\nc,z,200\nd,z,300\n")
    let again = try FeatureSpace(learned: model, in: fixture.run, fixture.pipeline, other.snapshot())
    // The words b and c do not occur in the other snapshot. The words a and z share the column of other
    // words.
    #expect(learned.columns == ["kind=b", "kind=c", "kind=other", "size", "difference_size"])
    #expect(again.columns == ["kind=other", "size", "difference_size"])
    #expect(again.form.features["size"]?.candidates?.json == learned.form.features["size"]?.candidates?.json)
    // The other snapshot alone would give other columns.
    #expect(try Self.space(other).columns.contains("kind=z"))
  }

  @Test func `the manifest holds the bounds of both sides, the words that share a column, and the response`()
    throws
  {
    let fixture = try Self.fixture(Self.one)
    let space = try Self.space(fixture)
    let size = try #require(space.form.features["size"]?.candidates)
    // The numbers -2, 1, 2, 3 and 4 have no value beyond a bound.
    #expect(size.low == -2 && size.high == 4 && size.beyond == 0)
    let difference = try #require(space.form.features["difference_size"])
    #expect(difference.candidates == size)
    let own = try #require(difference.users)
    #expect(own.low == 20 && own.high == 24 && own.beyond == 1)
    let kind = try #require(space.form.features["kind"])
    #expect(kind.words == ["b", "c"] && kind.sharing == 3 && kind.candidates == nil && kind.users == nil)
    var form = space.form
    form.response = NumberBounds(low: 1, high: 3)
    form.response?.beyond = 4
    let bounds: JSONValue = [
      "size": ["candidates": size.json, "beyond": 0],
      "difference_size": ["candidates": size.json, "users": own.json, "beyond": 1],
    ]
    #expect(form.json["bounds"] == bounds)
    #expect(form.json["words_sharing_a_column"] == ["kind": 3])
    let response: JSONValue = ["values": .array([.number(1), .number(3)]), "beyond": 4]
    #expect(form.json["response_bounds"] == response && form.json.count == 3)
    #expect(LearnedForm().json.isEmpty)
  }

  @Test(arguments: [false, true])
  func `later stages read the form that the model was learned with`(isNamed: Bool) throws {
    let named = "models:\n  first: " + String(Self.one.dropFirst(7))
    let fixture = try Self.fixture(isNamed ? named : Self.one)
    let model = try #require(fixture.pipeline.models.first)
    #expect((model.name == "first") == isNamed)
    let learned = try Self.space(fixture).form
    let read = try LearnedForm(of: model, in: fixture.run + "/models")
    #expect(read.features.keys.sorted() == ["difference_size", "kind", "size"])
    for (name, feature) in learned.features {
      let found = try #require(read.features[name])
      #expect(found.words == feature.words, "\(name)")
      #expect(found.candidates?.low == feature.candidates?.low, "\(name)")
      #expect(found.candidates?.high == feature.candidates?.high, "\(name)")
      #expect(found.users?.low == feature.users?.low && found.users?.high == feature.users?.high, "\(name)")
    }
    #expect(read.response?.low == 1 && read.response?.high == 3)
    let missing = #expect(throws: FileError.self) { try LearnedForm(of: model, in: fixture.run + "/none") }
    #expect(missing?.path == fixture.run + "/none")
    let space = try FeatureSpace(
      learned: model, in: fixture.run, fixture.pipeline, try fixture.snapshot())
    #expect(space.columns == ["kind=b", "kind=c", "kind=other", "size", "difference_size"])
  }

  @Test func `a given form decides bounds and words, and a missing form means no bounds`() throws {
    let fixture = try Self.fixture(Self.one)
    var form = LearnedForm()
    // An erasure removed the last item with the word `zzz`.
    form.features["kind"] = LearnedForm.Feature(words: ["a", "d", "zzz"])
    form.features["size"] = LearnedForm.Feature(candidates: NumberBounds(low: 0, high: 2))
    let space = try Self.space(fixture, form: form)
    #expect(space.columns == ["kind=a", "kind=d", "kind=other", "size", "difference_size"])
    #expect(space.form.features["kind"]?.words == ["a", "d", "zzz"])
    var row = [Double](repeating: -1, count: 5)
    // d has the number 4, and bob has the number 1e9. Only the first number has bounds.
    space.fill(&row, user: 1, candidate: 3, distance: .nan, learningFrom: nil)
    #expect(row == [0, 1, 0, 2, 1e9 - 4])
    space.fill(&row, user: 0, candidate: 2, distance: .nan, learningFrom: nil)
    #expect(row == [0, 0, 1, 0, 22])
    space.fill(&row, user: 0, candidate: 2, distance: .nan, learningFrom: 0)
    #expect(row.prefix(3) == [0, 0, 1] && row[3].isNaN && row[4] == 22)
    let plain = try Self.space(fixture, form: LearnedForm())
    #expect(plain.columns.prefix(5) == ["kind=a", "kind=b", "kind=c", "kind=d", "kind=other"])
  }

  @Test(arguments: [false, true])
  func `a difference with an implausible number is learned as missing`(isSigned: Bool) throws {
    let fixture = try Self.fixture(
      "model: { learns_from: views, features: [difference: { user: size, candidate: size, signed: \(isSigned) }], l2: 1 }"
    )
    let space = try Self.space(fixture)
    let table = try #require(try fixture.snapshot().interactions["views"])
    func value(_ user: Int, _ candidate: Int, _ row: Int?) -> Double {
      var values = [0.0]
      space.fill(&values, user: user, candidate: candidate, distance: .nan, learningFrom: row)
      return values[0]
    }
    // bob's number counts as 24 in predictions.
    #expect(value(0, 1, nil) == 4 && value(1, 3, nil) == (isSigned ? -2 : 2) && value(2, 4, nil) == 2)
    #expect(value(0, 1, 0).isNaN && value(1, 3, 1).isNaN && value(2, 4, 2) == 2)
    var block = LearningBlock(LearningBlockSource(space, table))
    for (row, user) in [0, 1, 2].enumerated() {
      block.read(table.range(ofUser: user), of: user)
      let found = block.values[0]
      #expect(block.count == 1 && (row < 2 ? found.isNaN : found == 2))
    }
  }

  @Test func `words are compared byte by byte, and a missing word stays missing`() {
    // Both first words are an e with an accent, in two encodings.
    let words = ["e\u{301}", "x", "\u{E9}"]
    let codes: [UInt32] = [0, 1, 2, CategoryColumn.missing]
    #expect(SharedWords.codes(codes, words, ["\u{E9}"]) == [1, 1, 0, CategoryColumn.missing])
    #expect(SharedWords.codes(codes, words, ["e\u{301}", "x"]) == [0, 1, 2, CategoryColumn.missing])
    #expect(SharedWords.codes(codes, words, []) == [0, 0, 0, CategoryColumn.missing])
  }

  @Test func `each reason has a text, with and without a word`() {
    let shapes: [(shape: any FeatureShape, width: Int, name: String)] = [
      (CodeShape([0, 1], ["a", "b\"c"]), 2, "kind"), (NumberShape([1, 2], low: "few", high: "many"), 1, "n"),
      (VectorShape(CandidateVectors(dimensions: 2, components: [0, 1, 1, 0])), 2, "bio"),
      (SameCodeShape(users: [0], candidates: [0, 1]), 1, "same"),
    ]
    var features: [BoundFeature] = []
    for (shape, width, name) in shapes {
      let first = features.last?.columns.upperBound ?? 0
      features.append(BoundFeature(shape: shape, firstColumn: first, width: width, name: name, entry: 0))
    }
    let nowhere = Positions(latitudes: [.nan, .nan], longitudes: [.nan, .nan])
    let space = FeatureSpace(
      features: features, columns: (0..<6).map { "c\($0)" }, candidates: nowhere, users: nowhere)
    let labels = ReasonLabels(space)
    let expected: [(feature: Int, word: UInt32, name: String)] = [
      (0, 0, "kind"), (0, 1, "kind=a"), (0, 2, "kind=b\\\"c"), (1, 0, "n"), (1, 1, "n=few"), (1, 2, "n=many"),
      (2, 0, "bio"), (3, 0, "same"), (3, 1, "same=no"), (3, 2, "same=yes"),
    ]
    for (place, reason) in expected.enumerated() {
      let number = labels.number(
        of: Contribution(feature: reason.feature, word: reason.word, amount: 1))
      #expect(number == UInt32(place))
      let text = Array(copying: labels.text(number))
      #expect(
        String(decoding: text, as: UTF8.self) == "{\"feature\":\"\(reason.name)\",\"contribution\":",
        "\(place)")
    }
  }

  @Test(arguments: [nil, 20, 35] as [Int64?])
  func `a pair's latest interaction up to a time is its decision`(limit: Int64?) throws {
    let world = RandomExport(seed: 12, people: 12, swipes: 300)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[position]", ranking: "    top: 3"), files: world.files)
    try fixture.ingest()
    let table = try #require(try fixture.snapshot().interactions["swipes"])
    // Each user has another limit.
    var cut: (@Sendable (Int) -> Int64)?
    if let limit { cut = { limit + Int64($0 % 3) } }
    let decisions = PairDecisions(table, upTo: cut, threads: 2)
    var (likes, all) = (0.0, 0.0)
    var counted = 0
    for user in world.people.indices {
      var (own, ownLikes) = (0.0, 0.0)
      let last = cut?(user) ?? .max
      let range = table.range(ofUser: user)
      for row in range {
        let later = range.filter {
          $0 > row && table.candidate[$0] == table.candidate[row] && table.at[$0] <= last
        }
        let isCounted = table.at[row] <= last
        let isLatest = isCounted && later.isEmpty
        let isLike = isCounted && table.value[later.last ?? row] > 0
        #expect(decisions.isLatest(row) == isLatest && decisions.isLike(row) == isLike, "row \(row)")
        if isLatest {
          own += 1
          if isLike { ownLikes += 1 }
        }
        if isCounted { counted += 1 }
      }
      #expect(decisions.given[user].decisions == own && decisions.given[user].likes == ownLikes)
      (all, likes) = (all + own, likes + ownLikes)
    }
    #expect(decisions.given.count == 12)
    #expect(decisions.total.decisions == all && decisions.total.likes == likes && likes > 10)
    #expect((counted < table.count) == (limit != nil))
  }
}
