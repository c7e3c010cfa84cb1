/// Determines the rank by singular values. If the rank is deficient, it computes the solution of least norm
/// in the given columns.
///
/// Two requirements conflict. The rank must be judged on columns of about equal length; otherwise a column's
/// unit would decide the rank. The norm must be minimal for the coefficients of the given columns; otherwise
/// the solution would depend on the internal scaling. Therefore, the singular values of the scaled columns
/// determine the rank, and thus the set of all minimizers. The solution is the shortest of these minimizers
/// in the units of the given columns:
///
/// 1. With rank r, the first r pivoted columns are a basis, and F expresses the other columns as combinations
///    of the basis.
/// 2. Columns are exchanged until every element of F has a magnitude of at most 2 (`ColumnBasis`).
/// 3. All minimizers are w_basis = g - F u, w_others = u. The shortest minimizer has the least |g - F u|² +
///    |u|². The singular values of this problem are between 1 and √(1 + 4 r (p - r)), even for
///    ill-conditioned columns.
struct MinimumNorm: ~Copyable {
  private var basis = ColumnBasis()
  private var matrix: [Double] = []
  private var rightHandSide: [Double] = []
  private var singularValues: [Double] = []
  private var work: [Double] = []
  private var integerWork: [Int32] = []

  /// Fills `solution`, in scaled units, from `rows`, the factored rows of `columns`.
  ///
  /// - Throws: `.singularValuesDidNotConverge`; `.rankDeficient` if a diagonal element of the basis is
  ///   exactly 0.
  mutating func solve(
    _ rows: borrowing PenalizedRows, _ columns: borrowing CenteredColumns, tolerance: Double,
    _ solution: inout [Double]
  ) throws(LeastSquaresError) -> SolverOutcome {
    let p = rows.columnCount
    for j in 0..<p { solution[j] = 0 }
    let side = min(rows.rowCount, p)
    guard side > 0 else { return SolverOutcome(method: .svd, rank: 0, reciprocalCondition: p == 0 ? 1 : 0) }

    // R has the same singular values as the rows, but is smaller.
    matrix.grow(to: side * p)
    rightHandSide.grow(to: p)
    for k in 0..<p {
      for row in 0..<side { matrix[k * side + row] = row <= k ? rows.matrix[k * rows.rowCount + row] : 0 }
    }
    for row in 0..<side { rightHandSide[row] = rows.rotatedResponse[row] }
    try solveSingularValues(rows: side, columns: p)
    var rank = 0
    while rank < side, singularValues[rank] > tolerance { rank += 1 }

    if rank == p {
      for k in 0..<p {
        let column = Int(rows.pivots[k]) - 1
        solution[column] = rightHandSide[k] * CenteredColumns.powerOfTwo(-rows.lengthExponents[column])
      }
      return SolverOutcome(
        method: .svd, rank: p, reciprocalCondition: singularValues[p - 1] / singularValues[0])
    }
    if rank > 0 {
      try basis.load(rows, columns, rank: rank, tolerance: tolerance)
      basis.preferLargeColumns(tolerance: tolerance)
      try shorten(rows, &solution)
    }
    return SolverOutcome(method: .svd, rank: rank, reciprocalCondition: 0)
  }

  /// Performs step 3 of the method in the description of the type.
  private mutating func shorten(
    _ rows: borrowing PenalizedRows, _ solution: inout [Double]
  ) throws(LeastSquaresError) {
    let (rank, dependent) = (basis.rank, basis.dependentCount)
    let p = rank + dependent
    // Only ratios of lengths matter. Relative to this exponent, the largest coefficients are of order 1.
    let reference = basis.leastUsedExponent
    matrix.grow(to: p * dependent)
    for j in 0..<dependent {
      for i in 0..<rank { matrix[j * p + i] = basis.givenWeight(i, j) }
      for i in 0..<dependent { matrix[j * p + rank + i] = i == j ? 1 : 0 }
    }
    for i in 0..<rank {
      rightHandSide[i] = basis.scaled(basis.particular(i), place: i, from: reference, inverse: true)
    }
    for i in rank..<p { rightHandSide[i] = 0 }
    try solveSingularValues(rows: p, columns: dependent)

    // The coefficients of the basis are computed in scaled units, in which the equations hold to rounding
    // error.
    for j in 0..<dependent {
      rightHandSide[j] = basis.scaled(rightHandSide[j], place: rank + j, from: reference, inverse: false)
    }
    for k in 0..<p {
      var value = 0.0
      if k < rank {
        value = basis.particular(k)
        for j in 0..<dependent { value -= basis.weight(k, j) * rightHandSide[j] }
      } else {
        value = rightHandSide[k - rank]
      }
      let column = basis.order[k]
      solution[column] = value * CenteredColumns.powerOfTwo(-rows.lengthExponents[column])
    }
  }

  /// Solves the system of `matrix` and `rightHandSide` by singular values. The solution replaces
  /// `rightHandSide`.
  private mutating func solveSingularValues(rows: Int, columns: Int) throws(LeastSquaresError) {
    let counts = LAPACK.workCountsSingularValues(rows: rows, columns: columns)
    work.grow(to: counts.work)
    integerWork.grow(to: counts.integerWork)
    singularValues.grow(to: min(rows, columns))
    try LAPACK.solveSingularValues(
      &matrix, rows: rows, columns: columns, &rightHandSide, singularValues: &singularValues, work: &work,
      integerWork: &integerWork)
  }
}
