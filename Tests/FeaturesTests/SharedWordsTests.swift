import Columns
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features

/// Tests which words of a category have columns of their own, and compares scores with sums over the columns.
@Suite struct SharedWordsTests {
  /// Returns a fixture whose items have one word each. The list `likes` contains the number of learning rows
  /// of each word.
  private static func fixture(atMost most: Int = 3) throws -> StageFixture {
    let likes = [("a", 1), ("b", 3), ("c", 3), ("d", 2), ("other", 5)]
    let rows = likes.flatMap { word, count in (0..<count).map { "u\($0),\(word),\($0),1\n" } }
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          items:
            source: { path: items.csv }
            id: id
            attributes: { kind: { type: category }, size: { type: number }, bio: { type: text } }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: u, entity: people }
            candidate: { from: c, entity: items }
            at: at
            value: v
        model:
          learns_from: likes
          features: [{ category: { from: kind, at_most_words: \(most) } }, { number: size }, { text: bio }]
        """,
      files: [
        "people.csv": "id\n" + (0..<5).map { "u\($0)\n" }.joined(),
        "items.csv": "id,kind,size,bio\na,a,1,iron\nb,b,,iron and steel\nc,c,-2,\nd,d,4,wood\n"
          + "e,,3,wood and iron\nother,other,2,steel\n", "likes.csv": "u,c,at,v\n" + rows.joined(),
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    return fixture
  }

  @Test(arguments: [
    (5, nil), (4, ["a", "b", "c", "d"]), (3, ["b", "c", "d"]), (2, ["b", "c"]), (1, ["b"]),
  ])
  func `the most frequent words are kept, and ties are kept in byte order`(
    limit: Int, expected: [String]?
  ) throws {
    let snapshot = try Self.fixture().snapshot()
    let kinds = try #require(snapshot.entities["items"]?.categories["kind"])
    let kept = SharedWords.kept(
      kinds.codes.elements, kinds.vocabulary.strings, try #require(snapshot.interactions["likes"]),
      limit: limit)
    #expect(kept == expected)
    let rows = SharedWords.rows(
      kinds.codes.elements, kinds.vocabulary.strings.count, try #require(snapshot.interactions["likes"]))
    #expect(
      Dictionary(uniqueKeysWithValues: zip(kinds.vocabulary.strings, rows))
        == ["a": 1, "b": 3, "c": 3, "d": 2, "other": 5])
  }

  /// The size and the text have columns that cannot be shared.
  @Test(
    arguments: [
      (nil, ["b", "c", "d", "other"]), (4, ["b", "c", "d", "other"]), (3, ["b", "c", "other"]),
      (2, ["b", "other"]),
      (1, ["b", "c", "d", "other"]), (0, ["b", "c", "d", "other"]),
    ] as [(Int?, [String])])
  func `words share columns until all columns fit, unless they cannot fit`(columns: Int?, words: [String])
    throws
  {
    let fixture = try Self.fixture()
    func space(_ most: Int?) throws -> FeatureSpace {
      FeatureSpace(
        try #require(fixture.pipeline.model), fixture.pipeline, try fixture.snapshot(), mostColumns: most)
    }
    let others = try space(nil).columns.count - 4
    let found = try space(columns.map { $0 + others }).columns.filter { $0.hasPrefix("kind=") }
    #expect(found == words.map { "kind=" + $0 })
  }

  @Test(arguments: [UserModel.MissingCategory.baseline, .mean])
  func `a score is the base and the contributions of all columns`(missing: UserModel.MissingCategory) throws {
    let fixture = try Self.fixture()
    let space = FeatureSpace(
      try #require(fixture.pipeline.model), fixture.pipeline, try fixture.snapshot())
    var model = UserModel(
      observations: 1, base: 0.5, intercept: 0, residualSumOfSquares: 0,
      terms: space.columns.indices.map {
        .init(column: UInt32($0), coefficient: Double($0 % 7) - 2.75, mean: Double($0 % 5) / 4 + 0.125)
      })
    model.missingCategory = missing
    // The columns of a text have its name and their number.
    let texts = try #require(space.features.last)
    #expect(texts.name == "bio" && texts.width > 1 && texts.columns.upperBound == space.columns.count)
    #expect(Array(space.columns[texts.columns]) == (0..<texts.width).map { "bio#\($0)" })
    let scorer = Scorer(model, of: 0, in: space)
    for candidate in 0..<6 {
      var row = [Double](repeating: 0, count: space.columns.count)
      space.fill(&row, user: 0, candidate: candidate, distance: .nan, learningFrom: nil)
      let expected = zip(model.terms, row).reduce(0.5) { sum, column in
        let (term, value) = column
        guard value.isNaN else { return sum + term.coefficient * (value - term.mean) }
        let isWord = space.columns[Int(term.column)].hasPrefix("kind=")
        return isWord && missing == .baseline ? sum - term.coefficient * term.mean : sum
      }
      // Sums of different order differ by rounding alone.
      #expect(abs(scorer.score(candidate: candidate, distance: .nan) - expected) < 1e-9, "\(candidate)")
    }
  }

  @Test(
    arguments: [
      (.array([1, 2]), true), (.array([1]), false), (.array([1, 2, 3]), false), (.array([1, "x"]), false),
      ("x", false),
    ] as [(JSONValue, Bool)])
  func `bounds are two numbers`(json: JSONValue, isValid: Bool) {
    #expect(NumberBounds(json) == (isValid ? NumberBounds(low: 1, high: 2) : nil))
  }

  @Test func `the values beyond the bounds of both sides are counted`() {
    var (form, feature) = (LearnedForm(), LearnedForm.Feature())
    (feature.candidates, feature.users) = (NumberBounds(low: 0, high: 1), NumberBounds(low: 2, high: 3))
    feature.candidates?.beyond = 5
    feature.users?.beyond = 7
    form.features["difference"] = feature
    #expect(form.json["bounds"]?["difference"]?["beyond"] == 12)
  }
}
