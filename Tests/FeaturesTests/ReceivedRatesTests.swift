import Columns
import Concurrency
import PipelineFile
import RunSchemas
import StageFixture
import Testing

@testable import Features

/// Computes the rates from a list of decisions, directly by the definition.
private struct PlainRates {
  struct Decision {
    var user: Int
    var candidate: Int
    var isLike: Bool
  }

  let decisions: [Decision]

  /// The latest swipe of each pair counts. If two swipes have the same time, the later row of the file
  /// counts.
  init(_ swipes: [RandomExport.Swipe]) {
    var latest: [[Int]: (at: Int, like: Bool)] = [:]
    for swipe in swipes where swipe.at >= latest[[swipe.user, swipe.candidate]]?.at ?? 0 {
      latest[[swipe.user, swipe.candidate]] = (swipe.at, swipe.value > 0)
    }
    decisions = latest.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { Decision(user: $0.key[0], candidate: $0.key[1], isLike: $0.value.like) }
  }

  /// The rate of `candidate` without the decisions of `user` on this candidate. With `user` -1, all
  /// decisions count.
  func rate(of candidate: Int, without user: Int, smoothing: Double, isAdjusted: Bool) -> Double {
    let rest = decisions.filter { $0.user != user || $0.candidate != candidate }
    let mean = Double(rest.count(where: \.isLike)) / Double(rest.count)
    let received = rest.filter { $0.candidate == candidate }
    let weight = Double(received.count) + smoothing
    guard isAdjusted else {
      return (Double(received.count(where: \.isLike)) + smoothing * mean) / weight
    }
    let surprises = received.map { decision in
      let given = rest.filter { $0.user == decision.user }
      let habit = (Double(given.count(where: \.isLike)) + 2 * mean) / Double(given.count + 2)
      return (decision.isLike ? 1 : 0) - habit
    }
    return mean + surprises.reduce(0, +) / weight
  }
}

/// The rates that the features compute from exports, and the table of interactions.
private struct Rates {
  let fixture: StageFixture
  let table: InteractionTable
  let space: FeatureSpace
  let rates: ReceivedRates

  init(_ world: RandomExport, _ settings: String = "{}") throws {
    fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[{ received_like_rate: \(settings) }]", ranking: "    top: 3"),
      files: world.files)
    try fixture.runStages()
    let snapshot = try fixture.snapshot()
    table = try #require(snapshot.interactions["swipes"])
    space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let feature = try #require(space.features.first)
    rates = try #require(feature.shape as? ReceivedRates)
  }

  func leavingOut(_ index: Int) -> Double {
    rates.leavingOut(index, user: Int(table.user.elements[index]), candidate: Int(table.candidate[index]))
  }
}

private func world(_ swipes: [(user: Int, candidate: Int, value: Double)], people: Int = 4) -> RandomExport {
  var world = RandomExport(seed: 1, people: people, swipes: 0)
  world.swipes = swipes.enumerated().map {
    RandomExport.Swipe(user: $1.user, candidate: $1.candidate, at: $0 + 1, value: $1.value)
  }
  return world
}

struct ReceivedRatesTests {
  private static let small = world([(0, 1, 1), (0, 2, -1), (3, 1, -1), (2, 1, 1)])

  @Test func `plain rates equal a calculation by hand`() throws {
    let rates = try Rates(Self.small, "{ smoothing: 2, adjusted: false }")
    // Two of four decisions are likes. Candidate 1 received two likes and a pass, and candidate 2
    // received a pass.
    #expect(rates.rates.values == [0.5, 3.0 / 5, 1.0 / 3, 0.5])
    // Without user 0's like of candidate 1, a third of the decisions are likes.
    #expect(abs(rates.leavingOut(0) - (1 + 2.0 / 3) / 4) < 1e-15)
    // Candidate 2 has no other decision. The mean of the other decisions would reveal that this
    // decision is a pass.
    #expect(rates.leavingOut(1).isNaN)
  }

  @Test func `adjusted rates equal a calculation by hand`() throws {
    let rates = try Rates(Self.small, "{ smoothing: 2 }")
    // The mean is 1/2. The smoothed shares of likes of the users 0, 2 and 3 are (1+1)/(2+2) = 1/2,
    // (1+1)/(1+2) = 2/3 and (0+1)/(1+2) = 1/3.
    let first = 0.5 + ((1 - 1.0 / 2) + (1 - 2.0 / 3) + (0 - 1.0 / 3)) / 5
    for (found, expected) in zip(rates.rates.values, [0.5, first, 0.5 - 0.5 / 3, 0.5]) {
      #expect(abs(found - expected) < 1e-15)
    }
  }

  @Test(arguments: [false, true])
  func `a single decision gives no information about other decisions`(isAdjusted: Bool) throws {
    let rates = try Rates(world([(0, 1, 1), (0, 1, 1)]), "{ adjusted: \(isAdjusted) }")
    #expect(rates.leavingOut(0).isNaN && rates.leavingOut(1).isNaN)
    // Every candidate has the mean rate of 1, because the only decision is a like.
    #expect(rates.rates.values[0] == 1 && rates.rates.values[3] == 1)
    let none = try Rates(world([]), "{ adjusted: \(isAdjusted) }")
    #expect(none.rates.values.allSatisfy { $0.isNaN })
  }

  @Test func `two decisions on two people give no information about each other`() throws {
    let rates = try Rates(world([(0, 1, 1), (0, 2, -1)]))
    #expect(rates.leavingOut(0).isNaN && rates.leavingOut(1).isNaN)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `rates equal a new count without the pair`(seed: UInt64) throws {
    // Even seeds have few people and many swipes, so pairs repeat. Odd seeds have many people, so
    // most have at most one decision.
    let world = RandomExport(
      seed: seed, people: seed % 2 == 0 ? 12 : 60, swipes: seed % 2 == 0 ? 400 : 60)
    let isAdjusted = seed % 4 < 2
    let smoothing = [5, 0.5, 100][Int(seed) % 3]
    let rates = try Rates(world, "{ smoothing: \(smoothing), adjusted: \(isAdjusted) }")
    let plain = PlainRates(world.swipes)
    for candidate in world.people.indices {
      let expected = plain.rate(of: candidate, without: -1, smoothing: smoothing, isAdjusted: isAdjusted)
      #expect(abs(rates.rates.values[candidate] - expected) <= 1e-12)
    }
    var repeated = 0
    for index in 0..<rates.table.count {
      let (user, candidate) = (Int(rates.table.user.elements[index]), Int(rates.table.candidate[index]))
      let expected = plain.rate(of: candidate, without: user, smoothing: smoothing, isAdjusted: isAdjusted)
      let others = world.swipes.contains { $0.candidate == candidate && $0.user != user }
      let found = rates.leavingOut(index)
      #expect(others ? abs(found - expected) <= 1e-12 : found.isNaN)
      if world.swipes.count(where: { $0.user == user && $0.candidate == candidate }) > 1 { repeated += 1 }
    }
    #expect(repeated > 0 || seed % 2 == 1)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `a learning row does not depend on its own outcome`(seed: UInt64) throws {
    let world = RandomExport(seed: 50 + seed, people: 10, swipes: 120)
    let rates = try Rates(world, "{ adjusted: \(seed % 2 == 0) }")
    var random = SplitMix64(seed: seed)
    for _ in 0..<6 {
      let index = Int.random(in: 0..<rates.table.count, using: &random)
      let (user, candidate) = (Int(rates.table.user.elements[index]), Int(rates.table.candidate[index]))
      var flipped = world
      for swipe in flipped.swipes.indices
      where flipped.swipes[swipe].user == user && flipped.swipes[swipe].candidate == candidate {
        flipped.swipes[swipe].value *= -1
      }
      let others = try Rates(flipped, "{ adjusted: \(seed % 2 == 0) }")
      let (one, other) = (rates.leavingOut(index), others.leavingOut(index))
      #expect(abs(one - other) <= 1e-12 || one.isNaN && other.isNaN)
      #expect(others.rates.values[candidate] != rates.rates.values[candidate])
    }
  }

  @Test func `a learning row and a prediction differ by the row itself`() throws {
    let rates = try Rates(Self.small, "{ smoothing: 2, adjusted: false }")
    var row = [0.0]
    rates.space.fill(&row, user: 0, candidate: 1, distance: .nan, learningFrom: 0)
    #expect(row == [rates.leavingOut(0)])
    rates.space.fill(&row, user: 0, candidate: 1, distance: .nan, learningFrom: nil)
    #expect(row == [0.6])
  }

  @Test func `other people's decisions are shown only to the analyst`() throws {
    let rates = try Rates(Self.small)
    let learned = UserModel(
      observations: 2, base: 0, intercept: 0, residualSumOfSquares: 0,
      terms: [UserModel.Term(column: 0, coefficient: 1, mean: 0.1)])
    let reasons = rates.space.reasons(
      Scorer(learned, of: 0, in: rates.space), model: learned, user: 0, candidate: 1, distance: .nan)
    #expect(reasons.map(\.feature) == ["received_like_rate=high"])
    #expect(reasons[0].contribution > 0 && reasons.published.isEmpty)
  }
}
