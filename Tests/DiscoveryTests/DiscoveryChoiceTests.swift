import Columns
import Concurrency
import Features
import Files
import Foundation
import Geohash
import LeastSquares
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Discovery

/// A world in which one setting of discovery matters, or none.
private struct TasteWorld {
  enum Truth: CaseIterable {
    /// The popular candidates stay the same, and nothing else matters.
    case nothing
    /// Each season of 90 days has other popular candidates.
    case trends
    /// The taste of each user changes halfway.
    case changingTaste
    /// Users like candidates nearby.
    case distance
    /// Users like candidates in two of six towns. The homes of the users are elsewhere. Few users like the
    /// same candidate.
    case areas
  }

  static let users = 240
  private static let likes = 24
  private static let day: Int64 = 86_400

  var files: [String: String]
  /// Where each user's home is, and where the last candidate is that the user likes.
  private let homes: [(Double, Double)]
  private let lastLiked: [(Double, Double)]

  init(_ truth: Truth, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = truth == .areas ? 1200 : 90
    func place() -> (Double, Double) {
      (Double.random(in: 40...50, using: &random), Double.random(in: 0...10, using: &random))
    }
    let people = (0..<Self.users).map { _ in place() }
    let items = (0..<count).map { number in
      truth == .areas ? (60 + Double(number % 6), 20 + Double(number % 6)) : place()
    }
    var swipes: [(at: Int64, line: String)] = []
    var lastLiked = people
    for user in 0..<Self.users {
      var seen: Set<Int> = []
      let times = (0..<Self.likes).map { _ in Int64.random(in: 0..<360 * Self.day, using: &random) }.sorted()
      for (place, time) in times.enumerated() {
        let season = Int(time / (90 * Self.day))
        var candidate = 0
        repeat {
          // A candidate with a small number is popular.
          let popular = Int(Double(count) * pow(Double.random(in: 0..<1, using: &random), 2))
          switch truth {
          case .nothing: candidate = popular
          case .trends: candidate = (popular / 3 + season * 17) % count
          case .changingTaste:
            let group = (user + (place < Self.likes * 3 / 5 ? 0 : 1 + user / 3 % 2)) % 3
            candidate = (popular / 3 * 3 + group) % count
          case .distance:
            // The user likes the nearest of a few random candidates.
            let drawn = (0..<5).map { _ in Int.random(in: 0..<count, using: &random) }
            candidate =
              drawn.min { Self.apart(people[user], items[$0]) < Self.apart(people[user], items[$1]) } ?? 0
          case .areas:
            let town = Bool.random(using: &random) ? user % 6 : (user + 1) % 6
            candidate = Int.random(in: 0..<count / 6, using: &random) * 6 + town
          }
          if Int.random(in: 0..<20, using: &random) == 0 {
            candidate = Int.random(in: 0..<count, using: &random)
          }
        } while !seen.insert(candidate).inserted && seen.count < count
        lastLiked[user] = items[candidate]
        swipes.append((time, "u\(user),c\(candidate),\(time),1\n"))
      }
    }
    (homes, self.lastLiked) = (people, lastLiked)
    files = [
      "people.csv": Self.people(people.map { ($0, 0) }),
      "items.csv": "id,lat,lon\n" + items.enumerated().map { "c\($0),\($1.0),\($1.1)\n" }.joined(),
      "likes.csv": "user,item,at,like\n" + swipes.sorted { $0.at < $1.at }.map(\.line).joined(),
    ]
  }

  /// Moves the home of each user to the last liked candidate on a day of the year.
  mutating func move(onDay day: Int64) {
    files["people.csv"] =
      Self.people(homes.map { ($0, 0) })
      + Self.people(lastLiked.map { ($0, day * Self.day) }).drop { $0 != "\n" }.dropFirst()
  }

  private static func people(_ homes: [(place: (Double, Double), updated: Int64)]) -> String {
    "id,lat,lon,updated\n"
      + homes.enumerated().map { "u\($0),\($1.place.0),\($1.place.1),\($1.updated)\n" }.joined()
  }

  private static func apart(_ one: (Double, Double), _ other: (Double, Double)) -> Double {
    (one.0 - other.0) * (one.0 - other.0) + (one.1 - other.1) * (one.1 - other.1) / 2
  }

  static func yaml(_ order: String = "discovery", evaluation: String = "") -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1960, 2100]
    entities:
      people:
        source: { path: people.csv }
        id: id
        updated: { from: updated, unit: seconds }
        position: { latitude: lat, longitude: lon }
      items: { source: { path: items.csv }, id: id, position: { latitude: lat, longitude: lon } }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: user, entity: people }
        candidate: { from: item, entity: items }
        at: { from: at, unit: seconds }
        value: like
    rankings:
      find: { users: people, candidates: items, exclude: [interacted], order_by: \(order), top: 10 }
    \(evaluation)
    """
  }

  func fixture(evaluation: String = "") throws -> StageFixture {
    try StageFixture(yaml: Self.yaml(evaluation: evaluation), files: files)
  }

  func choice(_ cut: InnerCut = .time, threads: Int = 2) throws -> DiscoveryChoice {
    DiscoveryChoice(try task(cut), threads: threads)
  }

  func task(_ cut: InnerCut = .time) throws -> DiscoveryTask {
    let fixture = try fixture()
    try fixture.ingest()
    let snapshot = try fixture.snapshot()
    let people = try #require(snapshot.entities["people"])
    let items = try #require(snapshot.entities["items"])
    return DiscoveryTask(
      try #require(snapshot.interactions["likes"]), cut, users: people, candidates: items,
      usesLaterProfiles: false, radius: nil, isAmongThemselves: false, seed: 1)
  }
}

struct DiscoveryChoiceTests {
  init() throws { try LinearAlgebraLibrary.load() }

  /// The number of worlds in which the choice changes each setting from its default.
  private static func left(_ truth: TasteWorld.Truth, worlds: Int) throws -> [String: Int] {
    var left: [String: Int] = [:]
    for seed in 0..<UInt64(worlds) {
      let settings = try TasteWorld(truth, seed: 100 * seed + 7).choice().settings
      if settings.halfLife != nil { left["half_life", default: 0] += 1 }
      if settings.halfPlace != nil { left["half_place", default: 0] += 1 }
      if settings.distance > 0 { left["distance", default: 0] += 1 }
      if settings.areaPrecision != nil { left["area_precision", default: 0] += 1 }
    }
    return left
  }

  @Test func `if only popularity matters, the defaults remain`() throws {
    let left = try Self.left(.nothing, worlds: 20)
    #expect(left.values.allSatisfy { $0 <= 2 }, "\(left)")
  }

  @Test(arguments: [
    (TasteWorld.Truth.trends, "half_life"), (.changingTaste, "half_place"), (.distance, "distance"),
    (.areas, "area_precision"),
  ])
  fileprivate func `a setting that matters is found`(truth: TasteWorld.Truth, setting: String) throws {
    let left = try Self.left(truth, worlds: 10)
    #expect(left[setting] == 10, "\(left)")
  }

  @Test func `popularity alone has a half-life only where trends exist`() throws {
    func trends(_ truth: TasteWorld.Truth) throws -> [DiscoveryChoice.Trend] {
      try (0..<10 as Range<UInt64>).map { seed in
        DiscoveryChoice.trend(of: try TasteWorld(truth, seed: 100 * seed + 7).task(), threads: 2)
      }
    }
    #expect(try trends(.trends).allSatisfy { if case .halfLife = $0 { true } else { false } })
    #expect(try trends(.nothing).count { $0 == .noneIsBetter } >= 9)
  }

  /// A home that knows the user's last like finds this like.
  @Test(arguments: [InnerCut.time, .eachUser])
  func `the choice does not learn from positions after the inner cut`(cut: InnerCut) throws {
    for seed in 0..<5 as Range<UInt64> {
      var world = TasteWorld(.nothing, seed: 100 * seed + 7)
      world.move(onDay: 359)
      #expect(try world.choice(cut).settings.distance == 0)
      world.move(onDay: 1)
      #expect(try world.choice(cut).settings.distance > 0)
    }
  }

  @Test func `a user's gain is the mean over the inner cuts after which the user has likes`() throws {
    let task = try TasteWorld(.nothing, seed: 4).task()
    var aged = DiscoverySettings()
    aged.halfLife = 30 * 86_400_000
    let settings = [DiscoverySettings(), aged]
    let trials = DiscoveryTrials(task, usesItems: false, threads: 2)
    let found = trials.gains(settings, threads: 2)
    var byUser: [Int: [[Double]]] = [:]
    for window in task.cut.windows(task.table) {
      let trial = DiscoveryTrial(task, window, usesItems: false, threads: 1)
      let gains = trial.gains(settings, threads: 1)
      #expect(gains.count == trial.tests.count)
      for (test, gains) in zip(trial.tests, gains) { byUser[test.user, default: []].append(gains) }
    }
    #expect(trials.users == byUser.keys.sorted() && byUser.values.contains { $0.count > 1 })
    #expect(found.map(\.settings) == settings)
    for (index, one) in found.enumerated() {
      #expect(one.gains.count == trials.users.count)
      for (user, gain) in zip(trials.users, one.gains) {
        let own = try #require(byUser[user]).map { $0[index] }
        #expect(abs(gain - own.reduce(0, +) / Double(own.count)) < 1e-12)
      }
    }
  }

  @Test func `the choice does not depend on the number of threads`() throws {
    let world = TasteWorld(.trends, seed: 3)
    let (one, eight) = (try world.choice(threads: 1), try world.choice(threads: 8))
    #expect(one.settings == eight.settings && one.after == eight.after && one.users == eight.users)
    #expect(one.after > one.before)
  }
}

/// Tests the lists of a ranking by discovery.
struct DiscoveryListTests {
  init() throws { try LinearAlgebraLibrary.load() }

  @Test func `lists are sorted by the documented formula`() throws {
    let fixture = try TasteWorld(.distance, seed: 5).fixture()
    let manifests = try fixture.runStages()
    #expect(manifests["rankings"]?.counts["search"]?["find"] == "scan")
    let stored = try #require(manifests["models"]?.counts["discovery"]?["find"])
    let settings = try #require(DiscoverySettings(stored))
    #expect(settings.distance > 0)
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["likes"])
    let people = try #require(snapshot.entities["people"])
    let items = try #require(snapshot.entities["items"])
    let liked = LikedCandidates(table)
    let coefficients = ItemToItem(liked, threads: 1)
    let (homes, places) = (Positions(people), Positions(items))
    // Each interaction of this world is a like of a different pair, and the settings may have a half-life.
    let asOf = snapshot.manifest.asOf.milliseconds
    var weights = [Double](repeating: 0, count: items.count)
    for row in 0..<table.count {
      let age = Double(asOf - table.at[row])
      weights[Int(table.candidate[row])] += settings.halfLife.map { pow(2, -age / Double($0)) } ?? 1
    }
    let (total, likes) = (weights.reduce(0, +), Double(table.count))
    let popularity = weights.map {
      ($0 + 0.5 * total / likes) / (total + 0.5 * total / likes * Double(items.count)) * likes
        / Double(people.count)
    }
    for line in try fixture.list("find") {
      let user = try #require(people.ids.strings.firstIndex(of: line.user))
      var sums = [Float](repeating: 0, count: items.count)
      let own = table.candidate.elements[table.range(ofUser: user)].reversed() as [UInt32]
      coefficients.add(own[...], halfPlace: settings.halfPlace, to: &sums)
      let scores = (0..<items.count).filter { !own.contains(UInt32($0)) }.map { candidate in
        let distance = homes[user].flatMap { home in
          places[candidate].map { home.distanceInKilometers(to: $0) }
        }
        let sum = Double(max(sums[candidate], 0)) + settings.popularity * popularity[candidate]
        return sum / pow(1 + (distance ?? .nan), settings.distance)
      }.sorted(by: >)
      #expect(line.recommendations.count == 10)
      for (found, expected) in zip(line.recommendations, scores) {
        // Sums are in single precision.
        #expect(abs(try #require(found.score) - expected) <= 1e-5 * expected)
      }
    }
  }

  @Test func `a user without likes gets the trending candidates, nearby ones first`() throws {
    let world = TasteWorld(.distance, seed: 6)
    var files = world.files
    files["people.csv", default: ""] += "newcomer,45,5,0\n"
    let fixture = try StageFixture(yaml: TasteWorld.yaml(), files: files)
    try fixture.runStages()
    let line = try #require(try fixture.list("find").first { $0.user == "newcomer" })
    #expect(line.recommendations.count == 10 && line.recommendations.allSatisfy { ($0.score ?? 0) > 0 })
  }

  /// Evaluates the lists. Returns the nDCG@10 of each method, the reasons for missing methods, and the chosen
  /// settings.
  private func gains(
    _ truth: TasteWorld.Truth, order: String = "discovery"
  ) throws -> (gains: [String: Double], missing: [String: String], settings: JSONValue?) {
    let world = TasteWorld(truth, seed: 8)
    let fixture = try StageFixture(
      yaml: TasteWorld.yaml(order, evaluation: "evaluation: { at: [10] }"), files: world.files)
    try fixture.runStages()
    let ranking = try #require(try fixture.evaluate().metrics["rankings"]?["find"])
    return (
      (ranking["methods"]?.members ?? [:]).compactMapValues {
        $0["finding"]?["ndcg@10"]?["mean"]?.numberValue
      }, (ranking["left_out"]?.members ?? [:]).compactMapValues(\.stringValue),
      ranking["fit"]?["discovery"]?["find"]
    )
  }

  @Test func `the lists find more later likes than popularity`() throws {
    let (gains, missing, settings) = try gains(.changingTaste)
    #expect(settings?["half_place"]?.numberValue != nil)
    let popular = try #require(gains["popular"])
    #expect(try #require(gains["pipeline"]) > popular + 0.02, "\(gains)")
    #expect(missing["item_to_item"] == nil)
    // If users like nearby candidates, likes of similar candidates find more than popularity.
    let near = try self.gains(.distance).gains
    #expect(try #require(near["item_to_item"]) > (try #require(near["popular"])) + 0.02, "\(near)")
  }

  @Test func `an evaluation compares with trending popularity only if trends exist`() throws {
    let (gains, missing, settings) = try gains(.trends, order: "distance")
    #expect(try #require(gains["trending"]) > (try #require(gains["popular"])) + 0.05, "\(gains)")
    #expect(missing["trending"] == nil && settings == nil)
    let (others, reasons, _) = try self.gains(.nothing, order: "distance")
    #expect(
      others["trending"] == nil && reasons["trending"]?.contains("no half-life is clearly better") == true)
  }
}
