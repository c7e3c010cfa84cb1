import Foundation

// Most other test files do not import Foundation. They use these functions.
func logOf(_ x: Double) -> Double { log(x) }
func log10Of(_ x: Double) -> Double { log10(x) }
func powerOfTen(_ x: Double) -> Double { pow(10, x) }

/// An unevaluated sum of two doubles with about 32 digits. Only the reference implementation uses
/// it.
///
/// Source: Dekker 1971, doi:10.1007/BF01397083. A fused multiply-add computes the error of a
/// product.
struct DoubleDouble {
  var high: Double
  var low: Double

  init(_ value: Double) { (high, low) = (value, 0) }

  /// The exact sum of `a` and `b`.
  init(sum a: Double, _ b: Double) {
    high = a + b
    let part = high - a
    low = (a - (high - part)) + (b - part)
  }

  /// The exact product of `a` and `b`.
  init(product a: Double, _ b: Double) {
    high = a * b
    low = (-high).addingProduct(a, b)
  }

  var value: Double { high + low }
  var magnitude: Double { abs(value) }

  static func + (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
    let high = DoubleDouble(sum: a.high, b.high)
    let low = DoubleDouble(sum: a.low, b.low)
    let middle = DoubleDouble(sum: high.high, high.low + low.high)
    return DoubleDouble(sum: middle.high, middle.low + low.low)
  }

  static prefix func - (a: DoubleDouble) -> DoubleDouble {
    var result = a
    (result.high, result.low) = (-a.high, -a.low)
    return result
  }

  static func - (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble { a + -b }

  static func * (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
    let product = DoubleDouble(product: a.high, b.high)
    return DoubleDouble(sum: product.high, product.low + (a.high * b.low + a.low * b.high))
  }

  static func / (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
    let first = a.high / b.high
    let rest = a - b * DoubleDouble(first)
    let second = rest.high / b.high
    let last = rest - b * DoubleDouble(second)
    return DoubleDouble(sum: first, second) + DoubleDouble(last.high / b.high)
  }
}

/// Solves the normal equations with 32 digits by Gaussian elimination with row pivoting. The
/// intercept has a column of its own. The columns must have full rank. The solution loses twice as
/// many digits as the condition number has.
func closedForm(_ problem: Problem) -> (coefficients: [Double], residualSumOfSquares: Double) {
  let n = problem.rowCount
  var columns = (0..<problem.columnCount).map { Array(problem.column($0)) }
  var penalties = problem.penalties
  if problem.fitsIntercept {
    columns.insert(Array(repeating: 1, count: n), at: 0)
    penalties.insert(0, at: 0)
  }
  let p = columns.count
  // The last column of each row is the right-hand side.
  var table = (0..<p).map { j in
    (columns + [problem.response]).map { other in
      zip(columns[j], other).reduce(DoubleDouble(0)) { $0 + DoubleDouble(product: $1.0, $1.1) }
    }
  }
  for j in 0..<p { table[j][j] = table[j][j] + DoubleDouble(penalties[j]) }
  for k in 0..<p {
    let best = (k..<p).max { table[$0][k].magnitude < table[$1][k].magnitude } ?? k
    table.swapAt(k, best)
    for row in k + 1..<max(p, k + 1) {
      let factor = table[row][k] / table[k][k]
      for column in k...p { table[row][column] = table[row][column] - factor * table[k][column] }
    }
  }
  var solution = Array(repeating: DoubleDouble(0), count: p)
  for k in stride(from: p - 1, through: 0, by: -1) {
    var rest = table[k][p]
    for j in k + 1..<max(p, k + 1) { rest = rest - table[k][j] * solution[j] }
    solution[k] = rest / table[k][k]
  }
  var sum = DoubleDouble(0)
  for i in 0..<n {
    var residual = DoubleDouble(problem.response[i])
    for j in 0..<p { residual = residual - solution[j] * DoubleDouble(columns[j][i]) }
    sum = sum + residual * residual
  }
  let values = solution.map(\.value)
  return (problem.fitsIntercept ? values : [0] + values, sum.value)
}
