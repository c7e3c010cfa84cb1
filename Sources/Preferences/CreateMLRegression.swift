internal import Features
internal import LeastSquares
internal import Tables

/// The model that the first app used: Create ML's linear regressor, one per user.
///
/// Minimises the sum of squared residuals plus 0.01 times the sum of squared coefficients, with a free intercept,
/// on columns divided by the root of their mean square (mean² + sd², sd with n-1).
///
/// One per worker: it keeps its buffers.
struct CreateMLRegression: ~Copyable {
  private var design = LearningDesign()
  private var solver = LeastSquaresWorkspace()

  static let penalty = 0.01

  /// The model of `user`, learned from the interactions `rows`, and how it was solved; `nil` without rows.
  ///
  /// - Throws: `LeastSquaresError`, which data that ingest let through do not provoke.
  mutating func fit(
    _ rows: Range<Int>, of user: Int, from table: InteractionTable, in space: FeatureSpace
  ) throws(LeastSquaresError) -> (model: UserModel, method: LeastSquaresMethod)? {
    guard !rows.isEmpty else { return nil }
    design.load(rows, of: user, from: table, in: space)
    let count = design.columns.count { $0.scale != nil }
    var coefficients = [Double](repeating: 0, count: count)
    // Taken out first: a span into `design` would borrow the whole of self beside the solver's mutation.
    let (matrix, response) = (design.matrix, design.response)
    var output = coefficients.mutableSpan
    let fit = try solver.solve(
      design: matrix.span, response: response.span, penalty: Self.penalty, fitsIntercept: true,
      coefficients: &output)

    var next = 0
    let terms = design.columns.map { column in
      guard let scale = column.scale else {
        return UserModel.Term(column: column.column, coefficient: 0, mean: column.mean)
      }
      defer { next += 1 }
      return UserModel.Term(
        column: column.column, coefficient: coefficients[next] / scale, mean: column.mean)
    }
    // The intercept is free, so the prediction at the mean of the rows is the mean of their values.
    let base = response.reduce(0, +) / Double(response.count)
    let intercept = terms.reduce(base) { $0 - $1.coefficient * $1.mean }
    let model = UserModel(
      observations: rows.count, base: base, intercept: intercept,
      residualSumOfSquares: fit.residualSumOfSquares, terms: terms)
    return (model, fit.method)
  }
}
