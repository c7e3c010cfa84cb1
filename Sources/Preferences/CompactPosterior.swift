internal import LeastSquares

/// One person's parameters given their rows, like `Posterior`, from compact sums: the widest category is a diagonal, and
/// only what is left of the matrix is factored.
///
/// Columns of a category are standardized, so all of them differ from 0 in every row. But with h and l as in
/// `CompactLayout`, a row of bin j has t_0 + Σ w_k l_k + w_j h_j of base and category together. With
/// τ = t_0 + Σ w_k l_k as a parameter of its own, the category's products are diagonal again: N over (w, τ, t_0, rest),
/// t_0 being left to rows where the category is missing. That τ is this sum is a side condition a·x = 0, which takes a
/// term of rank one from the inverse (Golub and Van Loan 2013, Matrix Computations, 6.2.2):
///
///     M = N⁻¹ - N⁻¹ a a' N⁻¹ / (a' N⁻¹ a)
///
/// Deviations from the prior mean are what is solved for, each divided by the root of its prior variance.
///
/// One per worker, which keeps its buffers.
struct CompactPosterior {
  private let prior: GaussianPrior
  private let layout: CompactLayout
  /// The category that is the diagonal.
  private let main: Int
  /// The border: τ, t_0, the dense columns, the columns of the other categories.
  private let border: [Part]
  private let roots: [Double]
  private let mean: BorderedMean

  private enum Part {
    /// A vector over the known rows, or the missing ones, of the main category.
    case known, missing
    case dense(Int)
    case column(category: Int, Int)
  }

  /// The prior mean as effects of bins and of the border.
  private struct BorderedMean {
    /// By bin of the main category: what base and category add.
    var effects: [Double]
    /// By element of the border; 0 for the first two, which the effects hold.
    var border: [Double]
    var isZero: Bool
  }

  private var matrix = BorderedDiagonal()
  /// The bins of the main category that have rows, those of columns alone.
  private var seen: [Int] = []
  private var rightDiagonal: [Double] = []
  private var rightBorder: [Double] = []
  private var solutionDiagonal: [Double] = []
  private var solutionBorder: [Double] = []
  private var sideDiagonal: [Double] = []
  private var sideBorder: [Double] = []
  private var inverseDiagonal: [Double] = []
  private var inverseBorder: [Double] = []
  private var residuals: [Double] = []

  /// t, by parameter.
  private(set) var parameters: [Double]
  /// Their variances, by parameter; where asked for.
  private(set) var variances: [Double]
  /// Σ (y - z·t)².
  private(set) var residualSumOfSquares = 0.0
  /// The sum over the rows of the variance of z·t; where variances are asked for.
  private(set) var predictionVariances = 0.0

  /// Elements of the border beyond which the dense way is as fast.
  private static let widestBorder = 64
  /// Columns of a category from which on it is worth it.
  private static let narrowestCategory = 4
  /// What must be left of a diagonal element: five digits less than a double has.
  private static let leastShare = 1e-5

  /// `nil` where no category is so wide, or all else is too wide, that this is worth it.
  init?(_ prior: GaussianPrior, _ layout: CompactLayout) {
    let widths = layout.categories.map(\.width)
    guard let main = widths.indices.max(by: { (widths[$0], $1) < (widths[$1], $0) }),
      widths[main] >= Self.narrowestCategory
    else { return nil }
    var border: [Part] = [.known, .missing] + layout.dense.indices.map { .dense($0) }
    for (category, width) in widths.enumerated() where category != main {
      border += (0..<width).map { .column(category: category, $0) }
    }
    guard border.count <= Self.widestBorder else { return nil }
    (self.prior, self.layout, self.main, self.border) = (prior, layout, main, border)
    let roots = prior.variances.map { $0 == .infinity ? 1 : $0.squareRoot() }
    self.roots = roots
    let category = layout.categories[main]
    let own = prior.mean[category.parameters]
    let base = zip(own, category.low).reduce(prior.mean[0]) { $0 + $1.0 * $1.1 }
    mean = BorderedMean(
      effects: zip(own, category.step).map { base + $0 * $1 } + [base, prior.mean[0]],
      border: border.map { part in
        switch part {
        case .known, .missing: 0
        case .dense(let place): prior.mean[layout.dense[place].parameter]
        case .column(let category, let j):
          prior.mean[layout.categories[category].parameters.lowerBound + j]
        }
      }, isZero: prior.mean.allSatisfy { $0 == 0 })
    let (columns, width) = (category.width, border.count)
    (rightDiagonal, solutionDiagonal, sideDiagonal, inverseDiagonal) = Self.zeros(columns)
    (rightBorder, solutionBorder, sideBorder, inverseBorder) = Self.zeros(width)
    residuals = [Double](repeating: 0, count: category.binCount)
    parameters = [Double](repeating: 0, count: prior.order)
    variances = [Double](repeating: .nan, count: prior.order)
  }

  private static func zeros(_ count: Int) -> ([Double], [Double], [Double], [Double]) {
    let zeros = [Double](repeating: 0, count: count)
    return (zeros, zeros, zeros, zeros)
  }

  /// Works out the mean, and the variances if wanted, for rows with the sums `sums`.
  ///
  /// - Returns: Whether it could be done with all but five digits; else the dense way is to be taken.
  mutating func solve(_ sums: borrowing CompactSums, hasVariances: Bool) -> Bool {
    let category = layout.categories[main]
    seen.removeAll(keepingCapacity: true)
    for bin in 0..<category.width where sums.sum(0, category: main, bin: bin) > 0 { seen.append(bin) }
    let hasMissing = sums.sum(0, category: main, bin: category.missing) > 0
    // A free base without rows of its own follows from τ afterwards.
    let isConstrained = hasMissing || prior.variances[0] != .infinity
    // Nobody wants the variances of a model whose noise is unknown.
    guard !hasVariances || prior.variances[0] != .infinity else { return false }
    setMatrix(sums, isConstrained: isConstrained)
    setRightSide(sums)
    guard matrix.factor() >= Self.leastShare else { return false }

    for place in seen.indices { solutionDiagonal[place] = rightDiagonal[place] }
    for r in border.indices { solutionBorder[r] = rightBorder[r] }
    matrix.solve(&solutionDiagonal, &solutionBorder)
    var (side, shift) = (1.0, 0.0)
    if isConstrained {
      side = setSide()
      guard side > 0 else { return false }
      shift = sideCondition() / side
    }
    publish(category, shift: shift, isConstrained: isConstrained)
    return hasVariances ? publishVariances(category, side: side) : true
  }

  // MARK: The matrix and the right-hand side

  /// A vector of the sums, for the first two elements of the border the ones.
  private func root(_ r: Int) -> Double {
    switch border[r] {
    case .known: 1
    case .missing: roots[0]
    case .dense(let place): roots[layout.dense[place].parameter]
    case .column(let category, let j): roots[layout.categories[category].parameters.lowerBound + j]
    }
  }

  /// The sum of an element of the border over the rows of a bin of the main category.
  private func sum(_ part: Part, bin: Int, _ sums: borrowing CompactSums) -> Double {
    let missing = layout.categories[main].missing
    return switch part {
    case .known: bin == missing ? 0 : sums.sum(0, category: main, bin: bin)
    case .missing: bin == missing ? sums.sum(0, category: main, bin: bin) : 0
    case .dense(let place): sums.sum(2 + place, category: main, bin: bin)
    case .column(let category, let j): sums.sum(category: category, column: j, overCategory: main, bin: bin)
    }
  }

  /// The sum of the products of two elements of the border.
  private func product(_ first: Part, _ second: Part, _ sums: borrowing CompactSums) -> Double {
    let missing = layout.categories[main].missing
    switch (first, second) {
    case (.known, .missing): return 0
    case (.known, .known): return sums.knownSum(0, category: main)
    case (.missing, _): return sum(second, bin: missing, sums)
    case (.known, .dense(let place)): return sums.knownSum(2 + place, category: main)
    case (.known, .column(let category, let j)):
      return sums.product(0, category: category, column: j) - sum(second, bin: missing, sums)
    case (.dense(let v), .dense(let w)): return sums.product(2 + v, 2 + w)
    case (.dense(let v), .column(let category, let j)):
      return sums.product(2 + v, category: category, column: j)
    case (.column(let g, let i), .column(let h, let j)):
      return g == h
        ? sums.product(category: g, columns: i, j)
        : sums.product(category: g, column: i, category: h, column: j)
    case (_, .known), (_, .missing), (.column, .dense): return product(second, first, sums)
    }
  }

  private mutating func setMatrix(_ sums: borrowing CompactSums, isConstrained: Bool) {
    let (q, category) = (border.count, layout.categories[main])
    matrix.reshape(diagonal: seen.count, border: q)
    for (place, bin) in seen.enumerated() {
      let scale = category.step[bin] * roots[category.parameters.lowerBound + bin]
      matrix.diagonal[place] =
        sums.sum(0, category: main, bin: bin) * scale * scale / prior.noise + 1
      for r in 0..<q {
        matrix.coupling[place * q + r] = sum(border[r], bin: bin, sums) * scale * root(r) / prior.noise
      }
    }
    for s in 0..<q {
      for r in 0...s {
        matrix.corner[s * q + r] = product(border[r], border[s], sums) * root(r) * root(s) / prior.noise
      }
      switch border[s] {
      case .known: break
      case .missing:
        if prior.variances[0] != .infinity { matrix.corner[s * q + s] += 1 }
        if !isConstrained { matrix.corner[s * q + s] = 1 }
      case .dense, .column: matrix.corner[s * q + s] += 1
      }
    }
  }

  /// The sums of products with y - z·m; `residualSumOfSquares` becomes Σ (y - z·m)² meanwhile.
  private mutating func setRightSide(_ sums: borrowing CompactSums) {
    let category = layout.categories[main]
    let others = mean.isZero ? 0..<0 : 2..<border.count
    for bin in residuals.indices {
      let count = sums.sum(0, category: main, bin: bin)
      var sum = count == 0 ? 0 : sums.sum(1, category: main, bin: bin) - mean.effects[bin] * count
      if count > 0 {
        for r in others { sum -= mean.border[r] * self.sum(border[r], bin: bin, sums) }
      }
      residuals[bin] = sum
    }
    for (place, bin) in seen.enumerated() {
      let root = roots[category.parameters.lowerBound + bin]
      rightDiagonal[place] = residuals[bin] * category.step[bin] * root / prior.noise
    }
    rightBorder[0] = residuals.indices.dropLast().reduce(0) { $0 + residuals[$1] } / prior.noise
    rightBorder[1] = residuals[category.missing] * roots[0] / prior.noise
    var (values, predictions) = (sums.product(1, 1), 0.0)
    for r in 2..<border.count {
      let moment =
        switch border[r] {
        case .dense(let place): sums.product(1, 2 + place)
        case .column(let category, let j): sums.product(1, category: category, column: j)
        case .known, .missing: 0.0
        }
      var sum = moment
      if !mean.isZero {
        for bin in residuals.indices where sums.sum(0, category: main, bin: bin) > 0 {
          sum -= mean.effects[bin] * self.sum(border[r], bin: bin, sums)
        }
        for s in others { sum -= mean.border[s] * product(border[r], border[s], sums) }
        values -= mean.border[r] * moment
        predictions += mean.border[r] * sum
      }
      rightBorder[r] = sum * root(r) / prior.noise
    }
    if !mean.isZero {
      for bin in residuals.indices {
        values -= mean.effects[bin] * sums.sum(1, category: main, bin: bin)
        predictions += mean.effects[bin] * residuals[bin]
      }
    }
    residualSumOfSquares = values - predictions
  }

  // MARK: The side condition

  /// Element of a for a bin of the main category.
  private func side(_ bin: Int) -> Double {
    let category = layout.categories[main]
    return -category.low[bin] * roots[category.parameters.lowerBound + bin]
  }

  /// Solves N x = a; returns a·x. Bins without rows are left alone by N.
  private mutating func setSide() -> Double {
    for (place, bin) in seen.enumerated() { sideDiagonal[place] = side(bin) }
    for r in border.indices { sideBorder[r] = 0 }
    (sideBorder[0], sideBorder[1]) = (1, -roots[0])
    matrix.solve(&sideDiagonal, &sideBorder)
    var sum = sideBorder[0] - roots[0] * sideBorder[1]
    for (place, bin) in seen.enumerated() { sum += side(bin) * sideDiagonal[place] }
    var place = 0
    for bin in 0..<layout.categories[main].width {
      if place < seen.count, seen[place] == bin { place += 1 } else { sum += side(bin) * side(bin) }
    }
    return sum
  }

  /// a·x of the solution without it.
  private func sideCondition() -> Double {
    var sum = solutionBorder[0] - roots[0] * solutionBorder[1]
    for (place, bin) in seen.enumerated() { sum += side(bin) * solutionDiagonal[place] }
    return sum
  }

  // MARK: The solution

  private mutating func publish(_ category: CompactLayout.Category, shift: Double, isConstrained: Bool) {
    let first = category.parameters.lowerBound
    if isConstrained {
      for place in seen.indices { solutionDiagonal[place] -= shift * sideDiagonal[place] }
      for r in border.indices { solutionBorder[r] -= shift * sideBorder[r] }
    }
    // What the prior holds against the solution, and what the rows gain by it.
    var (gain, distance) = (0.0, 0.0)
    var (place, base) = (0, solutionBorder[0])
    for bin in 0..<category.width {
      var deviation = isConstrained ? -shift * side(bin) : 0
      if place < seen.count, seen[place] == bin {
        deviation = solutionDiagonal[place]
        gain += rightDiagonal[place] * deviation
        place += 1
      }
      distance += deviation * deviation
      base += side(bin) * deviation
      parameters[first + bin] = prior.mean[first + bin] + roots[first + bin] * deviation
    }
    for r in border.indices {
      gain += rightBorder[r] * solutionBorder[r]
      switch border[r] {
      case .known: continue
      case .missing:
        if isConstrained { base = roots[0] * solutionBorder[r] }
        if prior.variances[0] != .infinity { distance += solutionBorder[r] * solutionBorder[r] }
        continue
      case .dense(let place):
        let own = layout.dense[place].parameter
        parameters[own] = prior.mean[own] + roots[own] * solutionBorder[r]
      case .column(let category, let j):
        let own = layout.categories[category].parameters.lowerBound + j
        parameters[own] = prior.mean[own] + roots[own] * solutionBorder[r]
      }
      distance += solutionBorder[r] * solutionBorder[r]
    }
    parameters[0] = prior.mean[0] + base
    // Σ (y - z·t)² = Σ (y - z·m)² - s2 (g·x + x'x): of N x = g and a·x = 0, x'x without what is free.
    residualSumOfSquares = max(0, residualSumOfSquares - prior.noise * (gain + distance))
  }

  /// `false` where too many digits are lost.
  private mutating func publishVariances(_ category: CompactLayout.Category, side: Double) -> Bool {
    matrix.writeInverseDiagonal(&inverseDiagonal, &inverseBorder)
    let first = category.parameters.lowerBound
    var (place, trace) = (0, 0.0)
    for bin in 0..<category.width {
      var (whole, own) = (1.0, self.side(bin))
      if place < seen.count, seen[place] == bin {
        (whole, own) = (inverseDiagonal[place], sideDiagonal[place])
        place += 1
      }
      let left = whole - own * own / side
      guard left > Self.leastShare * whole else { return false }
      trace += 1 - left
      variances[first + bin] = roots[first + bin] * roots[first + bin] * left
    }
    for r in 1..<border.count {
      let whole = inverseBorder[r]
      let left = whole - sideBorder[r] * sideBorder[r] / side
      guard left > Self.leastShare * whole else { return false }
      trace += 1 - left
      let own: Int
      switch border[r] {
      case .known, .missing: own = 0
      case .dense(let place): own = layout.dense[place].parameter
      case .column(let category, let j): own = layout.categories[category].parameters.lowerBound + j
      }
      variances[own] = roots[own] * roots[own] * left
    }
    predictionVariances = prior.noise * max(0, trace)
    return true
  }

  /// Copies the results of `solve`.
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
}
