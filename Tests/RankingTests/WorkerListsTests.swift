import Columns
import Concurrency
import Files
import Foundation
import Geohash
import PipelineFile
import RunSchemas
import Search
import StageFixture
import Testing
import Text

@testable import Ranking

/// Lists per word, in several orders, with conditions and with radii of users and candidates. The
/// tests compare them with a full sort of all pairs.
@Suite struct WorkerListsTests {
  /// A line with a list per word, or with one list.
  private struct Line: Decodable {
    struct List: Decodable {
      struct Entry: Decodable {
        struct Shown: Decodable {
          var rating: Double?
          var reviews: Double?
          var free: [[String: String]]?
        }

        var rank: Int
        var candidate: String
        var score: Double?
        var distance_km: Double?
        var shown: Shown?
      }

      var recommendations: [Entry]
      var shortfall: String?
    }

    var user: String
    var lists: [String: List]?
    var recommendations: [List.Entry]?
    var shortfall: String?
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var ranking: String
    var perTrade = true
    var within: Double?
    var usesReach = false
    var usesRadius = false
    var only: Set<String> = []
    /// The names of the sort keys, and whether larger values come first.
    var keys: [(name: String, isDescending: Bool)] = []
    var top = 3
  }

  static let cases = [
    Case(
      testDescription: "the nearest per trade",
      ranking:
        "within_km: 30, within_candidates_km: radius, per: trade, only: [active], free_within: 7d, exclude: [self], order_by: distance, top: 3, show: [rating, reviews, free]",
      within: 30, usesRadius: true, only: ["active", "free", "self"]),
    Case(
      testDescription: "the cheapest, each in their own radius",
      ranking:
        "within_km: { from: reach, default: 15 }, per: trade, exclude: [self], order_by: [price asc, distance], top: 3, show: [rating]",
      within: 15, usesReach: true, only: ["self"], keys: [("price", false)]),
    Case(
      testDescription: "the best rated of all trades",
      ranking:
        "within_km: 25, order_by: [rating desc, reviews desc, price desc], top: 5, show: [rating, reviews]",
      perTrade: false, within: 25, keys: [("rating", true), ("reviews", true), ("price", true)], top: 5),
    Case(
      testDescription: "everywhere, but where workers do not come",
      ranking:
        "within_candidates_km: radius, per: trade, only: [{ skills: [a, zzz] }, { trade: [car, electrics] }], order_by: [newest, price], top: 4",
      usesRadius: true, only: ["skills", "trade"], keys: [("created", true), ("price", false)], top: 4),
    Case(
      testDescription: "distance before price",
      ranking: "within_km: 40, order_by: [distance, price desc], top: 6", perTrade: false, within: 40,
      keys: [("distance", false), ("price", true)], top: 6),
    Case(
      testDescription: "the newest per trade", ranking: "within_km: 40, per: trade, order_by: newest, top: 2",
      within: 40, keys: [("created", true)], top: 2),
  ]

  @Test(arguments: cases, 0..<5 as Range<UInt64>)
  func `lists equal a full sort`(example: Case, seed: UInt64) throws {
    let world = WorkerWorld(seed: seed)
    let fixture = try StageFixture(
      yaml: WorkerWorld.yaml("  list: { users: customers, candidates: workers, \(example.ranking) }"),
      files: world.files)
    let manifest = try #require(
      try fixture.runStages(threads: 3, asOf: Instant(milliseconds: WorkerWorld.asOf))["rankings"])
    #expect(manifest.counts["search"] == ["list": "scan"])
    let oracle = try Oracle(world, fixture, example)
    let lines = try fixture.bytes("rankings/list/part-00000.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { try JSONDecoder().decode(Line.self, from: $0) }
    #expect(lines.map(\.user) == world.customers.map(\.id))
    var listed = 0
    let ratings = world.ratings
    for (user, line) in lines.enumerated() {
      let words = example.perTrade ? Set(world.workers.compactMap(\.trade)) : []
      #expect(Set(line.lists.map { Array($0.keys) } ?? []) == words)
      for word in example.perTrade ? words.map(Optional.some) : [nil] {
        let list =
          word.flatMap { line.lists?[$0] }
          ?? Line.List(recommendations: line.recommendations ?? [], shortfall: line.shortfall)
        let expected = oracle.list(of: user, word: word)
        #expect(
          list.recommendations.map(\.candidate) == expected.map { world.workers[$0].id }, "\(word ?? "")")
        #expect(list.recommendations.map(\.rank) == Array(1..<expected.count + 1))
        #expect((list.shortfall == nil) == (expected.count == example.top))
        #expect(list.recommendations.allSatisfy { $0.score == nil })
        for (entry, worker) in zip(list.recommendations, expected) where example.ranking.contains("show:") {
          let (shown, rating) = (entry.shown?.rating ?? .nan, ratings[worker] ?? .nan)
          #expect(abs(shown - rating) < 1e-12)
          if example.ranking.contains("free]") {
            #expect(entry.shown?.free?.count == world.workers[worker].slots.count)
          }
        }
        listed += expected.count
      }
    }
    #expect(listed > 20)
    let rows = try fixture.rows("rankings/list.csv")
    #expect(rows.count == listed)
    try checkFunnel(fixture, lines.count * world.workers.count, listed: listed)
  }

  /// Every pair must be counted exactly once in the funnel.
  private func checkFunnel(_ fixture: StageFixture, _ pairs: Int, listed: Int) throws {
    let funnel = try JSONDecoder().decode(JSONValue.self, from: fixture.bytes("rankings/funnel.json"))
    let counts = try #require(funnel["list"]?["candidates"])
    let excluded = (counts["excluded"]?.members ?? [:]).values.reduce(0) { $0 + ($1.integerValue ?? 0) }
    let others = ["out_of_reach", "not_above_minimum", "beyond_top", "listed"].reduce(0) {
      $0 + (counts[$1]?.integerValue ?? 0)
    }
    #expect(counts["pairs"]?.integerValue == pairs)
    #expect(excluded + others == pairs)
    #expect(counts["listed"]?.integerValue == listed)
  }

  @Test func `lists by score equal one list divided by word`() throws {
    let world = WorkerWorld(seed: 11)
    let fixture = try StageFixture(
      yaml: WorkerWorld.yaml(
        """
          divided: { users: customers, candidates: workers, within_km: 30, per: trade, order_by: score, top: 1000 }
          keyed: { users: customers, candidates: workers, within_km: 30, per: trade, order_by: [score, price], top: 1000 }
          whole: { users: customers, candidates: workers, within_km: 30, only: [{ trade: [car, electrics, 'plumbing "24/7"'] }], order_by: score, top: 1000 }
        """), files: world.files)
    try fixture.runStages(threads: 2)
    func lines(_ name: String) throws -> [Line] {
      try fixture.bytes("rankings/\(name)/part-00000.jsonl").split(separator: UInt8(ascii: "\n"))
        .map { try JSONDecoder().decode(Line.self, from: $0) }
    }
    let trades = Dictionary(uniqueKeysWithValues: world.workers.map { ($0.id, $0.trade) })
    for ((divided, keyed), whole) in zip(zip(try lines("divided"), try lines("keyed")), try lines("whole")) {
      for (word, list) in divided.lists ?? [:] {
        let expected = (whole.recommendations ?? []).filter { trades[$0.candidate] == word }
        #expect(list.recommendations.map(\.candidate) == expected.map(\.candidate))
        #expect(list.recommendations.map(\.score) == expected.map(\.score))
        #expect(keyed.lists?[word]?.recommendations.map(\.score) == expected.map(\.score))
      }
    }
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `both searches apply conditions`(seed: UInt64) throws {
    let world = WorkerWorld(seed: seed, workers: 150)
    let fixture = try StageFixture(
      yaml: WorkerWorld.yaml(
        """
          near: { users: customers, candidates: workers, within_km: 25, only: [active, { skills: a }], free_within: 7d, exclude: [self], order_by: distance, top: 4 }
          liked: { users: customers, candidates: workers, only: [active], free_within: 7d, order_by: score, top: 4 }
        """), files: world.files)
    try fixture.runStages(asOf: Instant(milliseconds: WorkerWorld.asOf))
    let snapshot = try fixture.snapshot()
    for ranking in fixture.pipeline.rankings {
      let scoring = try Recommender.Scoring(ranking, fixture.pipeline, snapshot, run: fixture.run, threads: 2)
      let searches = try [Recommender.Method.scan, .block].map { method in
        try Recommender(
          ranking, fixture.pipeline, snapshot, run: fixture.run, scoring: scoring, method: method)
      }
      for user in world.customers.indices {
        let (scan, block) = (searches[0].search(user: user), searches[1].search(user: user))
        #expect(scan.best.map(\.candidate) == block.best.map(\.candidate))
        #expect(scan.best.map(\.score) == block.best.map(\.score))
        #expect(scan.counts == block.counts)
        #expect(scan.shortfall == block.shortfall)
      }
    }
  }

  @Test func `the number of threads changes no byte`() throws {
    let world = WorkerWorld(seed: 3)
    let files = try [1, 4].map { threads in
      let fixture = try StageFixture(
        yaml: WorkerWorld.yaml(
          "  list: { users: customers, candidates: workers, within_km: 40, per: trade, order_by: score, show: [rating] }"
        ), files: world.files)
      try fixture.runStages(threads: threads)
      return try [
        "models/terms.coefficient.npy", "rankings/list/part-00000.jsonl", "rankings/list.csv",
        "rankings/funnel.json",
      ].map(fixture.bytes)
    }
    #expect(files[0] == files[1])
  }

  @Test func `without workers there are no words`() throws {
    let fixture = try StageFixture(
      yaml: WorkerWorld.yaml(
        "  list: { users: customers, candidates: workers, within_km: 40, per: trade, order_by: [rating desc] }"
      ).replacing(
        "source: { path: workers.csv }",
        with: "source: { path: workers.csv }\n    expect: { rows: { at_least: 0 } }"),
      files: WorkerWorld(seed: 1, workers: 0).files)
    try fixture.runStages()
    let first = try #require(
      try fixture.bytes("rankings/list/part-00000.jsonl").split(separator: UInt8(ascii: "\n")).first)
    #expect(String(decoding: first, as: UTF8.self) == #"{"user":"c100","lists":{}}"#)
    #expect(try fixture.rows("rankings/list.csv").isEmpty)
  }
}

/// A slow second implementation of the rules.
private struct Oracle {
  let world: WorkerWorld
  let example: WorkerListsTests.Case
  /// The positions after snapping, as in the snapshot.
  private let customers: [Coordinate?]
  private let workers: [Coordinate?]
  private let ratings: [Double?]

  init(_ world: WorkerWorld, _ fixture: StageFixture, _ example: WorkerListsTests.Case) throws {
    self.world = world
    ratings = world.ratings
    self.example = example
    let snapshot = try fixture.snapshot()
    func positions(_ name: String) throws -> [Coordinate?] {
      let table = try #require(snapshot.entities[name])
      return zip(table.latitude?.elements ?? [], table.longitude?.elements ?? []).map {
        Coordinate(latitude: $0, longitude: $1)
      }
    }
    customers = try positions("customers")
    workers = try positions("workers")
  }

  private func distance(_ user: Int, _ worker: Int) -> Double {
    guard let from = customers[user], let to = workers[worker] else { return .nan }
    return DistanceOrigin(from).distanceInKilometers(
      toLatitude: to.latitude, longitude: to.longitude,
      cosineOfLatitude: DistanceOrigin.cosine(ofLatitude: to.latitude))
  }

  private func isEligible(_ index: Int, for user: Int, word: String?) -> Bool {
    let worker = world.workers[index]
    let distance = distance(user, index)
    if example.perTrade && worker.trade != word { return false }
    if var radius = example.within {
      if example.usesReach, let own = world.customers[user].reach { radius = own }
      guard distance <= radius else { return false }
    }
    if example.usesRadius, let own = worker.radius, !(distance <= own) { return false }
    if example.only.contains("active") && !worker.isActive { return false }
    if example.only.contains("self") && worker.owner == user { return false }
    if example.only.contains("skills") && !worker.skills.contains("a") { return false }
    if example.only.contains("trade") && !["car", "electrics"].contains(worker.trade) { return false }
    if example.only.contains("free") {
      let (begin, end) = (WorkerWorld.asOf, WorkerWorld.asOf + WorkerWorld.week)
      let isFree = worker.slots.contains { slot in (begin..<end).overlaps(slot) }
      if !isFree { return false }
    }
    return true
  }

  private func value(_ name: String, _ index: Int, _ user: Int) -> Double? {
    switch name {
    case "price": world.workers[index].price
    // The rating is rounded, so equal ratings are equal to the last bit.
    case "rating": ratings[index].map { ($0 * 1e9).rounded() }
    case "reviews": world.reviewCount(index)
    case "created": world.workers[index].created.map(Double.init)
    default: distance(user, index).isNaN ? nil : distance(user, index)
    }
  }

  func list(of user: Int, word: String?) -> [Int] {
    if example.within != nil && customers[user] == nil { return [] }
    let keys = example.keys + [(name: "distance", isDescending: false)]
    return world.workers.indices.filter { isEligible($0, for: user, word: word) }.sorted { left, right in
      for key in keys {
        let (first, second) = (value(key.name, left, user), value(key.name, right, user))
        guard let first, let second else {
          if (first == nil) != (second == nil) { return second == nil }
          continue
        }
        if first != second { return key.isDescending ? first > second : first < second }
      }
      let (first, second) = (mix(user, left), mix(user, right))
      return first != second ? first < second : world.workers[left].id < world.workers[right].id
    }.prefix(example.top).map(\.self)
  }

  private func mix(_ user: Int, _ worker: Int) -> UInt64 {
    let hashes = [world.customers[user].id, world.workers[worker].id].map { Mix64.hash(Array($0.utf8).span) }
    return Mix64.pair(hashes[0], hashes[1], seed: WorkerWorld.seed)
  }
}
