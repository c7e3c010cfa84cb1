/// A Gauss-Jordan tableau: a basis of the columns, and every other column as a linear combination of the
/// basis.
///
/// For places i in the basis and j outside it, column j = sum_i T_ij column i, where all columns are scaled
/// to about unit length. `particular` returns the coefficients of the minimizer that uses only the basis.
struct ColumnBasis: ~Copyable {
  private(set) var rank = 0
  /// The number of columns outside the basis.
  private(set) var dependentCount = 0
  /// The columns in the order of places: the basis, then the other columns.
  private(set) var order: [Int] = []
  /// For each place, an exponent e: the length of the given column is about 2^e.
  private var exponents: [Int] = []
  /// T, then the particular solution as one more column: `rank × (dependentCount + 1)`.
  private var table: [Double] = []

  /// Returns the weight T_ij of basis column `i` in column `j`.
  func weight(_ i: Int, _ j: Int) -> Double { table[j * rank + i] }

  /// Returns the coefficient of basis column `i` in the particular solution.
  func particular(_ i: Int) -> Double { table[dependentCount * rank + i] }

  /// Returns T_ij for the unscaled columns; infinite if the result exceeds the range of a `Double`.
  func givenWeight(_ i: Int, _ j: Int) -> Double {
    Double(sign: .plus, exponent: exponents[rank + j] - exponents[i], significand: weight(i, j))
  }

  /// Returns `value` times 2^e, where e is the length exponent of `place` minus `reference`. If `inverse` is
  /// true, returns `value` divided by 2^e.
  func scaled(_ value: Double, place: Int, from reference: Int, inverse: Bool) -> Double {
    let exponent = exponents[place] - reference
    return Double(sign: .plus, exponent: inverse ? -exponent : exponent, significand: value)
  }

  /// The smallest length exponent among the basis columns that the particular solution uses; 0 if there is
  /// none.
  var leastUsedExponent: Int {
    var least: Int?
    for i in 0..<rank where particular(i) != 0 { least = min(least ?? exponents[i], exponents[i]) }
    return least ?? 0
  }

  /// Uses the first `rank` pivoted columns as the basis: the tableau is R₁₁⁻¹ [R₁₂ | c].
  mutating func load(
    _ rows: borrowing PenalizedRows, _ columns: borrowing CenteredColumns, rank: Int, tolerance: Double
  ) throws(LeastSquaresError) {
    self.rank = rank
    dependentCount = rows.columnCount - rank
    table.grow(to: rank * (dependentCount + 1))
    order.grow(to: rows.columnCount)
    exponents.grow(to: rows.columnCount)
    for k in 0..<rows.columnCount {
      order[k] = Int(rows.pivots[k]) - 1
      exponents[k] = columns.exponents[order[k]] + rows.lengthExponents[order[k]]
    }
    for i in 0..<rank {
      for j in 0..<dependentCount { table[j * rank + i] = rows.matrix[(rank + j) * rows.rowCount + i] }
      table[dependentCount * rank + i] = rows.rotatedResponse[i]
    }
    try LAPACK.solveUpperTriangle(
      rows.matrix, leadingDimension: rows.rowCount, order: rank, transposed: false, &table,
      rightHandSides: dependentCount + 1)
    // Weights that are only rounding errors become 0. Otherwise, a column would become part of an unrelated
    // linear dependency.
    for entry in 0..<rank * dependentCount where abs(table[entry]) <= tolerance { table[entry] = 0 }
  }

  /// Exchanges columns until every weight for the unscaled columns has a magnitude of at most 2. Large
  /// columns are then in the basis.
  ///
  /// Each exchange multiplies the volume of the basis by the exchanged weight, so each basis occurs at most
  /// once (Knuth 1985, Semi-optimal bases for linear dependencies, doi:10.1080/03081088508817636).
  mutating func preferLargeColumns(tolerance: Double) {
    // About p exchanges suffice even if the weights span a range of 1e300, because the largest weight is
    // exchanged first. Rounding could undo an exchange, so the limit prevents an endless loop.
    let most = 8 * (rank + dependentCount)
    for _ in 0..<most {
      var (largest, row, column) = (2.0, -1, -1)
      for j in 0..<dependentCount {
        for i in 0..<rank where abs(givenWeight(i, j)) > largest {
          (largest, row, column) = (abs(givenWeight(i, j)), i, j)
        }
      }
      guard row >= 0 else { return }
      exchange(row, column, tolerance: tolerance)
    }
  }

  private mutating func exchange(_ i: Int, _ j: Int, tolerance: Double) {
    let pivot = weight(i, j)
    for k in 0...dependentCount where k != j {
      let quotient = table[k * rank + i] / pivot
      table[k * rank + i] = quotient
      for row in 0..<rank where row != i {
        let (old, change) = (table[k * rank + row], table[j * rank + row] * quotient)
        let new = old - change
        let isNoise = k < dependentCount && abs(new) <= tolerance * max(abs(old), abs(change))
        table[k * rank + row] = isNoise ? 0 : new
      }
    }
    for row in 0..<rank where row != i { table[j * rank + row] /= -pivot }
    table[j * rank + i] = 1 / pivot
    order.swapAt(i, rank + j)
    exponents.swapAt(i, rank + j)
  }
}
