/// Properties of a solution besides its coefficients.
public struct LeastSquaresFit: Hashable, Sendable {
  /// The intercept b, in units of the response; 0 if no intercept was fitted.
  public var intercept: Double

  /// The method that computed the solution.
  public var method: LeastSquaresMethod

  /// The number of parameters that the rows and the penalties determine.
  ///
  /// A fitted intercept counts as one parameter if there is a row. The full rank is therefore `p + 1` with an
  /// intercept and `p` without. A column counts if its projection onto the other columns and the intercept
  /// leaves a large enough remainder. The length of the remainder must exceed
  /// `LeastSquaresWorkspace.rankTolerance(rows:columns:)` times the length of the column.
  public var rank: Int

  /// The sum of squared residuals over the rows, without the penalty; at least 0, in squared units of the
  /// response.
  public var residualSumOfSquares: Double

  /// An estimate, from 0 to 1, of the reciprocal condition number of the centered and penalized columns.
  ///
  /// The estimate is about 1 for orthogonal columns, 0 for a deficient rank, and 1 without columns. Every
  /// column is first scaled to about unit length, so that units have no influence. Cholesky uses the length
  /// after centering. QR and SVD use the length before centering. Compare estimates only between problems
  /// solved by the same method. Rounding of the input alone causes a relative error in the coefficients of
  /// about 1e-16 divided by the estimate.
  public var reciprocalCondition: Double
}
