import Foundation
import PipelineFile
import Search
import StageFixture
import Testing

@testable import Ranking

/// Lists within limits on exposure, against the best choice from all candidates.
@Suite struct ExposureOptimumTests {
  /// A ranking in the order `order`, with the values of all entries that its lists may have.
  private struct World {
    let recommender: Recommender
    let fixture: StageFixture
    /// For each user, the values by candidate, best first.
    var values: [[(candidate: Int, value: Double, chance: Double)]] = []

    init(
      _ order: String, seed: UInt64, people: Int, swipes: Int, top: Int, isAgreed: Bool = false,
      map: String = "right: 1, left: -1", more: String = ""
    ) throws {
      var yaml = RandomExport.yaml(
        features: "[{ category: field }, { number: experience }\(isAgreed ? "" : ", distance")]",
        ranking: """
              \(isAgreed ? "" : "within_km: 400")
              exclude: [self, vetoed]
              \(more)
              minimum_score: -2
              top: \(top)
              order_by: \(order)
          """)
      yaml = yaml.replacingOccurrences(of: "right: 1, left: -1", with: map)
      if isAgreed { yaml = yaml.replacingOccurrences(of: "  compat: createml\n", with: "") }
      var files = RandomExport(seed: seed, people: people, swipes: swipes).files
      if order == "newest" {
        yaml = yaml.replacingOccurrences(of: "    id: id\n", with: "    id: id\n    created: experience\n")
        files["users.csv"] = files["users.csv"]?.replacingOccurrences(of: ".0,", with: ",")
      }
      fixture = try StageFixture(yaml: yaml, files: files)
      try fixture.runStages()
      let ranking = fixture.pipeline.rankings[0]
      let snapshot = try fixture.snapshot()
      let scoring = try Recommender.Scoring(ranking, fixture.pipeline, snapshot, run: fixture.run, threads: 1)
      recommender = try Recommender(
        ranking, fixture.pipeline, snapshot, run: fixture.run, scoring: scoring, method: .auto)
      var all = ranking
      all.top = people
      let everybody = try Recommender(
        all, fixture.pipeline, snapshot, run: fixture.run, scoring: scoring, method: .scan)
      var workspace = SearchWorkspace()
      for user in 0..<people {
        let list = everybody.search(user: user, using: &workspace).best
        let (value, view) = (EntryValue(recommender), recommender.view(of: user))
        let entries = list.map { value.entry($0, view) }
        values.append(entries.map { ($0.found.candidate, $0.value, Double($0.chance)) })
        // The values fall in the order of the list.
        for (entry, next) in zip(entries, entries.dropFirst()) { #expect(entry.value >= next.value) }
      }
    }

    /// The best choice, by a flow through all entries.
    func best(_ limits: Pipeline.ExposureLimits) -> ListAssignment {
      var pools = AssignmentEntries()
      for list in values {
        for entry in list {
          pools.candidates.append(UInt32(entry.candidate))
          pools.values.append(entry.value)
        }
        pools.firsts.append(pools.candidates.count)
      }
      var most = values.count
      if case .lists(let lists) = limits.ceiling { most = lists }
      let count = recommender.candidateCount
      return ListAssignment(
        pools, candidates: count, top: recommender.ranking.top, most: Array(repeating: most, count: count),
        least: Array(repeating: min(limits.least, most), count: count))
    }

    /// The lists within `limits`, and their total value.
    func lists(_ limits: Pipeline.ExposureLimits, threads: Int = 2) throws -> (lists: [[Int]], total: Double)
    {
      let lists = recommender.searchAll(within: limits, threads: threads).map { $0.best.map(\.candidate) }
      var total = 0.0
      for (user, list) in lists.enumerated() {
        #expect(Set(list).count == list.count)
        for candidate in list {
          total += try #require(values[user].first { $0.candidate == candidate }).value
        }
        // The list is in the ranking's order.
        let places = list.compactMap { candidate in values[user].firstIndex { $0.candidate == candidate } }
        #expect(places == places.sorted())
      }
      return (lists, total)
    }
  }

  private static func appearances(_ lists: [[Int]], _ count: Int) -> [Int] {
    lists.joined().reduce(into: Array(repeating: 0, count: count)) { $0[$1] += 1 }
  }

  @Test(
    arguments: [
      "score", "discovery", "mutual", "distance", "newest", "[experience desc]", "[experience, distance]",
    ],
    [(1, 0), (4, 1), (9, 3)])
  func
    `lists are as full and floors as far reached as possible, and the total is the highest within a percent`(
      order: String, limits: (most: Int, least: Int)
    ) throws
  {
    let world = try World(order, seed: 301, people: 160, swipes: 1600, top: 4)
    let exposure = Pipeline.ExposureLimits(ceiling: .lists(limits.most), least: limits.least)
    let (lists, total) = try world.lists(exposure)
    let best = world.best(exposure)
    let shown = Self.appearances(lists, world.recommender.candidateCount)
    #expect(shown.allSatisfy { $0 <= limits.most })
    #expect(lists.joined().count == best.lengths.reduce(0, +))
    #expect(
      shown.reduce(0) { $0 + min($1, limits.least) }
        == best.appearances.reduce(0) { $0 + min($1, limits.least) })
    #expect(total >= best.total - 0.01 * best.magnitude, "\(total) of \(best.total)")
    #expect(try world.lists(exposure, threads: 1).lists == lists)
  }

  /// Users without own swipes have the model of everybody, so that all of them want the same candidates.
  @Test(arguments: [200, 600, 3000], [(2, 0), (12, 2)])
  func `users who agree share the candidates`(swipes: Int, limits: (most: Int, least: Int)) throws {
    let world = try World("score", seed: 302, people: 300, swipes: swipes, top: 5, isAgreed: true)
    let exposure = Pipeline.ExposureLimits(ceiling: .lists(limits.most), least: limits.least)
    let (lists, total) = try world.lists(exposure)
    let best = world.best(exposure)
    #expect(lists.joined().count == best.lengths.reduce(0, +))
    #expect(total >= best.total - 0.01 * best.magnitude, "\(total) of \(best.total)")
  }

  /// The scores are far from 0, compared with their differences.
  @Test(arguments: [(2, 0), (6, 1)])
  func `lists by ratings are as full and as good as possible`(limits: (most: Int, least: Int)) throws {
    let world = try World(
      "score", seed: 303, people: 160, swipes: 3200, top: 5, isAgreed: true, map: "right: 5, left: 4")
    #expect(world.values.joined().allSatisfy { $0.value > 3 && $0.value < 6 })
    let exposure = Pipeline.ExposureLimits(ceiling: .lists(limits.most), least: limits.least)
    let (lists, total) = try world.lists(exposure)
    let best = world.best(exposure)
    #expect(lists.joined().count == best.lengths.reduce(0, +))
    #expect(total >= best.total - 0.0055 * best.magnitude, "\(total) of \(best.total)")
  }

  @Test func `the limits concern only users who have lists`() throws {
    let world = try World(
      "score", seed: 304, people: 120, swipes: 900, top: 4, more: "for: { field: [Art, Energy] }")
    let (lists, _) = try world.lists(Pipeline.ExposureLimits(ceiling: .lists(1)))
    let users = lists.indices.filter { world.recommender.audience.contains($0) }
    #expect(users.count > 10 && users.count < 100)
    #expect(Self.appearances(users.map { lists[$0] }, 120).max() == 1)
    var workspace = SearchWorkspace()
    for user in lists.indices where !users.contains(user) {
      #expect(
        lists[user] == world.recommender.search(user: user, using: &workspace).best.map(\.candidate))
    }
  }

  @Test(arguments: 0..<200 as Range<Int>)
  func `a ceiling of likes holds`(seed: Int) throws {
    let world = try World("score", seed: UInt64(seed), people: 12, swipes: 60, top: 3)
    let likes = [1, 1.5, 4][seed % 3]
    let (lists, _) = try world.lists(Pipeline.ExposureLimits(ceiling: .likes(likes)))
    var expected = [Double](repeating: 0, count: 12)
    for (user, list) in lists.enumerated() {
      for candidate in list {
        expected[candidate] += try #require(world.values[user].first { $0.candidate == candidate }).chance
      }
    }
    #expect(expected.allSatisfy { $0 <= likes + 1e-6 })
  }
}
