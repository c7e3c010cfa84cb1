import Foundation
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Features

/// People who like companies, and companies that answer. The attributes cover every kind of
/// feature.
private struct Market {
  let fixture: StageFixture
  let space: FeatureSpace
  let people: EntityTable
  let companies: EntityTable

  // `likes` go from people to companies, and `answers` go from companies to people.
  init(_ features: String, learnsFrom kind: String = "likes", people rows: String? = nil) throws {
    fixture = try StageFixture(
      yaml: """
        pipeline: market
        as_of: newest
        plausible: [1, 9999]
        privacy: { snap_positions_to: 7 }
        entities:
          people:
            source: { path: people.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes:
              { trade: { type: category }, age: { type: number }, wage: { type: number }, bio: { type: text } }
          companies:
            source: { path: companies.csv }
            id: id
            attributes: { trade: { type: category }, wage: { type: number } }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: a, entity: people }
            candidate: { from: b, entity: companies }
            at: at
            value: value
          answers:
            source: { path: answers.csv }
            user: { from: a, entity: companies }
            candidate: { from: b, entity: people }
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
        "people.csv": rows
          ?? """
          id,lat,lon,trade,age,wage,bio
          ann,48.1,11.5,smith,30,10,Iron. IRON and steel
          bob,,,tailor,40,,"silk, and wool"
          cid,48.1,11.6,,,30,
          dee,-33.9,151.2,smith,20,20,"!?"

          """,
        "companies.csv": "id,trade,wage\nacme,tailor,25\nbolt,baker,\nclay,smith,10\ndust,,5\n",
        // Times are in milliseconds since 1970-01-01. One day has 86 400 000 ms.
        "likes.csv": "a,b,at,value\nann,acme,0,1\nann,bolt,86400000,-1\nbob,acme,0,1\n",
        "answers.csv": "a,b,at,value\nacme,ann,864000000,1\nacme,bob,864000000,-1\nclay,ann,0,1\n",
        "views.csv": "a,b,at,value\nann,bob,172800000,1\ndee,bob,864000000,1\n",
      ])
    try fixture.runStages()
    let snapshot = try fixture.snapshot()
    space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    people = try #require(snapshot.entities["people"])
    companies = try #require(snapshot.entities["companies"])
  }

  /// Returns the values of all columns for a user and a candidate.
  func row(_ user: Int, _ candidate: Int) -> [Double] {
    var row = [Double](repeating: -1, count: space.columns.count)
    space.fill(&row, user: user, candidate: candidate, distance: .nan, learningFrom: nil)
    return row
  }
}

/// Compares two rows. Two missing values are equal.
private func isSame(_ left: [Double], _ right: [Double]) -> Bool {
  left.count == right.count && zip(left, right).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) }
}

struct FeatureValuesTests {
  @Test func `equal words of two vocabularies count as the same word`() throws {
    let market = try Market("same: trade")
    #expect(market.space.columns == ["same_trade"])
    // ann and clay have the trade smith. No person has the trade baker. dust has no trade.
    #expect(isSame((0..<4).map { market.row(0, $0)[0] }, [0, 0, 1, .nan]))
    #expect(isSame((0..<4).map { market.row(1, $0)[0] }, [1, 0, 0, .nan]))
    #expect(isSame((0..<4).map { market.row(2, $0)[0] }, [.nan, .nan, .nan, .nan]))
  }

  @Test func `differences have no sign unless they are signed`() throws {
    let market = try Market(
      "difference: { user: wage, candidate: wage, signed: true }, difference: { user: age, candidate: wage }")
    #expect(market.space.columns == ["difference_wage", "difference_age_wage"])
    #expect(isSame(market.row(0, 0), [15, 5]))
    #expect(isSame(market.row(0, 2), [0, 20]))
    #expect(isSame(market.row(3, 2), [-10, 10]))
    #expect(isSame(market.row(0, 1), [.nan, .nan]), "the wage of bolt is missing")
    #expect(isSame(market.row(1, 0), [.nan, 15]))
    #expect(isSame(market.row(2, 0), [-5, .nan]))
  }

  @Test func `scores and rows agree for every kind of feature`() throws {
    let market = try Market(
      "same: trade, difference: wage, difference: { user: age, candidate: wage, signed: true }, received_like_rate, activity, recency, number: { from: wage, bins: [10] }"
    )
    let terms = market.space.columns.indices.map {
      UserModel.Term(column: UInt32($0), coefficient: Double($0) - 2.5, mean: 0.25 * Double($0))
    }
    var model = UserModel(
      observations: 1, base: 0.5, intercept: 0, residualSumOfSquares: 0, terms: terms)
    model.missingCategory = .mean
    for user in 0..<4 {
      let scorer = Scorer(model, of: user, in: market.space)
      for candidate in 0..<4 {
        let row = market.row(user, candidate)
        let plain = zip(row, terms).reduce(0.5) {
          $0 + ($1.0.isNaN ? 0 : $1.1.coefficient * ($1.0 - $1.1.mean))
        }
        #expect(abs(scorer.score(candidate: candidate, distance: .nan) - plain) < 1e-12)
      }
    }
  }

  @Test func `bins at given edges have a column each, empty or not`() throws {
    let market = try Market("number: { from: wage, bins: [10, 20.5, 100] }")
    #expect(market.space.columns == ["wage=<10", "wage=[10,20.5)", "wage=[20.5,100)", "wage=>=100"])
    #expect(isSame(market.row(0, 0), [0, 0, 1, 0]))
    #expect(isSame(market.row(0, 1), [.nan, .nan, .nan, .nan]))
    #expect(isSame(market.row(0, 2), [0, 1, 0, 0]), "an edge belongs to the bin above it")
    #expect(isSame(market.row(0, 3), [1, 0, 0, 0]))
  }

  @Test func `a logarithm keeps 0, the sign and missing values`() throws {
    for (value, expected) in [(0, 0), (-0.0, 0), (9, log(10)), (-9, -log(10)), (1e-20, 1e-20)] {
      #expect(SignedLogarithm.of(value) == expected)
    }
    #expect(SignedLogarithm.of(.nan).isNaN && SignedLogarithm.of(1e100) == log(1e100))
    let plain = try Market("number: wage, difference: { user: age, candidate: wage, signed: true }")
    let logarithms = try Market(
      "number: { from: wage, log: true }, difference: { user: age, candidate: wage, signed: true, log: true }"
    )
    #expect(logarithms.space.columns == ["log_wage", "log_difference_age_wage"])
    for candidate in 0..<4 {
      let (row, expected) = (logarithms.row(0, candidate), plain.row(0, candidate))
      // The difference between wage and age, plus the age of user 0, is the wage again.
      let age = expected[0] - expected[1]
      let values = [
        SignedLogarithm.of(expected[0]), SignedLogarithm.of(expected[0]) - SignedLogarithm.of(age),
      ]
      for (value, own) in zip(row, values) {
        #expect(own.isNaN ? value.isNaN : abs(value - own) < 1e-14)
      }
    }
  }

  @Test func `a geohash is the cell of the position`() throws {
    let market = try Market("geohash: { precision: 3 }, geohash: { precision: 1 }", learnsFrom: "answers")
    #expect(market.space.columns == ["geohash=r3g", "geohash=u28", "geohash=r", "geohash=u"])
    #expect(isSame(market.row(0, 0), [0, 1, 0, 1]))
    #expect(isSame(market.row(0, 1), [.nan, .nan, .nan, .nan]))
    #expect(isSame(market.row(0, 3), [1, 0, 1, 0]))
  }

  @Test func `activity and recency cover all the candidate's interactions`() throws {
    let market = try Market("activity, recency", learnsFrom: "answers")
    // The as-of time is on day 10. ann liked twice and viewed once, and her last interaction is on day 2. bob
    // liked once on day 0, and dee viewed once on day 10.
    let expected = [[4.0, 9], [2, 11], [1, .nan], [2, 1]]
    for (candidate, expected) in expected.enumerated() {
      let row = market.row(0, candidate)
      #expect(abs(row[0] - log(expected[0])) < 1e-15)
      #expect(expected[1].isNaN ? row[1].isNaN : abs(row[1] - log(expected[1])) < 1e-15)
    }
  }

  @Test func `a rate of another kind of interaction counts only that kind and is private too`() throws {
    let market = try Market(
      "received_like_rate: { of: views, smoothing: 2, adjusted: false }", learnsFrom: "answers")
    #expect(market.space.columns == ["received_like_rate_views"])
    #expect((0..<4).map { market.row(0, $0)[0] } == [1, 1, 1, 1])
    #expect(market.space.features.allSatisfy { !$0.isPublic })
    var row = [0.0]
    market.space.fill(&row, user: 0, candidate: 1, distance: .nan, learningFrom: 1)
    #expect(row == [1], "the learning row is of another kind, so no interaction is left out")
  }

  @Test func `the popularity by another kind of interaction leaves out no like and is private`() throws {
    let market = try Market(
      "popularity: { of: views }, popularity: { of: views, half_life: 8d }", learnsFrom: "answers")
    #expect(market.space.columns == ["popularity_views", "trend_views"])
    #expect(market.space.features.allSatisfy { !$0.isPublic })
    // ann viewed bob eight days before the as-of time, and dee viewed bob at the as-of time.
    for candidate in 0..<4 {
      let expected = candidate == 1 ? [log(3.0), log(2.5)] : [0, 0]
      for learning in [nil, 0, 1] as [Int?] {
        var row = [-1.0, -1]
        market.space.fill(&row, user: 0, candidate: candidate, distance: .nan, learningFrom: learning)
        #expect(zip(row, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(candidate): \(row)")
      }
    }
  }

  @Test func `reasons name values in words, and each feature is public or private`() throws {
    let market = try Market(
      "number: { from: age, bins: [35] }, geohash: { precision: 2 }, text: bio, activity, recency, same: trade, difference: wage, received_like_rate",
      learnsFrom: "answers")
    let model = UserModel(
      observations: 1, base: 0, intercept: 0, residualSumOfSquares: 0,
      terms: market.space.columns.indices.map {
        UserModel.Term(column: UInt32($0), coefficient: 1, mean: 0.6)
      })
    func names(_ user: Int, _ candidate: Int) -> [String] {
      market.space.reasons(
        Scorer(model, of: user, in: market.space), model: model, user: user, candidate: candidate,
        distance: .nan
      ).map(\.feature)
    }
    #expect(
      names(2, 0) == [
        "age=<35", "geohash=u2", "bio", "activity=high", "recency=long_ago", "same_trade=yes",
        "difference_wage=small", "received_like_rate=high",
      ])
    #expect(
      names(1, 2) == [
        "age", "geohash=u2", "bio", "activity=low", "recency", "same_trade", "difference_wage",
        "received_like_rate=high",
      ])
    #expect(names(2, 1).last == "received_like_rate=low")
    let isPublic = Dictionary(
      market.space.features.map { ($0.name, $0.isPublic) }, uniquingKeysWith: { $1 })
    #expect(
      isPublic == [
        "age": true, "geohash": false, "bio": true, "activity": false, "recency": false, "same_trade": true,
        "difference_wage": true, "received_like_rate": false,
      ])
  }
}
