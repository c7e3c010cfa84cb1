import RunSchemas
import Testing

@testable import PipelineFile

/// Pipeline files with lists per word, several orders, conditions, radii, values by status and
/// computed attributes.
@Suite struct WorkerListTests {
  static let yaml = """
    pipeline: p
    entities:
      customers:
        source: { path: c.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { reach: { type: number } }
      workers:
        source: { path: w.jsonl }
        id: id
        created: made
        owner: { from: account, entity: customers, optional: true }
        position: { latitude: lat, longitude: lon }
        attributes:
          trade: { type: category }
          skills: { type: tags }
          price: { type: number }
          born: { type: date }
          active: { type: flag }
          free: { type: intervals, from: slots, ends: [begin, end], separator: "|" }
    interactions:
      reviews:
        source: { path: r.csv }
        user: { from: c, entity: customers }
        candidate: { from: w, entity: workers }
        at: t
        value:
          from: status
          map: { done: { from: stars }, no_show: 1, cancelled: ignore }
          range: [1, 5]
          liked_from: 4
    computed:
      workers:
        rating: { shrunken_mean_of: reviews, strength: 5, by: trade }
        jobs: { count_of: reviews }
    model:
      learns_from: reviews
      features: [{ number: rating }, { number: { from: jobs } }, distance]
      prior: population
    rankings:
      best:
        users: customers
        candidates: workers
        within_km: { from: reach, default: 30 }
        within_candidates_km: price
        per: trade
        only: [active, { skills: [pipes, wires] }, { trade: plumbing }]
        free_within: 7d
        exclude: [self]
        order_by: [rating desc, price, score, newest, born asc, distance]
        show: [rating, price]
    publish: { store: "sqlite:x", attributes: { workers: [jobs, free] } }

    """

  private func changed(_ old: String, _ new: String) -> String {
    precondition(Self.yaml.contains(old), "'\(old)' is not in the file")
    return Self.yaml.replacing(old, with: new, maxReplacements: 1)
  }

  @Test func `every key is read`() throws {
    let file = try pipeline(Self.yaml)
    let workers = try #require(file.entity("workers"))
    #expect(workers.owner == Pipeline.Reference(from: "account", entity: "customers", isOptional: true))
    #expect(workers.attribute("free")?.type == .intervals)
    #expect(workers.attribute("free")?.ends == Pipeline.IntervalEnds(begin: "begin", end: "end"))
    #expect(workers.attribute("free")?.separator == "|")
    #expect(
      workers.computed == [
        Pipeline.ComputedAttribute(name: "jobs", interaction: "reviews", measure: .count),
        Pipeline.ComputedAttribute(
          name: "rating", interaction: "reviews", measure: .shrunkenMean(strength: 5, group: "trade")),
      ])
    let value = try #require(file.interaction("reviews")?.value)
    #expect(value.map == ["done": .field("stars"), "no_show": .number(1), "cancelled": .ignored])
    #expect(value.range == 1...5)
    #expect(value.likedFrom == 4)
    #expect(value.knownValues == nil)
    #expect(value.numbers == ["no_show": 1])
    #expect(file.model?.features.prefix(2) == [.number("rating"), .number("jobs")])
    let ranking = try #require(file.rankings.first)
    #expect(ranking.radiusInKilometers == 30)
    #expect(ranking.radiusAttribute == "reach")
    #expect(ranking.candidateRadiusAttribute == "price")
    #expect(ranking.per == "trade")
    #expect(
      ranking.exclusions == [
        .unless(.known("trade")), .unless(.flagged("active")), .unless(.oneOf("skills", ["pipes", "wires"])),
        .unless(.oneOf("trade", ["plumbing"])), .unless(.free("free", within: 7 * 86_400_000)), .oneself,
      ])
    #expect(
      ranking.order
        == .keys([
          .attribute("rating", isDescending: true), .attribute("price", isDescending: false), .score, .newest,
          .attribute("born", isDescending: false),
        ]))
  }

  @Test func `numbers and shown fields include computed attributes`() throws {
    let workers = try #require(try pipeline(Self.yaml).entity("workers"))
    #expect(workers.numberNames == ["jobs", "price", "rating"])
    #expect(workers.shownNames == ["active", "born", "free", "jobs", "price", "rating", "skills", "trade"])
    #expect(workers.computedAttribute("jobs")?.measure == .count && workers.computedAttribute("price") == nil)
    #expect(workers.schema.computed == ["jobs", "rating"] && workers.schema.owner == "customers")
  }

  @Test(
    arguments: [
      ("strength: 0", .shrunkenMean(strength: 0, group: nil)),
      ("strength: 1000000, by: trade", .shrunkenMean(strength: 1_000_000, group: "trade")),
      ("strength: 1000001", nil),
      ("strength: -0.1", nil), ("strength: many", nil), ("strength: 1, count_of: reviews", nil),
    ] as [(String, Pipeline.Measure?)])
  func `a mean has a strength from 0 to a million`(settings: String, measure: Pipeline.Measure?) throws {
    let yaml = changed("strength: 5, by: trade", settings)
    if measure == nil {
      #expect(try #require(mistake(yaml)).reason.contains("computed.workers.rating"))
    } else {
      #expect(try pipeline(yaml).entity("workers")?.computedAttribute("rating")?.measure == measure)
    }
  }

  @Test(arguments: [
    ("[score]", Pipeline.Order.score), ("score", .score), ("[distance]", .distance), ("newest", .newest),
    ("[newest, distance]", .newest), ("[score, distance]", .score),
    ("price", .keys([.attribute("price", isDescending: false)])),
    ("[distance, price desc]", .keys([.distance, .attribute("price", isDescending: true)])),
  ])
  func `an order is stored in its shortest form`(text: String, order: Pipeline.Order) throws {
    let yaml = changed("[rating desc, price, score, newest, born asc, distance]", text)
    #expect(try pipeline(yaml).rankings.first?.order == order)
  }

  @Test func `the attribute of free intervals may be named`() throws {
    let yaml = changed("free_within: 7d", "free_within: { from: free, within: 36h }")
    #expect(
      try pipeline(yaml).rankings.first?.exclusions.contains(.unless(.free("free", within: 129_600_000)))
        == true)
  }

  @Test func `if all rows are ignored, the values are unknown`() throws {
    let yaml = changed("done: { from: stars }, no_show: 1, cancelled: ignore", "gone: ignore")
    #expect(try pipeline(yaml).interaction("reviews")?.value.knownValues == [])
  }

  struct Mistake: CustomTestStringConvertible, Sendable {
    var old: String
    var new: String
    /// A text that the message must contain.
    var words: String
    var testDescription: String { new }
  }

  @Test(arguments: [
    Mistake(old: "per: trade", new: "per: price", words: "of 'workers'"),
    Mistake(old: "per: trade", new: "per: tarde", words: "'trade'"),
    Mistake(old: "only: [active,", new: "only: [actve,", words: "'active'"),
    Mistake(old: "{ trade: plumbing }", new: "{ price: [1] }", words: "at_most"),
    Mistake(old: "{ trade: plumbing }", new: "{ free: [1] }", words: "category, tags, number or date"),
    Mistake(old: "[pipes, wires]", new: "[]", words: "names no word"),
    Mistake(old: "free_within: 7d", new: "free_within: 7", words: "time span"),
    Mistake(old: "free_within: 7d", new: "free_within: { from: born, within: 7d }", words: "intervals"),
    Mistake(
      old: "within_candidates_km: price", new: "within_candidates_km: 5",
      words: "number attribute '5' of 'workers'"),
    Mistake(old: "within_candidates_km: price", new: "within_candidates_km: rating", words: "'rating'"),
    Mistake(old: "{ from: reach, default: 30 }", new: "{ from: reach }", words: "'default'"),
    Mistake(
      old: "{ from: reach, default: 30 }", new: "{ from: price, default: 30 }", words: "Valid here: reach"),
    Mistake(old: "price, score,", new: "price, price desc, score,", words: "occurs twice"),
    Mistake(old: "price, score,", new: "price up, score,", words: "direction"),
    Mistake(old: "price, score,", new: "price, score desc,", words: "a fixed direction"),
    Mistake(old: "price, score,", new: "trade, score,", words: "unknown order key"),
    Mistake(old: "score, newest", new: "scores, newest", words: "'score'"),
    Mistake(old: "    created: made\n", new: "", words: "needs creation times"),
    Mistake(old: "cancelled: ignore", new: "cancelled: ignored", words: "'ignore'"),
    Mistake(old: "no_show: 1,", new: "no_show: 0,", words: "outside the range"),
    Mistake(old: "range: [1, 5]", new: "range: [5, 1]", words: "lower bound"),
    Mistake(old: "liked_from: 4", new: "liked_from: 6", words: "outside the range"),
    Mistake(old: "strength: 5, by: trade", new: "strength: -5, by: trade", words: "strength"),
    Mistake(old: "strength: 5, by: trade", new: "by: trade", words: "'strength'"),
    Mistake(old: "strength: 5, by: trade", new: "strength: 5, by: skills", words: "category"),
    Mistake(old: "shrunken_mean_of: reviews,", new: "shrunken_mean_of: review,", words: "'reviews'"),
    Mistake(old: "jobs: { count_of: reviews }", new: "price: { count_of: reviews }", words: "already"),
    Mistake(
      old: "jobs: { count_of: reviews }", new: "jobs: { count_of: reviews, by: trade }",
      words: "only for 'shrunken_mean_of'"),
    Mistake(old: "jobs: { count_of: reviews }", new: "jobs: {}", words: "count_of"),
    Mistake(old: "  workers:\n    rating", new: "  customers:\n    rating", words: "goes to 'workers'"),
    Mistake(
      old: "{ number: rating }", new: "{ number: { from: rating, bins: 3 } }", words: "Valid here: price"),
    Mistake(old: "ends: [begin, end]", new: "ends: [begin]", words: "two names"),
    Mistake(old: "ends: [begin, end]", new: "ends: [begin, begin]", words: "twice"),
    Mistake(old: "price: { type: number }", new: "price: { type: number, ends: [a, b] }", words: "intervals"),
  ])
  func `a mistake is reported on its line`(mistake example: Mistake) throws {
    let yaml = changed(example.old, example.new)
    let error = try #require(mistake(yaml), "\(example.new) was taken")
    #expect("\(error)".contains(example.words), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:"))
  }

  @Test(arguments: [
    ("features: [{ number: rating }", "features: [received_like_rate"),
    ("features: [{ number: rating }", "features: [{ received_like_rate: { of: reviews } }"),
    ("features: [{ number: rating }", "features: [{ received_like_rate: { smoothing: 2 } }"),
  ])
  func `ratings without a least like have no likes`(old: String, new: String) throws {
    let asked = changed(old, new)
    _ = try pipeline(asked)
    let error = try #require(mistake(asked.replacing("      liked_from: 4\n", with: "")))
    #expect(error.advice.contains("liked_from"), "\(error)")
  }
}
