import Columns
import Concurrency
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Ranking

/// Compares complete rankings of random worlds with a slow second implementation of the rules.
struct OracleTests {
  struct World: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var center: (latitude: Double, longitude: Double) = (50, 8)
    var spread = 4.0
    var ranking: String
    var radius: Double?
    var exclusions: Set<String>
    var minimum = 0.0
    var top = 5
    var byScore = true
  }

  static let worlds = [
    World(
      testDescription: "as Fusion",
      ranking: "    within_km: 250\n    exclude: [self, interacted, vetoed, deleted]",
      radius: 250, exclusions: ["self", "interacted", "vetoed", "deleted"], top: 10),
    World(
      testDescription: "no radius, nobody excluded but oneself", ranking: "    exclude: [self]\n    top: 5",
      radius: nil, exclusions: ["self"]),
    World(
      testDescription: "nearest first",
      ranking: "    within_km: 400\n    order_by: distance\n    exclude: [self]\n    top: 5",
      radius: 400, exclusions: ["self"], byScore: false),
    World(
      testDescription: "across the antimeridian", center: (-17, 179.5), spread: 6,
      ranking: "    within_km: 300\n    exclude: [self, vetoed]\n    top: 5", radius: 300,
      exclusions: ["self", "vetoed"]),
    World(
      testDescription: "at the pole", center: (88, 20), spread: 4,
      ranking: "    within_km: 200\n    exclude: [self, interacted]\n    top: 5", radius: 200,
      exclusions: ["self", "interacted"]),
    World(
      testDescription: "a high minimum",
      ranking: "    within_km: 500\n    exclude: [self]\n    minimum_score: 0.4\n    top: 5",
      radius: 500, exclusions: ["self"], minimum: 0.4),
    World(
      testDescription: "a list longer than the world",
      ranking: "    exclude: [self]\n    minimum_score: -100\n    top: 200",
      radius: nil, exclusions: ["self"], minimum: -100, top: 200),
  ]

  @Test(arguments: worlds, 0..<4 as Range<UInt64>)
  func `lists equal the rules applied one by one`(world: World, seed: UInt64) throws {
    let people = RandomExport(
      seed: seed, people: 70, swipes: 500, spread: world.spread, center: world.center)
    let top = world.ranking.contains("top:") ? "" : "\n    top: \(world.top)"
    let features = "[{ category: field }, { number: experience }, position, distance]"
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: features, ranking: world.ranking + top), files: people.files)
    try fixture.runStages()
    let lines = try fixture.list("near")
    #expect(lines.map(\.user) == people.people.map(\.id))
    let oracle = Oracle(world: world, people: people, models: try fixture.models())
    var (listed, reasons) = (0, 0)
    for (user, line) in lines.enumerated() {
      let expected = oracle.list(of: user)
      #expect(line.recommendations.map(\.candidate) == expected.map { people.people[$0.candidate].id })
      // Scores must be equal bit by bit, because the terms are always added in the same order.
      #expect(line.recommendations.map(\.score) == expected.map(\.score))
      for (shown, exact) in zip(line.recommendations.map(\.distance_km), expected.map(\.distance)) {
        #expect((shown == nil) == exact.isNaN)
        if let shown { #expect(abs(shown - exact) <= 0.05 + 1e-9) }
      }
      for (shown, exact) in zip(line.recommendations.map(\.reasons), expected.map(\.reasons)) {
        #expect(shown.map(\.feature) == exact.map(\.name), "\(line.user)")
        for (reason, own) in zip(shown, exact) {
          // Published contributions have twelve significant digits.
          #expect(abs(reason.contribution - own.amount) <= 5.1e-12 * own.amount, "\(line.user)")
        }
        reasons += exact.count
      }
      #expect((line.shortfall == nil) == (line.recommendations.count == world.top))
      listed += expected.count
    }
    #expect(listed > 100, "\(listed)")
    #expect(world.byScore ? reasons > 50 : reasons == 0, "\(reasons)")
  }
}

/// Checks every pair and sorts all candidates.
private struct Oracle {
  struct Entry {
    var candidate: Int
    var score: Double?
    var distance: Double
    var mix: UInt64
    var reasons: [(name: String, amount: Double)]
  }

  let world: OracleTests.World
  let people: RandomExport
  let models: ModelTable

  func list(of user: Int) -> [Entry] {
    if world.radius != nil && position(user) == nil { return [] }
    let model = world.byScore ? models[user] : nil
    let entries = people.people.indices.compactMap { candidate -> Entry? in
      guard !isExcluded(candidate, for: user) else { return nil }
      let distance = self.distance(user, candidate)
      if let radius = world.radius, !(distance <= radius) { return nil }
      let amounts = model.map { contributions(candidate, distance, $0) } ?? []
      let score = model.map { amounts.reduce($0.base) { $0 + $1.amount } }
      if let score, score <= world.minimum { return nil }
      let (first, second) = (hash(user), hash(candidate))
      return Entry(
        candidate: candidate, score: score, distance: distance, mix: Mix64.pair(first, second, seed: 7),
        reasons: published(amounts))
    }
    let sorted = entries.sorted { left, right in
      if left.score != right.score { return (left.score ?? 0) > (right.score ?? 0) }
      let (near, far) = (left.distance, right.distance)
      if near != far && !(near.isNaN && far.isNaN) {
        return near.isNaN ? false : far.isNaN ? true : near < far
      }
      return (left.mix, left.candidate) < (right.mix, right.candidate)
    }
    return Array(sorted.prefix(world.top))
  }

  private func isExcluded(_ candidate: Int, for user: Int) -> Bool {
    let swipes = people.swipes
    if world.exclusions.contains("self") && candidate == user { return true }
    if world.exclusions.contains("interacted")
      && swipes.contains(where: { $0.user == user && $0.candidate == candidate })
    {
      return true
    }
    if world.exclusions.contains("deleted") && people.people[candidate].isDeleted { return true }
    guard world.exclusions.contains("vetoed") else { return false }
    var latest: RandomExport.Swipe?
    for swipe in swipes where swipe.user == candidate && swipe.candidate == user {
      if swipe.at >= latest?.at ?? .min { latest = swipe }
    }
    return latest.map { $0.value < 0 } ?? false
  }

  /// The three largest positive contributions, largest first. Equal ones keep the order of features.
  private func published(
    _ amounts: [(name: String, amount: Double)]
  ) -> [(name: String, amount: Double)] {
    let positive = amounts.enumerated().filter { $0.element.amount > 0 }
    let sorted = positive.sorted { left, right in
      let (first, second) = (left.element.amount, right.element.amount)
      return first != second ? first > second : left.offset < right.offset
    }
    return sorted.prefix(3).map(\.element)
  }

  /// The contribution of each feature, with the word for the candidate's value.
  private func contributions(
    _ candidate: Int, _ distance: Double, _ model: UserModel
  ) -> [(name: String, amount: Double)] {
    let names = models.columns.strings
    let person = people.people[candidate]
    let fields = model.terms.filter { names[Int($0.column)].hasPrefix("field=") }
    let unseen = -fields.reduce(0) { $0 + $1.coefficient * $1.mean }
    let own = fields.first { names[Int($0.column)] == "field=" + (person.field ?? "\u{0}") }
    let word = person.field.map { "=" + $0 } ?? ""
    var found = [(name: "field" + word, amount: unseen + (own?.coefficient ?? 0))]
    let place = position(candidate)
    let numbers: [(name: String, low: String, high: String, value: Double?)] = [
      ("experience", "low", "high", person.experience), ("latitude", "south", "north", place?.latitude),
      ("longitude", "west", "east", place?.longitude),
      ("distance_km", "near", "far", distance.isNaN ? nil : distance),
    ]
    for number in numbers {
      guard let value = number.value,
        let term = model.terms.first(where: { names[Int($0.column)] == number.name })
      else { continue }
      let word = value < term.mean ? number.low : number.high
      found.append((number.name + "=" + word, term.coefficient * (value - term.mean)))
    }
    return found
  }

  private func position(_ person: Int) -> Coordinate? {
    guard let latitude = people.people[person].latitude, let longitude = people.people[person].longitude
    else {
      return nil
    }
    return Coordinate(latitude: latitude, longitude: longitude).map { Geohash($0, precision: 7).center }
  }

  private func distance(_ user: Int, _ candidate: Int) -> Double {
    guard let from = position(user), let to = position(candidate) else { return .nan }
    return from.distanceInKilometers(to: to)
  }

  private func hash(_ person: Int) -> UInt64 {
    Mix64.hash(Array(people.people[person].id.utf8).span)
  }
}
