import Concurrency
import Testing

@testable import LeastSquares

/// Compares the inverse for few rows with the inverse by a full Cholesky factorization.
@Suite struct LowRankInverseTests {
  /// Returns the upper triangle of the sum of products of `rows` random rows, scaled by `size`.
  private static func products(order: Int, rows: Int, size: Double, _ random: inout SplitMix64) -> [Double] {
    var products = [Double](repeating: 0, count: order * order)
    for _ in 0..<rows {
      // Most elements are 0, as in the columns of a category.
      let row = (0..<order).map { _ in random.nextUnit() < 0.7 ? 0 : size * (random.nextUnit() - 0.5) }
      for k in 0..<order {
        for j in 0...k { products[k * order + j] += row[j] * row[k] }
      }
    }
    return products
  }

  @Test(arguments: [(1, 1), (7, 0), (7, 3), (60, 1), (60, 15), (60, 60), (200, 40)], [0.01, 1, 30])
  func `the inverse and the determinant equal the full factorization`(
    shape: (order: Int, rows: Int), size: Double
  ) throws {
    let (order, rows) = shape
    var random = SplitMix64(seed: UInt64(order * 100 + rows))
    var inverse = LowRankInverse()
    // The instance reuses its buffers.
    for _ in 0..<3 {
      let products = Self.products(order: order, rows: rows, size: size, &random)
      var (full, low) = (products, products)
      for k in 0..<order { full[k * order + k] += 1 }
      let expected = try PositiveDefinite.invert(&full, order: order)
      let logarithm = try #require(inverse.invert(&low, order: order))
      // Elements lose at most five digits by cancellation. The matrices here lose three, for the largest size.
      #expect(abs(logarithm - expected) <= 1e-10 * (1 + abs(expected)))
      for k in 0..<order {
        for j in 0...k {
          #expect(abs(low[k * order + j] - full[k * order + j]) <= 1e-11, "(\(j), \(k))")
        }
      }
    }
  }

  @Test func `a result without enough digits is refused`() {
    var matrix = [1e6, 0, 0, 1]
    var inverse = LowRankInverse()
    #expect(inverse.invert(&matrix, order: 2) == nil)
    matrix = [1e4, 0, 0, 1]
    #expect(inverse.invert(&matrix, order: 2) != nil)
  }
}
