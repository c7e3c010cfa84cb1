import Concurrency
import Testing

@testable import Models

/// Compares categories that are stored as indices with one dummy column per word.
struct CompactSumsTests {
  /// Rows with random layouts: several categories, unused codes and missing values. Some columns
  /// are constant or dependent, and some examples have fewer rows than columns.
  struct Example {
    var layout: CompactLayout
    var compact: CompactRows
    /// The same rows with all columns.
    var rows = PersonRows()

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      var layout = CompactLayout(categories: [], sources: [], dense: [], parameterCount: 1)
      for place in 0..<Int.random(in: 0...3, using: &random) {
        let width = Int.random(in: 1...(place == 0 ? 14 : 5), using: &random)
        // The last weight is for codes without a column.
        let weights = (0...width).map { _ in 0.02 + random.nextUnit() }
        let means = weights.dropLast().map { $0 / weights.reduce(0, +) }
        let deviations = means.map { ($0 * (1 - $0)).squareRoot() }
        let first = layout.parameterCount
        layout.parameterCount += width
        layout.sources.append(place)
        layout.categories.append(
          CompactLayout.Category(
            parameters: first..<first + width, high: zip(means, deviations).map { (1 - $0) / $1 },
            low: zip(means, deviations).map { -$0 / $1 }, step: deviations.map { 1 / $0 },
            binOfCode: (0...Int32(width)).map { $0 }))
      }
      for place in 0..<Int.random(in: 0...5, using: &random) {
        layout.dense.append(
          CompactLayout.Dense(
            source: place, parameter: layout.parameterCount, mean: random.nextGaussian(),
            deviation: 0.5 + random.nextUnit()))
        layout.parameterCount += 1
      }
      self.layout = layout
      compact = CompactRows(layout)

      let count = Int.random(in: 1...40, using: &random)
      let missing = [0, 0, 0.3, 1][Int.random(in: 0..<4, using: &random)]
      compact.resize(count)
      rows.y = (0..<count).map { _ in random.nextGaussian() }
      compact.setVector(1, rows.y, at: 0, mean: 0, deviation: 1)
      rows.z = rows.y.map { _ in [1] + [Double](repeating: 0, count: layout.parameterCount - 1) }
      for (place, category) in layout.categories.enumerated() {
        // Low codes are frequent, so many codes do not occur.
        let codes = (0..<count).map { _ in
          random.nextUnit() < missing
            ? UInt32.max : UInt32(Double(category.width + 1) * random.nextUnit() * random.nextUnit())
        }
        compact.setBins(place, codes, at: 0)
        for (row, code) in codes.enumerated() where code != .max {
          for j in 0..<category.width {
            rows.z[row][category.parameters.lowerBound + j] = code == j ? category.high[j] : category.low[j]
          }
        }
      }
      var previous = [Double](repeating: 0, count: count)
      let isDependent = random.nextUnit() < 0.3
      for (place, column) in layout.dense.enumerated() {
        var values = previous.map { _ in
          random.nextUnit() < missing ? .nan : column.mean + column.deviation * random.nextGaussian()
        }
        if place == 1, isDependent { values = previous.map { 3 * $0 - 1 } }
        if place == 2, isDependent { values = values.map { _ in 4 } }
        previous = values
        compact.setVector(2 + place, values, at: 0, mean: column.mean, deviation: column.deviation)
        for (row, value) in values.enumerated() where !value.isNaN {
          rows.z[row][column.parameter] = (value - column.mean) / column.deviation
        }
      }
    }

    var sums: CompactSums {
      var sums = CompactSums(layout)
      sums.load(compact)
      return sums
    }

    /// A prior with a different mean and variance for every parameter.
    func prior(_ seed: UInt64) -> GaussianPrior {
      var random = SplitMix64(seed: seed)
      return GaussianPrior(
        mean: (0..<layout.parameterCount).map { _ in random.nextGaussian() },
        variances: (0..<layout.parameterCount).map { _ in max(1e-4, random.nextUnit()) }, noise: 0.6)
    }
  }

  /// Over these seeds, the measured error is at most 3e-13 for sums up to 200.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `sums of all columns equal sums over full rows`(seed: UInt64) {
    let example = Example(seed: seed)
    let order = example.layout.parameterCount
    // The sums are loaded twice to test that their buffers can be reused.
    var (sums, found) = (example.sums, SumsOfProducts(order: order))
    sums.load(Example(seed: seed).compact)
    sums.write(to: &found)
    let expected = SumsOfProducts(example.rows, order: order)
    #expect(found.count == expected.count)
    #expect(abs(found.squares - expected.squares) < 1e-12)
    for (found, expected) in zip(found.moments, expected.moments) { #expect(abs(found - expected) < 1e-11) }
    for (found, expected) in zip(found.products, expected.products) { #expect(abs(found - expected) < 1e-11) }
  }

  /// Over these seeds, the measured error is at most 5e-12.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `a posterior equals the dense one`(seed: UInt64) throws {
    let example = Example(seed: seed)
    let order = example.layout.parameterCount
    let population = example.prior(seed)
    let priors = [
      population, population.spread(by: 0), population.spread(by: 0.1),
      SharedFitting.prior(penalty: 1, order: order), SharedFitting.prior(penalty: 0.01, order: order),
      SharedFitting.prior(penalty: 1000, order: order),
    ]
    for prior in priors {
      let hasVariances = prior.variances[0] != .infinity
      var (posterior, dense) = (UserPosterior(prior, example.layout), Posterior(prior))
      let full = SumsOfProducts(example.rows, order: order)
      try posterior.solve(example.sums, hasVariances: hasVariances)
      try dense.factor(full)
      dense.solve(full)
      for (found, expected) in zip(posterior.mean, dense.mean) { #expect(abs(found - expected) < 1e-9) }
      #expect(abs(posterior.residualSumOfSquares - dense.residualSumOfSquares) < 1e-9)
      guard hasVariances else { continue }
      for j in 0..<order { #expect(abs(posterior.variances[j] - dense.variance(j)) < 1e-10) }
      #expect(abs(posterior.predictionVariances - dense.predictionVariances) < 1e-9)
    }
  }

  /// Compares the mean with Gaussian elimination in extended precision. Over these seeds, the
  /// measured error is at most 2e-12.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `a posterior mean is the minimizer`(seed: UInt64) throws {
    let example = Example(seed: 1000 + seed)
    for prior in [
      example.prior(seed), SharedFitting.prior(penalty: 1, order: example.layout.parameterCount),
    ] {
      var posterior = UserPosterior(prior, example.layout)
      try posterior.solve(example.sums, hasVariances: false)
      let expected = example.rows.minimiser(
        mean: prior.mean, variances: prior.variances, noise: prior.noise)
      for (found, expected) in zip(posterior.mean, expected) { #expect(abs(found - expected) < 1e-9) }
    }
  }

  /// Compares the result with the dense leverage of each row. Over these seeds, the measured
  /// difference is at most 1e-11 of the error.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `leaving out each row gives the error of the dense method`(seed: UInt64) throws {
    let example = Example(seed: 2000 + seed)
    let order = example.layout.parameterCount
    let prior = SharedFitting.prior(penalty: 2, order: order)
    var (posterior, dense) = (UserPosterior(prior, example.layout), Posterior(prior))
    let full = SumsOfProducts(example.rows, order: order)
    try posterior.solve(example.sums, hasVariances: false)
    try dense.factor(full)
    dense.solve(full)
    // If a row is the only one of its kind, its leverage is 1. The division by 1 - leverage then
    // loses all digits.
    var (expected, isClear) = (0.0, true)
    for (z, y) in zip(example.rows.z, example.rows.y) {
      let leverage = dense.predictionVariance(z)
      isClear = isClear && leverage < 0.999
      let residual = zip(z, dense.mean).reduce(y) { $0 - $1.0 * $1.1 } / (1 - leverage)
      expected += residual * residual
    }
    if isClear {
      #expect(abs(posterior.leaveOneOutError(example.compact) - expected) < 1e-8 * max(1, expected))
    }
  }

  @Test func `both methods of solving occur`() throws {
    var (compact, dense) = (0, 0)
    for seed in 0..<300 as Range<UInt64> {
      let example = Example(seed: seed)
      let prior = SharedFitting.prior(penalty: 1e-9, order: example.layout.parameterCount)
      guard var own = CompactPosterior(prior, example.layout) else { continue }
      if own.solve(example.sums, hasVariances: false) { compact += 1 } else { dense += 1 }
    }
    // With a tiny penalty, the intercept and the effects of all codes are not identifiable. Some
    // examples then need the dense method.
    #expect(compact > 0 && dense > 0, "\(compact) and \(dense)")
  }
}
