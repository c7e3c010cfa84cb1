import Files
import Foundation
import PipelineFile
import RunSchemas
import Search
import StageFixture
import Testing
import Text

@testable import Ranking

/// The choice of the search, the agreement of both searches, and lists of more users than one chunk holds.
@Suite struct SearchMethodTests {
  /// The block search supports one radius for all users, the same candidates for all users, and the orders
  /// `score` and `distance`. There are enough people for it.
  @Test func `rankings that the block search does not support are scanned`() throws {
    let world = RandomExport(seed: 5, people: 80, swipes: 500)
    let rankings: [(name: String, rules: String, search: String)] = [
      ("scored", "within_km: 300, exclude: [self, interacted, vetoed, deleted], order_by: score", "block"),
      ("nearest", "order_by: distance", "block"), ("mutual", "order_by: mutual", "scan"),
      ("discovered", "order_by: discovery", "scan"), ("keyed", "order_by: [experience desc]", "scan"),
      ("reached", "within_km: { from: experience, default: 30 }, order_by: distance", "scan"),
      ("reaching", "within_candidates_km: experience, order_by: distance", "scan"),
      ("pending", "pending: swipes, order_by: distance", "scan"),
      ("liked", "among: swipes, order_by: distance", "scan"),
      ("wished", "wishes: { experience: { at_most: experience } }, order_by: distance", "scan"),
    ]
    let lines = rankings.map { "\n  \($0.name): { users: users, candidates: users, \($0.rules), top: 3 }" }
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[{ number: experience }]", ranking: "    top: 3" + lines.joined()),
      files: world.files)
    let manifest = try #require(try fixture.runStages()["rankings"])
    var expected = ["near": "block"]
    for ranking in rankings { expected[ranking.name] = ranking.search }
    #expect(manifest.counts["search"]?.members.compactMapValues(\.stringValue) == expected)
  }

  /// Some people have no position, some have decided on all people in their radius, and some are alone.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func `both searches give the same lists, counts and reasons for short lists`(seed: UInt64) throws {
    let world = RandomExport(seed: seed, people: 120, swipes: 900, spread: 6)
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(
        features: "[{ number: experience }]",
        ranking:
          "    within_km: 90\n    exclude: [self, interacted, vetoed, deleted]\n    order_by: distance\n    top: 6"
      ), files: world.files)
    try fixture.runStages()
    let snapshot = try fixture.snapshot()
    let results = try [Recommender.Method.scan, .block].map { method in
      let recommender = try Recommender(
        fixture.pipeline.rankings[0], fixture.pipeline, snapshot, run: fixture.run, scoring: .distance,
        method: method)
      return world.people.indices.map { recommender.search(user: $0) }
    }
    #expect(results[0] == results[1])
    let lost = (0..<4).map { rule in results[1].reduce(0) { $0 + ($1.counts?.excluded[rule] ?? 0) } }
    #expect(lost.allSatisfy { $0 > 0 }, "\(lost)")
    let reasons = Set(results[1].compactMap(\.shortfall))
    #expect(reasons == [.noPosition, .noneInRadius, .noneLeft])
    #expect(results[1].contains { $0.shortfall == nil })
  }

  /// One line with a list per word.
  private struct KindsLine: Decodable {
    struct Found: Decodable {
      struct Dog: Decodable { var candidate: String }

      var recommendations: [Dog]
    }

    var user: String
    var lists: [String: Found]
  }

  /// A chunk of the search holds 512 users, in the order of their cells. Users without a position come last.
  @Test func `each of many users gets their own lists`() throws {
    func liked(_ user: Int) -> [Int] {
      if user % 11 == 0 { return [] }
      return user % 5 == 0 ? [user % 7, (user + 1) % 7].sorted() : [user % 7]
    }
    let wishes: [[String]] = [[], ["k0"], ["k1", "k2"], ["k2"]]
    func wanted(_ user: Int) -> [String] { wishes[user % 4] }
    var (people, likes) = ("id,lat,lon,wants\n", "u,c,t,v\n")
    for user in 0..<1100 {
      let place = user % 3 == 0 ? "," : "\(user * 37 % 90),\(user * 53 % 170)"
      people += "p\(1000 + user),\(place),\(wanted(user).joined(separator: ";"))\n"
      for dog in liked(user) { likes += "p\(1000 + user),d\(dog),\(user + 1),1\n" }
    }
    let fixture = try StageFixture(
      yaml: """
        pipeline: p
        as_of: newest
        plausible: [1, 9999]
        entities:
          people:
            source: { path: people.csv }
            id: id
            position: { latitude: lat, longitude: lon }
            attributes: { wants: { type: tags } }
          dogs: { source: { path: dogs.csv }, id: id, attributes: { kind: { type: category } } }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: u, entity: people }
            candidate: { from: c, entity: dogs }
            at: t
            value: v
        rankings:
          own: { users: people, candidates: dogs, among: likes, order_by: distance }
          asked: { users: people, candidates: dogs, per: kind, asked: wants, order_by: distance }
        """,
      files: [
        "people.csv": people, "likes.csv": likes,
        "dogs.csv": "id,kind\n" + (0..<7).map { "d\($0),k\($0 % 3)\n" }.joined(),
      ])
    try fixture.runStages(threads: 3)
    let own = try fixture.list("own").map { [$0.user] + $0.recommendations.map(\.candidate).sorted() }
    #expect(own == (0..<1100).map { user in ["p\(1000 + user)"] + liked(user).map { "d\($0)" } })
    let lines = try fixture.bytes("rankings/asked/part-00000.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { try JSONDecoder().decode(KindsLine.self, from: $0) }
    let asking = (0..<1100).filter { !wanted($0).isEmpty }
    #expect(lines.map(\.user) == asking.map { "p\(1000 + $0)" })
    let dogs = ["k0": ["d0", "d3", "d6"], "k1": ["d1", "d4"], "k2": ["d2", "d5"]]
    for (line, user) in zip(lines, asking) {
      let found = line.lists.mapValues { $0.recommendations.map(\.candidate).sorted() }
      #expect(found == dogs.filter { wanted(user).contains($0.key) }, "\(line.user)")
    }
    let ranking = try #require(fixture.pipeline.rankings.first { $0.name == "own" })
    let recommender = try Recommender(
      ranking, fixture.pipeline, fixture.snapshot(), run: fixture.run, scoring: .distance)
    let all = recommender.searchAll(threads: 2).map { $0.best.map(\.candidate).sorted() }
    #expect(all == (0..<1100).map(liked))
  }
}
