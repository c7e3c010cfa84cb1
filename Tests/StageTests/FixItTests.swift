import Foundation
import Testing
import TestSupport

/// One run of `pipelines/fixit.yaml`.
private struct FixItRun: Sendable {
  static let pipelineFile = SharedData.repository.appending(path: "pipelines/fixit.yaml").path
  static let exports = SharedData.repository.appending(path: "datasets/fixit").path

  let directory: ScratchDirectory
  let ended: Program.Finished
  private let arguments: [String]

  static let bundled = Result { try FixItRun(exports, untilExit: true) }

  init(_ exports: String, _ others: [String] = [], untilExit: Bool = false) throws {
    directory = try ScratchDirectory(untilExit: untilExit)
    let jobs = ["reviews", "jobs"].flatMap {
      ["--set", "interactions.\($0).source.path=\(exports)/jobs.jsonl"]
    }
    arguments =
      [Self.pipelineFile, "--set", "publish.store=sqlite:" + directory("serving.sqlite")] + jobs
      + ["customers", "workers"].flatMap { ["--set", "entities.\($0).source.path=\(exports)/\($0).jsonl"] }
      + others + ["--work", directory("var")]
    ended = try Program.run("nightjar", ["run"] + arguments)
  }

  func ask(_ verb: String, _ others: [String]) throws -> Program.Finished {
    try Program.run("nightjar", [verb] + arguments + others)
  }

  /// Returns the lists by user and category.
  func lists(_ name: String) throws -> [String: [String: List]] {
    let text = try directory.text("var/fixit/latest/rankings/\(name)/part-00000.jsonl")
    let lines = try text.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    return Dictionary(uniqueKeysWithValues: lines.map { ($0.user, $0.lists) })
  }

  struct Line: Decodable {
    var user: String
    var lists: [String: List]
  }

  struct List: Decodable {
    struct Entry: Decodable {
      struct Shown: Decodable {
        var category: String
        var price: Double?
        var rating: Double?
        var reviews: Double
        var jobs_done: Double
        var active: Bool
        var free: [[String: String]]
      }

      var rank: Int
      var candidate: String
      var score: Double?
      var distance_km: Double
      var shown: Shown
    }

    var recommendations: [Entry]
    var shortfall: String?
  }
}

/// Runs FixIT on the bundled exports and on invalid exports. The lists are compared with a
/// calculation over every pair.
@Suite struct FixItTests {
  private static let categories = [
    "car", "electrics", "furniture", "garden", "locks", "painting", "plumbing",
  ]
  private static let raw = Result { try RawFixIt(in: FixItRun.exports) }
  private static let lists = ["best_rated", "cheapest", "for_you", "nearest"]

  @Test func `the lists equal the rules`() throws {
    let run = try FixItRun.bundled.get()
    try #require(run.ended.ending == .status(0), "\(run.ended.errors)")
    let raw = try Self.raw.get()
    #expect(raw.asOf == 1_794_777_462_000)
    let found = try Dictionary(uniqueKeysWithValues: Self.lists.map { ($0, try run.lists($0)) })
    let ratings = raw.workers.mapValues { raw.rating($0) }
    let offers = Dictionary(grouping: raw.workers.values) { $0.category ?? "" }
    var listed = 0
    // The slow calculation takes too long for all customers, so the test checks every second customer.
    for (number, customer) in raw.customers.keys.sorted().enumerated() where number % 2 == 0 {
      for category in Self.categories {
        let eligible = raw.eligible(for: customer, of: offers[category] ?? [])
        let mixes = Dictionary(
          uniqueKeysWithValues: eligible.map {
            ($0.worker.id, PlainMix.mix(user: customer, candidate: $0.worker.id, seed: 42))
          })
        for name in Self.lists {
          let list = try #require(found[name]?[customer]?[category])
          let got = list.recommendations.map(\.candidate)
          #expect((list.shortfall == nil) == (eligible.count >= 20))
          if name == "for_you" {
            let scores = list.recommendations.map { $0.score ?? .nan }
            #expect(zip(scores, scores.dropFirst()).allSatisfy { $0 >= $1 })
            if eligible.count <= 20 { #expect(Set(got) == Set(eligible.map(\.worker.id))) }
          } else {
            let expected = eligible.sorted {
              Self.precedes($0, $1, name, ratings, mixes)
            }.prefix(20).map(\.worker.id)
            #expect(got == expected, "\(name) of \(category)")
          }
          for entry in list.recommendations {
            let worker = try #require(raw.workers[entry.candidate])
            #expect(entry.shown.price == worker.price)
            #expect(entry.shown.reviews == worker.reviews)
            #expect(entry.shown.rating == ratings[entry.candidate] ?? nil)
            #expect(entry.shown.category == category && entry.shown.active)
            #expect(entry.shown.free.count == worker.slots.count)
          }
          listed += got.count
        }
      }
    }
    #expect(listed > 5_000)
  }

  private static func precedes(
    _ left: (worker: RawFixIt.Worker, distance: Double), _ right: (worker: RawFixIt.Worker, distance: Double),
    _ list: String, _ ratings: [String: Double?], _ mixes: [String: UInt64]
  ) -> Bool {
    var keys: [(Double, Double)] = []
    if list == "cheapest" { keys = [(left.worker.price ?? .infinity, right.worker.price ?? .infinity)] }
    if list == "best_rated" {
      let (first, second) = (ratings[left.worker.id] ?? nil, ratings[right.worker.id] ?? nil)
      keys = [
        (-(first ?? -.infinity), -(second ?? -.infinity)), (-left.worker.reviews, -right.worker.reviews),
      ]
    }
    // The textbook haversine formula differs by a few nanometers, so workers in the same cell are
    // not compared by distance.
    if left.worker.cell != right.worker.cell { keys.append((left.distance, right.distance)) }
    for (first, second) in keys where first != second { return first < second }
    return mixes[left.worker.id] ?? 0 < mixes[right.worker.id] ?? 0
  }

  @Test func `broken rows are reported by rule, and canceled jobs are counted`() throws {
    let run = try FixItRun.bundled.get()
    let raw = try Self.raw.get()
    let manifest = try JSONSerialization.jsonObject(
      with: Data(run.directory.bytes("var/fixit/latest/snapshot/manifest.json")))
    let counts = try #require((manifest as? [String: Any])?["counts"] as? [String: Any])
    let sources = try #require(counts["sources"] as? [String: [String: Any]])
    #expect(sources["reviews"]?["ignored"] as? Int == raw.cancelled)
    let rejected = try #require(sources["reviews"]?["rejected"] as? [String: Int])
    #expect((sources["reviews"] ?? [:]).byRule.values.reduce(0, +) == raw.rejectedJobs)
    #expect(rejected["value_out_of_range"] == 10)
    #expect((sources["workers"]?["rejected"] as? [String: Int])?["bad_intervals"] == 4)
    #expect(sources["workers"]?["kept"] as? Int == raw.workers.count)
    #expect(sources["customers"]?["kept"] as? Int == raw.customers.count)
  }

  @Test func `the commands support lists by word`() throws {
    let run = try FixItRun.bundled.get()
    let found = try run.lists("nearest")
    let users = found.keys.filter { !(found[$0]?["plumbing"]?.recommendations.isEmpty ?? true) }
    let customer = try #require(users.min())
    let first = try #require(found[customer]?["plumbing"]?.recommendations.first)
    let shown = try run.ask("show", ["--user", customer, "--list", "nearest"])
    #expect(shown.ending == .status(0))
    #expect(Self.categories.allSatisfy { shown.output.contains("\n  \($0) ") })
    let one = try run.ask(
      "show", ["--user", customer, "--list", "nearest", "--word", "plumbing", "--top", "1"])
    #expect(one.output.contains("\n  plumbing     1  \(first.candidate) "))
    #expect(!one.output.contains("electrics"))
    let json = try run.ask(
      "show", ["--user", customer, "--list", "nearest", "--word", "plumbing", "--top", "1", "--json"])
    #expect(json.output.contains(#""lists":{"plumbing":{"recommendations":[{"#))
    #expect(json.lines.count == 1 && json.output.contains("\"candidate\":\"\(first.candidate)\""))
    #expect(!json.output.contains(#""electrics":{"#) && !json.output.contains(#""rank":2"#))
    #expect(try run.ask("show", ["--user", customer, "--word", "nothing"]).ending == .status(66))
    #expect(try run.ask("verify", []).output.contains("all equal"))
    let liked = try #require(try run.lists("for_you")[customer]?["plumbing"]?.recommendations.first)
    let explained = try run.ask("explain", ["--user", customer, "--candidate", liked.candidate, "--json"])
    let terms = try #require(
      (try JSONSerialization.jsonObject(with: Data(explained.output.utf8)) as? [String: Any])?["terms"]
        as? [[String: Any]])
    let score = try #require(terms.last?["contribution"] as? Double)
    #expect(score == liked.score)
    #expect(terms.contains { ($0["term"] as? String)?.hasPrefix("rating=") == true })
  }

  @Test func `the model is judged by later reviews`() throws {
    let run = try FixItRun.bundled.get()
    let ended = try Program.run(
      "nightjar-evaluate",
      [
        FixItRun.pipelineFile, "--run-dir", Directory.resolved(run.directory("var/fixit/latest")), "--json",
      ])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let metrics = try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any]
    let rankings = try #require(metrics?["rankings"] as? [String: [String: Any]])
    #expect(Array(rankings.keys) == ["for_you"])
    let decisions = try #require(rankings["for_you"]?["decisions"] as? [String: Int])
    #expect(decisions["likes", default: 0] > 100)
    #expect(decisions["passes", default: 0] > 100)
  }

  private enum Directory {
    static func resolved(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
  }

  // MARK: Invalid exports

  private static func customer(_ id: String, _ latitude: Double, _ longitude: Double) -> String {
    #"{"name":"d/customers/\#(id)","fields":{"location":{"geoPointValue":{"latitude":\#(latitude),"longitude":\#(longitude)}},"createdAt":{"timestampValue":"2026-01-01T00:00:00Z"}}}"#
  }

  private static func worker(_ id: String, _ latitude: Double, account: String = "x") -> String {
    #"{"name":"d/workers/\#(id)","fields":{"account":{"stringValue":"\#(account)"},"category":{"stringValue":"car"},"active":{"booleanValue":true},"location":{"geoPointValue":{"latitude":\#(latitude),"longitude":8}},"freeSlots":{"arrayValue":{"values":[{"mapValue":{"fields":{"from":{"timestampValue":"2026-02-01T00:00:00Z"},"to":{"timestampValue":"2026-02-02T00:00:00Z"}}}}]}},"createdAt":{"timestampValue":"2026-01-01T00:00:00Z"}}}"#
  }

  private func run(_ customers: [String], _ workers: [String], _ jobs: [String] = []) throws -> FixItRun {
    let directory = try ScratchDirectory()
    for (name, lines) in [("customers", customers), ("workers", workers), ("jobs", jobs)] {
      try directory.write(lines.map { $0 + "\n" }.joined(), to: name + ".jsonl")
    }
    let mayBeEmpty = ["customers", "workers"].flatMap {
      ["--set", "entities.\($0).expect.rows.at_least=0"]
    }
    return try FixItRun(directory.path, ["--as-of", "2026-01-31T00:00:00Z"] + mayBeEmpty)
  }

  @Test func `empty tables give empty lists`() throws {
    let run = try run([], [])
    #expect(run.ended.ending == .status(0), "\(run.ended.errors)")
    for list in Self.lists { #expect(try run.lists(list).isEmpty) }
  }

  @Test func `one customer without workers has no words`() throws {
    let run = try run([Self.customer("c", 50, 8)], [])
    #expect(run.ended.ending == .status(0), "\(run.ended.errors)")
    for list in Self.lists { #expect(try run.lists(list)["c"]?.isEmpty == true) }
  }

  @Test func `lists are empty if no worker is in reach or the customer is the only worker`() throws {
    let run = try run(
      [Self.customer("c", 50, 8), Self.customer("d", 10, 8)], [Self.worker("w", 50, account: "c")])
    #expect(run.ended.ending == .status(0), "\(run.ended.errors)")
    for list in Self.lists {
      let lists = try run.lists(list)
      for customer in ["c", "d"] {
        #expect(lists[customer]?["car"]?.recommendations.isEmpty == true)
        #expect(lists[customer]?["car"]?.shortfall == "none_in_radius")
      }
    }
  }

  @Test func `without reviews there is no rating, and the distance decides the order`() throws {
    let run = try run(
      [Self.customer("c", 50, 8)], [Self.worker("v", 50.1), Self.worker("w", 50.05), Self.worker("x", 50.3)])
    #expect(run.ended.ending == .status(0), "\(run.ended.errors)")
    for list in Self.lists {
      let found = try #require(try run.lists(list)["c"]?["car"]?.recommendations)
      #expect(found.map(\.candidate) == ["w", "v"])
      #expect(found.allSatisfy { $0.shown.rating == nil && $0.shown.reviews == 0 })
    }
  }

  @Test func `without valid rows the run fails`() throws {
    let run = try run([Self.customer("c", 91, 8)], [Self.worker("w", 91)])
    #expect(run.ended.ending == .status(65))
    #expect(run.ended.errors.contains("reject"))
  }
}
