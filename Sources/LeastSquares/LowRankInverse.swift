internal import Glibc

/// Computes (A + I)⁻¹ for a positive semidefinite matrix A of low rank, such as the sum of products of a few
/// rows with many columns.
///
/// With A = B Bᵀ, where B has r columns, and the Cholesky factorization I + BᵀB = RᵀR:
///
///     (A + I)⁻¹ = I - M Mᵀ    with M = B R⁻¹
///
/// This is the Woodbury identity (Golub and Van Loan 2013, Matrix Computations, 2.1.4). It takes O(order² r)
/// operations, and `PositiveDefinite.invert` takes O(order³). `PositiveDefinite.invert` is the oracle in
/// tests.
///
/// Each worker has its own instance and reuses the buffers.
package struct LowRankInverse: Sendable {
  /// The smallest diagonal element of the result that is accurate. A smaller element has lost more than five
  /// digits, because it is the difference of 1 and a number near 1.
  private static let leastDiagonal = 1e-5

  private var pivots: [Int32] = []
  private var work: [Double] = []
  /// B, and later M, by columns.
  private var factor: [Double] = []
  /// I + BᵀB, and later R, by columns.
  private var small: [Double] = []

  package init() {}

  /// Overwrites the upper triangle of `matrix`, A, with the upper triangle of (A + I)⁻¹. Element (j, k), j <=
  /// k, is at `k * order + j`.
  ///
  /// - Parameters:
  ///   - matrix: At least `order * order` finite elements.
  ///   - order: The number of rows and columns.
  /// - Returns: The natural logarithm of the determinant of A + I; `nil` if the result would be inaccurate.
  ///   The contents of the matrix are then undefined.
  package mutating func invert(_ matrix: inout [Double], order: Int) -> Double? {
    grow(to: order)
    let rank = LAPACK.factorSemidefinite(&matrix, order: order, pivots: &pivots, work: &work)
    copyFactor(matrix, order: order, rank: rank)
    Self.setIdentity(&small, order: rank)
    LAPACK.addGram(factor, rows: order, columns: rank, to: &small)
    guard (try? LAPACK.factorCholesky(&small, order: rank)) != nil else { return nil }
    var logarithm = 0.0
    for t in 0..<rank { logarithm += log(small[t * rank + t]) }
    LAPACK.divide(&factor, rows: order, byUpperTriangle: small, columns: rank)
    Self.setIdentity(&matrix, order: order)
    LAPACK.addProduct(factor, columns: rank, times: -1, to: &matrix, order: order)
    let isAccurate = (0..<order).allSatisfy { matrix[$0 * order + $0] >= Self.leastDiagonal }
    return isAccurate ? 2 * logarithm : nil
  }

  private mutating func grow(to order: Int) {
    guard pivots.count < order else { return }
    pivots = [Int32](repeating: 0, count: order)
    work = [Double](repeating: 0, count: 2 * order)
    factor = [Double](repeating: 0, count: order * order)
    small = [Double](repeating: 0, count: order * order)
  }

  /// Copies the transpose of U to B, with the rows in the order of the columns of A.
  private mutating func copyFactor(_ upper: [Double], order: Int, rank: Int) {
    for t in 0..<rank {
      for j in 0..<order {
        factor[t * order + Int(pivots[j]) - 1] = j >= t ? upper[j * order + t] : 0
      }
    }
  }

  /// Sets the upper triangle of `matrix` to the identity.
  private static func setIdentity(_ matrix: inout [Double], order: Int) {
    for k in 0..<order {
      for j in 0..<k { matrix[k * order + j] = 0 }
      matrix[k * order + k] = 1
    }
  }
}
