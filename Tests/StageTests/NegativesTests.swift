import Columns
import Concurrency
import Foundation
import RunSchemas
import Testing
import TestSupport

/// The sampled negatives of a model must be exactly the pairs of the documented rule, and must not
/// affect anything else.
@Suite struct NegativesTests {
  private struct Person {
    var id: String
    var latitude: Double?
    var limit: Double?
  }

  private let scratch: ScratchDirectory
  private let people: [Person]
  /// The follows that are still in force.
  private let follows: Set<[Int]>

  private static let seed: UInt64 = 11

  /// Sixty people along a meridian, some kilometers apart, follow and unfollow each other.
  init() throws {
    scratch = try ScratchDirectory()
    var random = SplitMix64(seed: 3)
    people = (0..<60).map { index in
      Person(
        id: "p\(100 + index)", latitude: index % 9 == 8 ? nil : 50 + Double(index / 2) * 0.05,
        limit: [nil, 12, 0, 300][index % 4])
    }
    var csv = "id,lat,lon,limit\n"
    for person in people {
      let place = person.latitude.map { "\($0),5" } ?? ","
      csv += "\(person.id),\(place),\(person.limit.map { "\($0)" } ?? "")\n"
    }
    try scratch.write(csv, to: "people.csv")
    var log = "by,whom,what,at\n"
    var follows: Set<[Int]> = []
    for second in 0..<260 {
      // One row in five ends a follow.
      let by = Int.random(in: 0..<48, using: &random)
      let whom = (by + Int.random(in: 1..<60, using: &random)) % 60
      let isFollow = second % 5 != 4 || !follows.contains([by, whom])
      log += "\(people[by].id),\(people[whom].id),\(isFollow ? "y" : "n"),\(1000 * second)\n"
      if isFollow { follows.insert([by, whom]) } else { follows.remove([by, whom]) }
      if second % 20 == 7, let pair = follows.sorted(by: { $0.lexicographicallyPrecedes($1) }).first {
        follows.remove(pair)
        log += "\(people[pair[0]].id),\(people[pair[1]].id),n,\(1000 * second + 1)\n"
      }
    }
    self.follows = follows
    try scratch.write(log, to: "follows.csv")
  }

  private func yaml(_ negatives: String, seed: UInt64 = Self.seed) -> String {
    """
    pipeline: tiny
    as_of: newest
    plausible: [1970, 2100]
    seed: \(seed)
    entities:
      people:
        source: { path: people.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { limit: { type: number } }
    interactions:
      follows:
        source: { path: follows.csv }
        user: by
        candidate: whom
        at: at
        value: { from: what, map: { y: 1, n: taken_back }, latest: true }
    computed: { people: { fans: { count_of: follows } } }
    model:
      learns_from: follows
      features: [distance]
      prior: everybody
      \(negatives)
    rankings:
      near: { users: people, candidates: people, exclude: [self, interacted], order_by: distance, show: [fans] }
      best: { users: people, candidates: people, exclude: [self, interacted], top: 60 }

    """
  }

  private func run(_ negatives: String, seed: UInt64 = Self.seed, to name: String) throws -> String {
    try scratch.write(yaml(negatives, seed: seed), to: "tiny.yaml")
    let ended = try Program.run(
      "nightjar",
      [
        "run", scratch("tiny.yaml"), "--work", scratch(name), "--until", "rank", "--as-of",
        "2026-01-01T00:00:00Z",
      ])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return scratch(name + "/tiny/runs/1")
  }

  /// Returns the times and values of the learning rows by user and candidate.
  private func learned(_ run: String) throws -> [[Int]: [Double]] {
    let table = try InteractionTable(run + "/models/learning")
    var rows: [[Int]: [Double]] = [:]
    for row in 0..<table.count {
      let pair = [Int(table.user.elements[row]), Int(table.candidate[row])]
      #expect(
        rows.updateValue([Double(table.at[row]), table.value[row]], forKey: pair) == nil,
        "\(pair) occurs twice")
    }
    return rows
  }

  /// Implements the documented rule. The candidates are all people in reach whom the user does not
  /// follow. For each like, the rule takes a fixed number of candidates, those with the smallest
  /// mix of ids.
  private func expected(perPositive: Int, radius: Double?, seed: UInt64 = Self.seed) -> Set<[Int]> {
    var drawn: Set<[Int]> = []
    for user in people.indices {
      let likes = follows.count { $0[0] == user && isInReach($0[1], of: user, radius) }
      let others = people.indices.filter { other in
        other != user && !follows.contains([user, other]) && isInReach(other, of: user, radius)
      }
      let mixed = others.map {
        (
          PlainMix.mix(
            user: people[user].id, candidate: people[$0].id, seed: PlainMix.spread(seed)), $0
        )
      }.sorted { $0.0 < $1.0 }
      for (_, other) in mixed.prefix(likes * perPositive) { drawn.insert([user, other]) }
    }
    return drawn
  }

  private func isInReach(_ other: Int, of user: Int, _ radius: Double?) -> Bool {
    guard let radius else { return true }
    func cell(_ person: Int) -> PlainGeodesy.Cell? {
      people[person].latitude.map { PlainGeodesy.cell(latitude: $0, longitude: 5, precision: 6) }
    }
    guard let from = cell(user), let to = cell(other) else { return false }
    return PlainGeodesy.kilometers(from, to) <= people[user].limit ?? radius
  }

  @Test(
    arguments: [
      (1, nil, 0.0), (4, nil, -1), (2, 20, 0), (100, 45, 0.25),
    ] as [(Int, Double?, Double)])
  func `sampled pairs follow the rule`(perPositive: Int, radius: Double?, value: Double) throws {
    let within = radius.map { ", within_km: { from: limit, default: \($0) }" } ?? ""
    let run = try run("negatives: { per_positive: \(perPositive), value: \(value)\(within) }", to: "var")
    var learned = try learned(run)
    for pair in follows where isInReach(pair[1], of: pair[0], radius) {
      #expect(learned.removeValue(forKey: pair)?[1] == 1)
    }
    #expect(Set(learned.keys) == expected(perPositive: perPositive, radius: radius))
    #expect(learned.count > 60)
    // The time of each negative is the as-of time of the run.
    #expect(learned.values.allSatisfy { $0 == [1_767_225_600_000, value] })
    let counts = try json(run + "/models/manifest.json").object("counts")
    #expect(counts.integer("negatives") == learned.count)
  }

  @Test func `another seed samples other pairs`() throws {
    let run = try run("negatives: { per_positive: 1 }", seed: 12, to: "other")
    let pairs = Set(try learned(run).keys).subtracting(follows)
    #expect(pairs == expected(perPositive: 1, radius: nil, seed: 12))
    #expect(pairs != expected(perPositive: 1, radius: nil))
  }

  @Test func `lists by distance, counts and the snapshot do not depend on sampled pairs`() throws {
    let with = try run("negatives: { per_positive: 3, value: 0 }", to: "with")
    let without = try run("", to: "without")
    for name in ["snapshot/entities", "snapshot/interactions", "rankings/near"] {
      let differences = try DirectoryContents(of: with + "/" + name).differences(
        from: DirectoryContents(of: without + "/" + name))
      #expect(differences.isEmpty, "\(differences)")
    }
    // A sampled candidate can still be listed. A list without a radius contains every person whom
    // the user does not follow.
    for line in try RankingsFiles(with + "/rankings", list: "best").lines {
      let user = try #require(people.firstIndex { $0.id == line.user })
      #expect(line.recommendations.count == 59 - follows.count { $0[0] == user })
    }
  }
}
