internal import Features
internal import LeastSquares
internal import RunSchemas

/// One regression per user, as in Create ML's linear regressor.
///
/// The regression minimizes the sum of squared residuals plus 0.01 times the sum of squared coefficients,
/// with a free intercept. Each column is first divided by the square root of mean² + sd², where sd is the
/// sample standard deviation (divisor n - 1).
///
/// Each worker uses its own instance, which reuses its buffers.
struct CreateMLRegression: ~Copyable {
  private let rows: LearningRows
  private var design: LearningDesign
  private var solver = LeastSquaresWorkspace()
  private var coefficients: [Double] = []

  static let penalty = 0.01

  init(_ rows: LearningRows) {
    self.rows = rows
    design = LearningDesign(rows)
  }

  /// Adds the model of `user` to `models`, or an empty entry if the user has no rows.
  ///
  /// - Returns: The solution method; `nil` if the user has no rows.
  /// - Throws: `LeastSquaresError`, which indicates a bug, because ingest rejects values that could cause
  ///   this error.
  mutating func fit(_ user: Int, into models: inout OwnModels) throws(LeastSquaresError)
    -> LeastSquaresMethod?
  {
    let range = rows.table.range(ofUser: user)
    guard !range.isEmpty else {
      models.appendNone()
      return nil
    }
    design.load(range, of: user)
    let fit = try solve()
    // The intercept is free, so the prediction at the mean of the rows is the mean of their values.
    let base = design.response.reduce(0, +) / Double(design.response.count)
    var (next, intercept) = (0, base)
    for column in design.columns {
      var coefficient = 0.0
      if let scale = column.scale {
        coefficient = coefficients[next] / scale
        next += 1
      }
      intercept -= coefficient * column.mean
      models.appendTerm(column: column.column, coefficient: coefficient, mean: column.mean)
    }
    models.append(
      observations: range.count, base: base, intercept: intercept,
      residualSumOfSquares: fit.residualSumOfSquares, terms: design.columns.count)
    return fit.method
  }

  private mutating func solve() throws(LeastSquaresError) -> LeastSquaresFit {
    let (count, rowCount) = (design.scaledCount, design.rowCount)
    if coefficients.count < count { coefficients = [Double](repeating: 0, count: 2 * count) }
    // Local copies are needed, because a span into `design` would borrow all of `self` while the solver
    // changes `self`.
    let (matrix, response) = (design.matrix, design.response)
    var buffer: [Double] = []
    swap(&buffer, &coefficients)
    defer { swap(&buffer, &coefficients) }
    var whole = buffer.mutableSpan
    var output = whole._mutatingExtracting(first: count)
    return try solver.solve(
      design: matrix.span.extracting(0..<count * rowCount), response: response.span, penalty: Self.penalty,
      fitsIntercept: true, coefficients: &output)
  }
}
