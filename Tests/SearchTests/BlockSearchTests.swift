import Concurrency
import Geohash
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features
@testable import Ranking
@testable import Search

/// Compares the block search with a scan of all candidates.
struct BlockSearchTests {
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `lists, shortfalls and counts equal the scan's, bit for bit`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed)
    let scan = try world.recommender(.scan)
    let block = try world.recommender(.block)
    for (user, found) in block.searchAll(threads: 2).enumerated() {
      let expected = scan.search(user: user)
      #expect(found.shortfall == expected.shortfall, "user \(user)")
      #expect(found.counts == expected.counts, "user \(user)")
      #expect(found.best.map(\.candidate) == expected.best.map(\.candidate), "user \(user)")
      #expect(found.best.map(\.score) == expected.best.map(\.score), "user \(user)")
      // Unknown distances are NaN, which does not equal NaN, so the test compares bits.
      #expect(
        found.best.map(\.distance.bitPattern) == expected.best.map(\.distance.bitPattern), "user \(user)")
      // Both methods complete their counts with the same code, so they could agree on wrong ones.
      let counts = try #require(found.counts)
      #expect(counts.listed == found.best.count, "user \(user)")
      let others = counts.excluded.reduce(0, +) + counts.notAboveMinimum + counts.beyondTop
      #expect(counts.inReach == others + counts.listed, "user \(user)")
    }
  }

  /// The trees have several levels, and a search opens few of their nodes.
  @Test(arguments: 700..<712 as Range<UInt64>)
  func `larger worlds equal the scan too`(seed: UInt64) throws {
    let world = try SearchWorld(seed: seed, people: 1500)
    let scan = try world.recommender(.scan)
    let block = try world.recommender(.block)
    var workspace = SearchWorkspace()
    for user in stride(from: Int(seed % 50), to: block.userCount, by: 50) {
      let (found, expected) = (block.search(user: user, using: &workspace), scan.search(user: user))
      #expect(found.shortfall == expected.shortfall && found.counts == expected.counts)
      #expect(found.best.map(\.candidate) == expected.best.map(\.candidate))
      #expect(found.best.map(\.score) == expected.best.map(\.score))
    }
  }

  @Test(arguments: 400..<410 as Range<UInt64>)
  func `a workspace can be reused for another ranking`(seed: UInt64) throws {
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

  @Test(arguments: 500..<515 as Range<UInt64>)
  func `lists are the same without counts`(seed: UInt64) throws {
    let block = try SearchWorld(seed: seed).recommender(.block)
    var workspace = SearchWorkspace()
    for user in 0..<block.userCount {
      let counted = block.search(user: user, using: &workspace)
      let uncounted = block.search(user: user, isCounting: false, using: &workspace)
      #expect(uncounted.best.map(\.candidate) == counted.best.map(\.candidate))
      #expect(uncounted.shortfall == counted.shortfall)
      #expect(uncounted.counts == nil || uncounted.counts == counted.counts)
    }
  }

  @Test func `sums include every count`() {
    var counts = SearchCounts(exclusions: 2)
    (counts.inReach, counts.excluded, counts.notAboveMinimum) = (1, [2, 3], 4)
    (counts.beyondTop, counts.listed) = (5, 6)
    counts += counts
    #expect(counts.excluded == [4, 6])
    #expect([counts.inReach, counts.notAboveMinimum, counts.beyondTop, counts.listed] == [2, 8, 10, 12])
    var effort = SearchEffort()
    (effort.nodes, effort.bounded, effort.scored, effort.exactBounds) = (1, 2, 3, 4)
    effort += effort
    #expect([effort.nodes, effort.bounded, effort.scored, effort.exactBounds] == [2, 4, 6, 8])
  }

  @Test func `no entity in a node or block has a higher score or a smaller distance than its bounds`() throws
  {
    var compared = 0
    for seed in 200..<220 as Range<UInt64> {
      let world = try SearchWorld(seed: seed)
      let search = try #require(try world.recommender(.block).blockSearch)
      let radius = world.ranking.radiusInKilometers ?? .infinity
      var workspace = SearchWorkspace()
      for user in 0..<world.models.count {
        var query = search.query(of: user, top: world.ranking.top, &workspace)
        let ways = query.minimumScore == nil ? search.byDistance : search.byScore
        let tree = ways.tree.tree
        let scorer = world.models[user].map { Scorer($0, of: user, in: world.space) }
        let isByScore = query.minimumScore != nil
        for (index, node) in tree.nodes.enumerated() {
          let entries =
            isByScore
            ? ways.entries(below: index, &query, workspace.score)
            : ways.entries(below: index, &query, workspace.distanceOrder)
          for (child, reference) in tree.children[node.children].enumerated() {
            let (entry, isInReach) = entries[child]
            #expect(entry.reference == reference)
            let exact = isByScore ? ways.exactBound(of: reference, &query) : nil
            let blocks = reference.block.map { $0..<$0 + 1 } ?? tree.nodes[reference.node].blocks
            for place in blocks.flatMap({ ways.tree.candidates.places(of: $0) }) {
              let distance = ways.tree.candidates.distanceInKilometers(from: query.origin, to: place)
              if distance > radius { continue }
              #expect(isInReach)
              #expect(distance.isNaN || distance >= Double(entry.nearestInKilometers))
              let row = Int(ways.tree.candidates.rows[place])
              let score = isByScore ? scorer?.score(candidate: row, distance: distance) ?? .nan : -distance
              if !score.isNaN { #expect(score <= Double(entry.bound)) }
              if let exact { #expect(score <= exact) }
              compared += 1
            }
          }
        }
      }
    }
    #expect(compared > 1400, "\(compared)")
  }

  @Test func `scores and reasons by rows equal the scorer's, bit for bit`() throws {
    var compared = 0
    for seed in 600..<615 as Range<UInt64> {
      let world = try SearchWorld(seed: seed)
      let search = try #require(try world.recommender(.block).blockSearch)
      let (ways, labels) = (search.byScore, ReasonLabels(world.space))
      var workspace = SearchWorkspace()
      let radius = world.ranking.radiusInKilometers ?? .infinity
      var published: [Contribution] = []
      for user in 0..<world.models.count {
        let query = search.query(of: user, top: world.ranking.top, &workspace)
        guard query.minimumScore != nil, let model = world.models[user] else { continue }
        let scorer = Scorer(model, of: user, in: world.space)
        for block in 0..<ways.tree.candidates.blockCount {
          for place in ways.tree.candidates.places(of: block) {
            let row = Int(ways.tree.candidates.rows[place])
            let distance = ways.tree.candidates.distanceInKilometers(from: query.origin, to: place)
            // A score is defined only within the radius.
            if distance > radius { continue }
            let score = workspace.score.score(ways.tree.candidates, place: place, distance: distance)
            #expect(score.bitPattern == scorer.score(candidate: row, distance: distance).bitPattern)
            workspace.score.writeReasons(
              ways.tree.candidates, place: place, distance: distance, to: &published)
            let expected = world.space.reasons(
              scorer, model: model, user: user, candidate: row, distance: distance
            ).published
            #expect(published.map(\.amount) == expected.map(\.contribution))
            let names = published.map { Array(copying: labels.text(labels.number(of: $0))) }
            #expect(names == expected.map { Array("{\"feature\":\"\($0.feature)\",\"contribution\":".utf8) })
            compared += 1
          }
        }
      }
    }
    #expect(compared > 7000, "\(compared)")
  }

  /// Without lists of every kind, the tests above could compare only empty lists.
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
    // No world has limits on exposure.
    #expect(shortfalls == Set(Shortfall.allCases.filter { $0 != .exposure }.map(Optional.some) + [nil]))
    #expect(listed.withScore > 500 && listed.withoutScore > 100 && listed.unknownDistance > 100)
  }

  @Test(arguments: 300..<312 as Range<UInt64>)
  func `results for a pair agree with the lists`(seed: UInt64) throws {
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
      #expect(all.count { view.isInReach(candidate: $0) } == result.counts?.inReach)
      let excluded = all.count { view.isInReach(candidate: $0) && view.exclusion(of: $0) != nil }
      #expect(excluded == result.counts?.excluded.reduce(0, +))
    }
  }
}

extension Recommender {
  /// The block search, or `nil` if the recommender uses another method.
  fileprivate var blockSearch: BlockSearch? {
    if case .block(let search) = search { search } else { nil }
  }
}
