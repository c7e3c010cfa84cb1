import Concurrency
import LeastSquares

/// A least-squares problem and the options with which a test solves it.
struct Problem {
  /// The columns of the design matrix, one after another.
  var design: [Double]
  var response: [Double]
  var penalties: [Double]
  var fitsIntercept = true

  var rowCount: Int { response.count }
  var columnCount: Int { penalties.count }

  func column(_ j: Int) -> ArraySlice<Double> { design[j * rowCount..<(j + 1) * rowCount] }

  init(columns: [[Double]], response: [Double], penalties: [Double], fitsIntercept: Bool = true) {
    design = columns.flatMap { $0 }
    self.response = response
    self.penalties = penalties
    self.fitsIntercept = fitsIntercept
  }

  init(columns: [[Double]], response: [Double], penalty: Double = 0, fitsIntercept: Bool = true) {
    self.init(
      columns: columns, response: response, penalties: columns.map { _ in penalty },
      fitsIntercept: fitsIntercept)
  }

  func solve(_ method: LeastSquaresMethod.Choice = .automatic) throws(LeastSquaresError) -> Solution {
    var workspace = LeastSquaresWorkspace()
    return try solve(method, in: &workspace)
  }

  func solve(
    _ method: LeastSquaresMethod.Choice, in workspace: inout LeastSquaresWorkspace
  ) throws(LeastSquaresError) -> Solution {
    var coefficients = Array(repeating: Double.nan, count: columnCount)
    var span = coefficients.mutableSpan
    let fit = try workspace.solve(
      design: design.span, response: response.span, penalties: penalties.span, fitsIntercept: fitsIntercept,
      method: method, coefficients: &span)
    return Solution(fit: fit, coefficients: coefficients)
  }
}

struct Solution: Equatable {
  var fit: LeastSquaresFit
  var coefficients: [Double]

  /// The intercept and then the coefficients.
  var all: [Double] { [fit.intercept] + coefficients }

  var isFinite: Bool {
    all.allSatisfy(\.isFinite) && fit.residualSumOfSquares.isFinite && fit.reciprocalCondition.isFinite
  }
}

/// The largest difference divided by the largest magnitude of `expected`. If this magnitude is 0, the result
/// is the largest difference.
func relativeError(_ got: [Double], _ expected: [Double]) -> Double {
  let scale = expected.map(abs).max() ?? 0
  let error = zip(got, expected).map { abs($0 - $1) }.max() ?? 0
  return scale == 0 ? error : error / scale
}

/// The number of correct digits by NIST's definition: -log10 of the relative error, or of the
/// absolute error if the expected value is 0.
func correctDigits(_ got: Double, _ expected: Double) -> Double {
  let error = expected == 0 ? abs(got) : abs(got - expected) / abs(expected)
  return error == 0 ? 16 : min(16, -log10Of(error))
}

extension SplitMix64 {
  /// A standard normal number by Box and Muller's polar method (Marsaglia).
  mutating func nextNormal() -> Double {
    while true {
      let (u, v) = (2 * nextUnit() - 1, 2 * nextUnit() - 1)
      let s = u * u + v * v
      if s > 0, s < 1 { return u * (-2 * logOf(s) / s).squareRoot() }
    }
  }
}
