import Testing

@testable import LeastSquares

@Suite struct ErrorTests {
  /// A positive INFO of LAPACK means a failure that the data cause. [[1, 2], [2, 1]] has the
  /// determinant -3.
  @Test func `the error for an indefinite matrix names the leading minor`() {
    var matrix = [1.0, 2, 2, 1]
    #expect(throws: LeastSquaresError.notPositiveDefinite(leadingMinor: 2)) {
      try LAPACK.factorCholesky(&matrix, order: 2)
    }
    var negative = [-1.0]
    #expect(throws: LeastSquaresError.notPositiveDefinite(leadingMinor: 1)) {
      try LAPACK.factorCholesky(&negative, order: 1)
    }
  }

  @Test func `the error for a zero on the diagonal of R names the rank before it`() {
    var right = [1.0, 1]
    #expect(throws: LeastSquaresError.rankDeficient(rank: 1)) {
      try LAPACK.solveUpperTriangle(
        [1, 0, 1, 0], leadingDimension: 2, order: 2, transposed: false, &right, rightHandSides: 1)
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `an error names the position of a value that is not finite`(bad: Double) {
    for row in 0..<6 {
      var column = [1.0, 2, 3, 4, 5, 7]
      column[row] = bad
      let fine = [1.0, 0, 1, 0, 1, 0]
      #expect(throws: LeastSquaresError.nonFiniteDesign(row: row, column: 1)) {
        try Problem(columns: [fine, column], response: fine).solve()
      }
      #expect(throws: LeastSquaresError.nonFiniteResponse(row: row)) {
        try Problem(columns: [fine], response: column).solve()
      }
    }
  }

  @Test(arguments: [-1, -0x1p-1074, Double.nan, .infinity])
  func `an invalid penalty is rejected`(penalty: Double) {
    #expect(throws: LeastSquaresError.invalidPenalty(column: 1)) {
      try Problem(columns: [[1, 2], [3, 5]], response: [1, 2], penalties: [0, penalty]).solve()
    }
    var workspace = LeastSquaresWorkspace()
    var coefficients = [7.0]
    #expect(throws: LeastSquaresError.invalidPenalty(column: 0)) {
      var span = coefficients.mutableSpan
      _ = try workspace.solve(
        design: [1, 2].span, response: [1, 2].span, penalty: penalty, fitsIntercept: true, coefficients: &span
      )
    }
    #expect(coefficients == [7])
  }

  @Test func `one penalty for all columns equals the same penalty for each`() throws {
    let problem = Problem(columns: [[1, 2, 4], [3, 5, 1]], response: [1, 2, 3], penalty: 0.3)
    var workspace = LeastSquaresWorkspace()
    var coefficients = [0.0, 0]
    var span = coefficients.mutableSpan
    let fit = try workspace.solve(
      design: problem.design.span, response: problem.response.span, penalty: 0.3, fitsIntercept: true,
      coefficients: &span)
    #expect(try problem.solve() == Solution(fit: fit, coefficients: coefficients))
  }

  @Test func `methods that need full rank reject dependent columns`() {
    let x = [1.0, 2, 3, 5]
    let twice = Problem(columns: [x, x], response: [1, 0, 0, 1])
    #expect(throws: LeastSquaresError.rankDeficient(rank: 2)) { try twice.solve(.only(.qr)) }
    #expect(throws: LeastSquaresError.self) { try twice.solve(.only(.cholesky)) }
    #expect(throws: LeastSquaresError.notPositiveDefinite(leadingMinor: 2)) {
      try Problem(columns: [x, x.map { _ in 0 }], response: x).solve(.only(.cholesky))
    }
    let nearly = [1.0, 2, 3, 5.000_000_1]
    #expect(throws: LeastSquaresError.illConditioned) {
      try Problem(columns: [x, nearly], response: [1, 0, 0, 1]).solve(.only(.cholesky))
    }
  }

  @Test func `a coefficient beyond a Double is an error`() {
    #expect(throws: LeastSquaresError.resultOutOfRange) {
      try Problem(columns: [[1e-200, 2e-200, 4e-200]], response: [1e150, 2e150, 4e150]).solve()
    }
    #expect(throws: LeastSquaresError.resultOutOfRange) {
      try Problem(columns: [[1, 2, 4]], response: [1e200, -1e200, 1e200]).solve()
    }
  }

  @Test func `every message contains advice or the value found`() {
    let errors: [LeastSquaresError] = [
      .nonFiniteDesign(row: 3, column: 4), .nonFiniteResponse(row: 3), .invalidPenalty(column: 4),
      .notPositiveDefinite(leadingMinor: 4), .rankDeficient(rank: 3),
    ]
    for error in errors { #expect(error.description.contains { $0.isNumber }) }
  }

  @Test func `method names are stable`() {
    #expect(LeastSquaresMethod.allCases.map(\.rawValue) == ["cholesky", "qr", "svd"])
  }

  @Test func `mismatched shapes trap`() async {
    await #expect(processExitsWith: .failure) {
      var workspace = LeastSquaresWorkspace()
      var coefficients = [0.0, 0]
      var span = coefficients.mutableSpan
      _ = try workspace.solve(
        design: [1, 2, 3].span, response: [1, 2].span, penalty: 0, fitsIntercept: true, coefficients: &span)
    }
    await #expect(processExitsWith: .failure) {
      var workspace = LeastSquaresWorkspace()
      var coefficients = [0.0, 0]
      var span = coefficients.mutableSpan
      _ = try workspace.solve(
        design: [1, 2, 3, 4].span, response: [1, 2].span, penalties: [0].span, fitsIntercept: true,
        coefficients: &span)
    }
  }
}
