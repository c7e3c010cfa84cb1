import Testing

@testable import PipelineFile

/// Workers choose jobs, and owners of jobs choose workers.
private func jobs(_ features: String, precision: Int = 6) -> String {
  """
  pipeline: jobs
  privacy: { snap_positions_to: \(precision) }
  entities:
    workers:
      source: { path: w.csv }
      id: id
      position: { latitude: a, longitude: o }
      attributes: { trade: { type: category }, wage: { type: number }, age: { type: number }, bio: { type: text }, skills: { type: tags }, born: { type: date } }
    jobs:
      source: { path: j.csv }
      id: id
      attributes: { sector: { type: category }, wage: { type: number }, trade: { type: number }, needs: { type: tags }, posted: { type: date } }
    places: { source: { path: p.csv }, id: id }
  interactions:
    applications:
      source: { path: a.csv }
      user: { from: w, entity: workers }
      candidate: { from: j, entity: jobs }
      at: t
      value: v
    offers:
      source: { path: o.csv }
      user: { from: j, entity: jobs }
      candidate: { from: w, entity: workers }
      at: t
      value: v
    views:
      source: { path: v.csv }
      user: { from: w, entity: workers }
      candidate: { from: j, entity: jobs }
      at: t
      value: v
    visits:
      source: { path: s.csv }
      user: { from: w, entity: workers }
      candidate: { from: p, entity: places }
      at: t
      value: v
  model: { learns_from: applications, features: [\(features)] }
  """
}

@Suite struct FeatureTests {
  private func features(_ text: String) throws -> [Pipeline.Feature] {
    try #require(pipeline(jobs(text)).model).features
  }

  @Test func `short and long forms mean the same`() throws {
    let rate = ReceivedLikeRateFeature(
      interaction: "applications", smoothing: 5, isAdjusted: true, isLearnedFrom: true)
    for text in [
      "received_like_rate", "received_like_rate: {}",
      "{ received_like_rate: { smoothing: 5, adjusted: true } }",
      "received_like_rate: { of: applications }",
    ] {
      #expect(try features(text) == [Pipeline.Feature(rate)], "\(text)")
    }
    let popularity = Pipeline.Feature(PopularityFeature(interaction: "applications"))
    for text in ["popularity", "popularity: {}", "popularity: { of: applications }"] {
      #expect(try features(text) == [popularity], "\(text)")
    }
    let wage = Pipeline.AttributePair(user: "wage", candidate: "wage")
    for text in [
      "difference: wage", "difference: { user: wage, candidate: wage }",
      "difference: { user: wage, candidate: wage, signed: false }",
    ] {
      #expect(try features(text) == [.difference(wage, isSigned: false)], "\(text)")
    }
    #expect(try features("number: { from: wage }") == [.number("wage")])
    #expect(try features("number: { from: wage, log: false }") == [.number("wage")])
    #expect(try features("number: { from: wage, bins: 5 }") == [.bins("wage", .count(5))])
  }

  @Test(arguments: [
    ("category: sector", 250), ("category: { from: sector }", 250),
    ("category: { from: sector, at_most_words: 1 }", 1),
    ("category: { from: sector, at_most_words: 100000 }", 100_000),
  ])
  func `a category has separate columns for its most frequent words`(text: String, most: Int) throws {
    let feature = try #require(try features(text).first)
    let category = try #require(feature.kind as? CategoryFeature)
    #expect(category.attribute == "sector" && category.mostWords == most)
  }

  @Test func `tags have separate columns for the most frequent ones`() throws {
    for (text, most) in [("tags: needs", 50), ("tags: { from: needs, at_most_words: 7 }", 7)] {
      let feature = try #require(try features(text).first?.kind as? TagsFeature)
      #expect(feature.attribute == "needs" && feature.mostWords == most)
      #expect(feature.names == ["needs"] && feature.columnStems == ["needs="])
    }
  }

  @Test func `logarithms have names and columns of their own`() throws {
    let wages = try features(
      "number: wage, number: { from: wage, log: true }, difference: wage, "
        + "difference: { user: wage, candidate: wage, log: true }")
    let names = ["wage", "log_wage", "difference_wage", "log_difference_wage"]
    #expect(wages.flatMap(\.names) == names && wages.flatMap { $0.kind.columnStems } == names)
    #expect(DistanceFeature(isLogarithm: true).names == ["log_distance_km"])
  }

  @Test func `each feature has a name and a prefix of its columns`() throws {
    let forJobs = try features("weekday: posted, category: sector, number: wage, age: posted")
    #expect(forJobs.flatMap(\.names) == ["weekday_posted", "sector", "wage", "age_posted"])
    #expect(forJobs.flatMap { $0.kind.columnStems } == ["weekday_posted=", "sector=", "wage", "age_posted"])
    let text =
      "geohash: { precision: 3 }, text: bio, number: { from: wage, bins: 2 }, position, activity, recency"
    let backwards = jobs(text).replacing("learns_from: applications", with: "learns_from: offers")
    let forWorkers = try #require(try pipeline(backwards).model).features
    #expect(
      forWorkers.flatMap(\.names) == [
        "geohash", "bio", "wage", "latitude", "longitude", "activity", "recency",
      ])
    #expect(
      forWorkers.flatMap { $0.kind.columnStems } == [
        "geohash=___", "bio#", "wage=", "latitude", "longitude", "activity", "recency",
      ])
    #expect(DistanceFeature().names == ["distance_km"])
  }

  /// Rare words share a column with the name `other`.
  @Test(arguments: [
    ("u28", true), ("u281", false), ("u2", false), ("o28", false), ("other3", false), ("", false),
  ])
  func `a cell has as many letters as its precision, and no o`(word: String, isOwn: Bool) {
    let cells = GeohashFeature(precision: 3)
    #expect(cells.isOwnWord(word) == isOwn)
    #expect(cells.otherCells == "other3" && cells.formName == "geohash of precision 3")
    let words = CategoryFeature(attribute: "field")
    #expect(words.isOwnWord("Other") && words.isOwnWord("") && !words.isOwnWord("other"))
    #expect(words.formName == "field")
  }

  @Test func `a text has 64 dimensions by default`() throws {
    let backwards = jobs("text: bio, text: bio").replacing("text: bio, text: bio", with: "text: bio")
      .replacing("learns_from: applications", with: "learns_from: offers")
    #expect(try pipeline(backwards).model?.features == [.text("bio", dimensions: 64)])
  }

  @Test func `features of a pair use an attribute of both`() throws {
    #expect(
      try features(
        "same: { user: trade, candidate: sector }, difference: { user: age, candidate: wage }, overlap: { user: skills, candidate: needs }, difference: { user: born, candidate: posted }, age: posted"
      ).flatMap(\.names) == [
        "same_trade_sector", "difference_age_wage", "overlap_skills_needs", "difference_born_posted",
        "age_posted",
      ])
  }

  @Test func `a rate of another kind has the kind in its name and leaves out no interaction`() throws {
    let feature = try #require(try features("received_like_rate: { of: views }").first)
    guard let rate = feature.kind as? ReceivedLikeRateFeature else {
      Issue.record("\(feature)")
      return
    }
    #expect(rate.interaction == "views" && !rate.isLearnedFrom)
    #expect(feature.names == ["received_like_rate_views"])
    #expect(try features("received_like_rate, received_like_rate: { of: views }").count == 2)
  }

  @Test func `a popularity with a half-life is a trend`() throws {
    #expect(
      try features(
        "popularity, popularity: { of: views }, popularity: { half_life: 2w }, popularity: { of: views, half_life: 1d }"
      ).flatMap(\.names) == ["popularity", "popularity_views", "trend", "trend_views"])
    let feature = try #require(try features("popularity: { of: views, half_life: 2w }").first)
    let trend = try #require(feature.kind as? PopularityFeature)
    #expect(trend.halfLife == 14 * 86_400_000 && !trend.isLearnedFrom && trend.interaction == "views")
  }

  @Test(arguments: [
    ("popularity: { of: offers }", "are 'workers', but the candidates of the model are 'jobs'"),
    ("popularity: { half_life: 0d }", "which is zero"), ("popularity: { half_life: 30 }", "a time span"),
    ("popularity: { days: 3 }", "unknown key"), ("popularity: 3d", "must be a mapping"),
    ("popularity, popularity: {}", "repeats an earlier feature"),
    ("popularity: { half_life: 1d }, popularity: { half_life: 2d }", "'trend'"),
    ("same: trade", "unknown category attribute 'trade' of 'jobs'"),
    ("same: sector", "unknown category attribute 'sector' of 'workers'"),
    ("same: { user: trade, candidate: wage }", "unknown category attribute 'wage' of 'jobs'"),
    ("same: { user: trade }", "needs 'candidate'"), ("same: { candidate: sector }", "needs 'user'"),
    ("same: { user: trade, candidate: sector, signed: true }", "unknown key 'signed'"),
    ("same: [trade]", "must be text"), ("same: {}", "needs 'user'"), ("same: null", "must be text"),
    ("difference: age", "unknown number attribute 'age' of 'jobs'"),
    ("difference: { user: born, candidate: wage }", "unknown date attribute 'wage' of 'jobs'"),
    ("difference: { user: wage, candidate: posted }", "unknown number attribute 'posted' of 'jobs'"),
    ("overlap: skills", "unknown tags attribute 'skills' of 'jobs'"),
    ("age: born", "unknown date attribute 'born' of 'jobs'"),
    ("weekday: born", "unknown date attribute 'born' of 'jobs'"), ("weekday", "needs a value"),
    ("category: trade", "unknown category attribute 'trade' of 'jobs'"),
    ("category: { from: sector, most: 2 }", "'most'"),
    ("category: { at_most_words: 2 }", "needs 'from'"),
    ("category: { from: sector, at_most_words: 0 }", "is 0, but must be from 1 to 100000"),
    ("category: { from: sector, at_most_words: 100001 }", "is 100001, but must be from 1 to 100000"),
    ("category: sector, category: { from: sector, at_most_words: 2 }", "'sector='"),
    ("weekday: posted, weekday: posted", "repeats an earlier feature"),
    ("overlap: { user: skills, candidate: sector }", "unknown tags attribute 'sector' of 'jobs'"),
    ("overlap", "needs a value"), ("age: { from: posted }", "must be text"),
    ("difference: { user: age, candidate: sector }", "unknown number attribute 'sector' of 'jobs'"),
    ("difference: { user: age, candidate: wage, signed: yes }", "true or false"),
    ("difference: { user: bio, candidate: wage }", "unknown number or date attribute 'bio' of 'workers'"),
    ("received_like_rate: { of: offers }", "are 'workers', but the candidates of the model are 'jobs'"),
    ("received_like_rate: { of: visits }", "the candidates of the model are 'jobs'"),
    ("received_like_rate: { of: likes }", "unknown kind of interaction"),
    ("received_like_rate: { smoothing: 0 }", "above 0"), ("received_like_rate: { smoothing: -1 }", "above 0"),
    ("received_like_rate: { smoothing: .inf }", "number"),
    ("received_like_rate: { smooth: 1 }", "unknown key"),
    ("received_like_rate: { adjusted: 1 }", "true or false"), ("received_like_rate: 5", "must be a mapping"),
    ("received_like_rate, received_like_rate: {}", "repeats an earlier feature"),
    (
      "received_like_rate, received_like_rate: { smoothing: 9 }",
      "the name 'received_like_rate', which columns of another feature already have"
    ),
    ("difference: wage, difference: { user: wage, candidate: wage, signed: true }", "'difference_wage'"),
    ("number: { from: wage, bins: 5 }, number: { from: wage, bins: [5] }", "'wage='"),
    ("number: { from: sector, bins: 5 }", "unknown number attribute"),
    ("number: { bins: 5 }", "needs 'from'"),
    ("number: { from: wage, bins: 1 }", "2 to 100"), ("number: { from: wage, bins: 101 }", "2 to 100"),
    ("number: { from: wage, bins: 2.5 }", "whole number"), ("number: { from: wage, bins: [] }", "1 to 100"),
    ("number: { from: wage, bins: [5, 5] }", "above the previous edge"),
    ("number: { from: wage, bins: [5, 2] }", "above the previous edge"),
    ("number: { from: wage, bins: [5, a] }", "must be a number"),
    ("number: { from: wage, edges: [5] }", "unknown key 'edges'"),
    ("tags: sector", "unknown tags attribute 'sector' of 'jobs'"),
    ("tags: { from: needs, at_most_words: 251 }", "1 to 250"),
    ("number: { from: wage, bins: 5, log: true }", "has 'bins' and 'log'"),
    ("number: { from: wage, log: 10 }", "true or false"), ("distance: { log: true }", "needs positions"),
    ("geohash: { precision: 4 }", "needs positions, but 'jobs' has none"),
    ("distance", "needs positions, but 'jobs' has none"), ("geohash", "needs a value"),
    ("number", "needs a value"), ("receivedlike_rate", "unknown feature"), ("activities", "unknown feature"),
    ("text: sector", "unknown text attribute 'sector' of 'jobs'"), ("activity: {}", "unknown key 'activity'"),
    ("{ number: wage, same: trade }", "exactly one of these keys"), ("{}", "exactly one of these keys"),
  ])
  func `an invalid feature is rejected on its line`(text: String, reason: String) throws {
    let error = try #require(mistake(jobs(text)), "\(text) was accepted")
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:39:"), "\(error)")
  }

  @Test(arguments: [
    ("geohash: { precision: 7 }", "1 to 6"), ("geohash: { precision: 0 }", "1 to 6"),
    ("geohash: 4", "mapping"),
    ("geohash: {}", "needs 'precision'"), ("text: { from: bio, dimensions: 1 }", "2 to 64"),
    ("text: { from: bio, dimensions: 65 }", "2 to 64"), ("text: { dimensions: 8 }", "needs 'from'"),
    ("text: bio, text: { from: bio, dimensions: 8 }", "'bio#'"),
    ("geohash: { precision: 3 }, geohash: { precision: 3 }", "repeats an earlier feature"),
  ])
  func `an invalid feature of workers is rejected`(text: String, reason: String) throws {
    let yaml = jobs(text).replacing("learns_from: applications", with: "learns_from: offers")
    #expect(try #require(mistake(yaml), "\(text) was accepted").reason.contains(reason))
  }

  @Test func `two geohash precisions are two features`() throws {
    let yaml = jobs("geohash: { precision: 3 }, geohash: { precision: 4 }")
      .replacing("learns_from: applications", with: "learns_from: offers")
    #expect(try pipeline(yaml).model?.features.count == 2)
  }

  @Test(arguments: ["activity", "recency"])
  func `activity needs a kind of interaction by candidates`(word: String) throws {
    #expect(mistake(jobs(word)) == nil)
    let visits = jobs(word).replacing("learns_from: applications", with: "learns_from: visits")
    #expect(try #require(mistake(visits)).reason.contains("interactions by 'places'"))
  }

  @Test func `the error for a misspelled feature contains the nearest name`() throws {
    let word = try #require(mistake(jobs("recieved_like_rate")))
    #expect(word.advice.contains("nearest name is 'received_like_rate'"), "\(word)")
    let key = try #require(mistake(jobs("differance: wage")))
    #expect(key.advice.contains("'difference'"), "\(key)")
  }
}
