import Concurrency
import LeastSquares
import Testing

@Suite struct MinimumNormTests {
  @Test func `duplicate columns share the coefficient`() throws {
    let x = [1.0, 2, 3, 5]
    let solution = try Problem(columns: [x, x], response: [3, 5, 7, 11]).solve()
    #expect(solution.fit.method == .svd)
    #expect(solution.fit.rank == 2)
    #expect(relativeError(solution.all, [1, 1, 1]) <= 1e-15)
  }

  /// w = (1, 2) a minimizes |w| for a given w1 + 2 w2, so the shorter column gets the smaller
  /// share.
  @Test func `the norm is minimal for the columns as given`() throws {
    let x = [1.0, 2, 3, 5]
    let solution = try Problem(columns: [x, x.map { 2 * $0 }], response: x.map { 5 * $0 }).solve()
    #expect(relativeError(solution.all, [0, 1, 2]) <= 5e-15)
  }

  /// The response is y = 7 u. If the units differ by 1e100, the longer column gets the whole
  /// coefficient, and the independent tiny column stays exact.
  @Test(arguments: [1e-100, 1, 1e100])
  func `columns of very different scales keep their digits`(unit: Double) throws {
    let u = [1.0, 2, 3, 5, 8], v = [1.0, 0, 2, 0, 1]
    let problem = Problem(
      columns: [u.map { $0 * unit }, u.map { $0 * unit * 1e100 }, v.map { $0 * 1e-120 }],
      response: zip(u, v).map { 7 * $0 + 2 * $1 + 1 })
    let solution = try problem.solve()
    #expect(solution.fit.rank == 3)
    #expect(abs(solution.coefficients[0] * unit) <= 1e-90)
    #expect(relativeError([solution.coefficients[1] * unit * 1e100], [7]) <= 1e-14)
    #expect(relativeError([solution.coefficients[2] * 1e-120], [2]) <= 1e-14)
    #expect(abs(solution.fit.intercept - 1) <= 1e-13)
  }

  /// Columns of small integers times a unit. Sums of products are exact, so elimination finds the
  /// true rank.
  static func deficient(seed: UInt64) -> (problem: Problem, rank: Int) {
    var rng = SplitMix64(seed: seed)
    let (n, p) = (Int.random(in: 1...14, using: &rng), Int.random(in: 2...9, using: &rng))
    let inner = Int.random(in: 1...p, using: &rng)
    let left = (0..<inner).map { _ in (0..<n).map { _ in Double(Int.random(in: -4...4, using: &rng)) } }
    let columns = (0..<p).map { _ in
      let weights = (0..<inner).map { _ in Double(Int.random(in: -3...3, using: &rng)) }
      return (0..<n).map { i in zip(left, weights).reduce(0) { $0 + $1.0[i] * $1.1 } }
    }
    let units = (0..<p).map { _ in
      Double(sign: .plus, exponent: Int.random(in: -8...8, using: &rng), significand: 1)
    }
    let penalties = (0..<p).map { _ in Int.random(in: 0..<5, using: &rng) == 0 ? 0.5 : 0 }
    let intercept = Bool.random(using: &rng)
    let problem = Problem(
      columns: zip(columns, units).map { column, unit in column.map { $0 * unit } },
      response: (0..<n).map { _ in rng.nextNormal() }, penalties: penalties, fitsIntercept: intercept)
    var rows = (0..<n).map { i in columns.map { $0[i] } + (intercept ? [1] : []) }
    for j in 0..<p where penalties[j] > 0 {
      rows.append((0..<p).map { $0 == j ? 1 : 0 } + (intercept ? [0] : []))
    }
    return (problem, integerRank(rows))
  }

  /// The rank of a matrix of small integers, by elimination modulo a prime. The result is wrong with a
  /// probability of about 1e-9.
  static func integerRank(_ rows: [[Double]]) -> Int {
    let prime = 2_147_483_647
    var rows = rows.map { $0.map { (Int($0) % prime + prime) % prime } }
    func power(_ base: Int, _ exponent: Int) -> Int {
      exponent == 0
        ? 1
        : exponent % 2 == 1
          ? base * power(base, exponent - 1) % prime
          : power(base * base % prime, exponent / 2)
    }
    var rank = 0
    for column in rows[0].indices {
      guard let pivot = (rank..<rows.count).first(where: { rows[$0][column] != 0 }) else { continue }
      rows.swapAt(rank, pivot)
      let inverse = power(rows[rank][column], prime - 2)
      for row in rank + 1..<max(rows.count, rank + 1) {
        let factor = rows[row][column] * inverse % prime
        for k in rows[row].indices {
          rows[row][k] = (rows[row][k] + (prime - factor) * rows[rank][k]) % prime
        }
      }
      rank += 1
      if rank == rows.count { break }
    }
    return rank
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `the solution solves the normal equations and has no part in the null space`(seed: UInt64) throws {
    let (problem, rank) = Self.deficient(seed: seed)
    for method in [LeastSquaresMethod.Choice.automatic, .only(.svd)] {
      let solution = try problem.solve(method)
      #expect(solution.fit.rank == rank)
      // The measured values are at most 6.4e-16 and 6.4e-15.
      #expect(normalEquationsResidual(problem, solution) <= 2e-15)
      #expect(shareInNullSpace(problem, solution.coefficients) <= 2e-14)
    }
  }

  @Test func `a rank-deficient Filip-like polynomial splits evenly`() throws {
    let x = (0..<82).map { -9 + 6 * Double($0) / 81 }
    var columns = powers(x, degree: 6)
    columns.append(columns[5])
    let solution = try Problem(columns: columns, response: x.map { 1 + $0 }).solve()
    #expect(solution.fit.rank == 7)
    #expect(abs(solution.coefficients[5] - solution.coefficients[6]) <= 1e-9)
    #expect(abs(solution.coefficients[0] - 1) <= 1e-6)
  }
}
