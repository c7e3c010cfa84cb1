import Testing

@testable import PipelineFile

/// Pipeline files in which people choose the precision of their positions. The tests also cover requested
/// lists, sampled pairs, follows, and errors for contradictory settings.
@Suite struct FollowingListTests {
  static let yaml = """
    pipeline: p
    privacy:
      snap_positions_to: { from: shows, at_most: 7, words: { street: 7, postcode: 6, town: 5 } }
    entities:
      people:
        source: { path: p.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes:
          shows: { type: category }
          finest: { type: number }
          genres: { type: tags }
          wanted: { type: tags }
          instrument: { type: category }
      gigs:
        source: { path: g.csv }
        id: id
        owner: { from: by, entity: people }
        position: { latitude: lat, longitude: lon }
        attributes: { genres: { type: tags }, starts: { type: date } }
    interactions:
      follows:
        source: { path: f.csv }
        user: { from: by, entity: people }
        candidate: { from: whom, entity: people }
        at: t
        value: { from: what, map: { y: 1, n: taken_back }, latest: true }
      stars:
        source: { path: s.csv }
        user: { from: by, entity: people }
        candidate: { from: whom, entity: people }
        at: t
        value: { from: stars, range: [1, 5] }
      hires:
        source: { path: h.csv }
        user: { from: gig, entity: gigs }
        candidate: { from: whom, entity: people }
        at: t
        value: { from: what, map: { y: 1 } }
      visits:
        source: { path: v.csv }
        user: { from: by, entity: people }
        candidate: { from: gig, entity: gigs }
        at: t
        value: { from: what, map: { y: 1 } }
    model:
      learns_from: visits
      features: [overlap: genres, follows: follows]
      prior: population
      negatives: { per_positive: 4, value: 0, within_km: 50 }
    rankings:
      genres: { users: people, candidates: people, within_km: 50, per: genres, asked: wanted, exclude: [self], order_by: distance }
      all: { users: people, candidates: people, within_km: 50, all_of: { user: wanted, candidate: genres }, order_by: distance }

    """

  private func changed(_ old: String, _ new: String) -> String {
    precondition(Self.yaml.contains(old), "'\(old)' is not in the file")
    return Self.yaml.replacing(old, with: new, maxReplacements: 1)
  }

  @Test func `every key is read`() throws {
    let file = try pipeline(Self.yaml)
    #expect(file.privacy.snapPrecision == 7)
    #expect(
      file.privacy.choice?.words == ["street": 7, "postcode": 6, "town": 5]
        && file.privacy.choice?.coarsest == 5)
    #expect(
      file.model?.features == [
        .overlap(Pipeline.AttributePair(user: "genres", candidate: "genres")),
        .follows(.owned(by: "follows")),
      ])
    #expect(file.model?.features.last?.names == ["follows_owner"])
    #expect(
      file.model?.negatives
        == Pipeline.Negatives(perPositive: 4, value: 0, reach: Pipeline.Reach(kilometers: 50)))
    let usual = try pipeline(Self.yaml.replacing("per_positive: 4, ", with: ""))
    #expect(usual.model?.negatives?.perPositive == 4)
    let ranking = try #require(file.rankings.first { $0.name == "genres" })
    #expect(ranking.per == "genres" && ranking.asked == "wanted")
    #expect(ranking.exclusions == [.unless(.known("genres")), .oneself, .unasked(user: "wanted")])
    #expect(
      file.rankings.first { $0.name == "all" }?.exclusions == [
        .unwished(Pipeline.Wish(candidate: "genres", relation: .allOf, user: "wanted"))
      ])
  }

  @Test(arguments: [("street", 7), ("postcode", 6), ("town", 5), ("Street", 5), ("", 5), ("planet", 5)])
  func `a known word has its precision, and other words have the coarsest`(word: String, precision: Int)
    throws
  {
    let choice = try #require(try pipeline(Self.yaml).privacy.choice)
    #expect(choice.precision(ofWord: Array(word.utf8)) == precision)
    #expect(choice.precision(ofWord: nil) == 5)
  }

  @Test func `only entities with a position of their own and the attribute choose`() throws {
    let file = try pipeline(Self.yaml)
    let names = file.entities.filter(file.choosesPrecision).map(\.name)
    #expect(names == ["people"])
    #expect(file.coarsestPrecision(of: ["gigs"]) == 7 && file.coarsestPrecision(of: ["gigs", "people"]) == 5)
    var other = file
    other.privacy.choice = nil
    #expect(other.coarsestPrecision(of: ["people"]) == 7)
  }

  @Test func `positions from check-ins have no choice`() throws {
    let stays =
      "check_ins:\n  stays: { source: { path: c.csv }, id: id, at: t, position: { latitude: a, longitude: o }, "
      + "user: { from: w, entity: boats } }\n"
    let boats =
      "  boats: { source: { path: b.csv }, id: id, attributes: { shows: { type: category } } }\ninteractions:"
    let error = try #require(mistake(changed("interactions:", boats) + stays))
    #expect(error.reason.contains("positions of 'boats' come from check-ins"), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:3:"))
    #expect(mistake(changed("interactions:", boats.replacing("shows", with: "show")) + stays) == nil)
  }

  /// A feature can count follows of the candidate itself.
  @Test func `a follow of the candidate has a name of its own`() throws {
    let file = try pipeline(changed("follows: follows]", "follows: visits]"))
    #expect(file.model?.features.last == .follows(.liked(by: "visits")))
    #expect(file.model?.features.last?.names == ["visits_candidate"])
  }

  @Test func `negative samples have each user's own radius`() throws {
    let radius = "within_km: { from: finest, default: 60 }"
    let negatives = try pipeline(changed("value: 0, within_km: 50", radius)).model?.negatives
    let expected = Pipeline.Negatives(
      perPositive: 4, value: 0, reach: Pipeline.Reach(kilometers: 60, attribute: "finest"))
    #expect(negatives == expected)
    let liked = changed("map: { y: 1 } }\nmodel:", "map: { y: 1 }, liked_from: 1 }\nmodel:")
    #expect(mistake(liked) == nil, "a sample with the value 0 is no like")
  }

  @Test(arguments: [
    (-3.0, 1), (0, 1), (0.9, 1), (1, 1), (1.9, 1), (4, 4), (6.99, 6), (7, 7), (8, 7), (12, 7), (1e300, 7),
    (-.infinity, 1), (.infinity, 7), (.nan, 1),
  ])
  func `a number is a precision, and a missing number is the coarsest precision`(
    number: Double, precision: Int
  )
    throws
  {
    let file = try pipeline(
      changed(
        "{ from: shows, at_most: 7, words: { street: 7, postcode: 6, town: 5 } }",
        "{ from: finest, at_most: 7 }"))
    #expect(file.privacy.choice?.precision(ofNumber: number) == precision)
    let least = try pipeline(
      changed(
        "{ from: shows, at_most: 7, words: { street: 7, postcode: 6, town: 5 } }",
        "{ from: finest, at_most: 7, at_least: 5 }"))
    #expect(least.privacy.choice?.precision(ofNumber: number) == max(5, precision))
  }

  struct Mistake: CustomTestStringConvertible, Sendable {
    var old: String
    var new: String
    /// A text that the message must contain.
    var words: String
    var testDescription: String { new }
  }

  @Test(arguments: [
    Mistake(old: "from: shows,", new: "from: finest,", words: "names 'finest', but no entity"),
    Mistake(old: "from: shows,", new: "from: show,", words: "has a category attribute of this name"),
    Mistake(
      old: "{ from: shows, at_most: 7, words: { street: 7, postcode: 6, town: 5 } }",
      new: "{ from: shows, at_most: 7 }", words: "has a number attribute of this name"),
    Mistake(old: "at_most: 7,", new: "at_most: 7, at_least: 5,", words: "is only for numbers"),
    Mistake(old: "at_most: 7,", new: "at_most: 13,", words: "at_most"),
    Mistake(old: "at_most: 7,", new: "at_most: 6,", words: "street"),
    Mistake(old: "town: 5 }", new: "town: 0 }", words: "town"),
    Mistake(old: "words: { street: 7, postcode: 6, town: 5 }", new: "words: {}", words: "names no word"),
    // A radius must have at least five diagonals of the coarsest cells that a person may choose.
    Mistake(old: "town: 5 }", new: "town: 4 }", words: "precision 4"),
    Mistake(
      old: "{ from: shows, at_most: 7, words: { street: 7, postcode: 6, town: 5 } }",
      new: "{ from: finest, at_most: 7, at_least: 4 }", words: "precision 4"),
    Mistake(
      old: "{ from: shows, at_most: 7, words: { street: 7, postcode: 6, town: 5 } }",
      new: "{ from: finest, at_most: 5, at_least: 6 }", words: "at_least"),
    Mistake(old: "per: genres, asked: wanted", new: "asked: wanted", words: "needs 'per'"),
    Mistake(old: "asked: wanted", new: "asked: instrument", words: "tags attribute 'instrument' of 'people'"),
    Mistake(old: "asked: wanted", new: "asked: wnated", words: "'wanted'"),
    Mistake(old: "per: genres", new: "per: finest", words: "category or tags attribute 'finest' of 'people'"),
    Mistake(
      old: "{ user: wanted, candidate", new: "{ user: instrument, candidate",
      words: "tags attribute 'instrument' of 'people'"),
    Mistake(
      old: "candidate: genres }", new: "candidate: shows }", words: "tags attribute 'shows' of 'people'"),
    Mistake(old: "{ user: wanted, candidate: genres }", new: "{ user: wanted }", words: "'candidate'"),
    Mistake(old: "{ user: wanted, candidate: genres }", new: "wanted", words: "all_of"),
    Mistake(old: "follows: follows]", new: "follows: hires]", words: "goes from 'gigs' to 'people'"),
    Mistake(old: "follows: follows]", new: "follows: stars]", words: "needs likes"),
    Mistake(old: "follows: follows]", new: "follows: follow]", words: "'follows'"),
    Mistake(old: "follows: follows]", new: "follows: follows, follows: follows]", words: "repeats"),
    Mistake(old: "follows: follows]", new: "follows]", words: "needs a value"),
    Mistake(old: "learns_from: visits", new: "learns_from: stars", words: "needs likes"),
    Mistake(old: "per_positive: 4", new: "per_positive: 0", words: "per_positive"),
    Mistake(old: "per_positive: 4", new: "per_positive: 101", words: "per_positive"),
    Mistake(old: "per_positive: 4", new: "per_positives: 4", words: "'per_positive'"),
    Mistake(old: "value: 0, within_km: 50", new: "value: none, within_km: 50", words: "value"),
    Mistake(old: "value: 0, within_km: 50", new: "value: 0, within_km: 5", words: "five diagonals"),
    Mistake(
      old: "value: 0, within_km: 50", new: "value: 0, within_km: { from: instrument, default: 50 }",
      words: "instrument"),
    Mistake(
      old: "overlap: genres,", new: "overlap: genres, received_like_rate,",
      words: "does not count the sampled negatives"
    ),
    Mistake(
      old: "map: { y: 1 } }\nmodel:", new: "map: { y: 1 }, liked_from: 0 }\nmodel:",
      words: "must not count as likes"),
  ])
  func `a contradiction is reported on its line`(mistake example: Mistake) throws {
    let error = try #require(mistake(changed(example.old, example.new)), "\(example.new) was taken")
    #expect("\(error)".contains(example.words), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:"))
  }
}
