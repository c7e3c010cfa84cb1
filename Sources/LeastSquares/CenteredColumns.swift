/// A problem's columns and response, scaled by powers of two, and centered if there is an intercept.
///
/// All solvers use this form. Vectors over the rows are stored in blocks of four rows (`SIMD4`), and the last
/// block is padded with zeros. Sums then use four interleaved partial sums in a fixed row order.
///
/// Only this type and `NormalEquations` depend on how the columns are stored.
struct CenteredColumns: ~Copyable {
  private(set) var rowCount = 0
  private(set) var columnCount = 0
  /// The number of blocks of four rows per column.
  private(set) var blockCount = 0
  private(set) var isCentered = false

  /// `columnCount + 1` vectors of `blockCount` blocks each. The last vector is the response.
  private(set) var blocks: [SIMD4<Double>] = []
  /// The residuals of the last call of `updateResiduals`, plus the corrections that were added later.
  private(set) var residualBlocks: [SIMD4<Double>] = []
  /// For each vector, the exponent k of its scale factor 2^-k.
  private(set) var exponents: [Int] = []
  /// For each vector, the scaled first element; `means` holds the mean difference from this element. The sum
  /// of the two is the mean.
  ///
  /// The mean is stored as two numbers, because a single `Double` would round it. Differences from the first
  /// element are nearly exact, and a constant column becomes exactly 0.
  private var origins: [Double] = []
  private var means: [Double] = []
  /// For each column, the square root of the penalty in scaled units.
  private(set) var penaltyRoots: [Double] = []

  /// The number of intercepts that the rows determine: 1 or 0.
  var determinedIntercepts: Int { isCentered && rowCount > 0 ? 1 : 0 }

  /// Checks, scales and centers the columns and the response of a problem.
  ///
  /// - Throws: `.nonFiniteDesign`, `.nonFiniteResponse`.
  mutating func load(
    design: Span<Double>, response: Span<Double>, penalties: [Double], columnCount: Int, centered: Bool
  ) throws(LeastSquaresError) {
    let (n, p) = (response.count, columnCount)
    rowCount = n
    self.columnCount = p
    blockCount = (n + 3) / 4
    isCentered = centered
    blocks.grow(to: (p + 1) * blockCount, filledWith: .zero)
    residualBlocks.grow(to: blockCount, filledWith: .zero)
    exponents.grow(to: p + 1)
    origins.grow(to: p + 1)
    means.grow(to: p + 1)
    penaltyRoots.grow(to: p)

    for j in 0..<p {
      guard let largest = copy(design.extracting(j * n..<(j + 1) * n), vector: j) else {
        let column = design.extracting(j * n..<(j + 1) * n)
        throw .nonFiniteDesign(row: firstNonFinite(column), column: j)
      }
      // The penalty adds a row to the column. The scale also prevents overflow in the square of this row.
      let root = penalties[j].squareRoot()
      exponents[j] = Self.scaleExponent(max(largest, root))
      penaltyRoots[j] = root * Self.powerOfTwo(-exponents[j])
      scaleAndCenter(vector: j)
    }
    guard let largest = copy(response, vector: p) else {
      throw .nonFiniteResponse(row: firstNonFinite(response))
    }
    exponents[p] = Self.scaleExponent(largest)
    scaleAndCenter(vector: p)
  }

  /// Copies a vector into blocks; returns its largest magnitude, or `nil` if an element is not finite.
  private mutating func copy(_ source: Span<Double>, vector: Int) -> Double? {
    let n = source.count
    let base = vector * blockCount
    var largest = SIMD4<Double>.zero
    // 0 times a finite number is 0, but 0 times NaN or infinity is NaN, which stays in the sum.
    var poison = SIMD4<Double>.zero
    for block in 0..<blockCount {
      let row = 4 * block
      var values = SIMD4<Double>.zero
      if row + 4 <= n {
        values = SIMD4(source[row], source[row + 1], source[row + 2], source[row + 3])
      } else {
        for lane in 0..<(n - row) { values[lane] = source[row + lane] }
      }
      poison += values * 0
      largest.replace(with: values, where: values .> largest)
      largest.replace(with: -values, where: -values .> largest)
      blocks[base + block] = values
    }
    guard poison == .zero else { return nil }
    return largest.max()
  }

  private func firstNonFinite(_ source: Span<Double>) -> Int {
    for row in source.indices where !source[row].isFinite { return row }
    preconditionFailure("no element is NaN or infinite")
  }

  private mutating func scaleAndCenter(vector: Int) {
    let factor = Self.powerOfTwo(-exponents[vector])
    let base = vector * blockCount
    guard isCentered, rowCount > 0 else {
      origins[vector] = 0
      means[vector] = 0
      for block in 0..<blockCount { blocks[base + block] *= factor }
      return
    }
    let origin = blocks[base][0] * factor
    var sum = SIMD4<Double>.zero
    for block in 0..<blockCount {
      let difference = blocks[base + block] * factor - origin
      blocks[base + block] = difference
      sum += difference
    }
    // The padding of the last block is now -origin. Remove the padding from the sum and reset it to 0.
    let filling = 4 * blockCount - rowCount
    for lane in 4 - filling..<4 {
      sum[lane] -= blocks[base + blockCount - 1][lane]
    }
    let mean = sum.orderedSum / Double(rowCount)
    for block in 0..<blockCount { blocks[base + block] -= mean }
    for lane in 4 - filling..<4 { blocks[base + blockCount - 1][lane] = 0 }
    origins[vector] = origin
    means[vector] = mean
  }

  /// Returns the k with 2^k <= magnitude < 2^(k+1), limited so that 2^k and 2^-k are in a `Double`'s range; 0
  /// for a vector of zeros.
  private static func scaleExponent(_ magnitude: Double) -> Int {
    magnitude == 0 ? 0 : min(1022, max(-1022, Int(magnitude.exponent)))
  }

  /// Returns 2^exponent; 0 or infinity beyond a `Double`'s range.
  static func powerOfTwo(_ exponent: Int) -> Double {
    Double(sign: .plus, exponent: exponent, significand: 1)
  }
}

extension CenteredColumns {
  /// Returns the sum over the rows of the product of two vectors. The index `columnCount` is the response.
  func dot(_ first: Int, _ second: Int) -> Double {
    let (a, b) = (first * blockCount, second * blockCount)
    var sum = SIMD4<Double>.zero
    for block in 0..<blockCount { sum += blocks[a + block] * blocks[b + block] }
    return sum.orderedSum
  }

  /// Returns the sum over the rows of a column times the residuals of the last call of `updateResiduals`.
  func dotResiduals(_ column: Int) -> Double {
    let a = column * blockCount
    var sum = SIMD4<Double>.zero
    for block in 0..<blockCount { sum += blocks[a + block] * residualBlocks[block] }
    return sum.orderedSum
  }

  /// Sets the residuals to response minus columns times `solution`, all scaled and centered.
  mutating func updateResiduals(_ solution: [Double]) {
    for block in 0..<blockCount { residualBlocks[block] = blocks[columnCount * blockCount + block] }
    for j in 0..<columnCount where solution[j] != 0 {
      let base = j * blockCount
      let weight = solution[j]
      for block in 0..<blockCount { residualBlocks[block] -= blocks[base + block] * weight }
    }
  }

  /// Adds `correction`, which has one element per row, to the residuals.
  mutating func addToResiduals(_ correction: [Double]) {
    for row in 0..<rowCount { residualBlocks[row / 4][row % 4] += correction[row] }
  }

  /// Returns element `row` of a vector.
  func element(_ row: Int, vector: Int) -> Double {
    blocks[vector * blockCount + row / 4][row % 4]
  }

  /// Returns the length of a scaled column before centering, including the row of its penalty. Rounding
  /// errors of the column are relative to this length.
  func givenLength(_ column: Int) -> Double {
    let mean = origins[column] + means[column]
    return
      (dot(column, column) + Double(rowCount) * mean * mean + penaltyRoots[column] * penaltyRoots[column])
      .squareRoot()
  }
}

extension CenteredColumns {
  /// The sum of the squared residuals, in squared units of the given response; infinite if it exceeds the
  /// range of a `Double`.
  var residualSumOfSquares: Double {
    var sum = SIMD4<Double>.zero
    for block in 0..<blockCount { sum += residualBlocks[block] * residualBlocks[block] }
    // Multiply twice by 2^k, because 4^k can be out of range even if the product is in range.
    let factor = Self.powerOfTwo(exponents[columnCount])
    return sum.orderedSum * factor * factor
  }

  /// Returns the intercept of a scaled solution, in units of the given response: the mean of the response
  /// minus the means of the columns times the coefficients.
  ///
  /// The function uses a compensated sum (Ogita, Rump and Oishi 2005, doi:10.1137/030601818, algorithm 5.3),
  /// because the terms can be much larger than their sum.
  func intercept(_ solution: [Double]) -> Double {
    guard isCentered else { return 0 }
    var sum = CompensatedSum()
    sum.add(origins[columnCount])
    sum.add(means[columnCount])
    for j in 0..<columnCount {
      sum.add(-origins[j], times: solution[j])
      sum.add(-means[j], times: solution[j])
    }
    return sum.value * Self.powerOfTwo(exponents[columnCount])
  }

  /// Returns a scaled coefficient, converted to the units of the given column and response; infinite if it
  /// exceeds the range of a `Double`.
  func unscaled(_ coefficient: Double, column: Int) -> Double {
    Double(sign: .plus, exponent: exponents[columnCount] - exponents[column], significand: coefficient)
  }
}

extension SIMD4<Double> {
  /// The sum of the lanes in a fixed order; the order of `sum()` depends on the library.
  var orderedSum: Double { (self[0] + self[1]) + (self[2] + self[3]) }
}
