/// Ridge regression by the normal equations (XᵀX + D) w = Xᵀy: a Cholesky factor and one step of refinement
/// on the rows.
///
/// Sums of products square the condition number. The refinement step recovers most of the lost accuracy. The
/// correction is computed from the residuals of the rows, and has the same relative error as the first
/// solution. The refinement therefore squares the relative error (corrected seminormal equations: Björck
/// 1987, doi:10.1016/0024-3795(87)90101-7). The refinement costs two passes over the rows; the sums cost p
/// passes.
struct NormalEquations: ~Copyable {
  /// The smallest reciprocal condition number at which `.automatic` uses this method.
  ///
  /// The relative error from the factor is a few times ulp / 1e-8 = 2e-8. One refinement step squares this
  /// error, so rounding in the residuals dominates. Compared with the closed form in 32 digits, the error is
  /// at most 1e-11 just above the threshold. It is 1e-12 at a reciprocal condition number of 1e-7, and 2e-14
  /// in Create ML's regressions. The documented bound is 1e-10.
  static let leastAccurate = 1e-8

  /// The reciprocal condition number below which no digit is correct. Below this number, a Cholesky factor
  /// can exist because of rounding alone.
  static let leastMeaningful = 64 * Double.ulpOfOne

  /// The upper triangle of XᵀX + D, `p × p`, then its factor.
  private var matrix: [Double] = []
  /// Xᵀy, then the right-hand side of the refinement.
  private var moments: [Double] = []
  /// For each column, the power of two that scales its diagonal element to between 1 and 4.
  private var scales: [Double] = []
  private var work: [Double] = []
  private var integerWork: [Int32] = []

  /// Fills `solution` with the coefficients in scaled units.
  ///
  /// - Throws: `.notPositiveDefinite`; `.illConditioned` if the reciprocal condition number is below
  ///   `leastReciprocal`.
  mutating func solve(
    _ columns: inout CenteredColumns, leastReciprocal: Double, _ solution: inout [Double]
  ) throws(LeastSquaresError) -> SolverOutcome {
    let p = columns.columnCount
    matrix.grow(to: p * p)
    moments.grow(to: p)
    scales.grow(to: p)
    work.grow(to: 3 * p)
    integerWork.grow(to: p)
    accumulate(columns)
    let reciprocal = try factor(columns)
    guard reciprocal >= leastReciprocal else { throw .illConditioned }

    for j in 0..<p { solution[j] = 0 }
    correct(&solution, columnCount: p)
    columns.updateResiduals(solution)
    for j in 0..<p {
      let root = columns.penaltyRoots[j]
      moments[j] = columns.dotResiduals(j) - root * root * solution[j]
    }
    correct(&solution, columnCount: p)
    columns.updateResiduals(solution)
    return SolverOutcome(method: .cholesky, rank: p, reciprocalCondition: reciprocal.squareRoot())
  }

  /// Sets the upper triangle of XᵀX, and Xᵀy.
  ///
  /// The function processes blocks of two by two vectors, so that sums stay in registers. It uses only
  /// baseline x86-64 instructions, so it gives the same bits on every x86-64 processor. For problems of this
  /// size, it is as fast as `dsyrk` of OpenBLAS.
  private mutating func accumulate(_ columns: borrowing CenteredColumns) {
    let (p, count) = (columns.columnCount, columns.blockCount)
    let blocks = columns.blocks.span
    // Vector p is the response. Its products with the columns are the moments.
    for j in stride(from: 0, to: p, by: 2) {
      let firsts = blocks.extracting(j * count..<(j + 1) * count)
      let seconds = blocks.extracting(min(j + 1, p) * count..<(min(j + 1, p) + 1) * count)
      for k in stride(from: j, through: p, by: 2) {
        let thirds = blocks.extracting(k * count..<(k + 1) * count)
        let fourths = blocks.extracting(min(k + 1, p) * count..<(min(k + 1, p) + 1) * count)
        var (ac, ad, bc, bd) = (
          SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero
        )
        for block in 0..<count {
          let (first, second) = (firsts[block], seconds[block])
          let (third, fourth) = (thirds[block], fourths[block])
          ac += first * third
          ad += first * fourth
          bc += second * third
          bd += second * fourth
        }
        store(ac.orderedSum, j, k, columnCount: p)
        store(ad.orderedSum, j, k + 1, columnCount: p)
        store(bc.orderedSum, j + 1, k, columnCount: p)
        store(bd.orderedSum, j + 1, k + 1, columnCount: p)
      }
    }
  }

  /// Stores the product of vectors j and k; ignores products below the diagonal or past the response.
  private mutating func store(_ product: Double, _ j: Int, _ k: Int, columnCount p: Int) {
    guard j < p, j <= k, k <= p else { return }
    if k == p { moments[j] = product } else { matrix[k * p + j] = product }
  }

  /// Adds the penalties, scales the diagonal to between 1 and 4, and factors the matrix. Returns the
  /// reciprocal condition number.
  private mutating func factor(_ columns: borrowing CenteredColumns) throws(LeastSquaresError) -> Double {
    let p = columns.columnCount
    guard p > 0 else { return 1 }
    for j in 0..<p {
      let root = columns.penaltyRoots[j]
      matrix[j * p + j] += root * root
      let length = matrix[j * p + j].squareRoot()
      scales[j] = length > 0 ? CenteredColumns.powerOfTwo(-Int(length.exponent)) : 1
    }
    for k in 0..<p {
      work[k] = 0
      for j in 0...k {
        // The scales are applied one after the other, because their product can be out of range.
        let element = matrix[k * p + j] * scales[j] * scales[k]
        matrix[k * p + j] = element
        work[k] += abs(element)
        if j < k { work[j] += abs(element) }
      }
    }
    var norm = 0.0
    for j in 0..<p { norm = max(norm, work[j]) }
    try LAPACK.factorCholesky(&matrix, order: p)
    return LAPACK.reciprocalConditionCholesky(
      matrix, order: p, norm: norm, work: &work, integerWork: &integerWork)
  }

  /// Adds the solution for the right-hand side `moments` to `solution`.
  private mutating func correct(_ solution: inout [Double], columnCount p: Int) {
    for j in 0..<p { moments[j] *= scales[j] }
    LAPACK.solveCholesky(matrix, order: p, &moments)
    for j in 0..<p { solution[j] += moments[j] * scales[j] }
  }
}
