import LeastSquares

/// Returns how far a solution is from solving the normal equations: the largest |x_j . r - penalty_j w_j|. It
/// is relative to the length of the column and to the size of the terms that the residuals subtract. For a
/// minimizer, it is 0.
func normalEquationsResidual(_ problem: Problem, _ solution: Solution) -> Double {
  var residuals = problem.response.map { DoubleDouble($0) - DoubleDouble(solution.fit.intercept) }
  for j in 0..<problem.columnCount {
    for (i, x) in problem.column(j).enumerated() {
      residuals[i] = residuals[i] - DoubleDouble(product: x, solution.coefficients[j])
    }
  }
  var magnitude = problem.response.map { $0 * $0 }.reduce(0, +).squareRoot()
  for j in 0..<problem.columnCount {
    let length = (problem.column(j).map { $0 * $0 }.reduce(0, +) + problem.penalties[j]).squareRoot()
    magnitude += length * abs(solution.coefficients[j])
  }
  var worst = 0.0
  var sum = DoubleDouble(0)
  for residual in residuals { sum = sum + residual }
  if problem.fitsIntercept, problem.rowCount > 0, magnitude > 0 {
    worst = sum.magnitude / (Double(problem.rowCount).squareRoot() * magnitude)
  }
  for j in 0..<problem.columnCount {
    var dot = -DoubleDouble(product: problem.penalties[j], solution.coefficients[j])
    for (x, residual) in zip(problem.column(j), residuals) { dot = dot + DoubleDouble(x) * residual }
    let length = (problem.column(j).map { $0 * $0 }.reduce(0, +) + problem.penalties[j]).squareRoot()
    if length > 0, magnitude > 0 { worst = max(worst, dot.magnitude / (length * magnitude)) }
  }
  return worst
}

/// Returns the share of `w` in the null space of the centered columns and the penalties, relative to the
/// length of w. For the minimizer of least norm, it is 0.
///
/// Modified Gram-Schmidt, applied twice with 32 digits, computes an orthonormal basis of the row
/// space. The share is the part of w outside this space. Rows count as dependent below 1e-12 of
/// their length, far above rounding errors and far below real differences.
func shareInNullSpace(_ problem: Problem, _ w: [Double]) -> Double {
  let (n, p) = (problem.rowCount, problem.columnCount)
  var rows = (0..<n).map { i in (0..<p).map { DoubleDouble(problem.design[$0 * n + i]) } }
  if problem.fitsIntercept, n > 0 {
    for j in 0..<p {
      let mean = rows.reduce(DoubleDouble(0)) { $0 + $1[j] } / DoubleDouble(Double(n))
      for i in 0..<n { rows[i][j] = rows[i][j] - mean }
    }
  }
  for j in 0..<p where problem.penalties[j] > 0 {
    rows.append((0..<p).map { DoubleDouble($0 == j ? problem.penalties[j].squareRoot() : 0) })
  }
  func dot(_ a: [DoubleDouble], _ b: [DoubleDouble]) -> DoubleDouble {
    zip(a, b).reduce(DoubleDouble(0)) { $0 + $1.0 * $1.1 }
  }
  func without(_ a: [DoubleDouble], _ basis: [[DoubleDouble]]) -> [DoubleDouble] {
    var result = a
    for _ in 0..<2 {
      for unit in basis {
        let part = dot(result, unit)
        result = zip(result, unit).map { $0 - part * $1 }
      }
    }
    return result
  }
  let longest = rows.map { dot($0, $0).value.squareRoot() }.max() ?? 0
  var basis: [[DoubleDouble]] = []
  for row in rows {
    let rest = without(row, basis)
    let length = dot(rest, rest).value.squareRoot()
    if length > 1e-12 * longest { basis.append(rest.map { $0 / DoubleDouble(length) }) }
  }
  let outside = without(w.map { DoubleDouble($0) }, basis)
  let length = w.map { $0 * $0 }.reduce(0, +).squareRoot()
  return length == 0 ? 0 : dot(outside, outside).value.squareRoot() / length
}
