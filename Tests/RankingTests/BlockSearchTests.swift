import Features
import Geohash
import PipelineFile
import Reproducible
import StageFixture
import Tables
import Testing

@testable import Ranking

/// The search through blocks, against the scan through everybody.
struct BlockSearchTests {
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `lists, shortfalls and counts are the scan's, bit for bit`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed)
    let scan = try world.recommender(.scan)
    let block = try world.recommender(.block)
    for (user, found) in block.searchAll(threads: 2).enumerated() {
      let expected = scan.search(user: user)
      #expect(found.shortfall == expected.shortfall, "user \(user)")
      #expect(found.counts == expected.counts, "user \(user)")
      #expect(found.best.map(\.candidate) == expected.best.map(\.candidate), "user \(user)")
      #expect(found.best.map(\.score) == expected.best.map(\.score), "user \(user)")
      // Unknown distances are NaN, which equals nothing.
      #expect(
        found.best.map(\.distance.bitPattern) == expected.best.map(\.distance.bitPattern), "user \(user)")
    }
  }

  @Test(arguments: 400..<410 as Range<UInt64>)
  func `a workspace may go from one ranking to another`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed)
    let recommenders = try [2, 300, 2500].flatMap { radius in
      try [[], world.ranking.exclusions].map { exclusions in
        var ranking = world.ranking
        (ranking.radiusInKilometers, ranking.exclusions) = (radius, exclusions)
        return try world.recommender(.block, ranking)
      }
    }
    var workspace = SearchWorkspace()
    for user in 0..<world.models.count {
      for recommender in recommenders {
        #expect(
          recommender.search(user: user, using: &workspace).counts == recommender.search(user: user).counts)
      }
    }
  }

  @Test(arguments: 200..<225 as Range<UInt64>)
  func `nobody in a node beats its bound, or is nearer than it says`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed)
    guard case .block(let search) = try world.recommender(.block).search else {
      Issue.record("no search through blocks")
      return
    }
    for user in 0..<world.models.count {
      let query = search.query(of: user, model: world.models[user])
      for (index, node) in search.tree.nodes.enumerated() {
        let entry = search.entry(index, query)
        for place in node.places {
          let distance = search.positions.distanceInKilometers(from: query.origin, to: place)
          guard let entry else {
            #expect(distance > world.ranking.radiusInKilometers ?? .infinity)
            continue
          }
          let score = query.scorer?.score(candidate: place, distance: distance) ?? 0
          #expect(score <= entry.bound)
          #expect(distance.isNaN || distance >= entry.nearest)
        }
      }
    }
  }

  /// Else the tests above might compare nothing with nothing.
  @Test func `the random worlds have lists of every kind`() throws {
    var shortfalls: Set<Shortfall?> = []
    var listed = (withScore: 0, withoutScore: 0, unknownDistance: 0)
    for seed in 0..<30 as Range<UInt64> {
      let block = try SearchWorld(seed: seed).recommender(.block)
      for user in 0..<block.userCount {
        let result = block.search(user: user)
        shortfalls.insert(result.shortfall)
        listed.withScore += result.best.count { $0.score != nil }
        listed.withoutScore += result.best.count { $0.score == nil }
        listed.unknownDistance += result.best.count { $0.distance.isNaN }
      }
    }
    #expect(shortfalls == Set(Shortfall.allCases.map(Optional.some) + [nil]))
    #expect(listed.withScore > 500 && listed.withoutScore > 100 && listed.unknownDistance > 100)
  }

  @Test(arguments: 300..<312 as Range<UInt64>)
  func `what is said of a pair agrees with the lists`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed)
    let recommender = try world.recommender(.block)
    for user in stride(from: 0, to: recommender.userCount, by: 7) {
      let view = recommender.view(of: user)
      let result = recommender.search(user: user)
      for recommendation in result.best {
        let (score, distance) = recommender.score(user: user, candidate: recommendation.candidate)
        #expect(score == recommendation.score && view.isEligible(candidate: recommendation.candidate))
        #expect(distance.bitPattern == recommendation.distance.bitPattern)
      }
      if result.shortfall == .noPosition { continue }
      let all = 0..<recommender.candidateCount
      #expect(all.count { view.isInReach(candidate: $0) } == result.counts.inReach)
      let excluded = all.count { view.isInReach(candidate: $0) && view.exclusion(of: $0) != nil }
      #expect(excluded == result.counts.excluded.reduce(0, +))
    }
  }
}
