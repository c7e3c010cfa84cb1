import Concurrency
import Testing

@testable import Models

/// Compares the estimated prior with dense algebra and with the true prior of simulated people.
struct PriorEstimationTests {
  static let truth = GaussianPrior(
    mean: [0.2, 0.5, -0.3, 0], variances: [0.3, 0.1, 0.02, 0.2], noise: 0.7)

  private static func estimation(order: Int) -> PriorEstimation {
    PriorEstimation(precisions: SharedFitting.weakPrecisions(order: order), threads: 2)
  }

  /// Over these seeds, the measured error is at most 2e-14.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a posterior mean minimizes the penalized sum of squares`(seed: UInt64) throws {
    let people = GaussianPeople(seed: seed, people: 6, Self.truth) { Int.random(in: 1...12, using: &$0) }
    var priors = [Self.truth, Self.truth.spread(by: 0.1)]
    priors.append(SharedFitting.prior(penalty: 3, order: 4))
    for prior in priors {
      var posterior = Posterior(prior)
      for rows in people.rows {
        let sums = SumsOfProducts(rows, order: 4)
        try posterior.factor(sums)
        posterior.solve(sums)
        let expected = rows.minimiser(mean: prior.mean, variances: prior.variances, noise: prior.noise)
        for (found, expected) in zip(posterior.mean, expected) { #expect(abs(found - expected) < 1e-12) }
        let squares = zip(rows.z, rows.y).reduce(0) { sum, row in
          let residual = zip(row.0, expected).reduce(row.1) { $0 - $1.0 * $1.1 }
          return sum + residual * residual
        }
        #expect(abs(posterior.residualSumOfSquares - squares) < 1e-10)
      }
    }
  }

  @Test func `a variance that starts at its minimum converges to the same value`() throws {
    let people = GaussianPeople(seed: 11, people: 80, Self.truth) { Int.random(in: 4...20, using: &$0) }
    let start = PriorEstimation.start(order: 4)
    var least = start
    least.variances = least.variances.map { _ in PriorEstimation.leastVariance }
    let results = try [start, least].map {
      try Self.estimation(order: 4).estimate(people.sums, from: $0).prior
    }
    for (one, other) in zip(results[0].variances, results[1].variances) {
      #expect(other > 1e-3 && abs(one / other - 1) < 0.1, "\(results)")
    }
  }

  @Test func `a parameter without variance keeps its mean and has no error`() throws {
    let people = GaussianPeople(seed: 4, people: 1, Self.truth) { _ in 20 }
    let prior = Self.truth.spread(by: 0)
    var posterior = Posterior(prior)
    let sums = people.sums[0]
    try posterior.factor(sums)
    posterior.solve(sums)
    #expect(Array(posterior.mean.dropFirst()) == Array(prior.mean.dropFirst()))
    #expect((1..<4).allSatisfy { posterior.variance($0) == 0 })
    #expect(posterior.mean[0] != prior.mean[0] && posterior.variance(0) > 0)
  }

  /// The root mean squares of (mean - truth) / error over 60 populations are 0.94 to 0.97,
  /// depending on the parameter.
  @Test func `errors of the mean match its distances from the truth`() throws {
    let populations = 60
    var squares = [Double](repeating: 0, count: 4)
    for seed in 0..<UInt64(populations) {
      let people = GaussianPeople(seed: 500 + seed, people: 60, Self.truth) {
        Int.random(in: 4...20, using: &$0)
      }
      let estimation = Self.estimation(order: 4)
      let result = try estimation.estimate(people.sums, from: PriorEstimation.start(order: 4))
      let errors = try estimation.errors(of: result)
      for place in squares.indices {
        let distance = result.prior.mean[place] - Self.truth.mean[place]
        squares[place] += distance * distance / errors.variances[place]
      }
    }
    for square in squares { #expect((0.75...1.3).contains((square / Double(populations)).squareRoot())) }
  }

  /// The rows contain one column twice, so the two copies are dependent.
  @Test func `dependent columns share an effect, and their errors reflect the share`() throws {
    let people = GaussianPeople(seed: 9, people: 80, Self.truth) { _ in 12 }
    let single = Self.estimation(order: 4)
    let alone = try single.estimate(people.sums, from: PriorEstimation.start(order: 4))
    let twice = people.rows.map { rows in
      var doubled = rows
      doubled.z = rows.z.map { $0 + [$0[1]] }
      return SumsOfProducts(doubled, order: 5)
    }
    let estimation = Self.estimation(order: 5)
    let both = try estimation.estimate(twice, from: PriorEstimation.start(order: 5))
    let errors = try estimation.errors(of: both).variances.map { $0.squareRoot() }
    let whole = try single.errors(of: alone).variances[1].squareRoot()
    #expect(abs(errors[1] - errors[4]) < 1e-3 * errors[1])
    #expect((0.4...0.6).contains(errors[1] / whole))
  }

  @Test func `without users there are no errors`() throws {
    let estimation = Self.estimation(order: 4)
    let result = try estimation.estimate([], from: PriorEstimation.start(order: 4))
    #expect(try estimation.errors(of: result).variances == [0, 0, 0, 0])
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `the likelihood never decreases, and equals dense algebra`(seed: UInt64) throws {
    let people = GaussianPeople(seed: seed, people: 40, Self.truth) { Int.random(in: 0...9, using: &$0) }
    let result = try Self.estimation(order: 4).estimate(
      people.sums, from: PriorEstimation.start(order: 4))
    let likelihoods = result.logLikelihoods
    #expect(likelihoods.count > 2)
    for (earlier, later) in zip(likelihoods, likelihoods.dropFirst()) { #expect(later >= earlier - 1e-9) }
    #expect(abs(Self.dense(people, result.prior) - (likelihoods.last ?? .nan)) < 1e-8)
  }

  /// The penalized likelihood of all people, computed densely.
  private static func dense(_ people: GaussianPeople, _ prior: GaussianPrior) -> Double {
    let penalty = prior.mean.dropFirst().reduce(0) { $0 + $1 * $1 } * PriorEstimation.weakPrecision / 2
    let noise = -PriorEstimation.rowsOfNoise / 2 * (naturalLogarithm(prior.noise) + 0.8 / prior.noise)
    let added = prior.variances.reduce(noise - penalty) {
      $0 + 0.5 * naturalLogarithm($1) - PriorEstimation.rateOfVariance * $1
    }
    return people.rows.reduce(added) {
      $0 + $1.logLikelihood(mean: prior.mean, variances: prior.variances, noise: prior.noise)
    }
  }

  /// Each person has fewer rows than there are columns, so the columns explain the person's rows exactly.
  /// Over these seeds, the measured means of coefficients are at most 1.33, the noise is at least 0.17 and
  /// variances are at most 0.50.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a few rows give plausible estimates of the population`(seed: UInt64) throws {
    let truth = GaussianPrior(
      mean: [Double](repeating: 0.1, count: 12), variances: [Double](repeating: 0.05, count: 12), noise: 0.4)
    let people = GaussianPeople(seed: seed, people: 1 + Int(seed % 8), truth) {
      Int.random(in: 1...3, using: &$0)
    }
    let prior = try Self.estimation(order: 12).estimate(people.sums, from: PriorEstimation.start(order: 12))
      .prior
    #expect(prior.mean.dropFirst().allSatisfy { abs($0) < 2 })
    #expect(prior.noise > 0.01 && prior.variances.allSatisfy { $0 < 1 })
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `no prior near the estimate is more likely`(seed: UInt64) throws {
    let people = GaussianPeople(seed: 100 + seed, people: 60, Self.truth) {
      Int.random(in: 2...9, using: &$0)
    }
    let result = try Self.estimation(order: 4).estimate(
      people.sums, from: PriorEstimation.start(order: 4))
    #expect(result.hasConverged)
    let best = Self.dense(people, result.prior)
    for factor in [0.8, 0.95, 1.05, 1.25] {
      for j in 0..<4 {
        var other = result.prior
        other.variances[j] = max(PriorEstimation.leastVariance, other.variances[j] * factor)
        // The estimate need not have converged completely, so the likelihood may differ slightly.
        #expect(Self.dense(people, other) < best + 0.1)
        other = result.prior
        other.mean[j] += factor - 1
        #expect(Self.dense(people, other) < best + 1e-9)
      }
      var other = result.prior
      other.noise *= factor
      #expect(Self.dense(people, other) < best + 0.1)
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `the true parameters are found`(seed: UInt64) throws {
    let people = GaussianPeople(seed: 200 + seed, people: 600, Self.truth) {
      Int.random(in: 5...40, using: &$0)
    }
    let prior = try Self.estimation(order: 4).estimate(
      people.sums, from: PriorEstimation.start(order: 4)
    ).prior
    for j in 0..<4 {
      // The tolerance is five standard errors: √(variance / people) for a mean and √(2 / people) times the
      // variance for a variance. Both errors are slightly larger, because rows only estimate the parameters.
      #expect(
        abs(prior.mean[j] - Self.truth.mean[j]) < 5 * (Self.truth.variances[j] / 600).squareRoot() + 0.02)
      #expect(abs(prior.variances[j] / Self.truth.variances[j] - 1) < 0.5)
    }
    #expect(abs(prior.noise / Self.truth.noise - 1) < 0.1)
  }

  @Test(arguments: 0..<5 as Range<UInt64>)
  func `intervals of 95 percent cover 93 to 97 percent`(seed: UInt64) throws {
    let people = GaussianPeople(seed: 300 + seed, people: 700, Self.truth) {
      Int.random(in: 3...30, using: &$0)
    }
    let prior = try Self.estimation(order: 4).estimate(
      people.sums, from: PriorEstimation.start(order: 4)
    ).prior
    var posterior = Posterior(prior)
    var covered = 0
    for (sums, truth) in zip(people.sums, people.parameters) {
      try posterior.factor(sums)
      posterior.solve(sums)
      covered += (0..<4).count {
        abs(posterior.mean[$0] - truth[$0]) <= 1.959964 * posterior.variance($0).squareRoot()
      }
    }
    let share = Double(covered) / Double(4 * people.rows.count)
    #expect((0.93...0.97).contains(share), "\(share)")
  }

  @Test func `shrinkage vanishes as rows grow`() throws {
    // This user is far from the population mean.
    let prior = GaussianPrior(mean: [0, 0, 0, 0], variances: [0.1, 0.1, 0.1, 0.1], noise: 0.7)
    let far = GaussianPrior(mean: [3, -3, 3, -3], variances: [0, 0, 0, 0], noise: 0.7)
    let gaps = try [10, 100, 1000, 10_000].map { count in
      let rows = GaussianPeople(seed: 9, people: 1, far) { _ in count }.rows[0]
      let sums = SumsOfProducts(rows, order: 4)
      var posterior = Posterior(prior)
      try posterior.factor(sums)
      posterior.solve(sums)
      let own = rows.minimiser(
        mean: prior.mean, variances: [Double](repeating: .infinity, count: 4), noise: 0.7)
      return zip(posterior.mean, own).map { abs($0 - $1) }.max() ?? .nan
    }
    // The remaining share of the distance is noise / (variance * rows).
    for (gap, bound) in zip(gaps, [4, 0.4, 0.04, 0.004]) { #expect(gap < bound) }
    #expect(gaps[3] < gaps[0] / 100)
  }

  @Test func `without differences and preferences, variances fall to the floor`()
    throws
  {
    let nothing = GaussianPrior(mean: [0, 0, 0, 0], variances: [0, 0, 0, 0], noise: 1)
    let people = GaussianPeople(seed: 77, people: 500, nothing) { _ in 20 }
    let prior = try Self.estimation(order: 4).estimate(
      people.sums, from: PriorEstimation.start(order: 4)
    ).prior
    // The estimate of a variance whose true value is 0 has a standard error of about √(2 / people) * noise /
    // rows = 0.003.
    #expect(prior.variances.allSatisfy { $0 < 0.01 })
    #expect(prior.mean.allSatisfy { abs($0) < 0.05 })
  }

  @Test func `dependent columns, one person, one row and no people are handled`() throws {
    var twins = GaussianPeople(seed: 5, people: 30, Self.truth) { _ in 8 }
    for person in twins.rows.indices {
      for row in twins.rows[person].z.indices { twins.rows[person].z[row][2] = -twins.rows[person].z[row][1] }
    }
    for people in [twins.sums, Array(twins.sums.prefix(1)), [], [SumsOfProducts(order: 4)]] {
      let result = try Self.estimation(order: 4).estimate(people, from: PriorEstimation.start(order: 4))
      #expect(result.prior.mean.allSatisfy { $0.isFinite })
      #expect(result.prior.variances.allSatisfy { $0 >= PriorEstimation.leastVariance })
    }
    var one = SumsOfProducts(order: 4)
    one.add([1, 0, 0, 0], 5)
    let result = try Self.estimation(order: 4).estimate([one], from: PriorEstimation.start(order: 4))
    #expect(result.prior.mean.allSatisfy { $0.isFinite } && result.prior.noise > 0)
  }

  @Test func `sums of fewer columns equal sums of those columns`() {
    let people = GaussianPeople(seed: 3, people: 1, Self.truth) { _ in 15 }
    var fewer = people.rows[0]
    fewer.z = fewer.z.map { [$0[0], $0[1], $0[3]] }
    let (kept, direct) = (people.sums[0].keeping([0, 1, 3]), SumsOfProducts(fewer, order: 3))
    #expect(kept.products == direct.products && kept.moments == direct.moments)
    #expect(kept.count == direct.count && kept.squares == direct.squares)
  }

  @Test func `people without rows do not count`() throws {
    let people = GaussianPeople(seed: 12, people: 30, Self.truth) { Int.random(in: 4...9, using: &$0) }
    let start = PriorEstimation.start(order: 4)
    let one = try Self.estimation(order: 4).estimate(people.sums, from: start)
    let none = [SumsOfProducts](repeating: SumsOfProducts(order: 4), count: 20)
    let other = try Self.estimation(order: 4).estimate(people.sums + none, from: start)
    #expect(one.prior == other.prior && one.passes == other.passes)
    #expect(one.logLikelihoods == other.logLikelihoods && one.information == other.information)
  }

  @Test func `an estimation ends at the largest number of passes, or before if it has converged`() throws {
    let people = GaussianPeople(seed: 13, people: 60, Self.truth) { Int.random(in: 4...9, using: &$0) }
    let start = PriorEstimation.start(order: 4)
    for passes in [0, 1, 2] {
      var estimation = Self.estimation(order: 4)
      estimation.maximumPasses = passes
      let result = try estimation.estimate(people.sums, from: start)
      #expect(result.passes == passes && !result.hasConverged)
      #expect(result.logLikelihoods.count <= passes && (result.prior == start) == (passes == 0))
    }
    let estimation = Self.estimation(order: 4)
    let result = try estimation.estimate(people.sums, from: start)
    #expect(result.hasConverged && (3..<60).contains(result.passes))
    #expect(estimation.progress.state.step == "prior, pass \(result.passes)")
    // An estimation that starts at its result has nothing left to gain.
    let again = try Self.estimation(order: 4).estimate(people.sums, from: result.prior)
    #expect(again.hasConverged && again.passes < result.passes)
  }

  /// The likelihood alone would give the base a variance of about 10 000.
  @Test func `a variance has an upper bound`() throws {
    let wide = GaussianPrior(mean: [0, 0.5, 0, 0], variances: [10_000, 0.1, 0.1, 0.1], noise: 0.7)
    let people = GaussianPeople(seed: 14, people: 40, wide) { _ in 10 }
    let prior = try Self.estimation(order: 4).estimate(people.sums, from: PriorEstimation.start(order: 4))
      .prior
    #expect(PriorEstimation.largestVariance == 100)
    #expect(prior.variances[0] <= 100 && prior.variances[0] > 90, "\(prior)")
    #expect(prior.variances.dropFirst().allSatisfy { $0 < 1 })
  }

  /// A wrong term of the search moves the estimate by less than its error, but the likelihood then has a slope.
  @Test(arguments: 0..<3 as Range<UInt64>)
  func `the penalized likelihood has no slope at the estimate`(seed: UInt64) throws {
    let people = GaussianPeople(seed: 400 + seed, people: 80, Self.truth) {
      Int.random(in: 5...15, using: &$0)
    }
    var estimation = Self.estimation(order: 4)
    (estimation.tolerance, estimation.maximumPasses) = (1e-8, 500)
    let result = try estimation.estimate(people.sums, from: PriorEstimation.start(order: 4))
    try #require(result.hasConverged && result.prior.variances.allSatisfy { $0 > 1e-3 })
    func slope(_ change: (inout GaussianPrior, Double) -> Void) -> Double {
      let ends = [-1e-3, 1e-3].map { step -> Double in
        var other = result.prior
        change(&other, step)
        return Self.dense(people, other)
      }
      return (ends[1] - ends[0]) / 2e-3
    }
    for j in 0..<4 {
      let (mean, variance) = (slope { $0.mean[j] += $1 }, slope { $0.variances[j] *= 1 + $1 })
      #expect(abs(mean) < 0.01 && abs(variance) < 0.01, "\(j): \(mean), \(variance)")
    }
    let noise = slope { $0.noise *= 1 + $1 }
    #expect(abs(noise) < 0.01, "\(noise)")
  }
}
