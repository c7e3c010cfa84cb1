import Features
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Models

/// Tests how rows are divided into parts to choose the spread.
struct SpreadChoiceTests {
  /// Returns the choice among the spreads for `world`.
  private static func choice(_ world: RatedItems) throws -> SpreadChoice {
    let fixture = try world.fitted("prior: population")
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["ratings"])
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let fitting = SharedFitting(
      rows: LearningRows(table: table, space: space), users: try #require(snapshot.entities["people"]),
      candidates: try #require(snapshot.entities["items"]), seed: fixture.pipeline.seed, threads: 2)
    let scales = ColumnScales(fitting.rows, threads: 2)
    let order = scales.parameterCount
    return SpreadChoice(
      fitting: fitting, scales: scales,
      estimation: PriorEstimation(precisions: SharedFitting.weakPrecisions(order: order)),
      start: PriorEstimation.start(order: order))
  }

  @Test func `parts have similar sizes, differ between times, and do not depend on other users' rows`() throws
  {
    var world = RatedItems(seed: 91, people: 40) { _ in 30 }
    let everybody = Array(world.people.indices)
    let before = try Self.choice(world)
    let parts = (0..<2).map { before.cut(everybody, $0).map { $0.map(\.part) } }
    #expect(parts[0] != parts[1])
    for part in 0..<SpreadChoice.parts {
      // The expected number is 400 of 1 200 rows, with a standard deviation of 16.
      #expect((330...470).contains(parts[0].joined().count { $0 == part }))
    }
    // Without the first user's ratings, the row numbers of the other users are smaller.
    world.ratings[0] = []
    world.ratings[1].removeLast()
    let after = try Self.choice(world).cut(everybody, 0).map { $0.map(\.part) }
    #expect(after[0].isEmpty && after[1] == parts[0][1].dropLast())
    #expect(Array(after[2...]) == Array(parts[0][2...]))
  }

  /// The second implementation learns on two parts and ranks the third one, four times with other parts.
  @Test func `the choice equals a plain calculation`() throws {
    let world = RatedItems(seed: 99, people: 14) { Int.random(in: 1...14, using: &$0) }
    let choice = try Self.choice(world)
    let users = Array(world.people.indices)
    let order = choice.scales.parameterCount
    var scores = users.map { _ in [[Double]]() }
    for repetition in 0..<4 {
      let rows = choice.cut(users, repetition)
      for part in 0..<3 {
        let sums = rows.map { own in
          var sums = SumsOfProducts(order: order)
          for row in own where row.part != part { sums.add(row.z, row.value) }
          return sums
        }
        let prior = try choice.estimation.estimate(sums, from: choice.start).prior
        for user in users {
          let left = rows[user].filter { $0.part == part }
          guard Set(left.map(\.value)).count > 1 else { continue }
          var own: [Double] = []
          for factor in [0, 0.1, 0.3, 1] {
            var posterior = Posterior(prior.spread(by: factor))
            try posterior.factor(sums[user])
            posterior.solve(sums[user])
            let mean = posterior.mean
            let ranked = left.map { row in
              (prediction: zip(row.z, mean).reduce(0) { $0 + $1.0 * $1.1 }, value: row.value)
            }
            own.append(try #require(concordance(ranked)))
          }
          scores[user].append(own)
        }
      }
    }
    let means = scores.filter { !$0.isEmpty }.map { own in
      (0..<4).map { factor in own.reduce(0) { $0 + $1[factor] } / Double(own.count) }
    }
    let count = Double(means.count)
    let overall = (0..<4).map { factor in means.reduce(0) { $0 + $1[factor] } / count }
    let outcome = try choice.choose(users)
    #expect(outcome.users == means.count && means.count > 5)
    #expect(outcome.tried.map(\.factor) == [0, 0.1, 0.3, 1])
    let best = try #require((0..<4).max { outcome.tried[$0].concordance < outcome.tried[$1].concordance })
    for (place, tried) in outcome.tried.enumerated() {
      #expect(abs(tried.concordance - overall[place]) < 1e-12)
      #expect(abs(tried.loss - (overall[best] - overall[place])) < 1e-12)
      let squares = means.reduce(0) { sum, own in
        let difference = own[best] - own[place] - (overall[best] - overall[place])
        return sum + difference * difference
      }
      #expect(abs(tried.standardError - (squares / (count - 1) / count).squareRoot()) < 1e-12)
    }
    let chosen = outcome.tried.first { $0.loss <= $0.standardError }
    #expect(outcome.factor == chosen?.factor)
    // One user alone cannot be compared, so the users differ only in their base.
    let alone = try choice.choose([3])
    #expect(alone.factor == 0 && alone.tried.isEmpty && alone.users <= 1)
  }

  @Test func `repeated interactions with one candidate are in one part`() throws {
    var world = RatedItems(seed: 92, people: 30) { _ in 8 }
    for person in world.ratings.indices {
      world.ratings[person] += world.ratings[person].map { ($0.item, -$0.value) }
    }
    let cut = try Self.choice(world).cut(Array(world.people.indices), 0)
    for rows in cut { #expect(rows.prefix(8).map(\.part) == rows.suffix(8).map(\.part)) }
    #expect(cut.contains { Set($0.map(\.part)).count == SpreadChoice.parts })
  }

  @Test func `if a user has very many rows, the newest ones are used`() throws {
    let world = RatedItems(seed: 93, people: 2, items: 1300) { _ in 1300 }
    let choice = try Self.choice(world)
    let rows = try #require(choice.cut([1], 0).first)
    #expect(rows.count == SpreadChoice.mostRowsPerUser)
    let newest = world.ratings[1].suffix(rows.count).map { choice.scales.response($0.value) }
    #expect(rows.map(\.value) == newest)
  }

  @Test func `the limit on drawn users depends on the memory per user`() throws {
    let world = RatedItems(seed: 94, people: 150) { _ in 3 }
    let fitting = try Self.choice(world).fitting
    let sample = LearningSample(fitting.rows, ids: fitting.users.ids, seed: fitting.seed)
    #expect(fitting.drawn(sample, order: 7).count == 150)
    // The inverse and the sums need 16 MB per user, but the sample still has a hundred users.
    let few = fitting.drawn(sample, order: 1001)
    #expect(few == sample.users(limit: LearningSample.leastUsers) && few.count == LearningSample.leastUsers)
    for order in [2, 31, 120, 400, 409, 410, 1001] {
      let limit = LearningSample.limit(order: order)
      #expect((LearningSample.leastUsers...LearningSample.mostUsers).contains(limit))
      #expect(
        limit == LearningSample.leastUsers
          || limit * LearningSample.bytesPerUser(order: order) <= LearningSample.mostBytes)
    }
    #expect(LearningSample.limit(order: 20) == LearningSample.mostUsers)
  }

  @Test func `rows are drawn up to the limits on their number and size`() throws {
    let world = RatedItems(seed: 95, people: 90, items: 500) { _ in 500 }
    let fitting = try Self.choice(world).fitting
    let sample = LearningSample(fitting.rows, ids: fitting.users.ids, seed: fitting.seed)
    // A row has 8 072 bytes, so the limit is 33 255 rows. The sample includes all rows of its last
    // user.
    #expect(fitting.drawn(sample, order: 1001).count == 67)
    #expect(fitting.drawn(sample, order: 7).count == 90)
  }
}
