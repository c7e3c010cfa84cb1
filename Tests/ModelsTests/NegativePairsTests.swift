import Columns
import Concurrency
import Features
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Models

/// Compares the drawn pairs with the documented rule, which the test applies to all pairs in loops.
@Suite struct NegativePairsTests {
  private static func yaml(_ negatives: String) -> String {
    """
    pipeline: drawn
    as_of: newest
    plausible: [1, 9999]
    seed: 11
    privacy: { snap_positions_to: 6 }
    entities:
      people:
        source: { path: people.csv }
        id: id
        position: { latitude: lat, longitude: lng }
        attributes: { limit: { type: number } }
    interactions: { likes: { source: { path: likes.csv }, user: a, candidate: b, at: at, value: v } }
    model: { learns_from: likes, features: [distance, { number: limit }], negatives: \(negatives) }
    rankings: { near: { users: people, candidates: people, order_by: distance, top: 3 } }
    """
  }

  /// Forty people along a meridian. One in nine has no position, and a few have no like.
  private static func files(seed: UInt64) -> [String: String] {
    var random = SplitMix64(seed: seed)
    var people = "id,lat,lng,limit\n"
    for index in 0..<40 {
      let place = index % 9 == 8 ? "," : "\(50 + Double(index / 2) * 0.07),5"
      people += "p\(10 + index),\(place),\(["", "12", "0", "300"][index % 4])\n"
    }
    var likes = "a,b,at,v\n"
    for time in 1...150 {
      let user = Int.random(in: 0..<30, using: &random)
      let candidate = (user + Int.random(in: 1..<40, using: &random)) % 40
      likes +=
        "p\(10 + user),p\(10 + candidate),\(time),\(Int.random(in: 0..<3, using: &random) == 0 ? -1 : 1)\n"
    }
    return ["people.csv": people, "likes.csv": likes]
  }

  enum Reach: Sendable {
    case anywhere
    case fixed(Double)
    /// The user's own limit. If it is missing, the default `orElse` applies.
    case own(orElse: Double)

    func contains(_ distance: Double, limit: Double) -> Bool {
      switch self {
      case .anywhere: true
      case .fixed(let radius): distance <= radius
      case .own(let other): distance <= (limit.isNaN ? other : limit)
      }
    }
  }

  struct Example: Sendable {
    var negatives: String
    var reach: Reach
    var perPositive: Int
    var value: Double
  }

  @Test(
    arguments: [
      Example(negatives: "{ per_positive: 2, value: -2 }", reach: .anywhere, perPositive: 2, value: -2),
      Example(negatives: "{ per_positive: 1, within_km: 40 }", reach: .fixed(40), perPositive: 1, value: 0),
      Example(
        negatives: "{ within_km: { from: limit, default: 25 } }", reach: .own(orElse: 25), perPositive: 4,
        value: 0),
      Example(negatives: "{ per_positive: 100 }", reach: .anywhere, perPositive: 100, value: 0),
    ], 0..<2 as Range<UInt64>)
  func `the learning rows are the interactions and the pairs of the rule`(
    example: Example, seed: UInt64
  ) throws {
    let fixture = try StageFixture(yaml: Self.yaml(example.negatives), files: Self.files(seed: seed))
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    let snapshot = try fixture.snapshot()
    let people = try #require(snapshot.entities["people"])
    let likes = try #require(snapshot.interactions["likes"])
    let model = try #require(fixture.pipeline.models.first)
    let table = try #require(try LearnedTable.read(model, snapshot, run: fixture.run))
    let (ids, positions) = (people.ids.strings, Positions(people))
    let limits = try #require(people.number("limit")).elements
    let hashes = ids.map { Mix64.hash(Array($0.utf8).span) }
    var candidates: [UInt32] = []
    for user in ids.indices {
      let all = likes.range(ofUser: user)
      let met = Set(all.map { likes.candidate[$0] } + [UInt32(user)])
      let inReach = ids.indices.filter { candidate in
        if case .anywhere = example.reach { return true }
        guard let from = positions[user] else { return false }
        let distance = positions.distanceInKilometers(from: DistanceOrigin(from), to: candidate)
        return example.reach.contains(distance, limit: limits[user])
      }
      let own = all.filter { inReach.contains(Int(likes.candidate[$0])) }
      let liked = own.count { likes.value[$0] > 0 }
      let drawn = inReach.map(UInt32.init).filter { !met.contains($0) }
        .sorted {
          let (left, right) = (
            Mix64.pair(hashes[user], hashes[Int($0)], seed: Mix64.finalized(11)),
            Mix64.pair(hashes[user], hashes[Int($1)], seed: Mix64.finalized(11))
          )
          return left < right
        }
        .prefix(liked * example.perPositive).sorted()
      let rows = table.range(ofUser: user)
      #expect(rows.map { table.candidate[$0] } == own.map { likes.candidate[$0] } + drawn, "\(ids[user])")
      #expect(rows.map { table.value[$0] } == own.map { likes.value[$0] } + drawn.map { _ in example.value })
      #expect(rows.map { table.at[$0] } == own.map { likes.at[$0] } + drawn.map { _ in 1000 })
      candidates += rows.map { table.candidate[$0] }
    }
    #expect(candidates.count > 50)
    for candidate in ids.indices {
      let received = table.range(ofCandidate: candidate).map { Int(table.byCandidate[$0]) }
      #expect(received == candidates.indices.filter { candidates[$0] == UInt32(candidate) })
    }
  }

  /// Beyond the radius, the file has only likes. A model that learned from them would prefer far candidates.
  @Test func `without a radius of its own, a model learns within the radius of its rankings`() throws {
    func reach(_ rankings: String, _ negatives: String = "{ per_positive: 4 }") throws -> Pipeline.Reach? {
      let yaml = Self.yaml(negatives).replacing(
        "{ near: { users: people, candidates: people, order_by: distance, top: 3 } }", with: rankings)
      let pipeline = try Pipeline(yaml: yaml, file: "p.yaml")
      let model = try #require(pipeline.models.first)
      return pipeline.reach(of: try #require(model.negatives), model)
    }
    let near = "near: { users: people, candidates: people, within_km: 9, order_by: distance }"
    let best = "best: { users: people, candidates: people, within_km: 30 }"
    let own = "own: { users: people, candidates: people, within_km: { from: limit, default: 30 } }"
    let anywhere = "anywhere: { users: people, candidates: people }"
    #expect(try reach("{ \(near), \(best) }") == Pipeline.Reach(kilometers: 30))
    #expect(try reach("{ \(own) }") == Pipeline.Reach(kilometers: 30, attribute: "limit"))
    #expect(try reach("{ \(best), \(own) }") == nil && reach("{ \(best), \(anywhere) }") == nil)
    #expect(try reach("{ \(near) }") == nil)
    #expect(try reach("{ \(best) }", "{ within_km: 8 }") == Pipeline.Reach(kilometers: 8))
  }

  @Test func `without drawn pairs, the learning rows equal the snapshot's`() throws {
    let yaml = Self.yaml("{ per_positive: 1 }").replacing(", negatives: { per_positive: 1 }", with: "")
    let fixture = try StageFixture(yaml: yaml, files: Self.files(seed: 1))
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    let snapshot = try fixture.snapshot()
    let model = try #require(fixture.pipeline.models.first)
    let table = try #require(try LearnedTable.read(model, snapshot, run: fixture.run))
    #expect(table.count == snapshot.interactions["likes"]?.count)
  }

  /// With two kinds of entities, a candidate whose row has the number of the user's row is not the user.
  @Test func `all candidates of another kind can be drawn`() throws {
    let fixture = try StageFixture(
      yaml: """
        pipeline: drawn
        as_of: newest
        plausible: [1, 9999]
        entities:
          people: { source: { path: people.csv }, id: id }
          items: { source: { path: items.csv }, id: id, attributes: { size: { type: number } } }
        interactions:
          likes:
            source: { path: likes.csv }
            user: { from: a, entity: people }
            candidate: { from: b, entity: items }
            at: at
            value: v
        model: { learns_from: likes, features: [number: size], negatives: { per_positive: 5 } }
        """,
      files: [
        "people.csv": "id\np0\np1\np2\n", "items.csv": "id,size\ni0,1\ni1,2\ni2,3\n",
        "likes.csv": "a,b,at,v\np0,i1,1,1\np1,i1,2,1\np1,i0,3,-1\n",
      ])
    try fixture.runStages(asOf: Instant(milliseconds: 1000))
    let model = try #require(fixture.pipeline.models.first)
    let table = try #require(try LearnedTable.read(model, fixture.snapshot(), run: fixture.run))
    let rows = (0..<3).map { user in table.range(ofUser: user).map { table.candidate[$0] } }
    // The pass of p1 is an interaction too, and p2 likes nothing.
    #expect(rows == [[1, 0, 2], [1, 0, 2], []])
    #expect(table.range(ofUser: 1).map { table.value[$0] } == [1, -1, 0])
  }
}
