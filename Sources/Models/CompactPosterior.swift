internal import LeastSquares

/// The posterior of one user's parameters, as in `Posterior`, but computed from compact sums. The widest
/// category forms a diagonal block, so only the Schur complement of this block is factored.
///
/// Columns of a category are standardized, so all of them can be nonzero in every row in which the category
/// is known. But with high and low as in `CompactLayout`, the base and the category together contribute t_0 +
/// Σ w_k low_k + w_j (high_j - low_j) to a row of bin j. Let τ = t_0 + Σ w_k low_k be a separate parameter,
/// and N the matrix of the normal equations for (w, τ, other parameters, t_0). The block of the category in N
/// is then diagonal. Here, t_0 applies only to rows in which the category is missing. The definition of τ
/// becomes a linear constraint a·x = 0 on the unknowns x. N⁻¹ minus a rank-one term for this constraint is
/// the covariance M of the unknowns (Golub and Van Loan 2013, Matrix Computations, 6.2.2):
///
///     M = N⁻¹ - N⁻¹ a a' N⁻¹ / (a' N⁻¹ a)
///
/// The unknowns are deviations from the prior mean, each divided by the square root of its prior variance.
///
/// Each worker has its own instance and reuses the buffers.
struct CompactPosterior {
  let border: CompactBorder
  private let prior: GaussianPrior
  private let category: CompactLayout.Category
  /// For each column of the category: √S (high - low), where S is the prior variance of the column.
  private let scales: [Double]
  /// For each column of the category: -√S low, its element of the constraint vector.
  private let sides: [Double]
  /// For each part of the border: the square root of its prior variance, divided by the noise variance.
  private let factors: [Double]

  private var matrix = BorderedDiagonal()
  /// The bins of columns that have rows, ascending. For all other bins, N equals the identity.
  private var seen: [Int] = []
  /// The number of border elements in use: all, or all except t_0.
  private var inUse = 0
  private var isConstrained = false
  /// The right-hand side g of N x = g, the solution x, and the solution of N x = a. Each vector has a
  /// diagonal part, in the order of `seen`, and a border part.
  private var right: (diagonal: [Double], border: [Double])
  private var solution: (diagonal: [Double], border: [Double])
  private var sideSolution: (diagonal: [Double], border: [Double])
  private var inverse: (diagonal: [Double], border: [Double])
  /// The denominator a' N⁻¹ a of the rank-one term.
  private var side = 1.0
  /// The sum of y - z·m over the rows of each bin.
  private var residuals: [Double]

  /// The posterior mean t, one element per parameter.
  private(set) var parameters: [Double]
  /// The posterior variance of each parameter, if `solve` computed variances.
  private(set) var variances: [Double]
  /// Σ (y - z·t)².
  private(set) var residualSumOfSquares = 0.0
  /// The sum over the rows of the variance of z·t, if `solve` computed variances.
  private(set) var predictionVariances = 0.0

  /// The smallest share of a diagonal element that must remain after cancellation. It limits the loss to five
  /// digits.
  private static let leastShare = 1e-5

  /// Creates the buffers; returns `nil` if every category is too narrow, or if the border would be too wide
  /// to save time.
  init?(_ prior: GaussianPrior, _ layout: CompactLayout) {
    guard let border = CompactBorder(prior, layout) else { return nil }
    (self.border, self.prior) = (border, prior)
    let category = layout.categories[border.main]
    self.category = category
    let roots = prior.variances[category.parameters].map { $0.squareRoot() }
    scales = zip(category.step, roots).map { $0 * $1 }
    sides = zip(category.low, roots).map { -$0 * $1 }
    factors = border.roots.map { $0 / prior.noise }
    let zeros = (
      diagonal: [Double](repeating: 0, count: category.width),
      border: [Double](repeating: 0, count: border.parts.count)
    )
    (right, solution, sideSolution, inverse) = (zeros, zeros, zeros, zeros)
    residuals = [Double](repeating: 0, count: category.binCount)
    parameters = prior.mean
    variances = [Double](repeating: .nan, count: prior.order)
  }

  /// Computes the mean, and the variances if `hasVariances` is true, for rows with the sums `sums`.
  ///
  /// - Returns: `false` if the solution lost more than five digits, or if variances are required although the
  ///   base is free. The caller then uses the dense solution.
  mutating func solve(_ sums: borrowing CompactSums, hasVariances: Bool) -> Bool {
    let isFree = prior.variances[0] == .infinity
    // The base is free only in models whose noise is unknown, and these models need no variances.
    guard !(hasVariances && isFree) else { return false }
    seen.removeAll(keepingCapacity: true)
    for bin in 0..<category.width where sums.sum(0, category: border.main, bin: bin) > 0 { seen.append(bin) }
    // If the category is known in all rows, a free base follows from τ, without a constraint.
    isConstrained = !isFree || sums.sum(0, category: border.main, bin: category.missing) > 0
    inUse = border.parts.count - (isConstrained ? 0 : 1)
    setMatrix(sums)
    setRightSide(sums)
    guard matrix.factor() >= Self.leastShare else { return false }

    for place in seen.indices { solution.diagonal[place] = right.diagonal[place] }
    for r in 0..<inUse { solution.border[r] = right.border[r] }
    matrix.solve(&solution.diagonal, &solution.border)
    var shift = 0.0
    if isConstrained {
      solveSide()
      guard side > 0 else { return false }
      var condition = solution.border[0] - border.roots[inUse - 1] * solution.border[inUse - 1]
      for (place, bin) in seen.enumerated() { condition += sides[bin] * solution.diagonal[place] }
      shift = condition / side
      for place in seen.indices { solution.diagonal[place] -= shift * sideSolution.diagonal[place] }
      for r in 0..<inUse { solution.border[r] -= shift * sideSolution.border[r] }
    }
    publish(shift: shift)
    return hasVariances ? publishVariances() : true
  }

  private mutating func setMatrix(_ sums: borrowing CompactSums) {
    let q = inUse
    matrix.reshape(diagonal: seen.count, border: q)
    for (place, bin) in seen.enumerated() {
      let scale = scales[bin]
      matrix.diagonal[place] = sums.sum(0, category: border.main, bin: bin) * (scale * scale * factors[0]) + 1
      sums.writeSums(
        category: border.main, bin: bin, times: scale, factors, into: &matrix.coupling,
        at: place * matrix.stride)
      for r in border.denseCount + 1..<max(q, border.denseCount + 1) {
        matrix.coupling[place * matrix.stride + r] = border.sum(r, bin: bin, sums) * (scale * factors[r])
      }
    }
    for s in 0..<q {
      for r in 0...s {
        matrix.corner[s * matrix.stride + r] = border.product(r, s, sums) * (border.roots[r] * factors[s])
      }
      matrix.corner[s * matrix.stride + s] += border.identity[s]
    }
  }

  /// Computes the sums of products with y - z·m. Until `publish` is called, `residualSumOfSquares` is Σ (y -
  /// z·m)².
  private mutating func setRightSide(_ sums: borrowing CompactSums) {
    let (main, factor, isZero) = (border.main, 1 / prior.noise, border.hasZeroMean)
    // `effects` already includes the first and the last part of the border.
    let others = 1..<border.parts.count - 1
    var (values, predictions) = (sums.product(1, 1), 0.0)
    for bin in residuals.indices {
      let count = sums.sum(0, category: main, bin: bin)
      let moment = count > 0 ? sums.sum(1, category: main, bin: bin) : 0
      residuals[bin] = moment
      guard count > 0, !isZero else { continue }
      residuals[bin] -= border.effects[bin] * count
      for r in others { residuals[bin] -= border.mean[r] * border.sum(r, bin: bin, sums) }
      values -= border.effects[bin] * moment
      predictions += border.effects[bin] * residuals[bin]
    }
    for (place, bin) in seen.enumerated() { right.diagonal[place] = residuals[bin] * scales[bin] * factor }
    var known = 0.0
    for bin in 0...category.other { known += residuals[bin] }
    right.border[0] = known * factor
    right.border[border.parts.count - 1] =
      residuals[category.missing] * border.roots[border.parts.count - 1] * factor
    for r in others {
      let moment = border.moment(r, sums)
      var sum = moment
      if !isZero {
        for bin in residuals.indices where sums.sum(0, category: main, bin: bin) > 0 {
          sum -= border.effects[bin] * border.sum(r, bin: bin, sums)
        }
        for s in others { sum -= border.mean[s] * border.product(r, s, sums) }
        values -= border.mean[r] * moment
        predictions += border.mean[r] * sum
      }
      right.border[r] = sum * border.roots[r] * factor
    }
    residualSumOfSquares = values - predictions
  }

  /// Solves N x = a and sets `side` to a·x.
  private mutating func solveSide() {
    for (place, bin) in seen.enumerated() { sideSolution.diagonal[place] = sides[bin] }
    for r in 0..<inUse { sideSolution.border[r] = 0 }
    let root = border.roots[inUse - 1]
    (sideSolution.border[0], sideSolution.border[inUse - 1]) = (1, -root)
    matrix.solve(&sideSolution.diagonal, &sideSolution.border)
    side = sideSolution.border[0] - root * sideSolution.border[inUse - 1]
    var place = 0
    for bin in sides.indices {
      if place < seen.count, seen[place] == bin {
        side += sides[bin] * sideSolution.diagonal[place]
        place += 1
      } else {
        side += sides[bin] * sides[bin]
      }
    }
  }

  private mutating func publish(shift: Double) {
    let first = category.parameters.lowerBound
    // `gain` is g·x. `distance` is x'x over the parameters that are not free. `base` starts as the deviation
    // of τ and becomes the deviation of t_0.
    var (gain, distance, base) = (0.0, 0.0, solution.border[0])
    var place = 0
    for bin in sides.indices {
      var deviation = -shift * sides[bin]
      if place < seen.count, seen[place] == bin {
        deviation = solution.diagonal[place]
        gain += right.diagonal[place] * deviation
        place += 1
      }
      distance += deviation * deviation
      base += sides[bin] * deviation
      parameters[first + bin] =
        prior.mean[first + bin] + prior.variances[first + bin].squareRoot() * deviation
    }
    for r in 0..<inUse {
      gain += right.border[r] * solution.border[r]
      distance += border.identity[r] * solution.border[r] * solution.border[r]
      let own = border.parameters[r]
      if r > 0 { parameters[own] = prior.mean[own] + border.roots[r] * solution.border[r] }
    }
    if !isConstrained { parameters[0] = prior.mean[0] + base }
    // Σ (y - z·t)² = Σ (y - z·m)² - s2 (g·x + x'x), because N x = g up to a multiple of a, and a·x = 0.
    residualSumOfSquares = max(0, residualSumOfSquares - prior.noise * (gain + distance))
  }

  /// Computes the variances. Returns `false` if the computation lost too many digits.
  private mutating func publishVariances() -> Bool {
    matrix.writeInverseDiagonal(&inverse.diagonal, &inverse.border)
    let first = category.parameters.lowerBound
    var (place, trace) = (0, 0.0)
    for bin in sides.indices {
      var (whole, own) = (1.0, sides[bin])
      if place < seen.count, seen[place] == bin {
        (whole, own) = (inverse.diagonal[place], sideSolution.diagonal[place])
        place += 1
      }
      let left = whole - own * own / side
      guard left > Self.leastShare * whole else { return false }
      trace += 1 - left
      variances[first + bin] = prior.variances[first + bin] * left
    }
    for r in 1..<inUse {
      let whole = inverse.border[r]
      let left = whole - sideSolution.border[r] * sideSolution.border[r] / side
      guard left > Self.leastShare * whole else { return false }
      trace += 1 - left
      let own = border.parameters[r]
      variances[own] = prior.variances[own] * left
    }
    predictionVariances = prior.noise * max(0, trace)
    return true
  }

  /// Copies the results of `solve` to the arguments.
  func write(
    _ mean: inout [Double], _ variances: inout [Double], squares: inout Double,
    predictionVariances: inout Double
  ) {
    for j in parameters.indices {
      mean[j] = parameters[j]
      variances[j] = self.variances[j]
    }
    (squares, predictionVariances) = (residualSumOfSquares, self.predictionVariances)
  }

  /// Returns the prediction and its variance for row `row` of the rows that `solve` used.
  mutating func prediction(_ row: Int, of rows: borrowing CompactRows) -> (value: Double, variance: Double) {
    let bin = rows.bin(row, category: border.main)
    var (value, shift) = (border.effects[bin], 0.0)
    for r in 0..<inUse {
      let element = border.element(r, row: row, of: rows)
      let scaled = element * border.roots[r]
      value += border.mean[r] * element + scaled * solution.border[r]
      if isConstrained { shift += scaled * sideSolution.border[r] }
      inverse.border[r] = scaled
    }
    let place = bin < category.width ? seen.firstIndex(of: bin) : nil
    if let place {
      value += scales[bin] * solution.diagonal[place]
      if isConstrained { shift += scales[bin] * sideSolution.diagonal[place] }
    }
    let square = matrix.inverseForm(
      place, value: place == nil ? 0 : scales[bin], border: &inverse.border)
    return (value, max(0, isConstrained ? square - shift * shift / side : square))
  }
}
