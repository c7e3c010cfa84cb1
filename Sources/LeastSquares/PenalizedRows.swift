/// QR factorization, with column pivoting, of a problem's rows. For each positive penalty, the rows are
/// extended by one row with the element √penalty.
///
/// Each column is first divided by a power of two near its length. This length includes the row of the
/// penalty, and is measured before centering, because rounding errors of the elements are relative to it. For
/// all units and means, a diagonal element of R above the tolerance therefore means an independent column,
/// and a smaller element is noise. With this scaling, the condition number of the polynomial in NIST's data
/// set Filip falls from 1e15 to 3e9, so QR can solve the problem.
struct PenalizedRows: ~Copyable {
  private(set) var rowCount = 0
  private(set) var columnCount = 0
  /// The factors, `rowCount × columnCount`.
  private(set) var matrix: [Double] = []
  /// Qᵀ times the response, which is extended by zeros in the penalty rows.
  private(set) var rotatedResponse: [Double] = []
  /// The column at each place after pivoting, counted from 1.
  private(set) var pivots: [Int32] = []
  /// For each column, the exponent k of its additional factor 2^-k.
  private(set) var lengthExponents: [Int] = []
  private(set) var scalars: [Double] = []
  var unknowns: [Double] = []
  var work: [Double] = []
  private var integerWork: [Int32] = []

  // Buffers of `refine`: one element per row, one element per column in pivoted order, and one element per
  // column.
  var defect: [Double] = []
  var gradient: [Double] = []
  var penaltyResiduals: [Double] = []

  /// Builds and factors the rows of a problem.
  mutating func factor(_ columns: borrowing CenteredColumns) {
    let (n, p) = (columns.rowCount, columns.columnCount)
    rowCount = n
    for j in 0..<p where columns.penaltyRoots[j] > 0 { rowCount += 1 }
    columnCount = p
    matrix.grow(to: rowCount * p)
    rotatedResponse.grow(to: rowCount)
    pivots.grow(to: p)
    lengthExponents.grow(to: p)
    scalars.grow(to: min(rowCount, p))
    work.grow(to: max(LAPACK.workCountQR(columns: p), 3 * p))
    integerWork.grow(to: p)

    var penaltyRow = n
    for j in 0..<p {
      let length = columns.givenLength(j)
      lengthExponents[j] = length > 0 ? Int(length.exponent) : 0
      let factor = CenteredColumns.powerOfTwo(-lengthExponents[j])
      let base = j * rowCount
      for row in 0..<n { matrix[base + row] = columns.element(row, vector: j) * factor }
      for row in n..<rowCount { matrix[base + row] = 0 }
      let root = columns.penaltyRoots[j]
      if root > 0 {
        matrix[base + penaltyRow] = root * factor
        penaltyRow += 1
      }
    }
    for row in 0..<n { rotatedResponse[row] = columns.element(row, vector: p) }
    for row in n..<rowCount { rotatedResponse[row] = 0 }
    // Without rows or columns, no factorization is needed. LAPACK requires a positive leading dimension.
    guard rowCount > 0, p > 0 else { return }

    LAPACK.factorQR(&matrix, rows: rowCount, columns: p, pivots: &pivots, scalars: &scalars, work: &work)
    LAPACK.applyQ(
      matrix, rows: rowCount, columns: p, scalars: scalars, transposed: true, &rotatedResponse, work: &work)
  }

  /// Returns the number of leading elements of R's diagonal whose magnitudes exceed the tolerance.
  func rank(tolerance: Double) -> Int {
    // Pivoting makes the diagonal non-increasing, so the first small element determines the rank.
    for k in 0..<min(rowCount, columnCount) where !(abs(matrix[k * rowCount + k]) > tolerance) { return k }
    return min(rowCount, columnCount)
  }

  /// Fills `solution` with the coefficients in scaled units, or returns `nil` if the columns are dependent.
  mutating func solve(
    _ columns: inout CenteredColumns, tolerance: Double, _ solution: inout [Double]
  ) throws(LeastSquaresError) -> SolverOutcome? {
    let p = columnCount
    guard rank(tolerance: tolerance) == p else { return nil }
    guard p > 0 else {
      columns.updateResiduals(solution)
      return SolverOutcome(method: .qr, rank: 0, reciprocalCondition: 1)
    }
    unknowns.grow(to: p)
    for k in 0..<p { unknowns[k] = rotatedResponse[k] }
    try LAPACK.solveUpperTriangle(
      matrix, leadingDimension: rowCount, order: p, transposed: false, &unknowns, rightHandSides: 1)
    for k in 0..<p {
      let column = Int(pivots[k]) - 1
      solution[column] = unknowns[k] * CenteredColumns.powerOfTwo(-lengthExponents[column])
    }
    try refine(&columns, &solution)
    let reciprocal = LAPACK.reciprocalConditionUpperTriangle(
      matrix, leadingDimension: rowCount, order: p, work: &work, integerWork: &integerWork)
    return SolverOutcome(method: .qr, rank: p, reciprocalCondition: reciprocal)
  }
}
