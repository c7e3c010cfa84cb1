import Concurrency
import LeastSquares
import Testing

@Suite struct PropertyTests {
  /// Columns with a normal distribution and different means and units, so centering and scaling
  /// matter.
  static func wellConditioned(seed: UInt64) -> Problem {
    var rng = SplitMix64(seed: seed)
    let p = Int.random(in: 1...8, using: &rng)
    let n = p + 2 + Int.random(in: 0...40, using: &rng)
    let columns = (0..<p).map { _ in
      let unit = Double(sign: .plus, exponent: Int.random(in: -20...20, using: &rng), significand: 1.3)
      let mean = 3 * rng.nextNormal()
      return (0..<n).map { _ in unit * (mean + rng.nextNormal()) }
    }
    let response = (0..<n).map { i in
      rng.nextNormal() + 5 + columns.reduce(0) { $0 + $1[i] / abs($1[0]) }
    }
    let penalties = columns.map { column in 0.01 * column.reduce(0) { $0 + $1 * $1 } * rng.nextUnit() }
    return Problem(columns: columns, response: response, penalties: penalties, fitsIntercept: seed % 3 != 0)
  }

  // Over these seeds, the measured errors are at most 7.1e-14 for coefficients and 3.7e-15 for
  // sums.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `all methods agree with the closed form`(seed: UInt64) throws {
    let problem = Self.wellConditioned(seed: seed)
    let (expected, rss) = closedForm(problem)
    for method in LeastSquaresMethod.allCases {
      let solution = try problem.solve(.only(method))
      #expect(solution.fit.method == method)
      #expect(solution.fit.rank == problem.columnCount + (problem.fitsIntercept ? 1 : 0))
      for (got, expected) in zip(solution.all, expected) where expected != 0 {
        #expect(abs(got - expected) <= 2e-13 * abs(expected))
      }
      #expect(abs(solution.fit.residualSumOfSquares - rss) <= 1e-14 * rss)
    }
    #expect(try problem.solve().fit.method == .cholesky)
    var free = problem
    free.penalties = problem.penalties.map { _ in 0 }
    #expect(try free.solve().fit.method == .qr)
  }

  /// Create ML's regression in the first app: dummy columns, columns divided by sqrt(mean² + sd²),
  /// and a penalty of 0.01.
  static func baseline(seed: UInt64) -> Problem {
    var rng = SplitMix64(seed: seed)
    let n = Int.random(in: 2...150, using: &rng)
    let categories = Int.random(in: 2...12, using: &rng)
    let codes = (0..<n).map { _ in Int.random(in: 0..<categories, using: &rng) }
    var columns = Set(codes).sorted().dropFirst().map { code in codes.map { $0 == code ? 1.0 : 0 } }
    columns.append((0..<n).map { _ in 53 + rng.nextUnit() })  // values like latitudes
    columns.append((0..<n).map { _ in -8 + rng.nextUnit() })
    // This column is nearly the same as another column, so sums of products lose digits.
    columns.append(columns[columns.count - 1].map { 2 * $0 + 1e-3 * rng.nextNormal() })
    let scaled = columns.map { column -> [Double] in
      let mean = column.reduce(0, +) / Double(n)
      let variance = column.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(n - 1)
      let scale = (mean * mean + variance).squareRoot()
      return column.map { $0 / scale }
    }
    return Problem(
      columns: scaled, response: (0..<n).map { _ in Bool.random(using: &rng) ? 1 : -1 }, penalty: 0.01)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the baseline's regressions are exact to 5e-14`(seed: UInt64) throws {
    let problem = Self.baseline(seed: seed)
    let (expected, rss) = closedForm(problem)
    let solution = try problem.solve()
    #expect(solution.fit.method == .cholesky)
    // The measured errors are 1.5e-14 for Cholesky, 1.6e-15 for QR, and 4.6e-16 for sums.
    #expect(relativeError(solution.all, expected) <= 5e-14)
    #expect(relativeError(try problem.solve(.only(.qr)).all, expected) <= 5e-15)
    #expect(abs(solution.fit.residualSumOfSquares - rss) <= 2e-15 * Double(problem.rowCount))
  }

  /// Six columns that differ by 1e-1 to 1e-5. The penalties are from 1 down to 1e-12.
  static func vanishing(seed: UInt64) -> Problem {
    var rng = SplitMix64(seed: seed)
    let base = (0..<60).map { _ in rng.nextNormal() }
    let closeness = powerOfTen(-1 - 4 * rng.nextUnit())
    let columns = (0..<6).map { _ in base.map { $0 + closeness * rng.nextNormal() } }
    return Problem(
      columns: columns, response: base.map { $0 + rng.nextNormal() },
      penalty: powerOfTen(-12 * rng.nextUnit()))
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `automatic stays exact to 5e-11 as penalties vanish`(seed: UInt64) throws {
    let problem = Self.vanishing(seed: seed)
    let (expected, _) = closedForm(problem)
    let solution = try problem.solve()
    // The measured errors are 9.8e-12 for Cholesky just above its threshold and 1.9e-11 for QR in
    // the harder cases.
    #expect(relativeError(solution.all, expected) <= 5e-11)
    #expect(solution.fit.method == .qr || solution.fit.reciprocalCondition >= 1e-4)
  }

  @Test func `the problems are on both sides of the threshold`() throws {
    var methods: Set<LeastSquaresMethod> = []
    for seed in 0..<200 as Range<UInt64> { methods.insert(try Self.vanishing(seed: seed).solve().fit.method) }
    #expect(methods == [.cholesky, .qr])
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `the order of rows changes only last digits`(seed: UInt64) throws {
    var rng = SplitMix64(seed: seed)
    let problem = Self.wellConditioned(seed: seed)
    let order = (0..<problem.rowCount).shuffled(using: &rng)
    var shuffled = problem
    shuffled.response = order.map { problem.response[$0] }
    shuffled.design = (0..<problem.columnCount).flatMap { j in
      order.map { problem.design[j * order.count + $0] }
    }
    for method in LeastSquaresMethod.allCases {
      let (one, other) = (try problem.solve(.only(method)), try shuffled.solve(.only(method)))
      #expect(relativeError(other.all, one.all) <= 1e-12)
    }
  }

  /// Scaling by a power of two is exact, so no bit may change.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `scaling by powers of two changes no bit`(seed: UInt64) throws {
    var rng = SplitMix64(seed: seed)
    let problem = Self.wellConditioned(seed: seed)
    let n = problem.rowCount
    var scaled = problem
    let factors = (0..<problem.columnCount).map { _ in
      Double(sign: .plus, exponent: Int.random(in: -400...400, using: &rng), significand: 1)
    }
    for j in factors.indices {
      for i in 0..<n { scaled.design[j * n + i] *= factors[j] }
      scaled.penalties[j] *= factors[j]
      scaled.penalties[j] *= factors[j]
    }
    scaled.response = problem.response.map { $0 * 0x1p300 }
    for method in LeastSquaresMethod.allCases {
      let (one, other) = (try problem.solve(.only(method)), try scaled.solve(.only(method)))
      #expect(other.fit.intercept == one.fit.intercept * 0x1p300)
      for j in factors.indices {
        #expect(other.coefficients[j] * factors[j] * 0x1p-300 == one.coefficients[j])
      }
    }
  }

  @Test func `a reused workspace and other threads give the same bits`() throws {
    let problems = (0..<120 as Range<UInt64>).map {
      $0 % 2 == 0 ? Self.wellConditioned(seed: $0) : Self.baseline(seed: $0)
    }
    let fresh = try problems.map { try $0.solve() }
    try LinearAlgebraLibrary.load()
    for threads in [1, 2] {
      let chunks = try parallelMap(count: problems.count, chunkSize: 17, threads: threads) {
        range throws(LeastSquaresError) in
        var workspace = LeastSquaresWorkspace()
        var solutions: [Solution] = []
        // Each solution follows a different problem, so the buffers contain other values.
        for i in range.reversed() { solutions.append(try problems[i].solve(.automatic, in: &workspace)) }
        return solutions
      }
      #expect(chunks.flatMap { $0.reversed() } == fresh)
    }
  }
}
