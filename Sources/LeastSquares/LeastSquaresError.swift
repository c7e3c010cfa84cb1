/// The reason why a solver returns no solution. The solvers throw no other error.
public enum LeastSquaresError: Error, Hashable, Sendable {
  /// A column contains NaN or infinity; `row` and `column` locate the first one in column order.
  case nonFiniteDesign(row: Int, column: Int)
  /// The response contains NaN or infinity; `row` locates the first one.
  case nonFiniteResponse(row: Int)
  /// A penalty is negative, NaN or infinite; `column` locates the first one.
  case invalidPenalty(column: Int)
  /// The matrix or the cross-product matrix is not positive definite. `LeastSquaresWorkspace` throws this
  /// error only under `.only(.cholesky)`.
  ///
  /// `leadingMinor` is the order of the first leading minor that is not positive, counted from 1.
  case notPositiveDefinite(leadingMinor: Int)
  /// Only under `.only(.cholesky)`: a factor exists, but rounding may have changed every digit.
  case illConditioned
  /// Only under `.only(.qr)`: the columns are dependent. `rank` counts a fitted intercept.
  case rankDeficient(rank: Int)
  /// The iteration for singular values did not converge.
  case singularValuesDidNotConverge
  /// A coefficient, the intercept or the residual sum of squares overflows a `Double`.
  case resultOutOfRange
}

extension LeastSquaresError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nonFiniteDesign(let row, let column):
      "the design is not finite at row \(row), column \(column); replace missing values first"
    case .nonFiniteResponse(let row):
      "the response is not finite at row \(row); remove such rows"
    case .invalidPenalty(let column):
      "the penalty of column \(column) is not a finite number of at least 0; correct it"
    case .notPositiveDefinite(let leadingMinor):
      "the cross-product matrix is not positive definite: leading minor \(leadingMinor) is not positive; use QR or SVD"
    case .illConditioned:
      "the sums of products are too ill-conditioned for Cholesky; use QR or SVD"
    case .rankDeficient(let rank):
      "only \(rank) parameters are determined; use SVD for the minimum-norm solution"
    case .singularValuesDidNotConverge:
      "the iteration for singular values did not converge; use QR, which needs independent columns"
    case .resultOutOfRange:
      "the solution is too large for a Double; rescale the columns or the response"
    }
  }
}
