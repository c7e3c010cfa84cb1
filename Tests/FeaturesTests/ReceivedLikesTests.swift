import Columns
import Concurrency
import Files
import Glibc
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Features

/// Compares the features `popularity` and `trend` with a recount of the swipes.
struct ReceivedLikesTests {
  private struct Likes {
    let fixture: StageFixture
    let table: InteractionTable
    let space: FeatureSpace
    let likes: ReceivedLikes

    init(_ world: RandomExport, _ entry: String) throws {
      fixture = try StageFixture(
        yaml: RandomExport.yaml(features: "[\(entry)]", ranking: "    top: 3"), files: world.files)
      try fixture.runStages()
      let snapshot = try fixture.snapshot()
      table = try #require(snapshot.interactions["swipes"])
      space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
      likes = try #require(space.features.first?.shape as? ReceivedLikes)
    }

    func leavingOut(_ index: Int) -> Double {
      likes.leavingOut(index, candidate: Int(table.candidate[index]))
    }

    /// ln(1 + weight) of `candidate` without the decision of `user`. With `user` -1, all decisions count.
    func recount(of candidate: Int, without user: Int, halfLife: Double?) throws -> Double {
      let asOf = try fixture.snapshot().manifest.asOf.milliseconds
      var latest: [UInt32: (at: Int64, isLike: Bool)] = [:]
      for index in 0..<table.count where Int(table.candidate[index]) == candidate {
        latest[table.user.elements[index]] = (table.at[index], table.value[index] > 0)
      }
      let weights = latest.filter { $0.key != UInt32(max(user, 0)) || user < 0 }.values.map { decision in
        guard decision.isLike else { return 0.0 }
        return halfLife.map { pow(2, -Double(asOf - decision.at) / $0) } ?? 1
      }
      return log(1 + weights.reduce(0, +))
    }
  }

  private static func world(_ swipes: [(user: Int, candidate: Int, value: Double)]) -> RandomExport {
    var world = RandomExport(seed: 1, people: 4, swipes: 0)
    world.swipes = swipes.enumerated().map {
      RandomExport.Swipe(user: $1.user, candidate: $1.candidate, at: $0 + 1, value: $1.value)
    }
    return world
  }

  private static let small = world([(0, 1, 1), (0, 2, -1), (3, 1, -1), (2, 1, 1), (3, 1, 1), (0, 3, 1)])

  @Test func `popularity equals a count by hand`() throws {
    let likes = try Likes(Self.small, "popularity")
    // Three users like candidate 1, because the second decision of user 3 is a like.
    #expect(likes.likes.values == [0, log1p(3), 0, log1p(1)])
    #expect(likes.space.columns == ["popularity"])
    // User 0's swipes are on the candidates 1, 2 and 3. The row of the pass leaves out no like.
    #expect((0..<3).map(likes.leavingOut) == [log1p(2), 0, 0])
  }

  @Test func `half of a like is left after a half-life`() throws {
    // The swipe at 6 is the newest, and the as-of time is not earlier than this swipe.
    let likes = try Likes(Self.small, "{ popularity: { half_life: 3s } }")
    #expect(likes.space.columns == ["trend"])
    let newest = try likes.recount(of: 3, without: -1, halfLife: 3000)
    #expect(abs(likes.likes.values[3] - newest) < 1e-12 && newest > 0)
    #expect(likes.likes.values[0] == 0 && likes.likes.values[2] == 0)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `values equal a recount without the pair`(seed: UInt64) throws {
    let world = RandomExport(
      seed: seed, people: seed % 2 == 0 ? 12 : 60, swipes: seed % 2 == 0 ? 400 : 60)
    let isAged = seed % 4 < 2
    let likes = try Likes(world, isAged ? "{ popularity: { half_life: 1m } }" : "popularity")
    let halfLife = isAged ? 60_000.0 : nil
    for candidate in world.people.indices {
      let expected = try likes.recount(of: candidate, without: -1, halfLife: halfLife)
      #expect(abs(likes.likes.values[candidate] - expected) <= 1e-12)
    }
    var different = 0
    for index in 0..<likes.table.count {
      let (user, candidate) = (Int(likes.table.user.elements[index]), Int(likes.table.candidate[index]))
      let expected = try likes.recount(of: candidate, without: user, halfLife: halfLife)
      #expect(abs(likes.leavingOut(index) - expected) <= 1e-12)
      if abs(expected - likes.likes.values[candidate]) > 1e-6 { different += 1 }
    }
    #expect(different > 10)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `a learning row does not depend on its own outcome`(seed: UInt64) throws {
    let entry = seed % 2 == 0 ? "popularity" : "{ popularity: { half_life: 1m } }"
    let world = RandomExport(seed: 50 + seed, people: 10, swipes: 120)
    let likes = try Likes(world, entry)
    var random = SplitMix64(seed: seed)
    for _ in 0..<6 {
      let index = Int.random(in: 0..<likes.table.count, using: &random)
      let (user, candidate) = (Int(likes.table.user.elements[index]), Int(likes.table.candidate[index]))
      var flipped = world
      for swipe in flipped.swipes.indices
      where flipped.swipes[swipe].user == user && flipped.swipes[swipe].candidate == candidate {
        flipped.swipes[swipe].value *= -1
      }
      let others = try Likes(flipped, entry)
      #expect(abs(likes.leavingOut(index) - others.leavingOut(index)) <= 1e-12)
      #expect(others.likes.values[candidate] != likes.likes.values[candidate])
    }
  }

  @Test func `the number of threads changes no value`() throws {
    let likes = try Likes(RandomExport(seed: 9, people: 60, swipes: 1500), "popularity")
    let asOf = try likes.fixture.snapshot().manifest.asOf.milliseconds
    let values = [1, 3].map { threads in
      ReceivedLikes(likes.table, halfLife: 60_000, asOf: asOf, threads: threads).values
    }
    #expect(values[0] == values[1])
  }

  @Test func `popularity is shown only to the analyst`() throws {
    let likes = try Likes(Self.small, "popularity")
    let learned = UserModel(
      observations: 2, base: 0, intercept: 0, residualSumOfSquares: 0,
      terms: [UserModel.Term(column: 0, coefficient: 1, mean: 0.1)])
    let reasons = likes.space.reasons(
      Scorer(learned, of: 0, in: likes.space), model: learned, user: 0, candidate: 1, distance: .nan)
    #expect(reasons.map(\.feature) == ["popularity=high"])
    #expect(reasons.published.isEmpty)
  }
}
