/// The reason why a solver returns no solution. The solvers throw no other error.
public enum LeastSquaresError: Error, Hashable, Sendable {
  /// A column contains NaN or infinity. `row` and `column` are the indices, from 0, of the first of these
  /// elements in column order.
  case nonFiniteDesign(row: Int, column: Int)
  /// The response contains NaN or infinity. `row` is the index, from 0, of the first of these elements.
  case nonFiniteResponse(row: Int)
  /// A penalty is negative, NaN or infinite. `column` is the index, from 0, of the first of these penalties.
  case invalidPenalty(column: Int)
  /// The given matrix, or the cross-product matrix of the columns, is not positive definite.
  /// `LeastSquaresWorkspace` throws this error only under `.only(.cholesky)`.
  ///
  /// `leadingMinor` is the order of the first leading minor that is not positive, counted from 1.
  case notPositiveDefinite(leadingMinor: Int)
  /// Only under `.only(.cholesky)`: a factor exists, but rounding may have changed every digit.
  case illConditioned
  /// Only under `.only(.qr)`: the columns are linearly dependent. `rank` includes a fitted intercept.
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
      "the design matrix is not finite at row \(row), column \(column) (counted from 0). Replace NaN and infinity."
    case .nonFiniteResponse(let row):
      "the response is not finite at row \(row) (counted from 0). Remove rows with NaN or infinity."
    case .invalidPenalty(let column):
      "the penalty of column \(column) (counted from 0) must be a finite number of at least 0. Correct the penalty."
    case .notPositiveDefinite(let leadingMinor):
      "the cross-product matrix is not positive definite: its leading minor of order \(leadingMinor) is not positive. Use QR or SVD."
    case .illConditioned:
      "the cross-product matrix is too ill-conditioned for Cholesky. Use QR or SVD."
    case .rankDeficient(let rank):
      "the columns are linearly dependent: the rank is only \(rank). Use SVD for the minimum-norm solution."
    case .singularValuesDidNotConverge:
      "the iteration for singular values did not converge. Use QR if the columns are linearly independent."
    case .resultOutOfRange:
      "the solution is too large for a Double. Rescale the columns or the response."
    }
  }
}
