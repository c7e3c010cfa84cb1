extension PenalizedRows {
  /// Refines a full-rank solution until only rounding of the input limits its accuracy.
  ///
  /// The method is iterative refinement of the augmented system r + A w = y, Aᵀr = 0. It computes both
  /// defects in about twice the working precision (Björck 1967, doi:10.1007/BF01939321; Higham 2002, 20.5).
  /// Refining w alone would leave an error proportional to the squared condition number times the residuals.
  /// A step takes O((n + p) p) time; one or two steps usually suffice. The residuals of `columns` become r,
  /// which is more accurate than residuals computed from the rounded w.
  ///
  /// Refinement stops after a negligible step, or after four steps. If a step is at least half as long as the
  /// previous one, the columns are too ill-conditioned for the factors. Refinement then stops without
  /// applying the step.
  mutating func refine(
    _ columns: inout CenteredColumns, _ solution: inout [Double]
  ) throws(LeastSquaresError) {
    let p = columnCount
    unknowns.grow(to: p)
    defect.grow(to: rowCount)
    gradient.grow(to: p)
    penaltyResiduals.grow(to: p)
    columns.updateResiduals(solution)
    guard p > 0 else { return }
    var size = 0.0
    for j in 0..<p {
      penaltyResiduals[j] = -columns.penaltyRoots[j] * solution[j]
      size = max(size, abs(solution[j]) * lengthScale(j))
    }
    var previous = size
    for _ in 0..<4 {
      let step = try correction(columns, solution)
      guard 2 * step < previous else { return }
      apply(&columns, &solution)
      if step <= Double.ulpOfOne * size { return }
      previous = step
    }
  }

  /// Returns the power of two by which a column was divided to have about unit length.
  private func lengthScale(_ column: Int) -> Double { CenteredColumns.powerOfTwo(lengthExponents[column]) }

  /// Sets `unknowns` to the correction of w and `defect` to the correction of r; returns the largest
  /// magnitude in `unknowns`.
  private mutating func correction(
    _ columns: borrowing CenteredColumns, _ solution: [Double]
  ) throws(LeastSquaresError) -> Double {
    let (n, p) = (columns.rowCount, columnCount)
    // `defect` becomes f = y - r - A w, and `gradient` becomes Pᵀg with g = -Aᵀr.
    for block in 0..<columns.blockCount {
      let values = columns.defect(solution, block: block)
      for lane in 0..<min(4, n - 4 * block) { defect[4 * block + lane] = values[lane] }
    }
    var penaltyRow = n
    for j in 0..<p where columns.penaltyRoots[j] > 0 {
      var sum = CompensatedSum()
      sum.add(-penaltyResiduals[j])
      sum.add(-columns.penaltyRoots[j], times: solution[j])
      defect[penaltyRow] = sum.value
      penaltyRow += 1
    }
    for k in 0..<p {
      let j = Int(pivots[k]) - 1
      let sum = columns.gradient(j, penaltyResidual: penaltyResiduals[j])
      gradient[k] = -sum / lengthScale(j)
    }
    // With Qᵀf = (d, e) and Rᵀu = Pᵀg: R Pᵀ dw = d - u and dr = Q (u, e).
    LAPACK.applyQ(
      matrix, rows: rowCount, columns: p, scalars: scalars, transposed: true, &defect, work: &work)
    try LAPACK.solveUpperTriangle(
      matrix, leadingDimension: rowCount, order: p, transposed: true, &gradient, rightHandSides: 1)
    for k in 0..<p {
      unknowns[k] = defect[k] - gradient[k]
      defect[k] = gradient[k]
    }
    try LAPACK.solveUpperTriangle(
      matrix, leadingDimension: rowCount, order: p, transposed: false, &unknowns, rightHandSides: 1)
    LAPACK.applyQ(
      matrix, rows: rowCount, columns: p, scalars: scalars, transposed: false, &defect, work: &work)
    var largest = 0.0
    for k in 0..<p { largest = max(largest, abs(unknowns[k])) }
    return largest
  }

  private mutating func apply(_ columns: inout CenteredColumns, _ solution: inout [Double]) {
    for k in 0..<columnCount {
      let j = Int(pivots[k]) - 1
      solution[j] += unknowns[k] / lengthScale(j)
    }
    columns.addToResiduals(defect)
    var penaltyRow = columns.rowCount
    for j in 0..<columnCount where columns.penaltyRoots[j] > 0 {
      penaltyResiduals[j] += defect[penaltyRow]
      penaltyRow += 1
    }
  }
}

extension CenteredColumns {
  /// Returns the response, minus the residuals, minus the product of the columns and `solution`, for the four
  /// rows of a block. Each result is rounded once.
  func defect(_ solution: [Double], block: Int) -> SIMD4<Double> {
    var sum = CompensatedBlock()
    sum.add(blocks[columnCount * blockCount + block])
    sum.add(-residualBlocks[block])
    for j in 0..<columnCount {
      sum.add(blocks[j * blockCount + block], times: SIMD4(repeating: -solution[j]))
    }
    return sum.high + sum.low
  }

  /// Returns the product of a column and the residuals, including the row of the penalty, with an error of
  /// about one rounding.
  func gradient(_ column: Int, penaltyResidual: Double) -> Double {
    var lanes = CompensatedBlock()
    for block in 0..<blockCount {
      lanes.add(blocks[column * blockCount + block], times: residualBlocks[block])
    }
    var sum = CompensatedSum()
    for lane in 0..<4 {
      sum.add(lanes.high[lane])
      sum.add(lanes.low[lane])
    }
    sum.add(penaltyRoots[column], times: penaltyResidual)
    return sum.value
  }
}
