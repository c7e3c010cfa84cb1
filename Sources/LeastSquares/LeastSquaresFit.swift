/// Properties of a solution besides its coefficients.
public struct LeastSquaresFit: Hashable, Sendable {
  /// The free constant b, in units of the response; 0 where none was fitted.
  public var intercept: Double

  /// The method that gave the solution.
  public var method: LeastSquaresMethod

  /// How many parameters the rows and the penalties determine.
  ///
  /// A fitted intercept counts as one when there is a row, so that full rank is `p + 1` with an intercept and
  /// `p` without. A column counts when more of it than `LeastSquaresWorkspace.rankTolerance(rows:columns:)`
  /// times its length is left after the others and the intercept are taken out of it.
  public var rank: Int

  /// The sum of squared residuals over the rows, without the penalty; at least 0, in squared units of the response.
  public var residualSumOfSquares: Double

  /// An estimate, from 0 to 1, of the reciprocal condition number of the centered and penalized columns.
  ///
  /// About 1 for orthogonal columns, 0 for a deficient rank, 1 without columns. Every column is first brought to
  /// about unit length, so that units do not show: its centered length for Cholesky, its length as given for QR
  /// and SVD. Compare it between problems solved by one method only. 1e-16 divided by it is about the relative
  /// error in the coefficients that rounding of the input alone causes.
  public var reciprocalCondition: Double
}
