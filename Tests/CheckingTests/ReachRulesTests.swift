import Columns
import Ingest
import IngestFixture
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Checking

/// The rules of a ranking that the report on candidates in reach applies, and the rules that it leaves out.
struct ReachRulesTests {
  private static let rules = [
    "all": "exclude: []", "both": "exclude: [self, busy]", "busy": "exclude: [busy]",
    "each": "exclude: []", "fans": "exclude: [], only: [{ fans: { at_least: 9 } }]",
    "known": "exclude: [interacted]", "others": "exclude: [self]",
    "walkers": "exclude: [], for: { role: [walker] }",
    "young": "exclude: [], only: [{ age: { at_most: 5 } }]",
  ]

  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    privacy: { snap_positions_to: 12 }
    entities:
      people:
        source: { path: people.jsonl }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { reach: { type: number }, role: { type: category } }
      dogs:
        source: { path: dogs.jsonl }
        id: id
        owner: { from: of, entity: people }
        position: { latitude: lat, longitude: lon }
        attributes: { range: { type: number }, age: { type: number }, busy: { type: flag } }
    interactions:
      likes:
        source: { path: likes.jsonl }
        user: { from: a, entity: people }
        candidate: { from: d, entity: dogs }
        at: t
        value: v
    computed: { dogs: { fans: { count_of: likes } } }
    rankings:
    \(rankings)
    """

  private static let rankings: String = rules.keys.sorted().map { name -> String in
    let own = "within_km: { from: reach, default: 30 }, within_candidates_km: range"
    let radius = name == "each" ? own : "within_km: 30"
    let rule = rules[name] ?? ""
    return "  \(name): { users: people, candidates: dogs, \(radius), \(rule), order_by: distance }"
  }.joined(separator: "\n")

  /// Three dogs are within 30 km of `a` and `b`, and the owner of the last dog is far away from all dogs.
  private static let dogs = """
    {"id":"x","of":"a","lat":52,"lon":8,"range":1,"age":3,"busy":false}
    {"id":"y","of":"b","lat":52.1,"lon":8,"range":1,"age":7,"busy":true}
    {"id":"z","of":"a","lat":52.2,"lon":8,"range":1,"age":9,"busy":false}
    {"id":"w","of":"c","lat":60,"lon":8,"range":1,"age":1,"busy":false}

    """

  private static let people = """
    {"id":"a","lat":52,"lon":8,"reach":1,"role":"walker"}
    {"id":"b","lat":52,"lon":8,"reach":100,"role":"walker"}
    {"id":"c","lat":10,"lon":8,"role":"owner"}
    {"id":"d","role":"walker"}

    """

  private static func night(_ people: String) throws -> Night {
    try Night(
      yaml,
      [
        "people.jsonl": people, "dogs.jsonl": dogs,
        "likes.jsonl": "{\"a\":\"a\",\"d\":\"y\",\"t\":1,\"v\":1}\n",
      ])
  }

  @Test func `rules on entities apply, and rules on interactions and own radii do not`() throws {
    let night = try Self.night(Self.people)
    let reach = DataCheck(night.pipeline, asOf: nil, clock: Night.clock, previous: nil).report.reach
    let found = reach.map {
      "\($0.ranking): \($0.withNone) \($0.tenthPercentile) \($0.median) \($0.ninetiethPercentile)"
    }
    #expect(
      found == [
        "all: 1 0 3 3", "both: 2 0 0 2", "busy: 1 0 2 2", "each: 1 0 3 3", "fans: 1 0 3 3", "known: 1 0 3 3",
        "others: 1 0 1 2", "walkers: 0 3 3 3", "young: 1 0 1 1",
      ])
    #expect(reach.map(\.users) == [3, 3, 3, 3, 3, 3, 3, 2, 3])
    #expect(reach.map(\.sampled) == reach.map(\.users))
    #expect(reach.allSatisfy { $0.withoutPosition == 1 && $0.kilometers == 30 })
  }

  /// Such lists have only the candidates who wait for an answer.
  @Test func `a ranking of pending likes is not reported`() throws {
    let night = try Self.night(Self.people)
    var pipeline = night.pipeline
    let all = DataCheck(pipeline, asOf: nil, clock: Night.clock, previous: nil).report.reach
    let place = try #require(pipeline.rankings.firstIndex { $0.name == "both" })
    pipeline.rankings[place].pending = .likes("likes")
    let report = DataCheck(pipeline, asOf: nil, clock: Night.clock, previous: nil).report
    #expect(report.problems == [])
    #expect(report.reach.map(\.ranking) == all.map(\.ranking).filter { $0 != "both" })
    #expect(all.contains { $0.ranking == "both" })
    // The exports must exist until here.
    withExtendedLifetime(night) {}
  }

  /// All people are in one cell, and the dogs are in four cells.
  @Test(arguments: [(1001, 4, 1001), (1001, 3, 1000), (1000, 3, 1000), (999, 0, 999)])
  func `users are sampled only if there are too many pairs and too many users`(
    people: Int, exactLimit: Int, sampled: Int
  ) throws {
    let lines = (0..<people).map {
      "{\"id\":\"p\($0)\",\"lat\":52,\"lon\":8,\"reach\":1,\"role\":\"walker\"}\n"
    }
    let owners = ["a", "b", "c"].map { "{\"id\":\"\($0)\",\"role\":\"owner\"}\n" }
    let night = try Self.night((owners + lines).joined())
    let exports = try IngestedExports(night.pipeline, asOf: nil, clock: Night.clock) { throw $1 }
    let ranking = try #require(night.pipeline.rankings.first { $0.name == "walkers" })
    let found = CandidatesInReach.report(
      on: ranking, night.pipeline, exports.snapshot(of: night.pipeline.entitiesWithRadius),
      exactLimit: exactLimit)
    let reach = try #require(found)
    #expect(reach.users == people && reach.sampled == sampled && reach.withoutPosition == 0)
    #expect(reach.withNone == 0 && reach.tenthPercentile == 3 && reach.ninetiethPercentile == 3)
  }

  @Test func `the owners of users and candidates are read too`() throws {
    func entities(_ ranking: String) throws -> Set<String> {
      let yaml = """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          owners: { source: { path: o.csv }, id: id }
          others: { source: { path: x.csv }, id: id }
          people: { source: { path: p.csv }, id: id, position: { latitude: lat, longitude: lon } }
          dogs:
            source: { path: d.csv }
            id: id
            owner: { from: of, entity: owners }
            position: { latitude: lat, longitude: lon }
        rankings:
          near: \(ranking)
        """
      return try Pipeline(yaml: yaml, file: "p.yaml").entitiesWithRadius
    }
    let near = "{ users: people, candidates: dogs, within_km: 30, order_by: distance }"
    #expect(try entities(near) == ["people", "dogs", "owners"])
    #expect(try entities("{ users: dogs, candidates: people, within_km: 30, order_by: distance }").count == 3)
    #expect(try entities(near.replacing("within_km: 30, ", with: "")) == [])
  }
}
