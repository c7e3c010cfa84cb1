import Concurrency
import LeastSquares
import Testing

/// Polynomials of degree 10 on [-9, -3] with the condition number 1e15, as in NIST's Filip data
/// set.
@Suite struct PolynomialTests {
  static let known = [
    -1467.5, -2772.2, -2316.4, -1127.9, -354.5, -75.1, -10.9, -1.06, -0.067, -0.0025, -0.00004,
  ]

  static func problem(seed: UInt64, noise: Double) -> Problem {
    var rng = SplitMix64(seed: seed)
    let x = (0..<82).map { _ in -9 + 6 * rng.nextUnit() }
    let y = x.map { x in
      known.reversed().reduce(DoubleDouble(0)) { $0 * DoubleDouble(x) + DoubleDouble($1) }.value
        + noise * rng.nextNormal()
    }
    return Problem(columns: powers(x, degree: 10), response: y)
  }

  /// The powers are rounded before the call, which loses half of the digits. On seed 5, the exact
  /// solution for the rounded columns has 8.3 correct digits. The worst measured result has 7.48
  /// digits.
  @Test(arguments: 0..<20 as Range<UInt64>, [LeastSquaresMethod.Choice.automatic, .only(.qr), .only(.svd)])
  func `known coefficients are recovered`(seed: UInt64, method: LeastSquaresMethod.Choice) throws {
    let solution = try Self.problem(seed: seed, noise: 0).solve(method)
    #expect(solution.fit.rank == 11)
    #expect(solution.fit.method == (method == .only(.svd) ? .svd : .qr))
    let digits = zip(solution.all, Self.known).map(correctDigits).min() ?? 0
    #expect(digits >= 7)
  }

  /// The residuals are about as large as in Filip's data set. The closed form uses 32 digits and the same
  /// rounded columns. The worst measured results have 7.28 digits for coefficients and 7.58 for sums, because
  /// centering rounds the columns again.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `noise does not cost digits`(seed: UInt64) throws {
    let problem = Self.problem(seed: seed, noise: 0.003)
    let (expected, rss) = closedForm(problem)
    let solution = try problem.solve()
    let digits = zip(solution.all, expected).map(correctDigits).min() ?? 0
    #expect(digits >= 7)
    #expect(correctDigits(solution.fit.residualSumOfSquares, rss) >= 7)
  }

  /// For these columns, sums of products lose all digits, and the solver reports that.
  @Test func `Cholesky throws`() {
    #expect(throws: LeastSquaresError.self) { try Self.problem(seed: 1, noise: 0).solve(.only(.cholesky)) }
  }
}
