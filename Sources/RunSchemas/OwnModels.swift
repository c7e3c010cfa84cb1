/// The models of consecutive users, in the order of users. Each model has its own columns. The models are
/// stored column by column, as in the files.
package struct OwnModels: Sendable {
  package private(set) var observations: [UInt32] = []
  package private(set) var bases: [Double] = []
  package private(set) var intercepts: [Double] = []
  package private(set) var residualSumsOfSquares: [Double] = []
  package private(set) var termCounts: [Int] = []
  /// The terms of all users, user by user.
  package private(set) var columns: [UInt32] = []
  package private(set) var coefficients: [Double] = []
  package private(set) var means: [Double] = []

  package init() {}

  /// Adds a term to the model of the next user.
  package mutating func appendTerm(column: UInt32, coefficient: Double, mean: Double) {
    columns.append(column)
    coefficients.append(coefficient)
    means.append(mean)
  }

  /// Completes the next user's model. Its terms are the last `terms` terms that were added.
  package mutating func append(
    observations: Int, base: Double, intercept: Double, residualSumOfSquares: Double, terms: Int
  ) {
    self.observations.append(UInt32(clamping: observations))
    bases.append(base)
    intercepts.append(intercept)
    residualSumsOfSquares.append(residualSumOfSquares)
    termCounts.append(terms)
  }

  /// Adds the next user, who has no model.
  package mutating func appendNone() {
    append(observations: 0, base: .nan, intercept: .nan, residualSumOfSquares: .nan, terms: 0)
  }
}
