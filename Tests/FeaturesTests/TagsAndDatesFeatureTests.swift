import Concurrency
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features

/// People with hobbies and birthdays, and clubs with themes and founding days.
private func space(
  _ features: String, asOf: Int64 = 946_684_800_000, learnsFrom kind: String = "joins",
  form: LearnedForm? = nil
) throws -> FeatureSpace {
  let fixture = try StageFixture(
    yaml: """
      pipeline: clubs
      as_of: newest
      plausible: [1, 9999]
      entities:
        people:
          source: { path: people.csv }
          id: id
          attributes: { hobbies: { type: tags }, wants: { type: tags }, born: { type: date } }
        clubs:
          source: { path: clubs.csv }
          id: id
          attributes: { hobbies: { type: tags }, themes: { type: tags }, founded: { type: date } }
      interactions:
        joins:
          source: { path: joins.csv }
          user: { from: a, entity: people }
          candidate: { from: b, entity: clubs }
          at: at
          value: value
        views:
          source: { path: views.csv }
          user: { from: a, entity: people }
          candidate: { from: b, entity: people }
          at: at
          value: value
      model:
        learns_from: \(kind)
        features: [\(features)]
      """,
    files: [
      "people.csv": """
      id,hobbies,wants,born
      ann,chess;go;tea,go,1970-01-01
      bob,,chess,1980-01-01T12:00:00Z
      cid,zen;chess,chess,
      dee,go,tea;go,2030-01-01

      """,
      "clubs.csv": """
      id,hobbies,themes,founded
      a,chess;go,abc,1990-01-01
      b,tea;zoo,tea,
      c,,zoo;go;abc,2000-01-01

      """,
      "joins.csv": "a,b,at,value\nann,a,0,1\nbob,b,0,-1\n", "views.csv": "a,b,at,value\nann,bob,0,1\n",
    ])
  try fixture.runStages(asOf: Instant(milliseconds: asOf))
  return FeatureSpace(
    try #require(fixture.pipeline.model), fixture.pipeline, try fixture.snapshot(), form: form)
}

private func row(_ space: FeatureSpace, _ user: Int, _ candidate: Int) -> [Double] {
  var row = [Double](repeating: -1, count: space.columns.count)
  space.fill(&row, user: user, candidate: candidate, distance: .nan, learningFrom: nil)
  return row
}

private func isNear(_ left: Double, _ right: Double) -> Bool {
  left.isNaN ? right.isNaN : abs(left - right) < 1e-12
}

struct TagsAndDatesFeatureTests {
  @Test func `overlap is the Jaccard index of words`() throws {
    let space = try space("overlap: hobbies, overlap: { user: hobbies, candidate: themes }")
    #expect(space.columns == ["overlap_hobbies", "overlap_hobbies_themes"])
    // ann's hobbies are chess, go and tea. The vocabularies differ: no person has zoo, and no club
    // has zen.
    let expected: [[[Double]]] = [
      [[2.0 / 3, 0], [1.0 / 4, 1.0 / 3], [.nan, 1.0 / 5]], [[.nan, .nan], [.nan, .nan], [.nan, .nan]],
      [[1.0 / 3, 0], [0, 0], [.nan, 0]], [[1.0 / 2, 0], [0, 0], [.nan, 1.0 / 3]],
    ]
    for (user, rows) in expected.enumerated() {
      for (club, expected) in rows.enumerated() {
        #expect(zip(row(space, user, club), expected).allSatisfy { isNear($0, $1) }, "\(user), \(club)")
      }
    }
  }

  @Test func `overlap works for one attribute or two`() throws {
    let space = try space(
      "overlap: hobbies, overlap: { user: wants, candidate: hobbies }", learnsFrom: "views")
    #expect(isNear(row(space, 0, 2)[0], 1.0 / 4))
    #expect(isNear(row(space, 0, 0)[0], 1))
    #expect(isNear(row(space, 3, 0)[1], 2.0 / 3))
    #expect(isNear(row(space, 1, 0)[1], 1.0 / 3) && row(space, 1, 1)[1].isNaN)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `overlap equals a calculation with plain sets`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func draw() -> [UInt32] {
      (0..<UInt32(10)).filter { _ in random.nextUnit() < 0.4 }
    }
    let (left, right) = (draw(), draw())
    let union = Set(left).union(right)
    let plain =
      left.isEmpty || right.isEmpty
      ? Double.nan : Double(Set(left).intersection(right).count) / Double(union.count)
    #expect(isNear(CodeSets.overlap(left[...], right[...]), plain))
  }

  @Test func `each tag has a column`() throws {
    let tags = try space("tags: hobbies")
    #expect(tags.columns == ["hobbies=chess", "hobbies=go", "hobbies=tea", "hobbies=zoo"])
    #expect((0..<3).map { row(tags, 0, $0) } == [[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]])
    #expect(tags.form.features["hobbies"]?.words == nil)
  }

  @Test func `a reason names the tag that adds most`() throws {
    let tags = try space("tags: hobbies")
    func reason(_ coefficients: [Double], candidate: Int) -> Reason? {
      let model = UserModel(
        observations: 1, base: 0, intercept: 0, residualSumOfSquares: 0,
        terms: zip(0..., coefficients).map {
          UserModel.Term(column: UInt32($0), coefficient: $1, mean: 0.5)
        })
      return tags.reasons(
        Scorer(model, of: 0, in: tags), model: model, user: 0, candidate: candidate, distance: .nan
      ).first
    }
    // The mean of each column is 0.5, so the tags that a candidate lacks also count.
    #expect(
      reason([1, 3, -2, 0.5], candidate: 0) == Reason(feature: "hobbies=go", contribution: 4 - 1.25))
    #expect(reason([2, 2, 0, 0], candidate: 0)?.feature == "hobbies=chess")
    #expect(reason([1, 1, 1, 1], candidate: 2) == Reason(feature: "hobbies=none", contribution: -2))
    #expect(reason([0, 0, 0, 0], candidate: 0) == Reason(feature: "hobbies", contribution: 0))
  }

  @Test func `rare tags share a column`() throws {
    let tags = try space("tags: { from: themes, at_most_words: 2 }")
    // The tags abc and tea each occur in one learning row, go and zoo in none.
    #expect(tags.columns == ["themes=abc", "themes=tea", "themes=other"])
    #expect((0..<3).map { row(tags, 0, $0) } == [[1, 0, 0], [0, 1, 0], [1, 0, 1]])
    let form = try #require(tags.form.features["themes"])
    #expect(form.words == ["abc", "tea"] && form.sharing == 2)
  }

  /// After an erasure, a space has the tags of the fitted model.
  @Test func `a given form decides the tags`() throws {
    var form = LearnedForm()
    form.features["themes"] = LearnedForm.Feature(words: ["gone", "zoo"])
    let tags = try space("tags: themes", form: form)
    #expect(tags.columns == ["themes=zoo", "themes=other"])
    #expect((0..<3).map { row(tags, 0, $0) } == [[0, 1], [0, 1], [1, 1]])
  }

  @Test func `an age is in years at the as-of time, and is missing before birth`() throws {
    // The as-of time 2000-01-01 is 10 957 days after 1970-01-01.
    let ages = try space("age: born", learnsFrom: "views")
    #expect(ages.columns == ["age_born"])
    let expected = [10_957 / 365.2425, (10_957 - 3652.5) / 365.2425, .nan, .nan]
    for (person, expected) in expected.enumerated() { #expect(isNear(row(ages, 0, person)[0], expected)) }
    // Thirty-one years later, every person with a birth date has an age.
    let later = try space("age: born", asOf: 1_924_992_000_000, learnsFrom: "views")
    #expect(isNear(row(later, 0, 3)[0], 365 / 365.2425))
    #expect(isNear(row(later, 0, 0)[0] - row(ages, 0, 0)[0], (22_280 - 10_957) / 365.2425))
  }

  @Test func `an age is 0 at birth`() throws {
    #expect(row(try space("age: founded"), 0, 2) == [0])
  }

  @Test func `dates differ by years`() throws {
    let clubs = try space("difference: { user: born, candidate: founded }")
    // From 1970-01-01, it is 7305 days to 1990-01-01, and 3652.5 days to 1980-01-01T12:00:00Z.
    #expect(isNear(row(clubs, 0, 0)[0], 7305 / 365.2425))
    #expect(isNear(row(clubs, 1, 0)[0], (7305 - 3652.5) / 365.2425))
    #expect(row(clubs, 0, 1)[0].isNaN && row(clubs, 2, 0)[0].isNaN)
    let signed = try space(
      "difference: { user: born, candidate: born, signed: true }", learnsFrom: "views")
    #expect(isNear(row(signed, 1, 0)[0], -3652.5 / 365.2425))
  }

  @Test func `scores agree with rows, and reasons have words`() throws {
    let space = try space("overlap: hobbies, age: born", learnsFrom: "views")
    let model = UserModel(
      observations: 1, base: 0.5, intercept: 0, residualSumOfSquares: 0,
      terms: [
        UserModel.Term(column: 0, coefficient: 2, mean: 0.3),
        UserModel.Term(column: 1, coefficient: -0.1, mean: 25),
      ])
    let words = [
      ["overlap_hobbies=much", "age_born=high"], ["overlap_hobbies", "age_born=low"],
      ["overlap_hobbies=little", "age_born"],
    ]
    let scorer = Scorer(model, of: 0, in: space)
    for (candidate, words) in words.enumerated() {
      let values = row(space, 0, candidate)
      let plain =
        0.5 + (values[0].isNaN ? 0 : 2 * (values[0] - 0.3)) + (values[1].isNaN ? 0 : -0.1 * (values[1] - 25))
      #expect(isNear(scorer.score(candidate: candidate, distance: .nan), plain))
      let reasons = space.reasons(scorer, model: model, user: 0, candidate: candidate, distance: .nan)
      #expect(reasons.map(\.feature) == words && reasons.allSatisfy { $0.isPublic })
    }
  }
}
