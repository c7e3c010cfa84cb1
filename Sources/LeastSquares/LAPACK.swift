internal import CLAPACKE

/// The routines of LAPACK and BLAS that this module needs. Only this type passes pointers to LAPACK and BLAS.
///
/// Matrices are column-major without gaps between columns. Shapes are checked before a pointer is taken, and
/// no pointer outlives its closure. The functions ending in `_work` neither allocate memory nor search for
/// NaN. The caller provides the workspace, and the data are checked when a problem is loaded. Buffers are
/// arrays, which can be longer than needed. They are not `MutableSpan`s, because two spans of one struct's
/// properties cannot exist at once.
///
/// `check` evaluates INFO, the status that a routine returns. Each wrapper provides the error for positive
/// values.
enum LAPACK {
  // The constants are LAPACK_COL_MAJOR, a macro of the C header, and the option letters, which C code writes
  // as character literals.
  private static let columnMajor: Int32 = 102
  private static let upper = CChar(UInt8(ascii: "U"))
  private static let left = CChar(UInt8(ascii: "L"))
  private static let transpose = CChar(UInt8(ascii: "T"))
  private static let noTranspose = CChar(UInt8(ascii: "N"))
  private static let oneNorm = CChar(UInt8(ascii: "1"))

  private static let library = LinearAlgebraLibrary.functions

  /// Throws `failure(info)` if INFO is positive. Traps if INFO is negative, because this indicates a bug in
  /// this file.
  private static func check(
    _ info: Int32, _ routine: StaticString, failure: (Int) -> LeastSquaresError
  ) throws(LeastSquaresError) {
    precondition(info >= 0, "\(routine): argument \(-info) is invalid")
    if info > 0 { throw failure(Int(info)) }
  }

  /// Traps unless INFO is 0, for routines that cannot fail on valid data.
  private static func check(_ info: Int32, _ routine: StaticString) {
    precondition(info == 0, "\(routine): INFO must be 0, not \(info)")
  }

  private static func integer(_ value: Int) -> Int32 {
    guard let result = Int32(exactly: value) else {
      preconditionFailure("\(value) exceeds LAPACK's 32-bit integers")
    }
    return result
  }

  // MARK: Cholesky

  /// Overwrites the upper triangle of a symmetric matrix with its Cholesky factor U, A = UᵀU.
  ///
  /// - Throws: `.notPositiveDefinite` with the order of the first leading minor that is not positive.
  static func factorCholesky(_ a: inout [Double], order: Int) throws(LeastSquaresError) {
    precondition(a.count >= order * order, "the matrix has \(a.count) elements, but its order is \(order)")
    let n = integer(order)
    let info = unsafe a.withUnsafeMutableBufferPointer { a in
      unsafe library.LAPACKE_dpotrf_work(columnMajor, upper, n, a.baseAddress, max(1, n))
    }
    try check(info, "dpotrf") { .notPositiveDefinite(leadingMinor: $0) }
  }

  /// Returns an estimate of the reciprocal condition number, in the 1-norm, of the matrix whose Cholesky
  /// factor is `factor`.
  static func reciprocalConditionCholesky(
    _ factor: [Double], order: Int, norm: Double, work: inout [Double],
    integerWork: inout [Int32]
  ) -> Double {
    precondition(
      factor.count >= order * order, "the factor has \(factor.count) elements, but its order is \(order)")
    precondition(
      work.count >= 3 * order && integerWork.count >= order,
      "a workspace of \(work.count) elements is too small")
    let n = integer(order)
    var result = 0.0
    let info = unsafe factor.withUnsafeBufferPointer { a in
      unsafe work.withUnsafeMutableBufferPointer { work in
        unsafe integerWork.withUnsafeMutableBufferPointer { integerWork in
          unsafe library.LAPACKE_dpocon_work(
            columnMajor, upper, n, a.baseAddress, max(1, n), norm, &result, work.baseAddress,
            integerWork.baseAddress)
        }
      }
    }
    check(info, "dpocon")
    return result
  }

  /// Overwrites `b` with the solution of UᵀU x = b.
  static func solveCholesky(_ factor: [Double], order: Int, _ b: inout [Double]) {
    precondition(
      factor.count >= order * order, "the factor has \(factor.count) elements, but its order is \(order)")
    precondition(
      b.count >= order, "the right-hand side has \(b.count) elements for a matrix of order \(order)")
    let n = integer(order)
    let info = unsafe factor.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeMutableBufferPointer { b in
        unsafe library.LAPACKE_dpotrs_work(
          columnMajor, upper, n, 1, a.baseAddress, max(1, n), b.baseAddress, max(1, n))
      }
    }
    check(info, "dpotrs")
  }

  /// Overwrites the upper triangle of a Cholesky factor U with the upper triangle of the inverse of UᵀU.
  ///
  /// - Throws: `.notPositiveDefinite` if a diagonal element of U is 0.
  static func invertCholesky(_ factor: inout [Double], order: Int) throws(LeastSquaresError) {
    precondition(
      factor.count >= order * order, "the factor has \(factor.count) elements, but its order is \(order)")
    let n = integer(order)
    let info = unsafe factor.withUnsafeMutableBufferPointer { a in
      unsafe library.LAPACKE_dpotri_work(columnMajor, upper, n, a.baseAddress, max(1, n))
    }
    try check(info, "dpotri") { .notPositiveDefinite(leadingMinor: $0) }
  }

  /// Overwrites the upper triangle of a positive semidefinite matrix A with its Cholesky factor U under
  /// complete pivoting: element (`pivots`[j] - 1, `pivots`[k] - 1) of A is element (j, k) of UᵀU.
  ///
  /// `work` is a workspace of at least `2 * order` elements.
  ///
  /// - Returns: The numerical rank of A, which is the number of rows of U.
  static func factorSemidefinite(
    _ a: inout [Double], order: Int, pivots: inout [Int32], work: inout [Double]
  ) -> Int {
    precondition(a.count >= order * order, "the matrix has \(a.count) elements, but its order is \(order)")
    precondition(
      pivots.count >= order && work.count >= 2 * order, "a workspace of \(work.count) elements is too small")
    let n = integer(order)
    var rank: Int32 = 0
    let info = unsafe a.withUnsafeMutableBufferPointer { a in
      unsafe pivots.withUnsafeMutableBufferPointer { pivots in
        unsafe work.withUnsafeMutableBufferPointer { work in
          // A negative tolerance selects LAPACK's default, order · 2⁻⁵³ · the largest diagonal element.
          unsafe library.LAPACKE_dpstrf_work(
            columnMajor, upper, n, a.baseAddress, max(1, n), pivots.baseAddress, &rank, -1, work.baseAddress)
        }
      }
    }
    // INFO is 1 if the rank is less than the order.
    precondition(info >= 0, "dpstrf: argument \(-info) is invalid")
    return Int(rank)
  }

  // MARK: BLAS

  // Values of the enumerations in cblas.h.
  private static let (blasUpper, blasNoTranspose, blasTranspose): (Int32, Int32, Int32) = (121, 111, 112)
  private static let (blasRight, blasNonUnit): (Int32, Int32) = (142, 131)

  /// Overwrites the upper triangle of C, of order `order`, with α A Aᵀ + C. A has `order` rows and `columns`
  /// columns.
  static func addProduct(_ a: [Double], columns: Int, times alpha: Double, to c: inout [Double], order: Int) {
    precondition(a.count >= order * columns && c.count >= order * order, "a matrix has too few elements")
    let n = integer(order)
    unsafe a.withUnsafeBufferPointer { a in
      unsafe c.withUnsafeMutableBufferPointer { c in
        unsafe library.cblas_dsyrk(
          columnMajor, blasUpper, blasNoTranspose, n, integer(columns), alpha, a.baseAddress, max(1, n), 1,
          c.baseAddress, max(1, n))
      }
    }
  }

  /// Overwrites the upper triangle of C, of order `columns`, with AᵀA + C. A has `rows` rows and `columns`
  /// columns.
  static func addGram(_ a: [Double], rows: Int, columns: Int, to c: inout [Double]) {
    precondition(a.count >= rows * columns && c.count >= columns * columns, "a matrix has too few elements")
    let n = integer(columns)
    unsafe a.withUnsafeBufferPointer { a in
      unsafe c.withUnsafeMutableBufferPointer { c in
        unsafe library.cblas_dsyrk(
          columnMajor, blasUpper, blasTranspose, n, integer(rows), 1, a.baseAddress, max(1, integer(rows)), 1,
          c.baseAddress, max(1, n))
      }
    }
  }

  /// Overwrites B, with `rows` rows, with B R⁻¹. R is an upper triangle of order `columns`.
  static func divide(_ b: inout [Double], rows: Int, byUpperTriangle r: [Double], columns: Int) {
    precondition(b.count >= rows * columns && r.count >= columns * columns, "a matrix has too few elements")
    let n = integer(columns)
    unsafe r.withUnsafeBufferPointer { r in
      unsafe b.withUnsafeMutableBufferPointer { b in
        unsafe library.cblas_dtrsm(
          columnMajor, blasRight, blasUpper, blasNoTranspose, blasNonUnit, integer(rows), n, 1, r.baseAddress,
          max(1, n), b.baseAddress, max(1, integer(rows)))
      }
    }
  }

  // MARK: QR

  /// Returns the number of workspace elements for `factorQR` and `applyQ`.
  ///
  /// `dgeqp3` needs 3p + 1; with space for 32 more columns, it uses its blocked algorithm. `dormqr` on one
  /// vector needs less.
  static func workCountQR(columns: Int) -> Int {
    2 * columns + 32 * (columns + 1) + 64
  }

  /// Overwrites A with its QR factors with column pivoting, A P = Q R.
  ///
  /// R is in the upper triangle. Q's reflectors are below R and in `scalars`. `pivots[k]` becomes the number
  /// of the column at place k, counted from 1.
  static func factorQR(
    _ a: inout [Double], rows: Int, columns: Int, pivots: inout [Int32],
    scalars: inout [Double], work: inout [Double]
  ) {
    precondition(a.count >= rows * columns, "the matrix has \(a.count) elements, not \(rows) by \(columns)")
    precondition(pivots.count >= columns, "\(pivots.count) pivots for \(columns) columns")
    precondition(
      scalars.count >= min(rows, columns), "\(scalars.count) scalars for a matrix of \(rows) by \(columns)")
    precondition(
      work.count >= workCountQR(columns: columns), "a workspace of \(work.count) elements is too small")
    // On entry, a nonzero pivot would fix its column at the front.
    for k in 0..<columns { pivots[k] = 0 }
    let (m, n, workCount) = (integer(rows), integer(columns), integer(work.count))
    let info = unsafe a.withUnsafeMutableBufferPointer { a in
      unsafe pivots.withUnsafeMutableBufferPointer { pivots in
        unsafe scalars.withUnsafeMutableBufferPointer { scalars in
          unsafe work.withUnsafeMutableBufferPointer { work in
            unsafe library.LAPACKE_dgeqp3_work(
              columnMajor, m, n, a.baseAddress, max(1, m), pivots.baseAddress, scalars.baseAddress,
              work.baseAddress, workCount)
          }
        }
      }
    }
    check(info, "dgeqp3")
  }

  /// Overwrites the `rows` elements of `b` with Qᵀ b or Q b, with the Q that `factorQR` stored in `a` and
  /// `scalars`.
  static func applyQ(
    _ a: [Double], rows: Int, columns: Int, scalars: [Double], transposed: Bool, _ b: inout [Double],
    work: inout [Double]
  ) {
    let reflectors = min(rows, columns)
    precondition(a.count >= rows * columns, "the matrix has \(a.count) elements, not \(rows) by \(columns)")
    precondition(scalars.count >= reflectors, "\(scalars.count) scalars for \(reflectors) reflectors")
    precondition(b.count >= rows, "the right-hand side has \(b.count) elements, not \(rows)")
    precondition(
      work.count >= workCountQR(columns: columns), "a workspace of \(work.count) elements is too small")
    let (m, k, workCount) = (integer(rows), integer(reflectors), integer(work.count))
    let operation = transposed ? transpose : noTranspose
    let info = unsafe a.withUnsafeBufferPointer { a in
      unsafe scalars.withUnsafeBufferPointer { scalars in
        unsafe b.withUnsafeMutableBufferPointer { b in
          unsafe work.withUnsafeMutableBufferPointer { work in
            unsafe library.LAPACKE_dormqr_work(
              columnMajor, left, operation, m, 1, k, a.baseAddress, max(1, m), scalars.baseAddress,
              b.baseAddress,
              max(1, m), work.baseAddress, workCount)
          }
        }
      }
    }
    check(info, "dormqr")
  }

  /// Overwrites the columns of `b` with the solutions of R x = b or Rᵀ x = b, where R is the leading upper
  /// triangle of `a`.
  ///
  /// - Throws: `.rankDeficient` if a diagonal element of R is exactly 0.
  static func solveUpperTriangle(
    _ a: [Double], leadingDimension: Int, order: Int, transposed: Bool, _ b: inout [Double],
    rightHandSides: Int
  ) throws(LeastSquaresError) {
    precondition(
      leadingDimension >= order, "order \(order) exceeds the \(leadingDimension) rows of the matrix")
    precondition(
      a.count >= leadingDimension * order, "the matrix has \(a.count) elements, but its order is \(order)")
    precondition(
      b.count >= order * rightHandSides,
      "the right-hand side has \(b.count) elements, not \(order) by \(rightHandSides)")
    let (n, sides, ld) = (integer(order), integer(rightHandSides), integer(max(1, leadingDimension)))
    let operation = transposed ? transpose : noTranspose
    let info = unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeMutableBufferPointer { b in
        unsafe library.LAPACKE_dtrtrs_work(
          columnMajor, upper, operation, noTranspose, n, sides, a.baseAddress, ld, b.baseAddress,
          max(1, n))
      }
    }
    try check(info, "dtrtrs") { .rankDeficient(rank: $0 - 1) }
  }

  /// Returns an estimate of the reciprocal condition number, in the 1-norm, of the leading upper triangle of
  /// `a`.
  static func reciprocalConditionUpperTriangle(
    _ a: [Double], leadingDimension: Int, order: Int, work: inout [Double],
    integerWork: inout [Int32]
  ) -> Double {
    precondition(
      leadingDimension >= order, "order \(order) exceeds the \(leadingDimension) rows of the matrix")
    precondition(
      a.count >= leadingDimension * order, "the matrix has \(a.count) elements, but its order is \(order)")
    precondition(
      work.count >= 3 * order && integerWork.count >= order,
      "a workspace of \(work.count) elements is too small")
    let (n, ld) = (integer(order), integer(max(1, leadingDimension)))
    var result = 0.0
    let info = unsafe a.withUnsafeBufferPointer { a in
      unsafe work.withUnsafeMutableBufferPointer { work in
        unsafe integerWork.withUnsafeMutableBufferPointer { integerWork in
          // The second option N declares that the diagonal elements are not all 1.
          unsafe library.LAPACKE_dtrcon_work(
            columnMajor, oneNorm, upper, noTranspose, n, a.baseAddress, ld, &result, work.baseAddress,
            integerWork.baseAddress)
        }
      }
    }
    check(info, "dtrcon")
    return result
  }

  // MARK: Singular values

  /// Returns the numbers of elements in the two workspaces for `solveSingularValues`.
  static func workCountsSingularValues(rows: Int, columns: Int) -> (work: Int, integerWork: Int) {
    let (m, n) = (integer(rows), integer(columns))
    var (work, integerWork, rank) = (0.0, Int32(0), Int32(0))
    // A workspace size of -1 queries the required sizes; no array is read or written.
    let info = unsafe library.LAPACKE_dgelsd_work(
      columnMajor, m, n, 1, nil, max(1, m), nil, max(1, m, n), nil, -1, &rank, &work, -1, &integerWork)
    check(info, "dgelsd")
    return (Int(work), max(1, Int(integerWork)))
  }

  /// Overwrites `b` with the minimum-norm solution of A x ≈ b and fills `singularValues`, largest first.
  ///
  /// The solution excludes only singular values that are 0 to working precision. Determine the rank from
  /// `singularValues`. The function overwrites `a`. `b` contains `rows` elements on entry, and `columns`
  /// elements on return.
  ///
  /// - Throws: `.singularValuesDidNotConverge`.
  static func solveSingularValues(
    _ a: inout [Double], rows: Int, columns: Int, _ b: inout [Double],
    singularValues: inout [Double], work: inout [Double],
    integerWork: inout [Int32]
  ) throws(LeastSquaresError) {
    precondition(a.count >= rows * columns, "the matrix has \(a.count) elements, not \(rows) by \(columns)")
    precondition(
      b.count >= max(rows, columns), "the right-hand side has \(b.count) elements, not \(max(rows, columns))")
    precondition(
      singularValues.count >= min(rows, columns),
      "\(singularValues.count) elements are too few for all singular values")
    let (m, n, workCount) = (integer(rows), integer(columns), integer(work.count))
    var rank: Int32 = 0
    let info = unsafe a.withUnsafeMutableBufferPointer { a in
      unsafe b.withUnsafeMutableBufferPointer { b in
        unsafe singularValues.withUnsafeMutableBufferPointer { singularValues in
          unsafe work.withUnsafeMutableBufferPointer { work in
            unsafe integerWork.withUnsafeMutableBufferPointer { integerWork in
              unsafe library.LAPACKE_dgelsd_work(
                columnMajor, m, n, 1, a.baseAddress, max(1, m), b.baseAddress, max(1, m, n),
                singularValues.baseAddress, -1, &rank, work.baseAddress, workCount, integerWork.baseAddress)
            }
          }
        }
      }
    }
    try check(info, "dgelsd") { _ in .singularValuesDidNotConverge }
  }
}
