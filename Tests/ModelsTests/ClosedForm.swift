/// The closed form of the Create ML baseline in extended precision. This is the slow reference
/// implementation.
///
/// Minimizes Σ (y - b - x·w)² + 0.01 Σ w² over b and w, where x are the columns divided by √(mean² + sd²).
struct ClosedForm {
  var intercept: Double
  /// The coefficients in the original units of the columns.
  var coefficients: [Double]
  var means: [Double]

  /// - Parameters:
  ///   - columns: One array per column, without missing values.
  ///   - response: One value per row, at least one.
  init(columns: [[Double]], response: [Double]) {
    typealias Real = Float80
    let n = Real(response.count)
    let exact = columns.map { $0.map(Real.init) }
    let means = exact.map { $0.reduce(0, +) / n }
    let scales = zip(exact, means).map { column, mean in
      let squares = column.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      let variance = n > 1 ? squares / (n - 1) : 0
      return (mean * mean + variance).squareRoot()
    }
    let y = response.map(Real.init)
    let meanOfResponse = y.reduce(0, +) / n
    // A column of zeros has the scale 0 and the coefficient 0, so it is left out.
    let active = columns.indices.filter { scales[$0] > 0 }
    let centered = active.map { j in exact[j].map { ($0 - means[j]) / scales[j] } }
    let p = active.count
    var matrix = (0..<p).map { i in
      (0..<p).map { j in
        zip(centered[i], centered[j]).reduce(i == j ? 0.01 as Real : 0) { $0 + $1.0 * $1.1 }
      } + [zip(centered[i], y).reduce(0) { $0 + $1.0 * ($1.1 - meanOfResponse) }]
    }
    for pivot in 0..<p {
      let best = (pivot..<p).max { abs(matrix[$0][pivot]) < abs(matrix[$1][pivot]) } ?? pivot
      matrix.swapAt(pivot, best)
      for row in 0..<p where row != pivot {
        let factor = matrix[row][pivot] / matrix[pivot][pivot]
        for column in pivot...p { matrix[row][column] -= factor * matrix[pivot][column] }
      }
    }
    var coefficients = [Real](repeating: 0, count: columns.count)
    for (row, j) in active.enumerated() { coefficients[j] = matrix[row][p] / matrix[row][row] / scales[j] }
    let intercept = zip(coefficients, means).reduce(meanOfResponse) { $0 - $1.0 * $1.1 }
    self.intercept = Double(intercept)
    self.coefficients = coefficients.map { Double($0) }
    self.means = means.map { Double($0) }
  }
}
