/// Small dense matrices in extended precision. This implementation is slow, simple and independent.
struct Dense {
  typealias Real = Float80
  var rows: [[Real]]

  /// Solves `rows` x = `right` by Gaussian elimination with pivoting. Also returns the logarithm of
  /// the determinant's absolute value.
  func solve(_ right: [Real]) -> (solution: [Real], logDeterminant: Double) {
    let n = rows.count
    var matrix = rows.indices.map { rows[$0] + [right[$0]] }
    var logDeterminant = 0.0
    for pivot in 0..<n {
      let best = (pivot..<n).max { abs(matrix[$0][pivot]) < abs(matrix[$1][pivot]) } ?? pivot
      matrix.swapAt(pivot, best)
      logDeterminant += naturalLogarithm(Double(abs(matrix[pivot][pivot])))
      for row in 0..<n where row != pivot {
        let factor = matrix[row][pivot] / matrix[pivot][pivot]
        if factor == 0 { continue }
        for column in pivot...n { matrix[row][column] -= factor * matrix[pivot][column] }
      }
    }
    return ((0..<n).map { matrix[$0][n] / matrix[$0][$0] }, logDeterminant)
  }
}

/// One person's rows z = (1, x) and values y.
struct PersonRows {
  var z: [[Double]] = []
  var y: [Double] = []

  /// The minimizer of Σ (y - z·t)² + noise (t - mean)' diag(variances)⁻¹ (t - mean). A parameter
  /// with an infinite variance has no penalty.
  func minimiser(mean: [Double], variances: [Double], noise: Double) -> [Double] {
    let order = mean.count
    var matrix = [[Dense.Real]](repeating: [Dense.Real](repeating: 0, count: order), count: order)
    var right = [Dense.Real](repeating: 0, count: order)
    for j in 0..<order {
      let precision = variances[j] == .infinity ? 0 : Dense.Real(noise) / Dense.Real(variances[j])
      matrix[j][j] += precision
      right[j] += precision * Dense.Real(mean[j])
    }
    for (z, y) in zip(z, y) {
      for j in 0..<order {
        right[j] += Dense.Real(z[j]) * Dense.Real(y)
        for k in 0..<order { matrix[j][k] += Dense.Real(z[j]) * Dense.Real(z[k]) }
      }
    }
    return Dense(rows: matrix).solve(right).solution.map { Double($0) }
  }

  /// The logarithm of the density of y ~ N(Z mean, Z diag(variances) Z' + noise I).
  func logLikelihood(mean: [Double], variances: [Double], noise: Double) -> Double {
    let covariance = z.indices.map { row in
      z.indices.map { column in
        mean.indices.reduce(row == column ? Dense.Real(noise) : 0) {
          $0 + Dense.Real(z[row][$1]) * Dense.Real(variances[$1]) * Dense.Real(z[column][$1])
        }
      }
    }
    let residuals = z.indices.map { row in
      mean.indices.reduce(Dense.Real(y[row])) { $0 - Dense.Real(z[row][$1]) * Dense.Real(mean[$1]) }
    }
    let (weighted, logDeterminant) = Dense(rows: covariance).solve(residuals)
    let square = zip(weighted, residuals).reduce(0) { $0 + $1.0 * $1.1 }
    return -0.5 * (Double(y.count) * naturalLogarithm(2 * .pi) + logDeterminant + Double(square))
  }
}
