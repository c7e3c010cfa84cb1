import Concurrency
import Testing

@testable import LeastSquares

/// Compares the solution of a bordered diagonal matrix with the solution of the same dense matrix.
struct BorderedDiagonalTests {
  /// The sums of products of rows that have one category and some numbers. A penalty is added to
  /// the diagonal.
  private struct Example {
    var (diagonal, border) = (0, 0)
    var dense: [Double] = []
    var order: Int { diagonal + border }
    var right: [Double] = []

    init(seed: UInt64, penalty: Double = 1) {
      var random = SplitMix64(seed: seed)
      diagonal = Int.random(in: 0...12, using: &random)
      border = Int.random(in: 1...7, using: &random)
      dense = [Double](repeating: 0, count: order * order)
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        var row = [Double](repeating: 0, count: order)
        if diagonal > 0 { row[Int.random(in: 0..<diagonal, using: &random)] = 1 }
        for r in diagonal..<order { row[r] = random.nextNormal() }
        for k in 0..<order { for j in 0..<order { dense[k * order + j] += row[j] * row[k] } }
      }
      for j in 0..<order { dense[j * order + j] += penalty }
      right = (0..<order).map { _ in random.nextNormal() }
    }

    var matrix: BorderedDiagonal {
      var matrix = BorderedDiagonal()
      matrix.reshape(diagonal: diagonal, border: border)
      for j in 0..<diagonal {
        matrix.diagonal[j] = dense[j * order + j]
        for r in 0..<border { matrix.coupling[j * matrix.stride + r] = dense[(diagonal + r) * order + j] }
      }
      for s in 0..<border {
        for r in 0...s {
          matrix.corner[s * matrix.stride + r] = dense[(diagonal + s) * order + diagonal + r]
        }
      }
      return matrix
    }
  }

  /// Over these seeds, the measured error is at most 4e-14.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `solutions and the inverse's diagonal equal dense ones`(seed: UInt64) throws {
    let example = Example(seed: seed)
    var matrix = example.matrix
    #expect(matrix.factor() > 0)
    var (own, border) = (
      Array(example.right.prefix(example.diagonal)), Array(example.right.suffix(example.border))
    )
    matrix.solve(&own, &border)
    var (copy, expected) = (example.dense, example.right)
    try PositiveDefinite.solve(&copy, order: example.order, &expected)
    for (found, expected) in zip(own + border, expected) { #expect(abs(found - expected) < 1e-12) }

    var inverse = example.dense
    try PositiveDefinite.invert(&inverse, order: example.order)
    matrix.writeInverseDiagonal(&own, &border)
    for (place, found) in (own + border).enumerated() {
      #expect(abs(found - inverse[place * example.order + place]) < 1e-12)
    }
  }

  @Test func `the remainder of an element shows the lost digits`() {
    // (1 + 2^-20) - 1 loses digits.
    var matrix = BorderedDiagonal()
    matrix.reshape(diagonal: 1, border: 1)
    (matrix.diagonal[0], matrix.coupling[0], matrix.corner[0]) = (1, 1, 1 + 0x1p-20)
    #expect(abs(matrix.factor() - 0x1p-20) < 1e-9)
    matrix.reshape(diagonal: 1, border: 1)
    (matrix.diagonal[0], matrix.coupling[0], matrix.corner[0]) = (1, 2, 1)
    #expect(matrix.factor() <= 0)
    matrix.reshape(diagonal: 1, border: 1)
    (matrix.diagonal[0], matrix.coupling[0], matrix.corner[0]) = (0, 0, 1)
    #expect(matrix.factor() <= 0)
  }
}
