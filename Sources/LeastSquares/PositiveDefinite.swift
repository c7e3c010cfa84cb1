internal import Glibc

/// Symmetric positive definite matrices, stored by columns. Only the upper triangle is used: element (j, k),
/// j <= k, is at `k * order + j`.
public enum PositiveDefinite {
  /// Overwrites the upper triangle of `matrix` with the upper triangle of its inverse.
  ///
  /// - Parameters:
  ///   - matrix: At least `order * order` finite elements.
  ///   - order: The number of rows and columns. If it is 0, the function does nothing.
  /// - Returns: The natural logarithm of the determinant.
  /// - Throws: `.notPositiveDefinite`; the contents of the matrix are then undefined.
  /// - Complexity: O(order³).
  @discardableResult
  public static func invert(_ matrix: inout [Double], order: Int) throws(LeastSquaresError) -> Double {
    guard order > 0 else { return 0 }
    try LAPACK.factorCholesky(&matrix, order: order)
    var logarithm = 0.0
    for k in 0..<order { logarithm += log(matrix[k * order + k]) }
    try LAPACK.invertCholesky(&matrix, order: order)
    return 2 * logarithm
  }

  /// Overwrites `vector` with the solution x of `matrix` x = `vector`; destroys the upper triangle of
  /// `matrix`.
  ///
  /// - Throws: `.notPositiveDefinite`.
  public static func solve(_ matrix: inout [Double], order: Int, _ vector: inout [Double])
    throws(LeastSquaresError)
  {
    guard order > 0 else { return }
    try LAPACK.factorCholesky(&matrix, order: order)
    LAPACK.solveCholesky(matrix, order: order, &vector)
  }

  /// Writes the product of `matrix`, stored as its upper triangle, and `vector` to `product`.
  ///
  /// The function processes one column at a time and uses each stored element for both of its positions in
  /// the matrix. The order of the sums is fixed.
  public static func multiply(
    _ matrix: [Double], order: Int, _ vector: [Double], into product: inout [Double]
  ) {
    for k in 0..<order { product[k] = 0 }
    for k in 0..<order {
      let column = k * order
      let factor = vector[k]
      var sum = 0.0
      for j in 0..<k {
        let element = matrix[column + j]
        sum += element * vector[j]
        product[j] += element * factor
      }
      product[k] += sum + matrix[column + k] * factor
    }
  }
}
