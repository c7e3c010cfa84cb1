/// Solves least-squares problems one after the other in reused buffers.
///
/// The module `LeastSquares` solves ridge regressions with LAPACK. It does not depend on users, features or
/// files, so it can be tested and used alone.
///
/// The problem: for rows i = 1..n, columns j = 1..p, minimize over the intercept b and the coefficients w
///
///     sum_i (y_i - b - x_i . w)^2  +  sum_j penalty_j w_j^2
///
/// where b is free and unpenalized, or 0. The goals, in order of importance, are an error instead of a wrong
/// result, identical bits for identical rows, accuracy, and speed without allocation.
///
/// Buffers grow to the size of the largest problem and never shrink, so a loop over users allocates only
/// while they grow. Use one workspace per thread, and call `LinearAlgebraLibrary.load()` once before the
/// first use.
///
/// - The order of every sum depends only on n and p.
/// - Columns and response are scaled by powers of two. This scaling is exact, and keeps the squares of 1e150
///   and 1e-150 in range. The unit of a column therefore does not decide the rank.
/// - With an intercept, columns and response are centered by their means: b then drops out of the problem.
public struct LeastSquaresWorkspace: ~Copyable {
  private var columns = CenteredColumns()
  private var normal = NormalEquations()
  private var rows = PenalizedRows()
  private var minimumNorm = MinimumNorm()

  /// The penalty of each column, as given; `solution` contains the coefficients in scaled units.
  private var penalties: [Double] = []
  private var solution: [Double] = []

  public init() {}

  /// Returns the rank tolerance, a fraction of a column's length. A remainder of the column below this
  /// fraction counts as rounding error.
  ///
  /// The tolerance is 64 ulps times the square root of the larger dimension. Rounding errors of sums grow
  /// with this square root (Higham 2002, Accuracy and Stability of Numerical Algorithms, 2.8). The factor 64
  /// allows for rounding in the data. For the 82 rows of NIST's ill-conditioned polynomial Filip, the
  /// tolerance is 1.3e-13. The remainder of the tenth power is 1.3e-9 of this column's length, far above the
  /// tolerance.
  public static func rankTolerance(rows: Int, columns: Int) -> Double {
    64 * Double.ulpOfOne * Double(max(rows, columns, 1)).squareRoot()
  }

  /// Writes the minimizing coefficients and returns the intercept and the quality of the solution.
  ///
  /// `.automatic` uses Cholesky on the sums of products if every penalty is positive and the condition number
  /// permits an accuracy of about 1e-10. Otherwise it uses QR with column pivoting and iterative refinement
  /// on the rows, extended by a row for each positive penalty. If columns are dependent, it uses SVD and
  /// returns the minimizer whose w has the least Euclidean norm in the given columns.
  ///
  /// Without rows, all coefficients and the intercept are 0. Without columns, the intercept is the mean. More
  /// columns than rows are allowed. A column of zeros, or a constant column next to an intercept, is
  /// dependent and gets the coefficient 0. A penalty below `rankTolerance` squared times its column's sum of
  /// squares has no effect.
  ///
  /// - Parameters:
  ///   - design: `n × p` column-major, in any units.
  ///   - response: `n` values.
  ///   - penalties: `p` finite numbers of at least 0, in squared units of the response divided by squared
  ///     units of w.
  ///   - fitsIntercept: Whether b is free.
  ///   - method: `.automatic`, or a method that must succeed or throw.
  ///   - coefficients: Receives `p` numbers; unchanged when an error is thrown.
  /// - Returns: The intercept, the method, the rank and the quality.
  /// - Throws: See `LeastSquaresError`. Traps if the spans have inconsistent lengths.
  /// - Complexity: O((n + p) p²); no allocation once the buffers have grown.
  public mutating func solve(
    design: Span<Double>, response: Span<Double>, penalties: Span<Double>, fitsIntercept: Bool,
    method: LeastSquaresMethod.Choice = .automatic, coefficients: inout MutableSpan<Double>
  ) throws(LeastSquaresError) -> LeastSquaresFit {
    precondition(
      penalties.count == coefficients.count,
      "\(penalties.count) penalties for \(coefficients.count) coefficients")
    self.penalties.grow(to: penalties.count)
    for j in penalties.indices { self.penalties[j] = penalties[j] }
    return try solve(
      design: design, response: response, fitsIntercept: fitsIntercept, method: method,
      coefficients: &coefficients)
  }

  /// Writes the minimizing coefficients under one penalty for all columns.
  ///
  /// In all other respects, the function is the same as
  /// `solve(design:response:penalties:fitsIntercept:method:coefficients:)`.
  ///
  /// - Parameters:
  ///   - design: `n × p` column-major, in any units.
  ///   - response: `n` values.
  ///   - penalty: A finite number of at least 0.
  ///   - fitsIntercept: Whether b is free.
  ///   - method: `.automatic`, or a method that must succeed or throw.
  ///   - coefficients: Receives `p` numbers; unchanged when an error is thrown.
  /// - Returns: The intercept, the method, the rank and the quality.
  /// - Throws: See `LeastSquaresError`. Traps if the spans have inconsistent lengths.
  public mutating func solve(
    design: Span<Double>, response: Span<Double>, penalty: Double, fitsIntercept: Bool,
    method: LeastSquaresMethod.Choice = .automatic, coefficients: inout MutableSpan<Double>
  ) throws(LeastSquaresError) -> LeastSquaresFit {
    penalties.grow(to: coefficients.count)
    for j in coefficients.indices { penalties[j] = penalty }
    return try solve(
      design: design, response: response, fitsIntercept: fitsIntercept, method: method,
      coefficients: &coefficients)
  }

  /// Solves a problem for both public functions. The caller must set `self.penalties` first.
  private mutating func solve(
    design: Span<Double>, response: Span<Double>, fitsIntercept: Bool, method: LeastSquaresMethod.Choice,
    coefficients: inout MutableSpan<Double>
  ) throws(LeastSquaresError) -> LeastSquaresFit {
    let (n, p) = (response.count, coefficients.count)
    precondition(design.count == n * p, "the design has \(design.count) elements, not \(n) by \(p)")
    for j in 0..<p where !(penalties[j] >= 0 && penalties[j].isFinite) { throw .invalidPenalty(column: j) }
    try columns.load(
      design: design, response: response, penalties: penalties, columnCount: p, centered: fitsIntercept)
    solution.grow(to: p)
    let tolerance = Self.rankTolerance(rows: n, columns: p)

    let outcome: SolverOutcome
    switch method {
    case .automatic:
      outcome = try solveAutomatically(tolerance: tolerance)
    case .only(.cholesky):
      outcome = try normal.solve(&columns, leastReciprocal: NormalEquations.leastMeaningful, &solution)
    case .only(.qr):
      rows.factor(columns)
      guard let solved = try rows.solve(&columns, tolerance: tolerance, &solution) else {
        throw .rankDeficient(rank: rows.rank(tolerance: tolerance) + columns.determinedIntercepts)
      }
      outcome = solved
    case .only(.svd):
      rows.factor(columns)
      outcome = try solveBySingularValues(tolerance: tolerance)
    }
    return try publish(outcome, &coefficients)
  }

  private mutating func solveAutomatically(tolerance: Double) throws(LeastSquaresError) -> SolverOutcome {
    var everyPenaltyIsPositive = true
    for j in 0..<columns.columnCount where penalties[j] == 0 { everyPenaltyIsPositive = false }
    if everyPenaltyIsPositive {
      do throws(LeastSquaresError) {
        return try normal.solve(&columns, leastReciprocal: NormalEquations.leastAccurate, &solution)
      } catch {
        // The problem is too ill-conditioned for sums of products. QR on the rows loses half as many digits.
      }
    }
    rows.factor(columns)
    if let solved = try rows.solve(&columns, tolerance: tolerance, &solution) { return solved }
    return try solveBySingularValues(tolerance: tolerance)
  }

  /// Solves by singular values. The rows must be factored. Afterwards, `columns` contains the residuals, as
  /// with every method.
  private mutating func solveBySingularValues(tolerance: Double) throws(LeastSquaresError) -> SolverOutcome {
    let outcome = try minimumNorm.solve(rows, columns, tolerance: tolerance, &solution)
    if outcome.rank == columns.columnCount {
      try rows.refine(&columns, &solution)
    } else {
      columns.updateResiduals(solution)
    }
    return outcome
  }

  /// Converts the solution to the units of the given columns and response. Only this conversion can exceed
  /// the range of a `Double`.
  private mutating func publish(
    _ outcome: SolverOutcome, _ coefficients: inout MutableSpan<Double>
  ) throws(LeastSquaresError) -> LeastSquaresFit {
    let p = columns.columnCount
    let intercept = columns.intercept(solution)
    let sum = columns.residualSumOfSquares
    guard intercept.isFinite, sum.isFinite else { throw .resultOutOfRange }
    for j in 0..<p {
      solution[j] = columns.unscaled(solution[j], column: j)
      guard solution[j].isFinite else { throw .resultOutOfRange }
    }
    for j in 0..<p { coefficients[j] = solution[j] }
    return LeastSquaresFit(
      intercept: intercept, method: outcome.method, rank: outcome.rank + columns.determinedIntercepts,
      residualSumOfSquares: sum, reciprocalCondition: min(1, max(0, outcome.reciprocalCondition)))
  }
}
