import PipelineFile
import Testing

@testable import Features
@testable import Ranking
@testable import Search

/// The block search and the full scan must give the same lists per word, including counts and
/// shortfalls.
struct WordSearchTests {
  private static func ranking(_ world: SearchWorld) -> Pipeline.Ranking {
    var ranking = world.ranking
    ranking.per = "field"
    ranking.exclusions.insert(.unless(.known("field")), at: min(1, ranking.exclusions.count))
    return ranking
  }

  @Test(arguments: 700..<760 as Range<UInt64>)
  func `lists, shortfalls and counts equal the scan's, bit for bit`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed)
    let ranking = Self.ranking(world)
    let scan = try world.recommender(.scan, ranking)
    let block = try world.recommender(.block, ranking)
    #expect(scan.search.name == "scan" && block.search.name == "block")
    var one = SearchWorkspace()
    var other = SearchWorkspace()
    for user in 0..<scan.userCount {
      let expected = scan.searchLists(user: user, using: &one)
      let found = block.searchLists(user: user, using: &other)
      expectEqual(found.lists, expected.lists, "user \(user)")
      #expect(found.lists.map(\.counts) == expected.lists.map(\.counts))
      #expect(found.counts == expected.counts)
      // Both methods add the counts with the same code, so they could agree on a wrong sum.
      let counts = try #require(found.counts)
      #expect(counts.listed == found.lists.reduce(0) { $0 + $1.best.count })
      // Without counts, a search must still return the same lists.
      let uncounted = block.searchLists(user: user, isCounting: false, using: &other)
      expectEqual(uncounted.lists, expected.lists, "user \(user), without counts")
    }
  }

  /// Compares the bits of distances, because NaN does not equal NaN.
  private func expectEqual(_ found: [SearchResult], _ expected: [SearchResult], _ place: String) {
    #expect(found.map(\.shortfall) == expected.map(\.shortfall), "\(place)")
    func lists(_ results: [SearchResult]) -> [[[UInt64?]]] {
      results.map {
        $0.best.map { [UInt64($0.candidate), $0.score?.bitPattern, $0.distance.bitPattern] }
      }
    }
    #expect(lists(found) == lists(expected), "\(place)")
  }

  @Test(arguments: 760..<780 as Range<UInt64>)
  func `reasons equal the scan's`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed)
    let ranking = Self.ranking(world)
    let scan = try world.recommender(.scan, ranking)
    let block = try world.recommender(.block, ranking)
    func reasons(_ recommender: Recommender, _ user: Int) -> [[Contribution]] {
      var workspace = SearchWorkspace()
      let lists = recommender.searchLists(user: user, using: &workspace).lists
      guard recommender.prepareReasons(user, &workspace) else { return [] }
      var all: [[Contribution]] = []
      var published: [Contribution] = []
      for list in lists where list.best.first?.score != nil {
        recommender.forEachReasons(of: list.best, workspace, &published) { all.append($0) }
      }
      return all
    }
    for user in 0..<scan.userCount {
      let (expected, found) = (reasons(scan, user), reasons(block, user))
      #expect(found.map { $0.map(\.amount) } == expected.map { $0.map(\.amount) })
    }
  }

  /// Without lists of every kind, the tests above could compare only empty lists.
  @Test func `the worlds have full, short and empty lists`() throws {
    var (full, short, empty) = (0, 0, 0)
    for seed in 700..<720 as Range<UInt64> {
      let world = try SearchWorld(seed: seed)
      let block = try world.recommender(.block, Self.ranking(world))
      var workspace = SearchWorkspace()
      for user in 0..<block.userCount {
        for list in block.searchLists(user: user, using: &workspace).lists {
          if list.shortfall == nil { full += 1 } else if list.best.isEmpty { empty += 1 } else { short += 1 }
        }
      }
    }
    #expect(full > 100 && short > 100 && empty > 100)
  }
}
